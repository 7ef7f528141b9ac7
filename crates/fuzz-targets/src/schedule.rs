//! Targets: schedule files and files of symmetric schedules.

use lockstep_files::seal;
use lockstep_schedule::{ScheduleFile, SymmetricScheduleFile, verify};

use crate::error_check::is_one_line;

/// Checks a JSON schedule file, and verifies its schedule.
pub fn schedule_json(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    match ScheduleFile::from_json(text) {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(file) => {
            assert_eq!(ScheduleFile::from_json(&file.to_json()).as_ref(), Ok(&file));
            check(&file);
            true
        }
    }
}

/// Checks a binary schedule file: the sealed file, and the content under a correct checksum.
pub fn schedule_binary(bytes: &[u8]) -> bool {
    let mut is_accepted = false;
    for bytes in [bytes, &seal(*b"lockschd", 1, bytes), &seal(*b"lockschd", 4, bytes)] {
        match ScheduleFile::from_bytes(bytes) {
            Err(error) => is_one_line(&error),
            Ok(file) => {
                check(&file);
                is_accepted = true;
            }
        }
    }
    is_accepted
}

fn check(file: &ScheduleFile) {
    if let Err(violation) = verify(&file.problem(), file.schedule()) {
        is_one_line(&violation);
    }
    assert_eq!(ScheduleFile::from_bytes(&file.to_bytes()).as_ref(), Ok(file));
}

/// Checks the JSON file of a symmetric schedule, and verifies its base.
pub fn symmetric_json(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    match SymmetricScheduleFile::from_json(text) {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(file) => {
            assert_eq!(SymmetricScheduleFile::from_json(&file.to_json()).as_ref(), Ok(&file));
            check_symmetric(&file);
            true
        }
    }
}

/// Checks the binary file of a symmetric schedule: the sealed file, and the content under a correct checksum.
pub fn symmetric_binary(bytes: &[u8]) -> bool {
    let mut is_accepted = false;
    for bytes in [bytes, &seal(*b"locksymm", 1, bytes)] {
        match SymmetricScheduleFile::from_bytes(bytes) {
            Err(error) => is_one_line(&error),
            Ok(file) => {
                check_symmetric(&file);
                is_accepted = true;
            }
        }
    }
    is_accepted
}

fn check_symmetric(file: &SymmetricScheduleFile) {
    if let Err(violation) = file.verify() {
        is_one_line(&violation);
    }
    assert_eq!(SymmetricScheduleFile::from_bytes(&file.to_bytes()).as_ref(), Ok(file));
}
