//! Steps whose transfers use one channel each: two differences per transfer, most of them in one byte each.

use lockstep_topology::ChannelId;

use super::number::{Reader, difference};
use crate::messages::MessageId;
use crate::parallel::{map_parts, useful_threads};
use crate::schedule::Schedule;

/// The highest bit of each byte of a word: set in all bytes of a number but its last one.
const CONTINUED: u64 = 0x8080_8080_8080_8080;

/// Number of transfers that are coded together.
const BATCH: usize = 256;

/// The most bytes of a difference of two numbers of 32 bits.
const LONGEST: usize = 5;

/// Appends the differences of the transfers of a step.
pub(super) fn write(messages: &[MessageId], channels: &[ChannelId], bytes: &mut Vec<u8>) {
    let mut buffer = [0; BATCH * 2 * LONGEST + size_of::<u64>()];
    let mut last = [0; 2];
    for (messages, channels) in messages.chunks(BATCH).zip(channels.chunks(BATCH)) {
        let mut length = 0;
        for (message, channel) in messages.iter().zip(channels) {
            let next = [message.number(), channel.number()];
            let differences = [0, 1].map(|place| difference(last[place], next[place]));
            last = next;
            if differences[0] | differences[1] < 0x80 {
                buffer[length..length + 2].copy_from_slice(&differences.map(|byte| byte as u8));
                length += 2;
                continue;
            }
            for (word, used) in differences.map(spread) {
                // The next number overwrites the bytes that this one does not use.
                buffer[length..length + size_of::<u64>()].copy_from_slice(&word.to_le_bytes());
                length += used;
            }
        }
        bytes.extend_from_slice(&buffer[..length]);
    }
}

/// Returns the bytes of a number below 2^35 as a word, and their number.
#[inline]
fn spread(number: u64) -> (u64, usize) {
    let mut word = number & 0x0FFF_FFFF | (number & 0x7_F000_0000) << 4;
    word = word & 0x3FFF_0000_3FFF | (word & 0x0FFF_C000) << 2;
    word = word & 0x7F_007F_007F | (word & 0x3F80_3F80) << 1;
    let used = 1 + (63 - (word | 1).leading_zeros() as usize) / 8;
    // All bytes before the last one are continued.
    (word | CONTINUED & ((1 << (8 * used - 8)) - 1), used)
}

/// Reads a stream in which every path is one channel. `None` if it has other paths or a fault.
pub(super) fn read(bytes: &[u8]) -> Option<Schedule> {
    let mut reader = Reader { bytes };
    let [transfers, channel_uses, steps] = reader.totals().ok()?;
    if transfers != channel_uses || transfers > u32::MAX.into() {
        return None;
    }
    let (transfers, threads) = (transfers as usize, useful_threads(transfers as usize));
    let mut first = Part { reader, transfers, steps };
    if threads < 2 {
        return first.read(transfers, true);
    }
    // Each part has the bytes from its first step on.
    let share = transfers.div_ceil(threads);
    let mut parts = Vec::with_capacity(threads);
    let mut rest = Reader { bytes: first.reader.bytes };
    first.transfers = 0;
    let mut part = Part { steps: 0, ..first };
    for _ in 0..steps {
        if part.transfers >= share {
            parts.push(std::mem::replace(
                &mut part,
                Part { reader: Reader { bytes: rest.bytes }, transfers: 0, steps: 0 },
            ));
        }
        let count = usize::try_from(step_length(&mut rest)?).ok()?;
        rest.bytes = skip(rest.bytes, count.checked_mul(2)?)?;
        (part.transfers, part.steps) = (part.transfers + count, part.steps + 1);
    }
    parts.push(part);
    if parts.iter().map(|part| part.transfers).sum::<usize>() != transfers || !rest.bytes.is_empty() {
        return None;
    }
    let last = parts.len() - 1;
    let read = |(place, part): (usize, Part<'_>)| {
        // The other parts are appended to the first one.
        let memory = if place == 0 { transfers } else { part.transfers };
        part.read(memory, place == last)
    };
    let mut schedules = map_parts(parts.into_iter().enumerate().collect(), read).into_iter();
    let mut schedule = schedules.next()??;
    for part in schedules {
        schedule.append(&part?);
    }
    Some(schedule)
}

/// Reads the number of transfers of a step. `None` if their paths are not one channel each.
fn step_length(reader: &mut Reader<'_>) -> Option<u64> {
    let (count, length) = (reader.number().ok()?, reader.number().ok()?);
    (length == 2 || count == 0).then_some(count)
}

/// Returns the bytes after a number of differences.
fn skip(bytes: &[u8], mut differences: usize) -> Option<&[u8]> {
    let (words, _) = bytes.as_chunks::<{ size_of::<u64>() }>();
    let mut skipped = 0;
    for word in words {
        let ends = (!u64::from_le_bytes(*word) & CONTINUED).count_ones() as usize;
        // This word may also have bytes after the last difference.
        if ends >= differences {
            break;
        }
        differences -= ends;
        skipped += word.len();
    }
    let mut reader = Reader { bytes: &bytes[skipped..] };
    while differences > 0 {
        reader.number().ok()?;
        differences -= 1;
    }
    Some(reader.bytes)
}

