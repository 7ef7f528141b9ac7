//! The part of one source.

use std::ops::Range;

/// What the messages of one source do, in a network that looks the same from every node; every other source does the
/// same, translated.
///
/// The source is element 0. A transfer starts at element `from` and follows the channels of the generators of its path,
/// one after the other. In an all-gather there is one message a source, [`Self::BROADCAST`]; in an all-to-all a message
/// is named by its receiver, seen from the source.
///
/// Plain data that may be wrong; only [`verify_symmetric`](crate::verify_symmetric) says that it is not. Memory: 12 bytes
/// a transfer and 2 bytes a channel of its path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BaseSchedule {
    step_end: Vec<u32>,
    message: Vec<u32>,
    from: Vec<u32>,
    path_end: Vec<u32>,
    path: Vec<u16>,
}

/// One transfer of a [`BaseSchedule`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BaseTransfer<'a> {
    /// The receiver of an all-to-all message, or [`BaseSchedule::BROADCAST`].
    pub message: u32,
    /// The element that sends, with the source at 0.
    pub from: u32,
    /// The places of the generators whose channels it crosses, in order.
    pub path: &'a [u16],
}

impl BaseSchedule {
    /// The one message of a source in an all-gather: the name of no receiver.
    pub const BROADCAST: u32 = 0;

    /// A schedule without a step.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the next step; transfers pushed from now on belong to it.
    pub fn begin_step(&mut self) {
        self.step_end.push(self.message.len() as u32);
    }

    /// Adds a transfer to the last step.
    ///
    /// # Panics
    ///
    /// Before the first [`begin_step`](Self::begin_step), and past 2^32 - 1 transfers or channel uses.
    pub fn push(&mut self, message: u32, from: u32, path: &[u16]) {
        assert!(self.try_push(message, from, path), "fewer than 2^32 transfers and channel uses");
    }

    /// Adds a transfer to the last step, unless there would be more than 2^32 - 1 transfers or channel uses.
    pub(crate) fn try_push(&mut self, message: u32, from: u32, path: &[u16]) -> bool {
        let transfers = u32::try_from(self.message.len() + 1);
        let (Ok(transfers), Ok(uses)) = (transfers, u32::try_from(self.path.len() + path.len())) else {
            return false;
        };
        *self.step_end.last_mut().expect("a step is open") = transfers;
        self.message.push(message);
        self.from.push(from);
        self.path.extend_from_slice(path);
        self.path_end.push(uses);
        true
    }

    /// Number of steps.
    pub fn step_count(&self) -> usize {
        self.step_end.len()
    }

    /// Number of transfers of one source.
    pub fn transfer_count(&self) -> usize {
        self.message.len()
    }

    /// Number of channels of all paths of one source together.
    pub fn channel_use_count(&self) -> usize {
        self.path.len()
    }

    /// The transfers of the step at this place, from 0.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn step(&self, step: usize) -> impl ExactSizeIterator<Item = BaseTransfer<'_>> + Clone {
        self.step_range(step).map(|index| self.transfer(index))
    }

    /// The steps in time order.
    pub fn steps(
        &self,
    ) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = BaseTransfer<'_>> + Clone> + Clone {
        (0..self.step_count()).map(|step| self.step(step))
    }

    /// Where the transfers of a step are among those of all steps.
    pub(super) fn step_range(&self, step: usize) -> Range<usize> {
        let start = if step == 0 { 0 } else { self.step_end[step - 1] as usize };
        start..self.step_end[step] as usize
    }

    /// The step of the transfer at this place among those of all steps.
    pub(super) fn step_of(&self, index: usize) -> usize {
        self.step_end.partition_point(|&end| end as usize <= index)
    }

    /// The transfer at this place among those of all steps.
    #[inline]
    pub(super) fn transfer(&self, index: usize) -> BaseTransfer<'_> {
        let start = if index == 0 { 0 } else { self.path_end[index - 1] as usize };
        let path = &self.path[start..self.path_end[index] as usize];
        BaseTransfer { message: self.message[index], from: self.from[index], path }
    }
}
