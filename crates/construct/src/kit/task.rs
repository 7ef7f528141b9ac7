//! What the methods that build a schedule transfer by transfer ask about a problem.

use lockstep_schedule::{CommunicationModel, Messages, Problem, Switching};
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::kit::method_error::MethodError;

/// Messages to be distributed on a network.
#[derive(Clone, Debug)]
pub(crate) struct SchedulingTask<'a> {
    topology: &'a Topology,
    messages: Messages<'a>,
    model: CommunicationModel,
    has_buses: bool,
}

impl<'a> SchedulingTask<'a> {
    /// # Errors
    ///
    /// [`MethodError::TooLarge`], if there are more deliveries, each of which takes a channel, than a schedule has places.
    pub(crate) fn new(problem: &Problem<'a>) -> Result<Self, MethodError> {
        let topology = problem.topology();
        if problem.messages().delivery_count() > u64::from(u32::MAX) {
            return Err(MethodError::TooLarge);
        }
        Ok(Self { topology, messages: problem.messages(), model: problem.model(), has_buses: has_buses(topology) })
    }

    pub(crate) fn topology(&self) -> &'a Topology {
        self.topology
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

    /// The place of the terminal that a path starts at.
    #[inline]
    pub(crate) fn sender(&self, path: &[ChannelId]) -> usize {
        self.rank(self.topology.tail(*path.first().expect("a path has a channel")))
    }

    /// The place of the terminal that a path ends at.
    #[inline]
    pub(crate) fn receiver(&self, path: &[ChannelId]) -> usize {
        self.rank(self.topology.head(*path.last().expect("a path has a channel")))
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