/// Consecutive steps of a stream.
struct Part<'a> {
    /// The bytes from the first step on.
    reader: Reader<'a>,
    transfers: usize,
    steps: u64,
}

impl Part<'_> {
    /// Returns the steps, with memory for this number of transfers. `is_last` tells that no byte may be left over.
    fn read(self, memory: usize, is_last: bool) -> Option<Schedule> {
        let Self { mut reader, transfers, steps } = self;
        let mut schedule = Schedule::with_capacity(memory, memory);
        let mut batch =
            Batch { message: [MessageId::new(0); BATCH], channel: [ChannelId::new(0); BATCH], last: [0; 2] };
        for _ in 0..steps {
            let mut left = step_length(&mut reader)?;
            if left > (transfers - schedule.transfer_count()) as u64 {
                return None;
            }
            schedule.begin_step();
            batch.last = [0; 2];
            while left > 0 {
                let count = left.min(BATCH as u64) as usize;
                batch.read(count, &mut reader)?;
                schedule.push_hops(&batch.message[..count], &batch.channel[..count]);
                left -= count as u64;
            }
        }
        (schedule.transfer_count() == transfers && (reader.bytes.is_empty() || !is_last)).then_some(schedule)
    }
}

/// Some transfers of a step.
struct Batch {
    message: [MessageId; BATCH],
    channel: [ChannelId; BATCH],
    /// The message and the channel of the transfer before.
    last: [i64; 2],
}

impl Batch {
    /// Reads a number of transfers, at most [`BATCH`].
    fn read(&mut self, count: usize, reader: &mut Reader<'_>) -> Option<()> {
        let bytes = reader.bytes;
        let (mut place, mut used, mut outside) = (0, 0, 0);
        let mut add = |place: usize, differences: [u64; 2]| {
            for (last, coded) in self.last.iter_mut().zip(differences) {
                *last = last.wrapping_add((coded >> 1).cast_signed() ^ -(coded & 1).cast_signed());
                // A number outside 32 bits refuses the whole batch, whatever follows.
                outside |= last.cast_unsigned() >> u32::BITS;
            }
            self.message[place] = MessageId::new(self.last[0].cast_unsigned() as u32);
            self.channel[place] = ChannelId::new(self.last[1].cast_unsigned() as u32);
        };
        while place < count {
            let Some(word) = bytes.get(used..).and_then(<[u8]>::first_chunk) else { break };
            let word = u64::from_le_bytes(*word);
            if word & CONTINUED == 0 && place + 4 <= count {
                for transfer in 0..4 {
                    add(place + transfer, [word >> (16 * transfer) & 0x7F, word >> (16 * transfer + 8) & 0x7F]);
                }
                (place, used) = (place + 4, used + 8);
                continue;
            }
            // The last bytes of the two numbers.
            let first = !word & CONTINUED;
            let second = first & first.wrapping_sub(1);
            if second == 0 {
                // The two numbers take more than 8 bytes.
                let mut reader = Reader { bytes: &bytes[used..] };
                add(place, [reader.short()?, reader.short()?]);
                (place, used) = (place + 1, bytes.len() - reader.bytes.len());
                continue;
            }
            let below = |last: u64| last ^ (last - 1);
            let start = first.trailing_zeros() + 1;
            add(place, [join(word & below(first)), join((word & below(second)) >> (start % u64::BITS))]);
            (place, used) = (place + 1, used + second.trailing_zeros() as usize / 8 + 1);
        }
        reader.bytes = &bytes[used..];
        while place < count {
            add(place, [reader.short()?, reader.short()?]);
            place += 1;
        }
        (outside == 0).then_some(())
    }
}

/// Returns the number whose bytes a word has.
#[inline]
fn join(word: u64) -> u64 {
    let word = word & 0x007F_007F_007F_007F | (word & 0x7F00_7F00_7F00_7F00) >> 1;
    let word = word & 0x0000_3FFF_0000_3FFF | (word & 0x3FFF_0000_3FFF_0000) >> 2;
    word & 0x0FFF_FFFF | (word & 0x0FFF_FFFF_0000_0000) >> 4
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::number::put;
    use super::*;

    proptest! {
        #[test]
        fn numbers_are_joined_from_the_bytes_that_they_are_spread_to(number in 0..1u64 << 35, shift in 0..35u32) {
            let number = number >> shift;
            let (word, used) = spread(number);
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            prop_assert_eq!(&word.to_le_bytes()[..used], &bytes[..]);
            prop_assert_eq!(join(word), number);
        }

        #[test]
        fn skipping_ends_after_the_last_number(numbers in prop::collection::vec(0..1u64 << 40, 0..60), skipped in 0..60usize) {
            let mut bytes = Vec::new();
            for &number in &numbers {
                put(&mut bytes, number);
            }
            let mut rest = Vec::new();
            for &number in numbers.iter().skip(skipped) {
                put(&mut rest, number);
            }
            prop_assert_eq!(skip(&bytes, skipped), (skipped <= numbers.len()).then_some(&rest[..]));
        }
    }
}
