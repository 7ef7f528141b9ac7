//! The schedule: a flat list of steps.

use std::num::NonZeroU32;

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::messages::MessageId;

/// A list of synchronized steps: step `t + 1` begins when all of step `t` has arrived.
///
/// A step has a *width*, by default 1. In a step of width `w` every resource and every port carries `w` times as many
/// transfers as in a step of width 1, and the step takes the time of one start-up and `w` transmissions.
///
/// Plain data that may be invalid; [`verify`](crate::verify) decides. Memory: 8 bytes per transfer and 4 bytes per
/// channel of its path; 8 bytes per transfer in total if every path is one channel.
///
/// ```
/// use lockstep_schedule::{MessageId, Schedule};
/// use lockstep_topology::ChannelId;
///
/// let mut schedule = Schedule::new();
/// schedule.begin_step();
/// schedule.push(MessageId::new(0), &[ChannelId::new(3)]);
/// schedule.begin_step();
/// schedule.push(MessageId::new(0), &[ChannelId::new(1)]);
/// schedule.push(MessageId::new(0), &[ChannelId::new(2), ChannelId::new(4)]);
/// assert_eq!((schedule.step_count(), schedule.transfer_count()), (2, 3));
/// for (step, transfers) in schedule.steps() {
///     for transfer in transfers.iter() {
///         println!("{step}: {:?} along {:?}", transfer.message, transfer.path);
///     }
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// The end of each step in `message`.
    step_end: Vec<u32>,
    message: Vec<MessageId>,
    /// The end of each transfer's path in `channels`; empty if every path is one channel.
    path_end: Vec<u32>,
    channels: Vec<ChannelId>,
    /// The width of each step; empty if all are 1.
    widths: Vec<NonZeroU32>,
}

impl Schedule {
    /// Returns the schedule without steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the schedule without steps, with memory for a number of transfers and channel uses.
    pub fn with_capacity(transfers: usize, channel_uses: usize) -> Self {
        Self {
            step_end: Vec::new(),
            message: Vec::with_capacity(transfers),
            path_end: if transfers == channel_uses { Vec::new() } else { Vec::with_capacity(transfers) },
            channels: Vec::with_capacity(channel_uses),
            widths: Vec::new(),
        }
    }

    /// Returns the schedule whose transfers cross one channel each. The steps, of width 1, have these numbers of transfers.
    ///
    /// ```
    /// use lockstep_schedule::{MessageId, Schedule};
    /// use lockstep_topology::ChannelId;
    ///
    /// let (messages, channels) = ([0, 1, 0].map(MessageId::new), [4, 2, 3].map(ChannelId::new));
    /// let schedule = Schedule::from_hops([2, 1], messages.into(), channels.into());
    /// assert_eq!((schedule.step_count(), schedule.step(1).len()), (2, 1));
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the lengths differ, if the numbers do not add up to them, and past 2^32 - 1 transfers.
    pub fn from_hops(
        step_sizes: impl IntoIterator<Item = usize>,
        messages: Vec<MessageId>,
        channels: Vec<ChannelId>,
    ) -> Self {
        assert_eq!(messages.len(), channels.len(), "one channel per message");
        let mut end = 0usize;
        let ends = step_sizes.into_iter().map(|size| {
            end = end.checked_add(size).expect("sizes add up to the number of transfers");
            u32::try_from(end).expect("fewer than 2^32 transfers")
        });
        let step_end = ends.collect();
        assert_eq!(end, messages.len(), "every transfer is in a step");
        Self { step_end, message: messages, path_end: Vec::new(), channels, widths: Vec::new() }
    }

    /// Begins the next step, to which all transfers pushed later belong. Its width is 1.
    pub fn begin_step(&mut self) {
        self.begin_step_of_width(NonZeroU32::MIN);
    }

    /// Begins the next step with this width.
    pub fn begin_step_of_width(&mut self, width: NonZeroU32) {
        if width != NonZeroU32::MIN && self.widths.is_empty() {
            self.widths.resize(self.step_end.len(), NonZeroU32::MIN);
        }
        if width != NonZeroU32::MIN || !self.widths.is_empty() {
            self.widths.push(width);
        }
        self.step_end.push(self.message.len() as u32);
    }

    /// Adds a transfer to the last step.
    ///
    /// # Panics
    ///
    /// Panics before the first [`begin_step`](Self::begin_step), and past 2^32 - 1 transfers or channel uses.
    #[inline]
    pub fn push(&mut self, message: MessageId, path: &[ChannelId]) {
        assert!(self.try_push(message, path), "fewer than 2^32 transfers and channel uses");
    }

