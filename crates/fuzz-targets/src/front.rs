//! Target: fronts of designs.

use lockstep_design::Front;

use crate::error_check::is_one_line;

/// Largest machine whose networks are built, in cable slots. Larger machines take longer and find nothing new.
const MAX_SLOTS: u32 = 1 << 10;

/// Checks the JSON of a front of designs, and the networks of its codes.
pub fn front_json(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    match Front::from_json(text) {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(front) => {
            assert_eq!(Front::from_json(&front.to_json()).as_ref(), Ok(&front));
            for design in front.designs().iter().filter(|_| front.machine().slot_count() <= MAX_SLOTS) {
                if let Err(error) = front.machine().topology(&design.code) {
                    is_one_line(&error);
                }
            }
            true
        }
    }
}
