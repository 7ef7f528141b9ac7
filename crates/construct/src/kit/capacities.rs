//! The capacity of every resource and port.

use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use super::task::SchedulingTask;

/// The number of a slot: the resources come first, then the ports that can be exhausted.
pub(crate) type SlotId = u32;

/// The capacity per step of each slot: the capacity of each resource, and the port limit of each port.
///
/// A port is a slot only if its limit is below the capacity of the channels at its terminal; the channels limit it otherwise.
#[derive(Debug)]
pub(crate) struct Capacities {
    /// Uses per step of each slot.
    uses: Vec<u32>,
    /// The position of each slot among those with a capacity above one; [`UNIT`](Self::UNIT) for the others.
    wide: Vec<u32>,
    wide_count: u32,
    /// The slot of each terminal's send port, by rank.
    send: Vec<Option<SlotId>>,
    /// The slot of each terminal's receive port, by rank.
    receive: Vec<Option<SlotId>>,
}

impl Capacities {
    /// Marks a slot of capacity one.
    const UNIT: u32 = u32::MAX;

    pub(crate) fn new(task: &SchedulingTask<'_>) -> Self {
        let (topology, ports) = (task.topology(), task.model().ports);
        let resources = (0..topology.resource_count() as u32).map(ResourceId::new);
        let mut uses: Vec<u32> = resources.map(|resource| topology.resource_capacity(resource)).collect();
        let mut slot = |channels: &[ChannelId]| {
            let limit = port_limit(topology, ports, channels);
            (limit < port_limit(topology, Ports::All, channels)).then(|| {
                uses.push(limit);
                uses.len() as SlotId - 1
            })
        };
        let terminals = topology.terminals();
        let send = terminals.iter().map(|&node| slot(topology.out_channels(node))).collect();
        let receive = terminals.iter().map(|&node| slot(topology.in_channels(node))).collect();
        let mut wide_count = 0;
        let position = |&uses: &u32| {
            wide_count += u32::from(uses > 1);
            if uses > 1 { wide_count - 1 } else { Self::UNIT }
        };
        let wide = uses.iter().map(position).collect();
        Self { uses, wide, wide_count, send, receive }
    }

    /// Returns the number of slots.
    pub(crate) fn len(&self) -> usize {
        self.uses.len()
    }

    /// Returns the uses per step of a slot.
    #[inline]
    pub(crate) fn of(&self, slot: SlotId) -> u32 {
        self.uses[slot as usize]
    }

    /// Returns the uses per step of all resources together.
    pub(crate) fn of_resources(&self, topology: &Topology) -> u64 {
        self.uses[..topology.resource_count()].iter().copied().map(u64::from).sum()
    }

    /// Returns the number of slots with a capacity above one.
    #[inline]
    pub(crate) fn wide_count(&self) -> usize {
        self.wide_count as usize
    }

    /// Returns the position of a slot among those with a capacity above one; `None` for a slot of capacity one.
    #[inline]
    pub(crate) fn wide_index(&self, slot: SlotId) -> Option<usize> {
        let position = self.wide[slot as usize];
        (position != Self::UNIT).then_some(position as usize)
    }

    /// Returns the slot of the send port of a terminal, given by rank.
    #[inline]
    pub(crate) fn send(&self, terminal: usize) -> Option<SlotId> {
        self.send[terminal]
    }

    /// Returns the slot of the receive port of a terminal, given by rank.
    #[inline]
    pub(crate) fn receive(&self, terminal: usize) -> Option<SlotId> {
        self.receive[terminal]
    }
}

/// The send port and the receive port of a transfer, as far as they are slots.
#[derive(Clone, Copy)]
pub(crate) struct PortPair {
    pub(crate) send: Option<SlotId>,
    pub(crate) receive: Option<SlotId>,
}

impl PortPair {
    pub(crate) fn new(task: &SchedulingTask<'_>, capacities: &Capacities, from: NodeId, to: NodeId) -> Self {
        Self { send: capacities.send(task.rank(from)), receive: capacities.receive(task.rank(to)) }
    }

    /// Returns the ports at the ends of a path.
    pub(crate) fn of(task: &SchedulingTask<'_>, capacities: &Capacities, path: &[ChannelId]) -> Self {
        Self { send: capacities.send(task.sender(path)), receive: capacities.receive(task.receiver(path)) }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = SlotId> {
        self.send.into_iter().chain(self.receive)
    }
}

/// Returns the maximum number of transfers per step of a terminal with these channels in that direction.
pub(crate) fn port_limit(topology: &Topology, ports: Ports, channels: &[ChannelId]) -> u32 {
    let capacity = channels.iter().fold(0, |sum: u32, &channel| sum.saturating_add(topology.capacity(channel)));
    ports.of_degree(capacity as usize) as u32
}

/// Returns the slot of a channel's resource.
#[inline]
pub(crate) fn resource_slot(task: &SchedulingTask<'_>, channel: ChannelId) -> SlotId {
    task.topology().resource(channel).number()
}

/// Test helper: runs `check` with the capacities of a network under a port rule.
#[cfg(test)]
pub(crate) fn with_capacities(spec: &str, ports: Ports, check: impl FnOnce(&SchedulingTask<'_>, &Capacities)) {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};

    let topology: lockstep_topology::Topology = spec.parse().unwrap();
    let collective = Collective::all_to_all();
    let model = CommunicationModel { ports, ..CommunicationModel::wormhole() };
    let problem = Problem::new(&topology, &collective, model).unwrap();
    let task = SchedulingTask::new(&problem).unwrap();
    check(&task, &Capacities::new(&task));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_beyond_the_channels_are_no_limit() {
        with_capacities("ring:4", Ports::limit(2).unwrap(), |_, capacities| assert_eq!(capacities.len(), 8));
        with_capacities("ring:4", Ports::limit(1).unwrap(), |_, capacities| assert_eq!(capacities.len(), 16));
    }
}
