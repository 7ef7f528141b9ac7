//! Targets: plan files and lower bounds.

use lockstep::PlanFile;
use lockstep_certificate::LowerBound;
use lockstep_files::seal;

use crate::error_check::{has_message, is_one_line};

/// Checks a JSON plan file and its claims.
pub fn plan_json(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    match PlanFile::from_json(text) {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(file) => {
            assert_eq!(PlanFile::from_json(&file.to_json()).as_ref(), Ok(&file));
            check(file);
            true
        }
    }
}

/// Checks a binary plan file: the sealed file, the content of version 1 under a correct checksum, and that of both pieces of
/// version 3. The first two bytes are then the length of the first piece.
pub fn plan_binary(bytes: &[u8]) -> bool {
    let mut is_accepted = false;
    let (length, pieces) = bytes.split_first_chunk().unwrap_or((&[0; 2], &[]));
    let (claims, schedule) = pieces.split_at(pieces.len().min(u16::from_le_bytes(*length).into()));
    let pieces = [seal(*b"lockplan", 3, claims), seal(*b"lockschd", 4, schedule)].concat();
    for bytes in [bytes, &seal(*b"lockplan", 1, bytes), &pieces] {
        match PlanFile::from_bytes(bytes) {
            Err(error) => is_one_line(&error),
            Ok(file) => {
                check(file);
                is_accepted = true;
            }
        }
    }
    is_accepted
}

fn check(file: PlanFile) {
    assert_eq!(PlanFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file));
    if let Err(violation) = file.check() {
        has_message(&violation);
    }
}

/// Checks the binary form of a lower bound: alone, and under a valid version.
pub fn lower_bound(bytes: &[u8]) -> bool {
    let mut is_accepted = false;
    for bytes in [bytes, &[&[1], bytes].concat()] {
        match LowerBound::from_bytes(bytes) {
            Err(error) => is_one_line(&error),
            Ok(bound) => {
                assert!(!bound.to_string().is_empty());
                assert_eq!(bound.to_bytes(), bytes);
                is_accepted = true;
            }
        }
    }
    is_accepted
}
