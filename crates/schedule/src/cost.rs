//! The execution time of a schedule.

use std::fmt;

use crate::collective::Collective;
use crate::schedule::Schedule;
use crate::symmetric::BaseSchedule;

/// An exact time in picoseconds.
///
/// Displayed in microseconds, for example `3.024 us`. A precision truncates: `{:.2}` gives `3.02 us`.
///
/// ```
/// use lockstep_schedule::Picoseconds;
///
/// assert_eq!(Picoseconds::new(3_024_000).to_string(), "3.024 us");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Picoseconds(u128);

impl Picoseconds {
    /// Returns the time of a number of picoseconds.
    pub const fn new(picoseconds: u128) -> Self {
        Self(picoseconds)
    }

    /// Returns the number of picoseconds.
    pub const fn number(self) -> u128 {
        self.0
    }
}

impl fmt::Display for Picoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: usize = 6;
        let micro = 10u128.pow(DIGITS as u32);
        let fraction = format!("{:0DIGITS$}", self.0 % micro);
        let kept = match f.precision() {
            Some(precision) => &fraction[..precision.min(DIGITS)],
            None => fraction.trim_end_matches('0'),
        };
        let point = if kept.is_empty() { "" } else { "." };
        write!(f, "{}{point}{kept} us", self.0 / micro)
    }
}

/// The time of a step: a start-up time, and a time per byte.
///
/// ```
/// use lockstep_schedule::{Collective, CostModel, MessageSizes, Schedule};
///
/// let model = CostModel { start_up_ps: 1_000_000, byte_ps: 500 };
/// let mut schedule = Schedule::new();
/// schedule.begin_step();
/// let time = model.time(&Collective::all_gather(), &schedule, MessageSizes::Equal(1024))?;
/// assert_eq!(time.to_string(), "1 us"); // no transfer
/// assert_eq!(model.time_of_steps(2, 1024).to_string(), "3.024 us");
/// # Ok::<(), lockstep_schedule::CostError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CostModel {
    /// Start-up time per step, in picoseconds.
    pub start_up_ps: u64,
    /// Time per byte, in picoseconds.
    pub byte_ps: u64,
}

/// The lengths of the messages in bytes, before the messages are split into chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageSizes<'a> {
    /// The same number of bytes for each message.
    Equal(u64),
    /// Bytes of each message, in the order of the messages.
    Each(&'a [u64]),
}

/// The reason why the time of a schedule is unknown.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CostError {
    /// A transfer of a message without a length.
    #[error("message {message} has no length: {sizes} lengths are given; give one per message")]
    UnknownSize {
        /// Number of the message before the messages are split into chunks, from 0.
        message: u32,
        /// Number of lengths given.
        sizes: usize,
    },
}

impl CostModel {
    /// Returns the time of a schedule: the sum of `t0 + m t1` over the steps, where `m` is the longest chunk of the step,
    /// `t0` the start-up time and `t1` the time per byte. A message that is not split is one chunk; otherwise each chunk has
    /// the [size](Collective::chunk_size) of the message divided by their number, rounded up to bytes. An empty step takes
    /// its start-up time. O(transfers).
    ///
    /// # Source
    ///
    /// Equation 1 of the document on multistage networks, with one chunk length per step.
    ///
    /// # Errors
    ///
    /// [`CostError::UnknownSize`] if a transfer moves a message without a length.
    pub fn time(
        self,
        collective: &Collective,
        schedule: &Schedule,
        sizes: MessageSizes<'_>,
    ) -> Result<Picoseconds, CostError> {
        let bytes = |message: u32| match sizes {
            MessageSizes::Equal(bytes) => Ok(bytes),
            MessageSizes::Each(sizes) => {
                let unknown = CostError::UnknownSize { message, sizes: sizes.len() };
                sizes.get(message as usize).copied().ok_or(unknown)
            }
        };
        let chunks = collective.chunks();
        let mut total = Picoseconds::default();
        for (_, step) in schedule.steps() {
            let mut sizes = step.iter().map(|transfer| bytes(transfer.message.number() / chunks));
            let longest = sizes.try_fold(0, |longest, bytes| Ok(bytes?.max(longest)))?;
            total.0 = total.0.saturating_add(self.step(collective.chunk_size(longest)).0);
        }
        Ok(total)
    }

