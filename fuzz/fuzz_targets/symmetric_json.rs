//! JSON files of symmetric schedules, and the verifier of the base.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_schedule::SymmetricScheduleFile;

fuzz_target!(|text: &str| {
    match SymmetricScheduleFile::from_json(text) {
        Err(error) => lockstep_fuzz::one_line_refusal(&error),
        Ok(file) => {
            if let Err(violation) = file.verify() {
                lockstep_fuzz::one_line_refusal(&violation);
            }
            assert_eq!(SymmetricScheduleFile::from_json(&file.to_json()).as_ref(), Ok(&file));
            assert_eq!(SymmetricScheduleFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file));
        }
    }
});
