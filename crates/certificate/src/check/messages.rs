//! Messages before they are split into chunks.

use lockstep_schedule::{MessageId, Messages};

/// Returns the first chunk of every message, and the number of chunks per message.
pub(super) fn unsplit(messages: &Messages<'_>) -> (impl Iterator<Item = MessageId> + use<>, u64) {
    let firsts = (0..messages.len()).step_by(messages.chunks() as usize);
    (firsts.map(|number| MessageId::new(number as u32)), messages.chunks().into())
}
