//! The binary form of lower bounds, alone and under a valid version.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_certificate::LowerBound;

fuzz_target!(|bytes: &[u8]| {
    for bytes in [bytes, &[&[1], bytes].concat()] {
        match LowerBound::from_bytes(bytes) {
            Err(error) => lockstep_fuzz::one_line_refusal(&error),
            Ok(bound) => {
                assert!(!bound.to_string().is_empty());
                assert_eq!(bound.to_bytes(), bytes);
            }
        }
    }
});
