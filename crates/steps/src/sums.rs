//! Sums: which transfers must not arrive before a partial sum is sent.
//!
//! In a schedule, a terminal sends the sum of all contributions that it holds. A program can send a partial sum while other
//! contributions lie in another buffer. So the transfer that brings them takes no earlier step than that send.

use std::collections::BTreeMap;

use lockstep_execute::{Trace, TracedValue};
use lockstep_schedule::MessageId;

use crate::error::ConvertError;

/// Maximum size of the sets of contributors, in words of 64 ranks.
const MAX_WORDS: u64 = 1 << 25;

/// Maximum number of pairs of a transfer to a rank and one from it, of the same message.
const MAX_PAIRS: u64 = 1 << 24;

/// An event whose transfer takes no earlier step than that of another event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NotBefore {
    pub(crate) event: u32,
    pub(crate) other: u32,
}

/// The transfers of a message at a rank, with their values.
#[derive(Default)]
struct Visits {
    arrivals: Vec<(u32, u32)>,
    sends: Vec<(u32, u32)>,
}

/// Returns the order of arrivals and sends of all sums. `messages` has the messages of each transfer, one per value.
pub(crate) fn orders(
    trace: &Trace,
    messages: &[Vec<Option<MessageId>>],
    ranks: u32,
) -> Result<Vec<NotBefore>, ConvertError> {
    let words = u64::from(ranks).div_ceil(64);
    let amount = words * trace.values.len() as u64;
    if amount > MAX_WORDS {
        return Err(ConvertError::TooLarge { amount, what: "words of sets of contributors", limit: MAX_WORDS });
    }
    let words = words as usize;
    let sets = contributors(&trace.values, words);
    let set = |value: u32| &sets[value as usize * words..][..words];
    let mut visits: BTreeMap<(u32, MessageId), Visits> = BTreeMap::new();
    for ((event, of_event), messages) in (0..).zip(&trace.events).zip(messages) {
        let Some(transfer) = &of_event.transfer else { continue };
        for (&value, message) in transfer.values.iter().zip(messages) {
            let Some(message) = *message else { continue };
            visits.entry((transfer.to, message)).or_default().arrivals.push((event, value));
            visits.entry((transfer.from, message)).or_default().sends.push((event, value));
        }
    }
    let amount = visits.values().map(|visits| visits.arrivals.len() as u64 * visits.sends.len() as u64).sum();
    if amount > MAX_PAIRS {
        return Err(ConvertError::TooLarge { amount, what: "pairs of transfers of sums", limit: MAX_PAIRS });
    }
    let mut orders = Vec::new();
    for Visits { arrivals, sends } in visits.values() {
        for &(event, arriving) in arrivals {
            for &(other, sent) in sends {
                let is_sent = set(arriving).iter().zip(set(sent)).all(|(arriving, sent)| arriving & !sent == 0);
                if !is_sent {
                    orders.push(NotBefore { event, other });
                }
            }
        }
    }
    Ok(orders)
}

/// Returns the set of the contributors of each value, `words` words each.
fn contributors(values: &[TracedValue], words: usize) -> Vec<u64> {
    let mut sets = vec![0_u64; values.len() * words];
    for (index, value) in values.iter().enumerate() {
        match *value {
            TracedValue::Undefined => {}
            TracedValue::Input(contribution) => {
                sets[index * words + contribution.rank as usize / 64] |= 1 << (contribution.rank % 64);
            }
            TracedValue::Sum(parts) => {
                for part in parts {
                    for word in 0..words {
                        sets[index * words + word] |= sets[part as usize * words + word];
                    }
                }
            }
        }
    }
    sets
}
