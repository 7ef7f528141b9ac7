//! Steps as a stream of small differences.
//!
//! All numbers are LEB128: seven bits per byte, lowest first; the highest bit is set in all bytes but the last one. A
//! difference `d` is written as `2 d`, or `-2 d - 1` if it is negative.
//!
//! The stream begins with the numbers of transfers, channel uses and steps. A step is its number of transfers, and its
//! length of paths plus 1, or 0 if they differ. A transfer is the difference of its message to the message before, then
//! the length of its path if lengths differ, then the differences of the channels: of the first one to the first one of
//! the transfer before, of others to the channel before. Every step begins at message 0 and channel 0.
//!
//! A transfer takes 1 byte and 1 byte per channel if messages and channels are near those before.
//!
//! [`hops`] is a fast path for the most common schedules, whose paths are one channel each.

mod hops;
mod number;

use std::ops::Range;

use lockstep_topology::ChannelId;

use self::number::{Reader, contradiction, difference, put};
use crate::file::ScheduleFileError;
use crate::messages::MessageId;
use crate::parallel::{map_parts, step_ranges};
use crate::schedule::Schedule;

/// Appends the steps, without their widths.
pub(crate) fn write(schedule: &Schedule, bytes: &mut Vec<u8>) {
    put(bytes, schedule.transfer_count() as u64);
    put(bytes, schedule.channel_use_count() as u64);
    put(bytes, schedule.step_count() as u64);
    let ranges = step_ranges(schedule);
    if let [all] = &ranges[..] {
        bytes.reserve(2 * schedule.transfer_count() + schedule.channel_use_count());
        return write_steps(schedule, all.clone(), bytes);
    }
    let memory = 2 * (schedule.transfer_count() + schedule.channel_use_count()) / ranges.len();
    let write_range = |steps: Range<usize>| {
        let mut bytes = Vec::with_capacity(memory);
        write_steps(schedule, steps, &mut bytes);
        bytes
    };
    let parts = map_parts(ranges, write_range);
    bytes.reserve(parts.iter().map(Vec::len).sum());
    for part in parts {
        bytes.extend(part);
    }
}

fn write_steps(schedule: &Schedule, steps: Range<usize>, bytes: &mut Vec<u8>) {
    for step in steps.map(|step| schedule.step(step)) {
        put(bytes, step.len() as u64);
        if let Some(channels) = step.hops() {
            put(bytes, u64::from(!channels.is_empty()) + 1);
            hops::write(step.messages(), channels, bytes);
            continue;
        }
        let mut lengths = step.iter().map(|transfer| transfer.path.len());
        let first = lengths.next().unwrap_or(0);
        let is_uniform = lengths.all(|length| length == first);
        put(bytes, if is_uniform { first as u64 + 1 } else { 0 });
        let (mut message, mut start) = (0, 0);
        for transfer in step.iter() {
            put_difference(bytes, &mut message, transfer.message.number());
            if !is_uniform {
                put(bytes, transfer.path.len() as u64);
            }
            let mut before = start;
            for (place, channel) in transfer.path.iter().enumerate() {
                put_difference(bytes, &mut before, channel.number());
                if place == 0 {
                    start = before;
                }
            }
        }
    }
}

/// Reads the steps that [`write`] wrote.
///
/// Memory: at most 13 bytes per byte of the stream.
///
/// # Errors
///
/// [`ScheduleFileError::Tables`] if the bytes are not a stream of steps.
pub(crate) fn read(bytes: &[u8]) -> Result<Schedule, ScheduleFileError> {
    match hops::read(bytes) {
        Some(schedule) => Ok(schedule),
        None => read_any(bytes),
    }
}

/// Reads all streams, transfer by transfer.
fn read_any(bytes: &[u8]) -> Result<Schedule, ScheduleFileError> {
    let mut reader = Reader { bytes };
    let [transfers, channel_uses, steps] = reader.totals()?;
    let mut schedule = Schedule::with_capacity(transfers as usize, channel_uses as usize);
    let mut path = Vec::new();
    for _ in 0..steps {
        schedule.begin_step();
        let (count, length) = (reader.number()?, reader.number()?);
        let (mut message, mut start) = (0, 0);
        for _ in 0..count {
            message = reader.following(message)?;
            let length = if length == 0 { reader.number()? } else { length - 1 };
            path.clear();
            let mut before = start;
            for place in 0..length {
                before = reader.following(before)?;
                if place == 0 {
                    start = before;
                }
                path.push(ChannelId::new(before));
            }
            if !schedule.try_push(MessageId::new(message), &path) {
                return Err(contradiction("there are more than 2^32 - 1 transfers or channel uses"));
            }
        }
    }
    let is_complete = schedule.transfer_count() as u64 == transfers
        && schedule.channel_use_count() as u64 == channel_uses
        && reader.bytes.is_empty();
    is_complete.then_some(schedule).ok_or(contradiction("the steps are not those that the first numbers announce"))
}

/// Appends the difference of `next` to `last`, and makes `next` the last number.
#[inline]
fn put_difference(bytes: &mut Vec<u8>, last: &mut u32, next: u32) {
    put(bytes, difference(*last, next));
    *last = next;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Steps of any transfers over one channel, most of them near the one before.
    fn schedules_of_hops() -> impl Strategy<Value = Schedule> {
        let near = || prop_oneof![8 => 0..60u32, 2 => 0..20_000u32, 1 => any::<u32>(), 1 => Just(u32::MAX)];
        let step = prop::collection::vec((near(), near()), 0..800);
        prop::collection::vec(step, 0..5).prop_map(|steps| {
            let mut schedule = Schedule::new();
            for step in steps {
                schedule.begin_step();
                for (message, channel) in step {
                    schedule.push(MessageId::new(message), &[ChannelId::new(channel)]);
                }
            }
            schedule
        })
    }

    fn written(schedule: &Schedule) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(schedule, &mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn both_writers_and_both_readers_agree(schedule in schedules_of_hops()) {
            let bytes = written(&schedule);
            prop_assert_eq!(hops::read(&bytes), Some(schedule.clone()));
            prop_assert_eq!(read_any(&bytes).unwrap(), schedule.clone());
            let mut general = schedule;
            general.store_path_ends();
            prop_assert_eq!(written(&general), bytes);
        }

        /// The fast path may leave a stream to the general reader, but accepts nothing else than that does.
        #[test]
        fn altered_streams_are_not_read_otherwise(
            schedule in schedules_of_hops(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            cut: prop::sample::Index,
        ) {
            let mut bytes = written(&schedule);
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
                if let Some(schedule) = hops::read(bytes) {
                    prop_assert_eq!(read_any(bytes), Ok(schedule));
                }
            }
        }
    }

    /// A number of more bytes than it needs is read by both readers.
    #[test]
    fn numbers_with_needless_bytes_are_read() {
        let bytes = [1, 1, 1, 1, 2, 0x86, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0x84, 0];
        let schedule = read_any(&bytes).unwrap();
        assert_eq!(schedule.step(0).transfer(0).message, MessageId::new(3));
        assert_eq!(hops::read(&bytes), Some(schedule));
    }
}
