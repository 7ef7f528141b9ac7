//! The planned transfers of the current step, and the resources they use.

use lockstep_model::{SlotId, Slots};
use lockstep_schedule::MessageId;
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::kit::method_error::MethodError;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The position of a transfer in a [`StepPlan`].
type TransferIndex = u32;

/// Marks a free resource, and the receiver of a cancelled transfer.
const NONE: TransferIndex = u32::MAX;

/// Marks a full resource with several users.
const SHARED: TransferIndex = u32::MAX - 1;

/// The price of a fixed transfer that must not move: more than any terminal pays.
pub(super) const FIXED_PRICE: u32 = 1 << 16;

/// The planned transfers of one step. Any of them may still be cancelled, so that another transfer can use its
/// resources.
///
/// Invariant: no resource and no port is used beyond its capacity.
#[derive(Debug)]
pub(super) struct StepPlan<'a> {
    task: &'a SchedulingTask<'a>,
    slots: &'a Slots,
    transfers: Vec<PlannedTransfer>,
    /// The paths of all transfers, one after the other.
    path: Vec<ChannelId>,
    /// The transfer that uses each resource; [`SHARED`] for a full resource with a capacity above one, and [`NONE`] for a
    /// resource that is not full.
    user: Vec<TransferIndex>,
    /// The transfers that use each resource with a capacity above one. These resources are the first wide slots.
    sharers: Vec<Vec<TransferIndex>>,
    /// Number of uses of each port, by slot.
    port_uses: Vec<u32>,
    /// The number of times that each slot was taken from a transfer.
    price: Vec<u32>,
}

/// A planned transfer.
#[derive(Clone, Copy, Debug)]
struct PlannedTransfer {
    message: u32,
    /// Rank of the receiving terminal; `NONE` once the transfer is cancelled.
    receiver: u32,
    /// Start of its path among all paths.
    start: u32,
    end: u32,
}

impl<'a> StepPlan<'a> {
    pub(super) fn new(task: &'a SchedulingTask<'a>, slots: &'a Slots) -> Self {
        let resources = task.topology().resource_count();
        let is_wide = |&slot: &SlotId| slots.capacity(slot) > 1;
        Self {
            task,
            slots,
            transfers: Vec::new(),
            path: Vec::new(),
            user: vec![NONE; resources],
            sharers: vec![Vec::new(); (0..resources as SlotId).filter(is_wide).count()],
            port_uses: vec![0; slots.len()],
            price: vec![0; slots.len()],
        }
    }

    pub(super) fn task(&self) -> &'a SchedulingTask<'a> {
        self.task
    }

