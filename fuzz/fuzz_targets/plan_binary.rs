//! Binary plan files: the sealed file, and the content under a correct checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep::PlanFile;
use lockstep_files::seal;

fuzz_target!(|bytes: &[u8]| {
    for bytes in [bytes, &seal(*b"lockplan", 1, bytes), &seal(*b"lockplan", 2, bytes)] {
        match PlanFile::from_bytes(bytes) {
            Err(error) => lockstep_fuzz::one_line_refusal(&error),
            Ok(file) => {
                assert_eq!(PlanFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file));
                if let Err(violation) = file.check() {
                    lockstep_fuzz::refusal(&violation);
                }
            }
        }
    }
});
