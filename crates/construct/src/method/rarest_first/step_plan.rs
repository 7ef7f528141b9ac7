//! The transfers of the step at hand, and what they take.

use lockstep_schedule::MessageId;
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::kit::capacities::{Capacities, SlotId, resource_slot};
use crate::kit::method_error::MethodError;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The place of a transfer in a [`StepPlan`].
type TransferIndex = u32;

/// No transfer.
const NOBODY: TransferIndex = u32::MAX;

/// The transfers of one step. Each of them may still be called off, so that another one takes its channels or its port.
#[derive(Debug)]
pub(super) struct StepPlan<'a> {
    task: &'a SchedulingTask<'a>,
    capacities: &'a Capacities,
    transfers: Vec<PlannedTransfer>,
    path: Vec<ChannelId>,
    /// The transfer that crosses each resource.
    user: Vec<TransferIndex>,
    /// Uses of each port, behind a place for each resource.
    taken: Vec<u32>,
    /// How often each slot was taken from a transfer.
    price: Vec<u32>,
}

/// A transfer that is planned.
#[derive(Clone, Copy, Debug)]
struct PlannedTransfer {
    message: u32,
    /// Rank of the terminal that receives it, or `NOBODY` once it is called off.
    receiver: u32,
    /// Its place among all paths.
    start: u32,
    end: u32,
}

impl<'a> StepPlan<'a> {
    pub(super) fn new(task: &'a SchedulingTask<'a>, capacities: &'a Capacities) -> Self {
        Self {
            task,
            capacities,
            transfers: Vec::new(),
            path: Vec::new(),
            user: vec![NOBODY; task.topology().resource_count()],
            taken: vec![0; capacities.len()],
            price: vec![0; capacities.len()],
        }
    }

    pub(super) fn task(&self) -> &'a SchedulingTask<'a> {
        self.task
    }

