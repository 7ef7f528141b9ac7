//! The capacity of every resource and port.

use lockstep_topology::{ChannelId, NodeId};

use super::task::SchedulingTask;

/// The number of a slot: the resources come first, then the ports that can be exhausted.
pub(crate) type SlotId = u32;

/// The capacity per step of each slot: one use of each resource, and the port limit of each port.
///
/// A port is a slot only if its limit is below the number of channels at its terminal; the channels limit it otherwise.
#[derive(Debug)]
pub(crate) struct Capacities {
    resources: u32,
    /// Uses per step of each port slot.
    ports: Vec<u32>,
    /// The slot of each terminal's send port, by rank.
    send: Vec<Option<SlotId>>,
    /// The slot of each terminal's receive port, by rank.
    receive: Vec<Option<SlotId>>,
}

impl Capacities {
    pub(crate) fn new(task: &SchedulingTask<'_>) -> Self {
        let topology = task.topology();
        let resources = topology.resource_count() as u32;
        let mut ports = Vec::new();
        let mut slot = |degree: usize| {
            let limit = task.model().ports.of_degree(degree);
            (limit < degree).then(|| {
                ports.push(limit as u32);
                resources + ports.len() as u32 - 1
            })
        };
        let terminals = topology.terminals();
        let send = terminals.iter().map(|&node| slot(topology.out_channels(node).len())).collect();
        let receive = terminals.iter().map(|&node| slot(topology.in_channels(node).len())).collect();
        Self { resources, ports, send, receive }
    }

    /// Returns the number of slots.
    pub(crate) fn len(&self) -> usize {
        self.resources as usize + self.ports.len()
    }

    /// Returns the number of port slots.
    #[inline]
    pub(crate) fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// Returns the position of a port slot among the port slots.
    #[inline]
    pub(crate) fn port_index(&self, slot: SlotId) -> usize {
        (slot - self.resources) as usize
    }

    /// Returns the uses per step of a slot.
    #[inline]
    pub(crate) fn of(&self, slot: SlotId) -> u32 {
        slot.checked_sub(self.resources).map_or(1, |port| self.ports[port as usize])
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

/// Returns the slot of a channel's resource.
#[inline]
pub(crate) fn resource_slot(task: &SchedulingTask<'_>, channel: ChannelId) -> SlotId {
    task.topology().resource(channel).number()
}

/// Test helper: runs `check` with the capacities of a network under a port rule.
#[cfg(test)]
pub(crate) fn with_capacities(
    spec: &str,
    ports: lockstep_schedule::Ports,
    check: impl FnOnce(&SchedulingTask<'_>, &Capacities),
) {
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
    use lockstep_schedule::Ports;

    use super::*;

    #[test]
    fn ports_beyond_the_channels_are_no_limit() {
        with_capacities("ring:4", Ports::limit(2).unwrap(), |_, capacities| assert_eq!(capacities.len(), 8));
        with_capacities("ring:4", Ports::limit(1).unwrap(), |_, capacities| assert_eq!(capacities.len(), 16));
    }
}
