//! The errors of faults.

use lockstep_topology::{ChannelId, NodeId};

/// The reason faults do not belong to a network, or are too many.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FaultError {
    /// A name or number that is not a node.
    #[error("there is no node '{name}'; {advice}")]
    UnknownNode {
        /// The text given.
        name: String,
        /// Similar names, or a name and the numbers of nodes.
        advice: String,
    },
    /// A text that is not a pair of nodes.
    #[error("'{word}' is not a {form}: it does not split into two nodes; use their names or numbers")]
    Unreadable {
        /// The text given.
        word: String,
        /// The expected form, such as `link such as 01-10`.
        form: &'static str,
    },
    /// A node where a link or channel is expected.
    #[error("'{word}' is a node, not a {form}; {neighbours}")]
    SingleNode {
        /// The text given.
        word: String,
        /// The expected form, such as `link such as 01-10`.
        form: &'static str,
        /// Description of the links or channels of the node.
        neighbours: String,
    },
    /// A pair of which only one side is a node.
    #[error("'{word}': there is no node '{part}'; {advice}")]
    UnknownPart {
        /// The text given.
        word: String,
        /// The side that is not a node.
        part: String,
        /// Similar names, or a description of the links or channels of the other side.
        advice: String,
    },
    /// A node without a network card.
    #[error("'{node}' has no network card: {reason}; {neighbours}")]
    NoNetworkCard {
        /// Name of the node.
        node: String,
        /// What the node lacks.
        reason: &'static str,
        /// Description of the links of the node.
        neighbours: String,
    },
    /// A text that is a pair of nodes in several ways.
    #[error("'{word}' can mean {first} or {second}; use the numbers of the nodes")]
    Ambiguous {
        /// The text given.
        word: String,
        /// One interpretation, with node numbers.
        first: String,
        /// Another interpretation, with node numbers.
        second: String,
    },
    /// Nodes without a channel between them.
    #[error("no {form} joins '{from}' and '{to}'; {neighbours}")]
    NotJoined {
        /// The kind of connection: `link` or `channel`.
        form: &'static str,
        /// Name of the first node.
        from: String,
        /// Name of the second node.
        to: String,
        /// Description of the neighbours of the first node.
        neighbours: String,
    },
    /// A link between nodes that are joined in one direction only.
    #[error(
        "'{from}' and '{to}' are joined in one direction only, which is not a link; use the channel {from}->{to} as the fault"
    )]
    OneWay {
        /// Name of the node that the channels leave.
        from: String,
        /// Name of the node that the channels enter.
        to: String,
    },
    /// The number of a parallel channel without an opposite one, as a link.
    #[error("'{word}' has no opposite channel, so it is not a link; use the channel {channel} as the fault")]
    Unpaired {
        /// The text given.
        word: String,
        /// The name of the channel.
        channel: String,
    },
    /// The number of a parallel link or channel that does not exist.
    #[error("'{word}' has number {number}, but there are {count} parallel ones; they are numbered from #1")]
    UnknownParallel {
        /// The text given.
        word: String,
        /// The number given.
        number: usize,
        /// Number of parallel links or channels.
        count: usize,
    },
    /// A node that is not in the network.
    #[error("the network has no node {node}; are these the faults of another network?")]
    ForeignNode {
        /// The number.
        node: NodeId,
    },
    /// A channel that is not in the network.
    #[error("the network has no channel {channel}; are these the faults of another network?")]
    ForeignChannel {
        /// The number.
        channel: ChannelId,
    },
    /// Two channels that are not opposite to each other.
    #[error("channels {first} and {second} are not a link; are these the faults of another network?")]
    ForeignLink {
        /// The first channel.
        first: ChannelId,
        /// The second channel.
        second: ChannelId,
    },
    /// Too many fault sets.
    #[error("{} fault sets are too many, the maximum is {most}; sample fewer", amount(*sets))]
    TooManySets {
        /// Number of sets, `None` from 2^128 on.
        sets: Option<u128>,
        /// Maximum number of sets.
        most: usize,
    },
}

fn amount(sets: Option<u128>) -> String {
    sets.map_or("2^128 or more".into(), |sets| sets.to_string())
}
