//! Binary schedule files: the sealed file, and the content under a correct checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_files::seal;
use lockstep_schedule::{ScheduleFile, verify};

fuzz_target!(|bytes: &[u8]| {
    for bytes in [bytes, &seal(*b"lockschd", 1, bytes)] {
        match ScheduleFile::from_bytes(bytes) {
            Err(error) => lockstep_fuzz::one_line_refusal(&error),
            Ok(file) => {
                if let Err(violation) = verify(&file.problem(), file.schedule()) {
                    lockstep_fuzz::one_line_refusal(&violation);
                }
                assert_eq!(ScheduleFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file));
            }
        }
    }
});
