//! One phase of a problem, turned so that messages are distributed.

use std::borrow::Cow;

use lockstep_schedule::{CommunicationModel, Messages, Phase, Problem, Schedule, Switching};
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::log::Log;

/// Messages to be distributed on a network.
///
/// A phase that collects is a distribution on the reversed network, read backwards.
#[derive(Clone, Debug)]
pub(crate) struct Task<'a> {
    phase: Phase,
    topology: Cow<'a, Topology>,
    messages: Messages<'a>,
    model: CommunicationModel,
    has_buses: bool,
}

impl<'a> Task<'a> {
    pub(crate) fn new(problem: &Problem<'a>, phase: Phase) -> Self {
        let topology = match phase {
            Phase::Distribute => Cow::Borrowed(problem.topology()),
            Phase::Collect => Cow::Owned(problem.topology().reversed()),
        };
        let has_buses = has_buses(&topology);
        Self { phase, topology, messages: problem.messages(), model: problem.model(), has_buses }
    }

    pub(crate) fn topology(&self) -> &Topology {
        &self.topology
    }

    pub(crate) fn messages(&self) -> Messages<'a> {
        self.messages
    }

    pub(crate) fn model(&self) -> CommunicationModel {
        self.model
    }

    pub(crate) fn stores_and_forwards(&self) -> bool {
        self.model.switching == Switching::StoreAndForward
    }

    /// The place of a terminal among the terminals.
    #[inline]
    pub(crate) fn rank(&self, terminal: NodeId) -> usize {
        self.topology.terminal_rank(terminal).expect("messages go from terminal to terminal")
    }

    /// Whether a message may cross the node on its way: inside one transfer or, under store-and-forward, by being
    /// passed on.
    #[inline]
    pub(crate) fn crosses(&self, node: NodeId) -> bool {
        if self.stores_and_forwards() { self.topology.is_terminal(node) } else { self.topology.routes(node) }
    }

    /// Whether a simple path crosses a resource twice, which no transfer may.
    pub(crate) fn repeats_a_resource(&self, path: &[ChannelId]) -> bool {
        // Without buses a second channel of one resource leads to a node already met.
        self.has_buses && {
            let mut resources: Vec<ResourceId> = path.iter().map(|&channel| self.topology.resource(channel)).collect();
            resources.sort_unstable();
            resources.windows(2).any(|pair| pair[0] == pair[1])
        }
    }

    /// The schedule of the phase.
    pub(crate) fn schedule(&self, log: &Log) -> Schedule {
        match self.phase {
            Phase::Distribute => log.schedule(),
            Phase::Collect => log.schedule().reversed(),
        }
    }
}

/// Whether channels of different pairs of nodes share a resource.
fn has_buses(topology: &Topology) -> bool {
    topology.shared_groups().iter().any(|group| {
        let ends = |&channel: &ChannelId| {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            (tail.min(head), tail.max(head))
        };
        group.iter().any(|channel| ends(channel) != ends(&group[0]))
    })
}
