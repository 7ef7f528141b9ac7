//! JSON schedule files, and the verifier.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_schedule::{ScheduleFile, verify};

fuzz_target!(|text: &str| {
    match ScheduleFile::from_json(text) {
        Err(error) => lockstep_fuzz::one_line_refusal(&error),
        Ok(file) => {
            if let Err(violation) = verify(&file.problem(), file.schedule()) {
                lockstep_fuzz::one_line_refusal(&violation);
            }
            assert_eq!(ScheduleFile::from_json(&file.to_json()).as_ref(), Ok(&file));
            assert_eq!(ScheduleFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file));
        }
    }
});
