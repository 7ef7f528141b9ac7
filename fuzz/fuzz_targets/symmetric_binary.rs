//! Binary files of symmetric schedules: the sealed file, and the content under a correct checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_files::seal;
use lockstep_schedule::SymmetricScheduleFile;

fuzz_target!(|bytes: &[u8]| {
    for bytes in [bytes, &seal(*b"locksymm", 1, bytes)] {
        match SymmetricScheduleFile::from_bytes(bytes) {
            Err(error) => lockstep_fuzz::one_line_refusal(&error),
            Ok(file) => {
                if let Err(violation) = file.verify() {
                    lockstep_fuzz::one_line_refusal(&violation);
                }
                assert_eq!(SymmetricScheduleFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file));
            }
        }
    }
});
