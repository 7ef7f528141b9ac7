//! The base of a symmetric schedule: the part of one source.

use std::ops::Range;

/// The transfers of the messages of source 0 in a symmetric schedule. The other sources repeat them, translated.
///
/// A transfer starts at element `from` and follows the generators of its path. An all-gather has one message per
/// source, [`Self::BROADCAST`]. The messages of an all-to-all are numbered by their receiver, relative to the source.
///
/// Plain data that may be invalid; [`verify_symmetric`](crate::verify_symmetric) decides. Memory: 12 bytes per transfer
/// and 2 bytes per channel of its path.
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
    /// The sender, relative to the source.
    pub from: u32,
    /// The indices of the generators whose channels it crosses, in order.
    pub path: &'a [u16],
}

impl BaseSchedule {
    /// The number of the only message of a source in an all-gather.
    pub const BROADCAST: u32 = 0;

    /// Returns the base without steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins the next step, to which all transfers pushed later belong.
    pub fn begin_step(&mut self) {
        self.step_end.push(self.message.len() as u32);
    }

    /// Adds a transfer to the last step.
    ///
    /// # Panics
    ///
    /// Panics before the first [`begin_step`](Self::begin_step), and past 2^32 - 1 transfers or channel uses.
    pub fn push(&mut self, message: u32, from: u32, path: &[u16]) {
        assert!(self.try_push(message, from, path), "fewer than 2^32 transfers and channel uses");
    }

    /// Adds a transfer to the last step; returns `false` if there would be more than 2^32 - 1 transfers or channel
    /// uses.
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

    /// Returns the number of steps.
    pub fn step_count(&self) -> usize {
        self.step_end.len()
    }

    /// Returns the number of transfers per source.
    pub fn transfer_count(&self) -> usize {
        self.message.len()
    }

    /// Returns the number of channel uses per source: the lengths of all paths together.
    pub fn channel_use_count(&self) -> usize {
        self.path.len()
    }

    /// Returns the transfers of the step at this index, from 0.
    ///
    /// # Panics
    ///
    /// Panics if there is no such step.
    pub fn step(&self, step: usize) -> impl ExactSizeIterator<Item = BaseTransfer<'_>> + Clone {
        self.step_range(step).map(|index| self.transfer(index))
    }

    /// Returns the steps in time order.
    pub fn steps(
        &self,
    ) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = BaseTransfer<'_>> + Clone> + Clone {
        (0..self.step_count()).map(|step| self.step(step))
    }

    /// Returns the range of a step's transfers in the list of all transfers.
    pub(super) fn step_range(&self, step: usize) -> Range<usize> {
        let start = if step == 0 { 0 } else { self.step_end[step - 1] as usize };
        start..self.step_end[step] as usize
    }

    /// Returns the step of a transfer, given its index in the list of all transfers. O(log steps).
    pub(super) fn step_of(&self, index: usize) -> usize {
        self.step_end.partition_point(|&end| end as usize <= index)
    }

    /// Returns the transfer at this index in the list of all transfers.
    #[inline]
    pub(super) fn transfer(&self, index: usize) -> BaseTransfer<'_> {
        let start = if index == 0 { 0 } else { self.path_end[index - 1] as usize };
        let path = &self.path[start..self.path_end[index] as usize];
        BaseTransfer { message: self.message[index], from: self.from[index], path }
    }
}