    /// Returns the time of `steps` steps, each with transfers of `bytes` bytes.
    pub fn time_of_steps(self, steps: u64, bytes: u64) -> Picoseconds {
        Picoseconds(self.step(bytes).0.saturating_mul(steps.into()))
    }

    /// Returns the time of the symmetric schedule of a base, with messages of `bytes` bytes. O(steps).
    pub fn time_of_base(self, base: &BaseSchedule, bytes: u64) -> Picoseconds {
        let steps = base.steps().map(|step| self.step(if step.len() == 0 { 0 } else { bytes }));
        Picoseconds(steps.fold(0, |total, step| total.saturating_add(step.0)))
    }

    fn step(self, bytes: u64) -> Picoseconds {
        let transmission = u128::from(bytes) * u128::from(self.byte_ps);
        Picoseconds(transmission.saturating_add(self.start_up_ps.into()))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use lockstep_topology::ChannelId;

    use super::*;
    use crate::messages::MessageId;

    /// The example of the document on multistage networks: 1 us per step and 0.5 ns per byte.
    const EXAMPLE: CostModel = CostModel { start_up_ps: 1_000_000, byte_ps: 500 };

    #[test]
    fn equation_1_gives_the_figures_of_the_document() {
        assert_eq!(EXAMPLE.time_of_steps(1, 1024).to_string(), "1.512 us");
        assert_eq!(EXAMPLE.time_of_steps(2, 1024).to_string(), "3.024 us");
        assert_eq!(EXAMPLE.time_of_steps(992, 1024).to_string(), "1499.904 us");
        // The document truncates and does not round.
        assert_eq!(format!("{:.2}", EXAMPLE.time_of_steps(2, 1024)), "3.02 us");
        assert_eq!(format!("{:.0}", EXAMPLE.time_of_steps(992, 1024)), "1499 us");
    }

    fn two_steps() -> Schedule {
        let mut schedule = Schedule::new();
        schedule.begin_step();
        schedule.push(MessageId::new(0), &[ChannelId::new(0)]);
        schedule.push(MessageId::new(1), &[ChannelId::new(1)]);
        schedule.begin_step();
        schedule.push(MessageId::new(0), &[ChannelId::new(2)]);
        schedule
    }

    fn time(sizes: MessageSizes<'_>) -> Result<Picoseconds, CostError> {
        EXAMPLE.time(&Collective::all_gather(), &two_steps(), sizes)
    }

    #[test]
    fn the_longest_message_of_a_step_counts() {
        // (1 us + 2000 * 0.5 ns) + (1 us + 10 * 0.5 ns)
        assert_eq!(time(MessageSizes::Each(&[10, 2000])), Ok(Picoseconds::new(2_000_000 + 1_005_000)));
    }

    #[test]
    fn equal_sizes_count_steps() {
        assert_eq!(time(MessageSizes::Equal(1024)), Ok(EXAMPLE.time_of_steps(2, 1024)));
    }

    #[test]
    fn the_chunks_of_a_message_share_its_bytes() {
        let chunks = |count| Collective::all_gather().with_chunks(NonZeroU32::new(count).unwrap());
        let time = |count, sizes| EXAMPLE.time(&chunks(count), &two_steps(), sizes);
        assert_eq!(time(2, MessageSizes::Equal(1024)), Ok(EXAMPLE.time_of_steps(2, 512)));
        // 1024 / 3 is rounded up.
        assert_eq!(time(3, MessageSizes::Equal(1024)), Ok(EXAMPLE.time_of_steps(2, 342)));
        // Both transfers of the first step move chunks of the first message.
        assert_eq!(time(2, MessageSizes::Each(&[1024])), Ok(EXAMPLE.time_of_steps(2, 512)));
        assert_eq!(chunks(6).chunk_size(0), 0);
        assert_eq!(chunks(6).chunk_size(u64::MAX), u64::MAX / 6 + 1);
    }

    #[test]
    fn a_missing_length_is_an_error() {
        assert_eq!(time(MessageSizes::Each(&[10])), Err(CostError::UnknownSize { message: 1, sizes: 1 }));
    }

    #[test]
    fn extreme_costs_saturate() {
        let model = CostModel { start_up_ps: u64::MAX, byte_ps: u64::MAX };
        assert_eq!(model.time_of_steps(u64::MAX, u64::MAX).number(), u128::MAX);
        assert!(model.time(&Collective::all_gather(), &two_steps(), MessageSizes::Equal(u64::MAX)).is_ok());
    }
}
