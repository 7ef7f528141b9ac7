//! The channels into all nodes in one table, which a quick schedule reads for every message.

use lockstep_model::{SlotId, Slots};
use lockstep_topology::{ChannelId, NodeId};

use crate::kit::task::SchedulingTask;

/// The channels into all nodes, those of each node one after the other.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// Where those of each node start, and where the last ones end.
    start: Vec<u32>,
    arrivals: Vec<Arrival>,
}

/// A channel into a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) tail: NodeId,
    pub(super) channel: ChannelId,
    pub(super) slot: SlotId,
    /// Whether messages may cross the tail.
    pub(super) is_crossed: bool,
}

impl Arrivals {
    pub(super) fn of(task: &SchedulingTask<'_>, slots: &Slots) -> Self {
        let topology = task.topology();
        let (mut start, mut arrivals) = (vec![0], Vec::with_capacity(topology.channel_count()));
        for node in topology.nodes() {
            arrivals.extend(topology.in_channels(node).iter().map(|&channel| {
                let tail = topology.tail(channel);
                Arrival { tail, channel, slot: slots.resource(channel), is_crossed: task.crosses(tail) }
            }));
            start.push(arrivals.len() as u32);
        }
        Self { start, arrivals }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    pub(super) fn at(&self, node: NodeId) -> &[Arrival] {
        &self.arrivals[self.start[node.index()] as usize..self.start[node.index() + 1] as usize]
    }
}
