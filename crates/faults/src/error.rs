//! What is wrong with a fault, in words.

use lockstep_topology::{ChannelId, NodeId};

/// Why faults are none of a network, or too many to look at.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FaultError {
    /// A name or number that is no node.
    #[error("there is no node '{name}'; give a name such as '{example}', or a number below {node_count}")]
    UnknownNode {
        /// What was given.
        name: String,
        /// Name of a node.
        example: String,
        /// Number of nodes.
        node_count: usize,
    },
    /// A word that is no two nodes.
    #[error("'{word}' is no {form}: no place splits it into two nodes; give their names or numbers")]
    Unreadable {
        /// What was given.
        word: String,
        /// How it is written.
        form: &'static str,
    },
    /// A word that is two nodes in several ways.
    #[error("'{word}' may be {first} or {second}; give the numbers of the nodes")]
    Ambiguous {
        /// What was given.
        word: String,
        /// One reading, with the numbers of its nodes.
        first: String,
        /// Another one.
        second: String,
    },
    /// Nodes without a channel between them.
    #[error("no {form} joins '{from}' and '{to}'; {neighbours}")]
    NotJoined {
        /// What was looked for.
        form: &'static str,
        /// Name of the first node.
        from: String,
        /// Name of the second node.
        to: String,
        /// Where channels of the first node lead, in words.
        neighbours: String,
    },
    /// A link between nodes that are joined in one direction only.
    #[error(
        "'{from}' and '{to}' are joined in one direction only, which is no link; let the channel {from}->{to} fail"
    )]
    OneWay {
        /// Name of the node that the channels leave.
        from: String,
        /// Name of the node that they enter.
        to: String,
    },
    /// A wire that is not among the parallel ones.
    #[error("'{word}' asks for wire {wire}, but there are {wires}; they count from #1")]
    UnknownWire {
        /// What was given.
        word: String,
        /// The number of the wire.
        wire: usize,
        /// How many there are.
        wires: usize,
    },
    /// A number that is no node of the network.
    #[error("the network has no node {node}; are these the faults of another network?")]
    ForeignNode {
        /// The number.
        node: NodeId,
    },
    /// A number that is no channel of the network.
    #[error("the network has no channel {channel}; are these the faults of another network?")]
    ForeignChannel {
        /// The number.
        channel: ChannelId,
    },
    /// Two channels that are not opposite to each other.
    #[error("channels {first} and {second} are no link; are these the faults of another network?")]
    ForeignLink {
        /// The first channel.
        first: ChannelId,
        /// The second channel.
        second: ChannelId,
    },
    /// More sets of faults than are kept at once.
    #[error("{} sets of faults are too many, the most is {most}; sample fewer of them", amount(*sets))]
    TooManySets {
        /// Number of sets, `None` from 2^128 on.
        sets: Option<u128>,
        /// The most.
        most: usize,
    },
}

fn amount(sets: Option<u128>) -> String {
    sets.map_or("2^128 or more".into(), |sets| sets.to_string())
}
