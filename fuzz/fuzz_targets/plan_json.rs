//! JSON plan files, and the check of their claims.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep::PlanFile;

fuzz_target!(|text: &str| {
    match PlanFile::from_json(text) {
        Err(error) => lockstep_fuzz::one_line_refusal(&error),
        Ok(file) => {
            assert_eq!(PlanFile::from_json(&file.to_json()).as_ref(), Ok(&file));
            assert_eq!(PlanFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file));
            if let Err(violation) = file.check() {
                lockstep_fuzz::refusal(&violation);
            }
        }
    }
});
