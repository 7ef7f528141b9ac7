//! The view of a problem for methods that build a schedule transfer by transfer.

use lockstep_schedule::{CommunicationModel, Messages, Problem, Switching, Transport};
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use super::method_error::MethodError;

/// The messages to distribute, the network and its rules.
#[derive(Clone, Debug)]
pub(crate) struct SchedulingTask<'a> {
    topology: &'a Topology,
    messages: Messages<'a>,
    model: CommunicationModel,
    has_buses: bool,
}

impl<'a> SchedulingTask<'a> {
    /// Returns the view of a problem.
    ///
    /// # Errors
    ///
    /// [`MethodError::TooLarge`], if the deliveries need more channel uses than a schedule can hold.
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

    /// Returns the rank of a terminal among the terminals.
    #[inline]
    pub(crate) fn rank(&self, terminal: NodeId) -> usize {
        self.topology.terminal_rank(terminal).expect("messages go from terminal to terminal")
    }

    /// Returns the rank of the terminal at the start of a path.
    #[inline]
    pub(crate) fn sender(&self, path: &[ChannelId]) -> usize {
        self.rank(self.topology.tail(*path.first().expect("a path has a channel")))
    }

    /// Returns the rank of the terminal at the end of a path.
    #[inline]
    pub(crate) fn receiver(&self, path: &[ChannelId]) -> usize {
        self.rank(self.topology.head(*path.last().expect("a path has a channel")))
    }

    /// Returns true if a message may pass through the node: inside one transfer or, under store-and-forward, by a
    /// relay.
    #[inline]
    pub(crate) fn crosses(&self, node: NodeId) -> bool {
        Transport::along_path(self.model.switching).crosses(self.topology, node)
    }

    /// Returns true if a simple path uses a resource twice, which is illegal.
    pub(crate) fn repeats_a_resource(&self, path: &[ChannelId]) -> bool {
        // Without buses, a second channel of the same resource leads to a node that is already on the path.
        self.has_buses && {
            let mut resources: Vec<ResourceId> = path.iter().map(|&channel| self.topology.resource(channel)).collect();
            resources.sort_unstable();
            resources.windows(2).any(|pair| pair[0] == pair[1])
        }
    }
}

/// Returns true if channels of different pairs of nodes share a resource.
fn has_buses(topology: &Topology) -> bool {
    topology.shared_groups().iter().any(|group| {
        let ends = |&channel: &ChannelId| {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            (tail.min(head), tail.max(head))
        };
        group.iter().any(|channel| ends(channel) != ends(&group[0]))
    })
}
