//! A total exchange seen through a group: one channel and one message stand for all their translates.

use lockstep_schedule::{MessageId, Ports};
use lockstep_topology::{ChannelId, NodeId};

use super::free_action_group::{FreeActionGroup, image_of};
use crate::kit::method_error::MethodError;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// An orbit of resources, or of the ports of terminals.
pub(super) type OrbitSlot = u32;

/// What is left of a network and its messages under a group.
///
/// In a schedule that the group keeps, the translates of a path are used in the same step; they do not meet if and only
/// if the path uses each orbit of resources at most once, and those of two paths if they use no orbit in common.
#[derive(Debug)]
pub(super) struct QuotientNetwork<'a> {
    pub(super) task: &'a SchedulingTask<'a>,
    group: &'a FreeActionGroup<'a>,
    /// The slot of each resource.
    wire: Vec<OrbitSlot>,
    /// The slots of sends and receptions of each terminal; none where ports are no limit.
    ports: Vec<[OrbitSlot; 2]>,
    wires: usize,
    /// Uses a step of each slot.
    capacity: Vec<i16>,
}

impl<'a> QuotientNetwork<'a> {
    pub(super) fn new(task: &'a SchedulingTask<'a>, group: &'a FreeActionGroup<'a>) -> Self {
        let topology = task.topology();
        let mut wire = vec![OrbitSlot::MAX; topology.resource_count()];
        let mut capacity = Vec::new();
        for channel in topology.channels() {
            if wire[topology.resource(channel).index()] == OrbitSlot::MAX {
                for element in group.elements() {
                    wire[topology.resource(element[channel.index()]).index()] = capacity.len() as OrbitSlot;
                }
                capacity.push(1);
            }
        }
        let wires = capacity.len();
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
        Self { task, group, wire, ports, wires, capacity }
    }

    /// Uses a step of each slot.
    pub(super) fn capacities(&self) -> &[i16] {
        &self.capacity
    }

    /// QuotientNetwork of resources, which are the first slots.
    pub(super) fn wire_count(&self) -> usize {
        self.wires
    }

    /// The slot of a channel.
    pub(super) fn wire(&self, channel: ChannelId) -> OrbitSlot {
        self.wire[self.task.topology().resource(channel).index()]
    }

    /// The slots of the port by which a terminal sends and of that by which another receives.
    pub(super) fn ports(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = OrbitSlot> {
        let of = |node: NodeId, place: usize| self.ports.get(self.task.rank(node)).map(|slots| slots[place]);
        of(from, 0).into_iter().chain(of(to, 1))
    }

    /// A pair of terminals of each orbit of pairs, by source and then receiver; `None` if a pair is its own translate.
    pub(super) fn pairs(&self) -> Option<Vec<[NodeId; 2]>> {
        let topology = self.task.topology();
        let terminals = topology.terminals();
        let images = |node| self.group.elements().map(move |element| self.task.rank(image_of(topology, element, node)));
        let image: Vec<Vec<usize>> = terminals.iter().map(|&node| images(node).collect()).collect();
        let mut is_met = vec![false; terminals.len() * terminals.len()];
        let mut pairs = Vec::new();
        for (source, &from) in terminals.iter().enumerate() {
            for (receiver, &to) in terminals.iter().enumerate() {
                if source == receiver || is_met[source * terminals.len() + receiver] {
                    continue;
                }
                for (&source, &receiver) in image[source].iter().zip(&image[receiver]) {
                    if std::mem::replace(&mut is_met[source * terminals.len() + receiver], true) {
                        return None;
                    }
                }
                pairs.push([from, to]);
            }
        }
        Some(pairs)
    }

    /// A terminal of each orbit of terminals, under a group that keeps none in its place.
    pub(super) fn terminals(&self) -> Vec<NodeId> {
        let topology = self.task.topology();
        let mut is_met = vec![false; topology.terminal_count()];
        let mut terminals = Vec::new();
        for (rank, &terminal) in topology.terminals().iter().enumerate() {
            if !is_met[rank] {
                terminals.push(terminal);
                for element in self.group.elements() {
                    is_met[self.task.rank(image_of(topology, element, terminal))] = true;
                }
            }
        }
        terminals
    }

    /// Writes down the translates of a transfer; `message` says of which message, if nodes are taken there.
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
