//! Fronts of designs, and the networks of their codes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_design::Front;

fuzz_target!(|text: &str| {
    match Front::from_json(text) {
        Err(error) => lockstep_fuzz::one_line_refusal(&error),
        Ok(front) => {
            assert_eq!(Front::from_json(&front.to_json()).as_ref(), Ok(&front));
            // Larger machines take longer and find nothing new.
            for design in front.designs().iter().filter(|_| front.machine().slot_count() <= 1 << 10) {
                if let Err(error) = front.machine().topology(&design.code) {
                    lockstep_fuzz::one_line_refusal(&error);
                }
            }
        }
    }
});