    /// Adds a transfer to the last step; returns `false` if there would be more than 2^32 - 1 transfers or channel
    /// uses.
    #[inline]
    pub(crate) fn try_push(&mut self, message: MessageId, path: &[ChannelId]) -> bool {
        let transfers = u32::try_from(self.message.len() + 1);
        let (Ok(transfers), Ok(channels)) = (transfers, u32::try_from(self.channels.len() + path.len())) else {
            return false;
        };
        *self.step_end.last_mut().expect("a step is open") = transfers;
        if let ([channel], true) = (path, self.has_only_hops()) {
            self.message.push(message);
            self.channels.push(*channel);
            return true;
        }
        self.store_path_ends();
        self.message.push(message);
        self.channels.extend_from_slice(path);
        self.path_end.push(channels);
        true
    }

    /// Stores the ends of the paths so far, even if each of them is one channel.
    pub(crate) fn store_path_ends(&mut self) {
        if self.has_only_hops() {
            self.path_end.reserve(self.message.capacity());
            self.path_end.extend(1..=self.message.len() as u32);
        }
    }

    /// Adds transfers over one channel each to the last step.
    ///
    /// ```
    /// use lockstep_schedule::{MessageId, Schedule};
    /// use lockstep_topology::ChannelId;
    ///
    /// let (messages, channels) = ([0, 1].map(MessageId::new), [4, 2].map(ChannelId::new));
    /// let mut schedule = Schedule::new();
    /// schedule.begin_step();
    /// schedule.push_hops(&messages, &channels);
    /// assert_eq!(schedule.step(0).transfer(1).path, [ChannelId::new(2)]);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the lengths differ, and as [`push`](Self::push).
    pub fn push_hops(&mut self, messages: &[MessageId], channels: &[ChannelId]) {
        assert_eq!(messages.len(), channels.len(), "one channel per message");
        let end =
            |used: usize| u32::try_from(used + messages.len()).expect("fewer than 2^32 transfers and channel uses");
        let (transfers, first_use) = (end(self.message.len()), self.channels.len() as u32);
        end(self.channels.len());
        *self.step_end.last_mut().expect("a step is open") = transfers;
        if !self.has_only_hops() {
            self.path_end.extend((1..=messages.len() as u32).map(|place| first_use + place));
        }
        self.message.extend_from_slice(messages);
        self.channels.extend_from_slice(channels);
    }

    /// Returns the number of steps.
    pub fn step_count(&self) -> usize {
        self.step_end.len()
    }

    /// Returns the width of each step, in the order of the steps; empty if all are 1.
    pub fn widths(&self) -> &[NonZeroU32] {
        &self.widths
    }

    /// Returns the sum of the widths of all steps: the number of steps if all have width 1.
    pub fn width_sum(&self) -> u64 {
        if self.widths.is_empty() {
            return self.step_count() as u64;
        }
        self.widths.iter().map(|width| u64::from(width.get())).sum()
    }

    /// Replaces the widths of all steps; empty if all are 1.
    pub(crate) fn set_widths(&mut self, widths: Vec<NonZeroU32>) {
        debug_assert!(widths.is_empty() || widths.len() == self.step_count());
        let is_one = |width: &NonZeroU32| *width == NonZeroU32::MIN;
        self.widths = if widths.iter().all(is_one) { Vec::new() } else { widths };
    }

    /// Returns the number of transfers in all steps together.
    pub fn transfer_count(&self) -> usize {
        self.message.len()
    }

    /// Returns the number of channel uses: the lengths of all paths together.
    pub fn channel_use_count(&self) -> usize {
        self.channels.len()
    }

