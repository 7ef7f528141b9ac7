//! The transfers of the step at hand, and what they take.

use lockstep_schedule::MessageId;
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::log::Log;
use crate::method::Miss;
use crate::slots::{Capacities, Slot, wire};
use crate::task::Task;

/// The place of a transfer in a [`Draft`].
type Place = u32;

/// No transfer.
const NOBODY: Place = u32::MAX;

/// The transfers of one step. Each of them may still be called off, so that another one takes its channels or its port.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    task: &'a Task<'a>,
    capacities: &'a Capacities,
    transfers: Vec<Planned>,
    path: Vec<ChannelId>,
    /// The transfer that crosses each resource.
    user: Vec<Place>,
    /// Uses of each port, behind a place for each resource.
    taken: Vec<u32>,
    /// How often each slot was taken from a transfer.
    price: Vec<u32>,
}

/// A transfer that is planned.
#[derive(Clone, Copy, Debug)]
struct Planned {
    message: u32,
    /// Rank of the terminal that receives it, or `NOBODY` once it is called off.
    receiver: u32,
    /// Its place among all paths.
    start: u32,
    end: u32,
}

impl<'a> Draft<'a> {
    pub(super) fn new(task: &'a Task<'a>, capacities: &'a Capacities) -> Self {
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

    pub(super) fn task(&self) -> &'a Task<'a> {
        self.task
    }

    fn topology(&self) -> &'a Topology {
        self.task.topology()
    }

    /// Writes the transfers down and begins the next step.
    pub(super) fn write_down(&mut self, step: u32, log: &mut Log) -> Result<(), Miss> {
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
        let place = self.transfers.len() as Place;
        let start = self.path.len() as u32;
        self.path.extend_from_slice(path);
        let end = self.path.len() as u32;
        self.transfers.push(Planned { message, receiver: self.task.receiver(path) as u32, start, end });
        self.occupy(place, place, 1);
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
    fn sends(&self, sender: NodeId) -> impl Iterator<Item = Place> + Clone {
        self.topology().out_channels(sender).iter().filter_map(move |&channel| {
            let user = self.user[self.wire(channel)];
            let planned = self.transfers.get(user as usize)?;
            (self.path[planned.start as usize] == channel).then_some(user)
        })
    }

    fn call_off(&mut self, place: Place, lose: &mut impl FnMut(usize, u32)) {
        self.occupy(place, NOBODY, u32::MAX);
        let planned = &mut self.transfers[place as usize];
        lose(planned.receiver as usize, planned.message);
        planned.receiver = NOBODY;
    }

    /// Makes `user` the user of the wires of a transfer, and adds to its ports modulo 2^32.
    fn occupy(&mut self, place: Place, user: Place, more: u32) {
        let Planned { receiver, start, end, .. } = self.transfers[place as usize];
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
    fn is_open(&self, port: Slot) -> bool {
        self.taken[port as usize] < self.capacities.of(port)
    }

    #[inline]
    fn wire(&self, channel: ChannelId) -> usize {
        wire(self.task, channel) as usize
    }
}
