//! A network and its messages modulo a group of symmetries.

use lockstep_schedule::{MessageId, Ports};
use lockstep_topology::{ChannelId, NodeId};

use super::free_action_group::{FreeActionGroup, image_of};
use crate::kit::method_error::MethodError;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The number of an orbit of resources or ports.
pub(super) type OrbitSlot = u32;

/// The orbits of resources, ports and messages under a group of symmetries.
///
/// In an invariant schedule, all images of a path are used in the same step. They do not conflict if and only if the
/// path uses each orbit of resources at most once. The images of two paths do not conflict if and only if the paths use
/// no orbit in common.
#[derive(Debug)]
pub(super) struct QuotientNetwork<'a> {
    pub(super) task: &'a SchedulingTask<'a>,
    group: &'a FreeActionGroup<'a>,
    /// The slot of each resource.
    resource_slot: Vec<OrbitSlot>,
    /// The slots of the send and receive port of each terminal; empty if ports are no limit.
    ports: Vec<[OrbitSlot; 2]>,
    resource_slots: usize,
    /// Uses per step of each slot.
    capacity: Vec<i16>,
}

impl<'a> QuotientNetwork<'a> {
    pub(super) fn new(task: &'a SchedulingTask<'a>, group: &'a FreeActionGroup<'a>) -> Self {
        let topology = task.topology();
        let mut resource_slot = vec![OrbitSlot::MAX; topology.resource_count()];
        let mut capacity = Vec::new();
        for channel in topology.channels() {
            if resource_slot[topology.resource(channel).index()] == OrbitSlot::MAX {
                for element in group.elements() {
                    resource_slot[topology.resource(element[channel.index()]).index()] = capacity.len() as OrbitSlot;
                }
                let uses = topology.resource_capacity(topology.resource(channel));
                capacity.push(i16::try_from(uses).unwrap_or(i16::MAX));
            }
        }
        let resource_slots = capacity.len();
        let mut ports = Vec::new();
        if let Ports::Limit(limit) = task.model().ports {
            ports.resize(topology.terminal_count(), [OrbitSlot::MAX; 2]);
            for (rank, &terminal) in topology.terminals().iter().enumerate() {
                if ports[rank][0] == OrbitSlot::MAX {
                    let slot = capacity.len() as OrbitSlot;
                    for element in group.elements() {
                        ports[task.rank(image_of(topology, element, terminal))] = [slot, slot + 1];
                    }
                    capacity.extend([i16::try_from(limit.get()).unwrap_or(i16::MAX); 2]);
                }
            }
        }
        Self { task, group, resource_slot, ports, resource_slots, capacity }
    }

    /// Returns the uses per step of each slot.
    pub(super) fn capacities(&self) -> &[i16] {
        &self.capacity
    }

    /// Returns the number of orbits of resources, which are the first slots.
    pub(super) fn resource_slot_count(&self) -> usize {
        self.resource_slots
    }

    /// Returns the slot of a channel's resource.
    pub(super) fn resource_slot(&self, channel: ChannelId) -> OrbitSlot {
        self.resource_slot[self.task.topology().resource(channel).index()]
    }

    /// Returns the slots of the send port of one terminal and of the receive port of another.
    pub(super) fn ports(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = OrbitSlot> {
        let of = |node: NodeId, side: usize| self.ports.get(self.task.rank(node)).map(|slots| slots[side]);
        of(from, 0).into_iter().chain(of(to, 1))
    }

    /// Returns one pair of terminals per orbit of pairs, by source and then receiver; `None` if another element than
    /// the identity fixes a pair.
    pub(super) fn pairs(&self) -> Option<Vec<[NodeId; 2]>> {
        let topology = self.task.topology();
        let terminals = topology.terminals();
        let images = |node| self.group.elements().map(move |element| self.task.rank(image_of(topology, element, node)));
        let image: Vec<Vec<usize>> = terminals.iter().map(|&node| images(node).collect()).collect();
        let mut is_visited = vec![false; terminals.len() * terminals.len()];
        let mut pairs = Vec::new();
        for (source, &from) in terminals.iter().enumerate() {
            for (receiver, &to) in terminals.iter().enumerate() {
                if source == receiver || is_visited[source * terminals.len() + receiver] {
                    continue;
                }
                for (&source, &receiver) in image[source].iter().zip(&image[receiver]) {
                    if std::mem::replace(&mut is_visited[source * terminals.len() + receiver], true) {
                        return None;
                    }
                }
                pairs.push([from, to]);
            }
        }
        Some(pairs)
    }

    /// Returns one terminal per orbit of terminals. No element but the identity may fix a terminal.
    pub(super) fn terminals(&self) -> Vec<NodeId> {
        let topology = self.task.topology();
        let mut is_visited = vec![false; topology.terminal_count()];
        let mut terminals = Vec::new();
        for (rank, &terminal) in topology.terminals().iter().enumerate() {
            if !is_visited[rank] {
                terminals.push(terminal);
                for element in self.group.elements() {
                    is_visited[self.task.rank(image_of(topology, element, terminal))] = true;
                }
            }
        }
        terminals
    }

    /// Adds all images of a transfer to the log. `message` returns the message for a given map of the nodes.
    pub(super) fn write(
        &self,
        log: &mut TransferLog,
        step: u32,
        path: &[ChannelId],
        message: impl Fn(&dyn Fn(NodeId) -> NodeId) -> MessageId,
    ) -> Result<(), MethodError> {
        let mut image = Vec::with_capacity(path.len());
        for element in self.group.elements() {
            image.clear();
            image.extend(path.iter().map(|channel| element[channel.index()]));
            let message = message(&|node| image_of(self.task.topology(), element, node));
            log.push(message, step, &image)?;
        }
        Ok(())
    }
}
