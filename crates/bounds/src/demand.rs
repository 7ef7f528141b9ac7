//! The messages of a problem, grouped by source and by receiver.

use lockstep_schedule::{CollectiveName, MessageId, Problem, Receivers};
use lockstep_topology::NodeId;

/// The messages of a problem before they are split into chunks.
#[derive(Clone, Debug)]
pub(crate) enum Demand<'a> {
    /// Every source sends one message to all other terminals.
    Broadcast {
        /// One, or all terminals.
        sources: &'a [NodeId],
        /// All terminals.
        terminals: &'a [NodeId],
    },
    /// Every source sends one message to each other terminal.
    Scatter {
        /// One, or all terminals.
        sources: &'a [NodeId],
        /// All terminals.
        terminals: &'a [NodeId],
    },
    /// Anything else.
    Listed {
        /// The messages by source.
        multicasts: Vec<Multicast<'a>>,
        /// A pair of receiver and source for each delivery, by receiver.
        deliveries: Vec<(NodeId, NodeId)>,
    },
}

/// One message with its receivers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multicast<'a> {
    /// The terminal that holds the message at the start.
    pub(crate) source: NodeId,
    /// The terminals that must receive the message. The source may be among them and does not count.
    pub(crate) receivers: &'a [NodeId],
    /// Number of receivers.
    pub(crate) count: usize,
}

impl<'a> Demand<'a> {
    /// Collects the messages of a problem.
    ///
    /// Memory: 32 bytes per listed message and 8 bytes per receiver; none for collectives with a name.
    pub(crate) fn new(problem: &Problem<'a>) -> Self {
        let terminals = problem.topology().terminals();
        let only = |root: NodeId| {
            let rank = problem.topology().terminal_rank(root).expect("a problem's root is a terminal");
            &terminals[rank..=rank]
        };
        match (problem.collective().name(), problem.collective().root()) {
            (Some(CollectiveName::Broadcast), Some(root)) => Self::Broadcast { sources: only(root), terminals },
            (Some(CollectiveName::Scatter), Some(root)) => Self::Scatter { sources: only(root), terminals },
            (Some(CollectiveName::AllGather), None) => Self::Broadcast { sources: terminals, terminals },
            (Some(CollectiveName::AllToAll), None) => Self::Scatter { sources: terminals, terminals },
            _ => Self::listed(problem),
        }
    }

    fn listed(problem: &Problem<'a>) -> Self {
        let (topology, messages) = (problem.topology(), problem.messages());
        let mut multicasts: Vec<Multicast<'a>> = (0..messages.len())
            .step_by(messages.chunks() as usize)
            .map(|number| {
                let id = MessageId::new(number as u32);
                let receivers = match messages.receivers(id) {
                    Receivers::AllOthers => topology.terminals(),
                    Receivers::List(receivers) => receivers,
                    Receivers::One(receiver) => {
                        let rank = topology.terminal_rank(receiver).expect("a problem's receivers are terminals");
                        &topology.terminals()[rank..=rank]
                    }
                };
                Multicast { source: messages.source(id), receivers, count: messages.receiver_count(id) }
            })
            .collect();
        multicasts.sort_by_key(|multicast| multicast.source);
        let pairs = |multicast: &Multicast<'a>| {
            let source = multicast.source;
            multicast.receivers.iter().filter(move |&&receiver| receiver != source).map(move |&to| (to, source))
        };
        let mut deliveries: Vec<_> = multicasts.iter().flat_map(pairs).collect();
        deliveries.sort_unstable();
        Self::Listed { multicasts, deliveries }
    }

    /// Returns the terminals that are the source of a message, ascending.
    pub(crate) fn sources(&self) -> Vec<NodeId> {
        match self {
            Self::Broadcast { sources, .. } | Self::Scatter { sources, .. } => sources.to_vec(),
            Self::Listed { multicasts, .. } => distinct(multicasts.iter().map(|multicast| multicast.source)),
        }
    }

    /// Returns the terminals that must receive a message, ascending.
    pub(crate) fn receivers(&self) -> Vec<NodeId> {
        match self {
            Self::Broadcast { sources, terminals } | Self::Scatter { sources, terminals } => {
                terminals.iter().copied().filter(|&receiver| *sources != [receiver]).collect()
            }
            Self::Listed { deliveries, .. } => distinct(deliveries.iter().map(|&(receiver, _)| receiver)),
        }
    }

    /// Returns the number of receivers of all listed messages together.
    pub(crate) fn listed_deliveries(&self) -> usize {
        match self {
            Self::Broadcast { .. } | Self::Scatter { .. } => 0,
            Self::Listed { deliveries, .. } => deliveries.len(),
        }
    }

    /// Returns the messages of one source.
    pub(crate) fn from(&self, source: NodeId) -> impl Iterator<Item = Multicast<'a>> {
        let (terminals, size, listed): (&'a [NodeId], usize, &[Multicast<'a>]) = match self {
            Self::Broadcast { terminals, .. } => (terminals, terminals.len(), &[]),
            Self::Scatter { terminals, .. } => (terminals, 1, &[]),
            Self::Listed { multicasts, .. } => {
                let start = multicasts.partition_point(|multicast| multicast.source < source);
                let end = multicasts.partition_point(|multicast| multicast.source <= source);
                (&[], 1, &multicasts[start..end])
            }
        };
        let count = if size > 1 { size - 1 } else { 1 };
        let named = terminals.chunks(size).filter(move |&receivers| receivers != [source]);
        named.map(move |receivers| Multicast { source, receivers, count }).chain(listed.iter().copied())
    }

    /// Returns the sources of the messages for one receiver, one per message.
    pub(crate) fn to(&self, receiver: NodeId) -> impl Iterator<Item = NodeId> {
        let (sources, listed): (&[NodeId], &[(NodeId, NodeId)]) = match self {
            Self::Broadcast { sources, .. } | Self::Scatter { sources, .. } => (sources, &[]),
            Self::Listed { deliveries, .. } => {
                let start = deliveries.partition_point(|&(to, _)| to < receiver);
                let end = deliveries.partition_point(|&(to, _)| to <= receiver);
                (&[], &deliveries[start..end])
            }
        };
        let named = sources.iter().copied().filter(move |&source| source != receiver);
        named.chain(listed.iter().map(|&(_, source)| source))
    }

    /// Returns the number of messages for a receiver.
    pub(crate) fn count_to(&self, receiver: NodeId) -> u32 {
        match self {
            Self::Broadcast { sources, .. } | Self::Scatter { sources, .. } => {
                (sources.len() - usize::from(sources.binary_search(&receiver).is_ok())) as u32
            }
            Self::Listed { .. } => self.to(receiver).count() as u32,
        }
    }
}

fn distinct(ascending: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = ascending.collect();
    nodes.dedup();
    nodes
}