    fn topology(&self) -> &'a Topology {
        self.task.topology()
    }

    /// Writes the transfers down and begins the next step.
    pub(super) fn write_down(&mut self, step: u32, log: &mut TransferLog) -> Result<(), MethodError> {
        let live = self.transfers.iter().filter(|planned| planned.receiver != NOBODY);
        for planned in live {
            let path = &self.path[planned.start as usize..planned.end as usize];
            log.push(MessageId::new(planned.message), step, path)?;
        }
        self.transfers.clear();
        self.path.clear();
        self.user.fill(NOBODY);
        self.taken.fill(0);
        self.price.fill(0);
        Ok(())
    }

    /// Whether no transfer crosses the channel or one that shares its resource.
    #[inline]
    pub(super) fn is_free(&self, channel: ChannelId) -> bool {
        self.user[self.wire(channel)] == NOBODY
    }

    /// Whether a terminal may finish one more transfer.
    #[inline]
    pub(super) fn may_receive(&self, terminal: usize) -> bool {
        self.capacities.receive(terminal).is_none_or(|port| self.is_open(port))
    }

    /// What it takes to make the channel free: 0 if it is, else one more than the times it was taken from somebody.
    #[inline]
    pub(super) fn channel_price(&self, channel: ChannelId) -> u32 {
        if self.is_free(channel) { 0 } else { 1 + self.price[self.wire(channel)] }
    }

    /// What it takes to send from a terminal, in the same way.
    #[inline]
    pub(super) fn port_price(&self, sender: usize) -> u32 {
        let full = self.capacities.send(sender).filter(|&port| !self.is_open(port));
        full.map_or(0, |port| 1 + self.price[port as usize])
    }

    /// The message that comes to its head over this channel alone, if one does.
    #[inline]
    pub(super) fn message_over(&mut self, channel: ChannelId) -> Option<&mut u32> {
        let user = self.user[self.wire(channel)];
        let planned = self.transfers.get_mut(user as usize)?;
        let is_all = planned.end - planned.start == 1 && self.path[planned.start as usize] == channel;
        is_all.then_some(&mut planned.message)
    }

    /// Plans a transfer over a path that is free, between ports that are.
    pub(super) fn plan(&mut self, message: u32, path: &[ChannelId]) {
        let place = self.transfers.len() as TransferIndex;
        let start = self.path.len() as u32;
        self.path.extend_from_slice(path);
        let end = self.path.len() as u32;
        self.transfers.push(PlannedTransfer { message, receiver: self.task.receiver(path) as u32, start, end });
        self.occupy(place, place, 1);
    }

    /// Plans a transfer that is called off only for so much more.
    pub(super) fn plan_at_price(&mut self, message: u32, path: &[ChannelId], price: u32) {
        self.plan(message, path);
        for &channel in path {
            let wire = self.wire(channel);
            self.price[wire] += price;
        }
        if let Some(port) = self.capacities.send(self.task.sender(path)) {
            self.price[port as usize] = self.price[port as usize].max(price);
        }
    }

    /// Calls off all transfers that are in the way of a path, which is free then, and its sender's port too; terminal and
    /// message of each go to `lose`. `pick` chooses one of a number of sends.
    pub(super) fn clear_the_way(
        &mut self,
        path: &[ChannelId],
        pick: impl FnOnce(usize) -> usize,
        mut lose: impl FnMut(usize, u32),
    ) {
        for &channel in path {
            let wire = self.wire(channel);
            if self.user[wire] != NOBODY {
                self.price[wire] += 1;
                self.call_off(self.user[wire], &mut lose);
            }
        }
        let Some(&first) = path.first() else { return };
        let sender = self.topology().tail(first);
        let Some(port) = self.capacities.send(self.task.rank(sender)).filter(|&port| !self.is_open(port)) else {
            return;
        };
        self.price[port as usize] += 1;
        let sends = self.sends(sender);
        let send = sends.clone().nth(pick(sends.count())).expect("a full port sends something");
        self.call_off(send, &mut lose);
    }

    /// The transfers that start at a node.
    fn sends(&self, sender: NodeId) -> impl Iterator<Item = TransferIndex> + Clone {
        self.topology().out_channels(sender).iter().filter_map(move |&channel| {
            let user = self.user[self.wire(channel)];
            let planned = self.transfers.get(user as usize)?;
            (self.path[planned.start as usize] == channel).then_some(user)
        })
    }

    fn call_off(&mut self, place: TransferIndex, lose: &mut impl FnMut(usize, u32)) {
        self.occupy(place, NOBODY, u32::MAX);
        let planned = &mut self.transfers[place as usize];
        lose(planned.receiver as usize, planned.message);
        planned.receiver = NOBODY;
    }

    /// Makes `user` the user of the wires of a transfer, and adds to its ports modulo 2^32.
    fn occupy(&mut self, place: TransferIndex, user: TransferIndex, more: u32) {
        let PlannedTransfer { receiver, start, end, .. } = self.transfers[place as usize];
        for place in start as usize..end as usize {
            let wire = self.wire(self.path[place]);
            self.user[wire] = user;
        }
        let sender = self.task.sender(&self.path[start as usize..end as usize]);
        let ports = [self.capacities.send(sender), self.capacities.receive(receiver as usize)];
        for port in ports.into_iter().flatten() {
            self.taken[port as usize] = self.taken[port as usize].wrapping_add(more);
        }
    }

    #[inline]
    fn is_open(&self, port: SlotId) -> bool {
        self.taken[port as usize] < self.capacities.of(port)
    }

    #[inline]
    fn wire(&self, channel: ChannelId) -> usize {
        resource_slot(self.task, channel) as usize
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};

    use super::*;

    /// On a one-port ring a path of two channels takes both from what was planned on them, and a send of its sender's.
    #[test]
    fn what_is_in_the_way_is_called_off_with_all_that_it_took() {
        let ring: Topology = "ring:6".parse().unwrap();
        let over = |tail: u32, head: u32| -> ChannelId {
            let mut channels = ring.channels();
            channels.find(|&on| (ring.tail(on).number(), ring.head(on).number()) == (tail, head)).unwrap()
        };
        let model = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::wormhole() };
        let collective = Collective::all_gather();
        let problem = Problem::new(&ring, &collective, model).unwrap();
        let task = SchedulingTask::new(&problem).unwrap();
        let capacities = Capacities::new(&task);
        let mut draft = StepPlan::new(&task, &capacities);
        draft.plan(7, &[over(1, 2), over(2, 3)]);
        draft.plan(8, &[over(0, 5), over(5, 4)]);
        draft.plan(9, &[over(3, 2)]);
        assert_eq!((draft.channel_price(over(1, 2)), draft.channel_price(over(2, 1)), draft.port_price(0)), (1, 0, 1));
        assert!(!draft.may_receive(3) && draft.may_receive(1));

        let mut lost = Vec::new();
        draft.clear_the_way(
            &[over(0, 1), over(1, 2)],
            |count| count - 1,
            |terminal, message| lost.push((terminal, message)),
        );
        assert_eq!(lost, [(3, 7), (4, 8)]);
        assert!([over(1, 2), over(2, 3), over(0, 5), over(5, 4)].into_iter().all(|channel| draft.is_free(channel)));
        assert!(draft.may_receive(3) && draft.message_over(over(3, 2)).is_some_and(|message| *message == 9));
        draft.plan(5, &[over(0, 1), over(1, 2)]);
        // Once taken from somebody, it costs one more.
        assert_eq!((draft.channel_price(over(1, 2)), draft.channel_price(over(0, 1)), draft.port_price(0)), (2, 1, 2));
        assert_eq!(draft.message_over(over(0, 1)), None);

        let mut log = TransferLog::default();
        draft.write_down(0, &mut log).unwrap();
        let written: Vec<u32> = log.transfers(0).map(|(_, message, _)| message.number()).collect();
        assert_eq!(written, [9, 5]);
        assert!(ring.channels().all(|channel| draft.channel_price(channel) == 0) && draft.port_price(0) == 0);
    }
}
