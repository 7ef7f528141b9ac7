//! Target: tables of choices.

use lockstep_tune::{Communicator, Library, MAX_BYTES, TableReading};

use crate::error_check::is_one_line;

/// Checks a table of choices, as a table of each library.
pub fn choice_table(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let detected = TableReading::detect(text);
    let mut is_accepted = false;
    for library in Library::ALL {
        for communicator in [Communicator { ranks: 8, hosts: 1 }, Communicator { ranks: 12, hosts: 3 }] {
            match TableReading::read(text, library, communicator) {
                Err(error) => is_one_line(&error),
                Ok(reading) => {
                    for of in &reading.collectives {
                        assert!(of.ranges[0].from == 0 && of.ranges[of.ranges.len() - 1].to == MAX_BYTES);
                        assert!(of.ranges.windows(2).all(|pair| pair[0].to + 1 == pair[1].from));
                    }
                    assert!(reading.notes.iter().all(|note| !note.contains(char::is_control)), "{:?}", reading.notes);
                    is_accepted |= detected == Some(library) && !reading.collectives.is_empty();
                }
            }
        }
    }
    is_accepted
}
