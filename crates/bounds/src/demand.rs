//! Who sends to whom, grouped by source and by receiver.

use lockstep_schedule::{CollectiveName, MessageId, Problem, Receivers};
use lockstep_topology::NodeId;

/// The messages of a problem before they are cut into chunks.
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
        /// By source.
        requests: Vec<Request<'a>>,
        /// Each receiver with the source of a message for it, by receiver.
        deliveries: Vec<(NodeId, NodeId)>,
    },
}

/// One message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// The terminal that holds it at the start.
    pub(crate) source: NodeId,
    /// The terminals that must get it; the source may stand among them and does not count.
    pub(crate) receivers: &'a [NodeId],
    /// Number of receivers.
    pub(crate) count: usize,
}

impl<'a> Demand<'a> {
    /// The messages of a problem. Memory: 32 bytes a listed message and 8 bytes a receiver; nothing for the named ones.
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
        let mut requests: Vec<Request<'a>> = (0..messages.len())
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
                Request { source: messages.source(id), receivers, count: messages.receiver_count(id) }
            })
            .collect();
        requests.sort_by_key(|request| request.source);
        let pairs = |request: &Request<'a>| {
            let source = request.source;
            request.receivers.iter().filter(move |&&receiver| receiver != source).map(move |&to| (to, source))
        };
        let mut deliveries: Vec<_> = requests.iter().flat_map(pairs).collect();
        deliveries.sort_unstable();
        Self::Listed { requests, deliveries }
    }

    /// The terminals that are the source of a message, ascending.
    pub(crate) fn sources(&self) -> Vec<NodeId> {
        match self {
            Self::Broadcast { sources, .. } | Self::Scatter { sources, .. } => sources.to_vec(),
            Self::Listed { requests, .. } => distinct(requests.iter().map(|request| request.source)),
        }
    }

    /// The terminals that must get a message, ascending.
    pub(crate) fn receivers(&self) -> Vec<NodeId> {
        match self {
            Self::Broadcast { sources, terminals } | Self::Scatter { sources, terminals } => {
                terminals.iter().copied().filter(|&receiver| *sources != [receiver]).collect()
            }
            Self::Listed { deliveries, .. } => distinct(deliveries.iter().map(|&(receiver, _)| receiver)),
        }
    }

    /// Number of receivers of all listed messages together.
    pub(crate) fn listed_deliveries(&self) -> usize {
        match self {
            Self::Broadcast { .. } | Self::Scatter { .. } => 0,
            Self::Listed { deliveries, .. } => deliveries.len(),
        }
    }

    /// The messages of one source.
    pub(crate) fn from(&self, source: NodeId) -> impl Iterator<Item = Request<'a>> {
        let (terminals, size, listed): (&'a [NodeId], usize, &[Request<'a>]) = match self {
            Self::Broadcast { terminals, .. } => (terminals, terminals.len(), &[]),
            Self::Scatter { terminals, .. } => (terminals, 1, &[]),
            Self::Listed { requests, .. } => {
                let start = requests.partition_point(|request| request.source < source);
                let end = requests.partition_point(|request| request.source <= source);
                (&[], 1, &requests[start..end])
            }
        };
        let count = if size > 1 { size - 1 } else { 1 };
        let named = terminals.chunks(size).filter(move |&receivers| receivers != [source]);
        named.map(move |receivers| Request { source, receivers, count }).chain(listed.iter().copied())
    }

    /// The sources of the messages for one receiver, one a message.
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

    /// Number of messages for a receiver.
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