    /// Returns the step at this index, from 0.
    ///
    /// # Panics
    ///
    /// Panics if there is no such step.
    pub fn step(&self, step: usize) -> Step<'_> {
        let start = if step == 0 { 0 } else { self.step_end[step - 1] };
        let width = self.widths.get(step).copied().unwrap_or(NonZeroU32::MIN);
        Step { schedule: self, start: start as usize, end: self.step_end[step] as usize, width }
    }

    /// Returns the steps in time order, each with its index from 0.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = (usize, Step<'_>)> + DoubleEndedIterator + Clone {
        (0..self.step_count()).map(|step| (step, self.step(step)))
    }

    /// Returns the channels of all paths, in the order of the transfers.
    pub fn channel_uses(&self) -> &[ChannelId] {
        &self.channels
    }

    /// Returns true if every path is one channel, so that steps have [`hops`](Step::hops).
    pub(crate) fn has_only_hops(&self) -> bool {
        self.path_end.is_empty()
    }

    /// Returns the number of channels of the longest path; 0 without transfers.
    pub(crate) fn longest_path(&self) -> usize {
        if self.has_only_hops() {
            return usize::from(!self.message.is_empty());
        }
        let starts = std::iter::once(&0).chain(&self.path_end);
        starts.zip(&self.path_end).map(|(start, end)| (end - start) as usize).max().unwrap_or(0)
    }

    /// Returns the schedule with other channels in its paths. `channel` gets each channel, and returns the one in its place.
    #[must_use]
    pub fn with_channels(&self, channel: impl Fn(ChannelId) -> ChannelId) -> Self {
        let mut other = self.clone();
        other.channels.iter_mut().for_each(|of_path| *of_path = channel(*of_path));
        other
    }

    /// Appends the steps of another schedule.
    pub fn append(&mut self, other: &Self) {
        for (_, step) in other.steps() {
            self.begin_step_of_width(step.width());
            if let Some(channels) = step.hops() {
                self.push_hops(step.messages(), channels);
                continue;
            }
            for transfer in step.iter() {
                self.push(transfer.message, transfer.path);
            }
        }
    }

    /// Returns the transfer at a place among those of all steps.
    #[inline]
    pub(crate) fn transfer(&self, index: usize) -> Transfer<'_> {
        if self.has_only_hops() {
            return Transfer { message: self.message[index], path: std::slice::from_ref(&self.channels[index]) };
        }
        let start = if index == 0 { 0 } else { self.path_end[index - 1] };
        let path = &self.channels[start as usize..self.path_end[index] as usize];
        Transfer { message: self.message[index], path }
    }
}

/// One step of a schedule: its transfers.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    schedule: &'a Schedule,
    start: usize,
    end: usize,
    width: NonZeroU32,
}

impl<'a> Step<'a> {
    /// Returns the number of transfers.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns true if the step has no transfer.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns the width: the number of times that each resource and port may be used for each unit of its capacity.
    pub fn width(&self) -> NonZeroU32 {
        self.width
    }

    /// Returns the number of channel uses of the step.
    pub fn channel_use_count(&self) -> usize {
        if self.schedule.has_only_hops() {
            return self.len();
        }
        let until = |transfer: usize| if transfer == 0 { 0 } else { self.schedule.path_end[transfer - 1] as usize };
        until(self.end) - until(self.start)
    }

    /// Returns the transfer at this index of the step, from 0.
    ///
    /// # Panics
    ///
    /// Panics if there is no such transfer.
    pub fn transfer(&self, place: usize) -> Transfer<'a> {
        assert!(place < self.len(), "transfer {place} of {}", self.len());
        self.schedule.transfer(self.start + place)
    }

    /// Returns the message of each transfer, in the order of the pushes.
    pub(crate) fn messages(&self) -> &'a [MessageId] {
        &self.schedule.message[self.start..self.end]
    }

    /// Returns the channel of each transfer, if every path of the schedule is one channel.
    pub(crate) fn hops(&self) -> Option<&'a [ChannelId]> {
        self.schedule.has_only_hops().then(|| &self.schedule.channels[self.start..self.end])
    }

    /// Returns the transfers, in the order of the pushes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Transfer<'a>> + DoubleEndedIterator + Clone + use<'a> {
        let schedule = self.schedule;
        (self.start..self.end).map(move |index| schedule.transfer(index))
    }
}

/// One message moving along one path in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer<'a> {
    /// The message that moves.
    pub message: MessageId,
    /// The channels of the path, in order; a valid path has at least one.
    pub path: &'a [ChannelId],
}

