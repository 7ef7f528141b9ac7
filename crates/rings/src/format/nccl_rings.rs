//! The strings of `NCCL_RINGS` and `NCCL_RINGS_REMAP`: rings of one server for RCCL.
//!
//! # Grammar
//!
//! Rings are separated by `|`, and the numbers of HIP devices in a ring by blanks. `N` and the number of a network card before
//! the first device is the entry of the server, and behind the last device its exit: `N0 0 1 2 3 N0|N1 3 2 1 0 N1`.
//!
//! # Source
//!
//! `parseGraph` in `src/graph/rome_models.cc` of github.com/ROCm/rccl.

use lockstep_files::one_line;

use super::error::FormatError;
use super::order::{Order, check_distinct};

/// The maximum number of channels of RCCL.
pub const MAX_RINGS: usize = 64;

/// The largest number of a device or network card that this reader supports.
const MAX_NUMBER: u32 = 1 << 16;

/// Reads the rings of a string. `line` is the line of the string in its file, for messages.
///
/// RCCL skips a ring whose number of devices is not that of the server, so rings may have different lengths.
///
/// ```
/// use lockstep_rings::format::nccl_rings;
///
/// let rings = nccl_rings::read("0 1 2|N0 2 1 0 N1", 1)?;
/// assert_eq!(rings[0].gpus, [0, 1, 2]);
/// assert_eq!(rings[1].nics, Some([0, 1]));
/// assert_eq!(nccl_rings::write(&rings), "0 1 2|N0 2 1 0 N1");
/// # Ok::<(), lockstep_rings::format::FormatError>(())
/// ```
///
/// # Errors
///
/// If RCCL refuses a ring, or skips it without a message: a device twice, or network cards at one end only.
pub fn read(text: &str, line: usize) -> Result<Vec<Order>, FormatError> {
    let mut rings = Vec::new();
    for (number, ring) in text.split('|').enumerate() {
        let order = ring_of(ring, line)?;
        check_distinct(line, || format!("ring {number}"), order.gpus.iter().copied())?;
        rings.push(order);
    }
    if rings.len() > MAX_RINGS {
        let found = format!("{} rings", rings.len());
        return Err(FormatError::unexpected(
            line,
            &found,
            format!("at most {MAX_RINGS}, the maximum number of channels"),
        ));
    }
    Ok(rings)
}

fn ring_of(ring: &str, line: usize) -> Result<Order, FormatError> {
    let mut order = Order::inside([]);
    let mut nics = Vec::new();
    let mut is_after_exit = false;
    for word in ring.split([' ', '\t']).filter(|word| !word.is_empty()) {
        let (digits, is_nic) = match word.strip_prefix('N') {
            Some(digits) => (digits, true),
            None => (word, false),
        };
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|&number| is_number && number <= MAX_NUMBER);
        let expected = "numbers of devices, N and the number of a network card, blanks, and '|' between rings";
        let number = number.ok_or_else(|| FormatError::unexpected(line, word, expected))?;
        if is_after_exit {
            let expected = "'|' or the end after the network card at the exit";
            return Err(FormatError::unexpected(line, word, expected));
        }
        if is_nic {
            nics.push(number);
            is_after_exit = !order.gpus.is_empty();
        } else {
            order.gpus.push(number);
        }
    }
    order.nics = match nics[..] {
        [] => None,
        [entry, exit] if is_after_exit => Some([entry, exit]),
        _ => {
            let expected = "no network card, or one at each end of the ring; RCCL skips other rings without a message";
            return Err(FormatError::unexpected(line, &one_line(ring), expected));
        }
    };
    if order.gpus.len() < 2 {
        let expected = "a ring of at least two devices, such as '0 1 2 3'; put the whole value in quotes";
        return Err(FormatError::unexpected(line, ring.trim(), expected));
    }
    Ok(order)
}

/// Writes rings as the value of `NCCL_RINGS`, without quotes.
pub fn write(rings: &[Order]) -> String {
    let ring = |order: &Order| {
        let mut words: Vec<String> = order.gpus.iter().map(u32::to_string).collect();
        if let Some([entry, exit]) = order.nics {
            words.insert(0, format!("N{entry}"));
            words.push(format!("N{exit}"));
        }
        words.join(" ")
    };
    rings.iter().map(ring).collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn error(text: &str) -> String {
        read(text, 3).unwrap_err().to_string()
    }

    #[test]
    fn rings_have_numbers_and_network_cards() {
        let rings = read("N0 0 1 2 3 N0|N1 3 2 1 0 N1", 1).unwrap();
        assert_eq!(rings[0], Order { gpus: vec![0, 1, 2, 3], nics: Some([0, 0]) });
        assert_eq!(rings[1], Order { gpus: vec![3, 2, 1, 0], nics: Some([1, 1]) });
        assert_eq!(read("  4  5 |  5 4", 1).unwrap(), [Order::inside([4, 5]), Order::inside([5, 4])]);
    }

    #[test]
    fn rings_that_rccl_skips_are_refused() {
        assert_eq!(error("0 1|0 1 1"), "line 3: ring 1 has GPU 1 twice; each GPU must be there once");
        for (text, part) in [
            ("N0 0 1", "one at each end"),
            ("0 1 N0", "one at each end"),
            ("N0 N1 0 1", "one at each end"),
            ("0 N0 1", "after the network card at the exit"),
            ("N0 0 1 N0 N1", "after the network card at the exit"),
            ("0 1||1 0", "found nothing"),
            ("0 1|", "found nothing"),
            ("", "found nothing"),
            ("0", "found '0', expected a ring of at least two devices"),
            ("0 -1", "found '-1'"),
            ("0 +1", "found '+1'"),
            ("0 1 x", "found 'x'"),
            ("0 65537", "found '65537'"),
            ("0 99999999999", "found '99999999999'"),
            ("0,1,2", "found '0,1,2'"),
        ] {
            let error = error(text);
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(error(&["0 1"; 65].join("|")).contains("at most 64"));
        assert_eq!(read(&["0 1"; 64].join("|"), 1).unwrap().len(), 64);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            rings in prop::collection::vec((prop::collection::btree_set(0u32..99, 2..9), any::<Option<[u8; 2]>>()), 1..9),
        ) {
            let order = |(gpus, nics): (std::collections::BTreeSet<u32>, Option<[u8; 2]>)| {
                Order { gpus: gpus.into_iter().rev().collect(), nics: nics.map(|nics| nics.map(u32::from)) }
            };
            let rings: Vec<Order> = rings.into_iter().map(order).collect();
            prop_assert_eq!(read(&write(&rings), 1).unwrap(), rings);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[N0-9| ]{0,40}") {
            if let Ok(rings) = read(&text, 1) {
                prop_assert_eq!(read(&write(&rings), 1).unwrap(), rings);
            }
        }
    }
}
