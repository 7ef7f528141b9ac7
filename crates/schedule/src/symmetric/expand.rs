//! Expansion of symmetric schedules: the whole schedule, or the program of one node.

use lockstep_topology::{ChannelId, NodeId, Topology};

use super::sums::translation;
use super::verify::BaseVerifier;
use super::{SymmetricSchedule, SymmetricViolation};
use crate::messages::MessageId;
use crate::name::CollectiveName;
use crate::schedule::Schedule;

/// The reason why a symmetric schedule cannot be expanded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpansionError {
    /// A network that differs from the graph: in nodes, channels or their numbers, by a switch, or by a shared
    /// resource.
    #[error("the network '{topology}' differs from '{graph}' in its nodes or channels; generate it from that spec")]
    OtherNetwork {
        /// Name of the network.
        topology: String,
        /// Name of the graph.
        graph: String,
    },
    /// A base with a message, element or generator that does not exist.
    #[error(transparent)]
    Base(#[from] SymmetricViolation),
    /// A schedule too large to store.
    #[error("the {nodes} translates have more than 2^32 - 2 messages, transfers or channel uses; expand one node only")]
    TooLarge {
        /// Number of translates.
        nodes: usize,
    },
}

/// A transfer that a node starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalSend<'a> {
    /// The source of the message.
    pub source: u64,
    /// The receiver of an all-to-all message; `None` in an all-gather.
    pub receiver: Option<u64>,
    /// The indices of the generators whose channels it crosses, in order. The node sends on the first.
    pub path: &'a [u16],
}

impl SymmetricSchedule {
    /// Returns the program of one node: the transfers that it starts, step by step.
    ///
    /// For each transfer of the base, the node starts one translate. All nodes start the same number of transfers, on
    /// the same generators. Invalid node numbers are reduced modulo the sides. Lazy, O(sides) per transfer.
    pub fn program_of(&self, node: u64) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = LocalSend<'_>>> {
        let scatter = self.collective == CollectiveName::AllToAll;
        self.base.steps().map(move |step| {
            step.map(move |moved| {
                let source = self.graph.subtract(node, moved.from.into());
                let receiver = scatter.then(|| self.graph.add(source, moved.message.into()));
                LocalSend { source, receiver, path: moved.path }
            })
        })
    }

    /// Returns the whole schedule: all translates of the base.
    ///
    /// Node `v` of the network must be element `v`, and the channels of a node must be in the order of the generators.
    /// Networks generated from the spec of the graph satisfy this. The transfers of a step are ordered by base
    /// transfer, then by source.
    ///
    /// O(channel uses) time and memory, about 50 ns per transfer.
    ///
    /// # Errors
    ///
    /// [`ExpansionError`]. Other violations are not detected: the expanded schedule has them too.
    pub fn expand(&self, topology: &Topology) -> Result<Schedule, ExpansionError> {
        let verifier = BaseVerifier::new(self)?;
        if !self.is_graph_of(topology) {
            let (topology, graph) = (topology.name().to_owned(), self.graph.name().to_owned());
            return Err(ExpansionError::OtherNetwork { topology, graph });
        }
        verifier.check_known()?;
        let nodes = topology.node_count();
        let [transfers, uses] =
            [self.base.transfer_count(), self.base.channel_use_count()].map(|part| nodes.checked_mul(part));
        let scatter = self.collective == CollectiveName::AllToAll;
        let messages = if scatter { nodes.checked_mul(nodes - 1) } else { Some(nodes) };
        let fits = |count: Option<usize>| count.filter(|&count| count < u32::MAX as usize);
        let (Some(transfers), Some(uses), Some(_)) = (fits(transfers), fits(uses), fits(messages)) else {
            return Err(ExpansionError::TooLarge { nodes });
        };

        let mut schedule = Schedule::with_capacity(transfers, uses);
        let mut path: Vec<ChannelId> = Vec::new();
        for step in self.base.steps() {
            schedule.begin_step();
            for moved in step {
                let senders = translation(&self.graph, moved.from.into());
                let receivers = if scatter { translation(&self.graph, moved.message.into()) } else { Vec::new() };
                for (source, &sender) in senders.iter().enumerate() {
                    path.clear();
                    let mut node = NodeId::new(sender);
                    for &generator in moved.path {
                        let channel = topology.out_channels(node)[usize::from(generator)];
                        path.push(channel);
                        node = topology.head(channel);
                    }
                    let message = receivers.get(source).map_or(source, |&receiver| {
                        let receiver = receiver as usize;
                        source * (nodes - 1) + receiver - usize::from(receiver > source)
                    });
                    schedule.push(MessageId::from_index(message), &path);
                }
            }
        }
        Ok(schedule)
    }

    /// Returns true if the network has the nodes and channels of the graph, with the same numbers.
    fn is_graph_of(&self, topology: &Topology) -> bool {
        let graph = &self.graph;
        let same_size = topology.node_count() as u64 == graph.node_count()
            && topology.nodes().all(|node| topology.out_channels(node).len() == graph.degree())
            && topology.nodes().all(|node| topology.is_terminal(node) && topology.routes(node))
            && topology.resource_count() == topology.channel_count();
        same_size
            && graph.generators().iter().enumerate().all(|(place, &generator)| {
                let heads = translation(graph, generator);
                topology
                    .nodes()
                    .zip(heads)
                    .all(|(node, head)| topology.head(topology.out_channels(node)[place]).number() == head)
            })
    }
}
