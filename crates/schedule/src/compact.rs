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

use std::ops::Range;

use lockstep_topology::ChannelId;

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
    let write_range = |steps: Range<usize>| {
        let mut bytes = Vec::new();
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
    let mut reader = Reader { bytes };
    let [transfers, channel_uses, steps] = [reader.number()?, reader.number()?, reader.number()?];
    // Each of them takes a byte or more.
    if transfers.saturating_add(channel_uses).saturating_add(steps) > reader.bytes.len() as u64 {
        return Err(contradiction("there are fewer steps than the first numbers say"));
    }
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

fn contradiction(why: &'static str) -> ScheduleFileError {
    ScheduleFileError::Tables { why }
}

#[inline]
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 1 << 7 {
        bytes.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends the difference of `next` to `last`, and makes `next` the last number.
#[inline]
fn put_difference(bytes: &mut Vec<u8>, last: &mut u32, next: u32) {
    let difference = i64::from(next) - i64::from(*last);
    put(bytes, (difference << 1 ^ difference >> 63).cast_unsigned());
    *last = next;
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    #[inline]
    fn number(&mut self) -> Result<u64, ScheduleFileError> {
        let mut number = 0;
        for place in (0..u64::BITS).step_by(7) {
            let (&byte, rest) = self.bytes.split_first().ok_or(contradiction("a step is longer than the file"))?;
            self.bytes = rest;
            // The tenth byte has one bit.
            if place == 63 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7F) << place;
            if byte < 1 << 7 {
                return Ok(number);
            }
        }
        Err(contradiction("a number has more than 64 bits"))
    }

    /// Returns the number at the next difference to `last`.
    #[inline]
    fn following(&mut self, last: u32) -> Result<u32, ScheduleFileError> {
        let coded = self.number()?;
        let difference = (coded >> 1).cast_signed() ^ -(coded & 1).cast_signed();
        let next = i64::from(last).checked_add(difference).and_then(|next| u32::try_from(next).ok());
        next.ok_or(contradiction("a message or channel is not a number of 32 bits"))
    }
}