    fn topology(&self) -> &'a Topology {
        self.task.topology()
    }

    /// Returns true if no transfer is planned.
    pub(super) fn is_empty(&self) -> bool {
        self.transfers.iter().all(|planned| planned.receiver == NONE)
    }

    /// Writes the transfers to the log and begins an empty step.
    pub(super) fn commit(&mut self, step: u32, log: &mut TransferLog) -> Result<(), MethodError> {
        let live = self.transfers.iter().filter(|planned| planned.receiver != NONE);
        for planned in live {
            let path = &self.path[planned.start as usize..planned.end as usize];
            log.push(MessageId::new(planned.message), step, path)?;
        }
        self.transfers.clear();
        self.path.clear();
        self.user.fill(NONE);
        self.sharers.iter_mut().for_each(Vec::clear);
        self.port_uses.fill(0);
        self.price.fill(0);
        Ok(())
    }

    /// Returns true if another transfer fits on the resource of the channel.
    #[inline]
    pub(super) fn is_free(&self, channel: ChannelId) -> bool {
        self.user[self.resource(channel)] == NONE
    }

    /// Returns true if the terminal has a free receive port.
    #[inline]
    pub(super) fn may_receive(&self, terminal: usize) -> bool {
        self.slots.receive_port(terminal).is_none_or(|port| self.has_free_port(port))
    }

    /// Returns the price of a channel: 0 if it is free, otherwise one more than the number of times it changed hands.
    #[inline]
    pub(super) fn channel_price(&self, channel: ChannelId) -> u32 {
        if self.is_free(channel) { 0 } else { 1 + self.price[self.resource(channel)] }
    }

    /// Returns the price of a send port, in the same way.
    #[inline]
    pub(super) fn port_price(&self, sender: usize) -> u32 {
        let full = self.slots.send_port(sender).filter(|&port| !self.has_free_port(port));
        full.map_or(0, |port| 1 + self.price[port as usize])
    }

    /// Returns true if the channel's resource is full of transfers whose whole path is this channel.
    #[inline]
    pub(super) fn is_full_of_direct(&self, channel: ChannelId) -> bool {
        !self.is_free(channel) && self.users(channel).iter().all(|&user| self.is_direct(user, channel))
    }

    /// Returns the message of a transfer whose whole path is this channel, if there is one with a message that `accepts`.
    /// There is none on a channel with a transfer that must not move.
    #[inline]
    pub(super) fn direct_message(&mut self, channel: ChannelId, accepts: impl Fn(u32) -> bool) -> Option<&mut u32> {
        if self.price[self.resource(channel)] >= FIXED_PRICE {
            return None;
        }
        let fits =
            |&&user: &&TransferIndex| self.is_direct(user, channel) && accepts(self.transfers[user as usize].message);
        let user = *self.users(channel).iter().find(fits)?;
        Some(&mut self.transfers[user as usize].message)
    }

    /// Returns true if the channel is the whole path of a transfer.
    #[inline]
    fn is_direct(&self, user: TransferIndex, channel: ChannelId) -> bool {
        let planned = self.transfers[user as usize];
        planned.end - planned.start == 1 && self.path[planned.start as usize] == channel
    }

    /// Returns the transfers that use the resource of the channel.
    #[inline]
    fn users(&self, channel: ChannelId) -> &[TransferIndex] {
        let resource = self.resource(channel);
        match self.sharers(resource) {
            Some(place) => &self.sharers[place],
            None if self.user[resource] == NONE => &[],
            None => std::slice::from_ref(&self.user[resource]),
        }
    }

    /// Returns the place of a resource in `sharers`; `None` if its capacity is one.
    #[inline]
    fn sharers(&self, resource: usize) -> Option<usize> {
        if self.sharers.is_empty() { None } else { self.slots.wide_place(resource as SlotId) }
    }

    /// Plans a transfer over a free path between free ports.
    pub(super) fn add(&mut self, message: u32, path: &[ChannelId]) {
        let index = self.transfers.len() as TransferIndex;
        let start = self.path.len() as u32;
        self.path.extend_from_slice(path);
        let end = self.path.len() as u32;
        self.transfers.push(PlannedTransfer { message, receiver: self.task.receiver(path) as u32, start, end });
        self.occupy(index);
    }

    /// Plans a transfer whose resources have a higher price.
    pub(super) fn add_at_price(&mut self, message: u32, path: &[ChannelId], price: u32) {
        self.add(message, path);
        for &channel in path {
            let resource = self.resource(channel);
            self.price[resource] = self.price[resource].max(price);
        }
        if let Some(port) = self.slots.send_port(self.task.sender(path)) {
            self.price[port as usize] = self.price[port as usize].max(price);
        }
    }

    /// Cancels all transfers that conflict with a path or with a send of its sender. `pick` chooses one of a number of
    /// transfers; `on_cancel` gets the receiver and the message of each cancelled transfer.
    pub(super) fn clear_path(
        &mut self,
        path: &[ChannelId],
        mut pick: impl FnMut(usize) -> usize,
        mut on_cancel: impl FnMut(usize, u32),
    ) {
        for &channel in path {
            let resource = self.resource(channel);
            if !self.is_free(channel) {
                self.price[resource] += 1;
                let user = match self.users(channel) {
                    &[only] => only,
                    users => users[pick(users.len())],
                };
                self.cancel(user, &mut on_cancel);
            }
        }
        let Some(&first) = path.first() else { return };
        let sender = self.topology().tail(first);
        let full = self.slots.send_port(self.task.rank(sender)).filter(|&port| !self.has_free_port(port));
        let Some(port) = full else { return };
        self.price[port as usize] += 1;
        let sends = self.sends(sender);
        let send = sends.clone().nth(pick(sends.count())).expect("a full port sends something");
        self.cancel(send, &mut on_cancel);
    }

    /// Returns the transfers that start at a node.
    fn sends(&self, sender: NodeId) -> impl Iterator<Item = TransferIndex> + Clone {
        self.topology().out_channels(sender).iter().flat_map(move |&channel| {
            let starts_here =
                move |&&user: &&TransferIndex| self.path[self.transfers[user as usize].start as usize] == channel;
            self.users(channel).iter().filter(starts_here).copied()
        })
    }

    fn cancel(&mut self, index: TransferIndex, on_cancel: &mut impl FnMut(usize, u32)) {
        self.release(index);
        let planned = &mut self.transfers[index as usize];
        on_cancel(planned.receiver as usize, planned.message);
        planned.receiver = NONE;
    }

    /// Adds a transfer to the users of its resources and ports.
    fn occupy(&mut self, index: TransferIndex) {
        let PlannedTransfer { start, end, .. } = self.transfers[index as usize];
        for position in start as usize..end as usize {
            let resource = self.resource(self.path[position]);
            self.user[resource] = match self.sharers(resource) {
                None => index,
                Some(place) => {
                    let sharers = &mut self.sharers[place];
                    sharers.push(index);
                    let is_full = sharers.len() as u32 == self.slots.capacity(resource as SlotId);
                    if is_full { SHARED } else { NONE }
                }
            };
        }
        self.ports(index).into_iter().flatten().for_each(|port| self.port_uses[port as usize] += 1);
    }

    /// Removes a transfer from the users of its resources and ports.
    fn release(&mut self, index: TransferIndex) {
        let PlannedTransfer { start, end, .. } = self.transfers[index as usize];
        for position in start as usize..end as usize {
            let resource = self.resource(self.path[position]);
            if let Some(place) = self.sharers(resource) {
                self.sharers[place].retain(|&user| user != index);
            }
            self.user[resource] = NONE;
        }
        self.ports(index).into_iter().flatten().for_each(|port| self.port_uses[port as usize] -= 1);
    }

    /// Returns the limited ports of a transfer.
    fn ports(&self, index: TransferIndex) -> [Option<SlotId>; 2] {
        let PlannedTransfer { receiver, start, end, .. } = self.transfers[index as usize];
        let sender = self.task.sender(&self.path[start as usize..end as usize]);
        [self.slots.send_port(sender), self.slots.receive_port(receiver as usize)]
    }

    #[inline]
    fn has_free_port(&self, port: SlotId) -> bool {
        self.port_uses[port as usize] < self.slots.capacity(port)
    }

    #[inline]
    fn resource(&self, channel: ChannelId) -> usize {
        self.slots.resource(channel) as usize
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};

    use lockstep_topology::TopologyBuilder;

    use super::*;

    /// Of two transfers on a full channel, one is cancelled for a third one.
    #[test]
    fn a_wide_channel_has_as_many_users_as_its_capacity() {
        let mut pair = TopologyBuilder::new("pair");
        let [a, b] = ["a", "b"].map(|name| pair.terminal(name));
        let link = pair.link(a, b);
        pair.set_capacity(link, 2);
        let pair = pair.build().unwrap();
        let collective = Collective::all_gather().with_chunks(4.try_into().unwrap());
        let problem = Problem::new(&pair, &collective, CommunicationModel::store_and_forward()).unwrap();
        let task = SchedulingTask::new(&problem).unwrap();
        let slots = task.slots();
        let mut plan = StepPlan::new(&task, &slots);
        let channel = link[0];
        plan.add(0, &[channel]);
        assert!(plan.is_free(channel) && !plan.is_full_of_direct(channel));
        plan.add(1, &[channel]);
        assert_eq!((plan.channel_price(channel), plan.is_full_of_direct(channel)), (1, true));
        assert_eq!(plan.direct_message(channel, |message| message == 1), Some(&mut 1));
        let mut lost = Vec::new();
        plan.clear_path(&[channel], |count| count - 1, |_, message| lost.push(message));
        assert_eq!((lost, plan.is_free(channel)), (vec![1], true));
        plan.add(2, &[channel]);
        assert_eq!(plan.channel_price(channel), 2);
        plan.add_at_price(3, &[link[1]], FIXED_PRICE);
        assert!(plan.is_free(link[1]) && plan.direct_message(link[1], |_| true).is_none(), "it must not move");

        let mut log = TransferLog::default();
        plan.commit(0, &mut log).unwrap();
        let written: Vec<u32> = log.transfers(0).map(|(_, message, _)| message.number()).collect();
        assert_eq!(written, [0, 2, 3]);
        assert_eq!(plan.channel_price(channel), 0);
    }

    /// On a one-port ring, a path of two channels takes both channels and one send of its sender from other transfers.
    #[test]
    fn cancelled_transfers_free_all_their_resources() {
        let ring: Topology = "ring:6".parse().unwrap();
        let over = |tail: u32, head: u32| -> ChannelId {
            let mut channels = ring.channels();
            channels.find(|&on| (ring.tail(on).number(), ring.head(on).number()) == (tail, head)).unwrap()
        };
        let model = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::wormhole() };
        let collective = Collective::all_gather();
        let problem = Problem::new(&ring, &collective, model).unwrap();
        let task = SchedulingTask::new(&problem).unwrap();
        let slots = task.slots();
        let mut plan = StepPlan::new(&task, &slots);
        plan.add(7, &[over(1, 2), over(2, 3)]);
        plan.add(8, &[over(0, 5), over(5, 4)]);
        plan.add(9, &[over(3, 2)]);
        assert_eq!((plan.channel_price(over(1, 2)), plan.channel_price(over(2, 1)), plan.port_price(0)), (1, 0, 1));
        assert!(!plan.may_receive(3) && plan.may_receive(1));

        let mut lost = Vec::new();
        plan.clear_path(
            &[over(0, 1), over(1, 2)],
            |count| count - 1,
            |terminal, message| lost.push((terminal, message)),
        );
        assert_eq!(lost, [(3, 7), (4, 8)]);
        assert!([over(1, 2), over(2, 3), over(0, 5), over(5, 4)].into_iter().all(|channel| plan.is_free(channel)));
        assert!(plan.may_receive(3) && plan.direct_message(over(3, 2), |_| true).is_some_and(|message| *message == 9));
        plan.add(5, &[over(0, 1), over(1, 2)]);
        // Each change of hands raises the price by one.
        assert_eq!((plan.channel_price(over(1, 2)), plan.channel_price(over(0, 1)), plan.port_price(0)), (2, 1, 2));
        assert_eq!(plan.direct_message(over(0, 1), |_| true), None);

        let mut log = TransferLog::default();
        plan.commit(0, &mut log).unwrap();
        let written: Vec<u32> = log.transfers(0).map(|(_, message, _)| message.number()).collect();
        assert_eq!(written, [9, 5]);
        assert!(ring.channels().all(|channel| plan.channel_price(channel) == 0) && plan.port_price(0) == 0);
    }
}
