//! The translates, written out: all of them as a schedule, or what one node has of them.

use lockstep_topology::{ChannelId, NodeId, Topology};

use super::judge::Case;
use super::sums::translation;
use super::{SymmetricSchedule, SymmetricViolation};
use crate::messages::MessageId;
use crate::name::CollectiveName;
use crate::schedule::Schedule;

/// Why the translates of a base cannot be written out.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpansionError {
    /// A network that is not the graph: other nodes or channels, other numbers, switches, or shared wires.
    #[error("the network '{topology}' is not '{graph}', number by number; generate it from that spec")]
    OtherNetwork {
        /// Name of the network.
        topology: String,
        /// Name of the graph.
        graph: String,
    },
    /// A base that names a message, element or generator that does not exist.
    #[error(transparent)]
    Base(#[from] SymmetricViolation),
    /// More than a schedule holds.
    #[error("the {nodes} translates have 2^32 - 1 messages, transfers or channel uses and more; ask for one node")]
    TooLarge {
        /// Number of translates.
        nodes: usize,
    },
}

/// One transfer that a node starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalSend<'a> {
    /// The node whose message it is.
    pub source: u64,
    /// The node that an all-to-all message is for; `None` in an all-gather.
    pub receiver: Option<u64>,
    /// The places of the generators whose channels it crosses, in order; the node sends on the first one.
    pub path: &'a [u16],
}

impl SymmetricSchedule {
    /// What one node sends: by step, the transfers that it starts, computed when asked, each in time in proportion to the
    /// number of sides.
    ///
    /// Of each transfer of the base it starts the translate that leaves from it, so that all nodes send as much, on the same
    /// generators. Numbers that are no node are taken modulo the sides.
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

    /// All translates as one schedule, for a network whose node `v` is element `v` and whose channels out of a node are
    /// those of the generators, in their order, as the families generate them.
    ///
    /// A step has the translates of its transfers one transfer after the other, each by the source. Takes some 50 ns a
    /// transfer; memory as the schedule.
    ///
    /// # Errors
    ///
    /// [`ExpansionError`]. A base that breaks other rules is expanded to a schedule that breaks them.
    pub fn expand(&self, topology: &Topology) -> Result<Schedule, ExpansionError> {
        let case = Case::new(self)?;
        if !self.is_graph_of(topology) {
            let (topology, graph) = (topology.name().to_owned(), self.graph.name().to_owned());
            return Err(ExpansionError::OtherNetwork { topology, graph });
        }
        case.check_known()?;
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

    /// Whether nodes and channels of a network are those of the graph, under the same numbers.
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
