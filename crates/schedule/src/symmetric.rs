//! Schedules too large to write down: one source's part, and a group that moves it to all others.

use lockstep_topology::CayleyGraph;

use crate::CollectiveName;

/// What the messages of one source do, in a network that looks the same from every node; every other source does the
/// same, translated.
///
/// The source is element 0. A transfer starts at element `from` and follows the channels of the generators of its path,
/// one after the other. In an all-gather there is one message a source, [`Self::BROADCAST`]; in an all-to-all a message is named by
/// its receiver, seen from the source.
///
/// Plain data that may be wrong. Memory: 12 bytes a transfer and 2 bytes a channel of its path.
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
        *self.step_end.last_mut().expect("a step is open") += 1;
        self.message.push(message);
        self.from.push(from);
        self.path.extend_from_slice(path);
        self.path_end.push(u32::try_from(self.path.len()).expect("fewer than 2^32 channel uses"));
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
        let start = if step == 0 { 0 } else { self.step_end[step - 1] as usize };
        (start..self.step_end[step] as usize).map(|index| self.transfer(index))
    }

    fn transfer(&self, index: usize) -> BaseTransfer<'_> {
        let start = if index == 0 { 0 } else { self.path_end[index - 1] as usize };
        let path = &self.path[start..self.path_end[index] as usize];
        BaseTransfer { message: self.message[index], from: self.from[index], path }
    }
}

/// A schedule of an all-gather or all-to-all on a Cayley graph, represented by the part of source 0: the part of source
/// `s` is the same with `s` added to every element.
///
/// ```
/// use lockstep_schedule::{BaseSchedule, CollectiveName, SymmetricSchedule};
///
/// // An all-gather on the ring of three, in one step: everybody sends both ways.
/// let mut base = BaseSchedule::new();
/// base.begin_step();
/// base.push(BaseSchedule::BROADCAST, 0, &[0]);
/// base.push(BaseSchedule::BROADCAST, 0, &[1]);
/// let schedule = SymmetricSchedule::new("ring:3".parse()?, CollectiveName::AllToAllBroadcast, base);
/// assert_eq!(schedule.base().step_count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymmetricSchedule {
    graph: CayleyGraph,
    collective: CollectiveName,
    base: BaseSchedule,
}

impl SymmetricSchedule {
    /// The translates of `base`, one a node of `graph`.
    pub fn new(graph: CayleyGraph, collective: CollectiveName, base: BaseSchedule) -> Self {
        Self { graph, collective, base }
    }

    /// The network and the group of its translations.
    pub fn graph(&self) -> &CayleyGraph {
        &self.graph
    }

    /// What it is a schedule of.
    pub fn collective(&self) -> CollectiveName {
        self.collective
    }

    /// The part of source 0.
    pub fn base(&self) -> &BaseSchedule {
        &self.base
    }
}