impl Transfer<'_> {
    /// Returns the sender and receiver, if the path begins and ends with channels of the network at terminals.
    #[inline]
    pub(crate) fn terminal_ends(self, topology: &Topology) -> Option<(NodeId, NodeId)> {
        let (&first, &last) = (self.path.first()?, self.path.last()?);
        if first.index().max(last.index()) >= topology.channel_bound() {
            return None;
        }
        let (sender, receiver) = (topology.tail(first), topology.head(last));
        (topology.is_terminal(sender) && topology.is_terminal(receiver)).then_some((sender, receiver))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(steps: &[&[(u32, &[u32])]]) -> Schedule {
        let mut schedule = Schedule::new();
        for step in steps {
            schedule.begin_step();
            for (message, path) in *step {
                let path: Vec<ChannelId> = path.iter().copied().map(ChannelId::new).collect();
                schedule.push(MessageId::new(*message), &path);
            }
        }
        schedule
    }

    #[test]
    fn widths_belong_to_their_steps() {
        let widths = |schedule: &Schedule| schedule.steps().map(|(_, step)| step.width().get()).collect::<Vec<_>>();
        let mut wide = schedule(&[&[(0, &[1])], &[]]);
        assert_eq!((widths(&wide), wide.width_sum()), (vec![1, 1], 2));
        wide.begin_step_of_width(NonZeroU32::new(3).unwrap());
        wide.begin_step();
        assert_eq!((widths(&wide), wide.width_sum()), (vec![1, 1, 3, 1], 6));
        assert_eq!(widths(&wide.reversed()), [1, 3, 1, 1]);
        let mut twice = wide.clone();
        twice.append(&wide);
        assert_eq!(widths(&twice), [1, 1, 3, 1, 1, 1, 3, 1]);
        let mut plain = schedule(&[]);
        plain.begin_step_of_width(NonZeroU32::MIN);
        assert_eq!(plain, schedule(&[&[]]));
    }

    #[test]
    fn steps_and_transfers_come_back_in_order() {
        let schedule = schedule(&[&[(3, &[1, 2]), (4, &[])], &[], &[(5, &[0])]]);
        assert_eq!((schedule.step_count(), schedule.transfer_count(), schedule.channel_use_count()), (3, 3, 3));
        let lengths: Vec<_> =
            schedule.steps().map(|(place, step)| (place, step.len(), step.channel_use_count())).collect();
        assert_eq!(lengths, [(0, 2, 2), (1, 0, 0), (2, 1, 1)]);
        assert!(schedule.step(1).is_empty());
        let last = schedule.step(2).transfer(0);
        assert_eq!((last.message, last.path), (MessageId::new(5), &[ChannelId::new(0)][..]));
        assert_eq!(schedule.step(0).iter().map(|transfer| transfer.path.len()).collect::<Vec<_>>(), [2, 0]);
    }

    /// A schedule whose paths are one channel each has another layout until a longer path comes.
    #[test]
    fn the_layout_of_paths_makes_no_difference() {
        let steps: [&[(u32, &[u32])]; 3] = [&[(3, &[1]), (4, &[2])], &[], &[(5, &[0])]];
        let (hops, longer) = (schedule(&steps), schedule(&[&[(6, &[7, 8])]]));
        let mut pushed = Schedule::new();
        for (_, step) in hops.steps() {
            pushed.begin_step();
            pushed.push_hops(step.messages(), step.hops().unwrap());
        }
        assert_eq!((&pushed, hops.longest_path(), longer.longest_path()), (&hops, 1, 2));
        assert_eq!(pushed.steps().map(|(_, step)| step.channel_use_count()).collect::<Vec<_>>(), [2, 0, 1]);
        for (first, second, all) in [
            (&hops, &longer, [steps[0], steps[1], steps[2], &[(6, &[7, 8])]]),
            (&longer, &hops, [&[(6, &[7, 8])], steps[0], steps[1], steps[2]]),
        ] {
            let mut both = first.clone();
            both.append(second);
            assert_eq!(both, schedule(&all));
            assert_eq!((both.longest_path(), both.channel_uses().len()), (2, 5));
            assert!(both.step(0).hops().is_none());
        }
        assert_eq!(Schedule::new().longest_path(), 0);
    }

    #[test]
    fn other_channels_take_the_places_of_those_before() {
        let original = schedule(&[&[(0, &[3]), (1, &[2, 0])], &[(1, &[1])]]);
        let other = schedule(&[&[(0, &[0]), (1, &[1, 3])], &[(1, &[2])]]);
        assert_eq!(original.with_channels(|channel| ChannelId::new(3 - channel.number())), other);
    }

    #[test]
    fn appending_keeps_both_and_their_steps() {
        let (first, second) = (schedule(&[&[(0, &[7])], &[]]), schedule(&[&[(1, &[8, 9])]]));
        let mut both = first;
        both.append(&second);
        assert_eq!(both, schedule(&[&[(0, &[7])], &[], &[(1, &[8, 9])]]));
    }
}
