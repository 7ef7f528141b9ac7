//! Violations of the rules by broadcasts.

use std::fmt;

/// The reason why a [`BroadcastVerifier`](crate::BroadcastVerifier) cannot be created.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BroadcastVerifierError {
    /// A network with too many channels.
    #[error("{graph} has {nodes} nodes of degree {degree}; a broadcast is verified on at most 2^30 channels")]
    TooLarge {
        /// Name of the network.
        graph: String,
        /// Number of nodes.
        nodes: u64,
        /// Number of channels that leave a node.
        degree: usize,
    },
    /// A root that is not a node.
    #[error("the root {root} is not a node of {graph}; the nodes are 0 to {}", .nodes - 1)]
    UnknownRoot {
        /// The root.
        root: u64,
        /// Name of the network.
        graph: String,
        /// Number of nodes.
        nodes: u64,
    },
}

/// A rule that a broadcast breaks, and its place.
///
/// The displayed text counts rounds and transfers from 1, the fields from 0.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BroadcastViolation {
    /// A transfer before the first round.
    #[error("there is a transfer before the first round")]
    NoRound,
    /// A transfer that breaks a rule.
    #[error("round {}, transfer {} (from {sender}): {fault}", .round + 1, .transfer + 1)]
    Transfer {
        /// The round.
        round: usize,
        /// The index of the transfer in its round.
        transfer: u64,
        /// The sender.
        sender: ElementName,
        /// The broken rule.
        fault: TransferFault,
    },
    /// Nodes that do not receive the message.
    #[error("after the last round {missing} node(s) do not hold the message, {first} is the first")]
    Undelivered {
        /// Number of nodes.
        missing: u64,
        /// The lowest such node.
        first: ElementName,
    },
}

/// A rule that a transfer of a broadcast breaks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferFault {
    /// A sender that is not a node.
    #[error("there is no such node")]
    UnknownSender,
    /// A sender that does not hold the message.
    #[error("the sender does not hold the message when the round begins")]
    NotHeld,
    /// A path without a channel.
    #[error("the path is empty; it needs at least one channel")]
    EmptyPath,
    /// A generator that the graph does not have.
    #[error("there is no generator {generator}; the network has {degree}, counted from 0")]
    UnknownGenerator {
        /// The unknown generator.
        generator: u16,
        /// Number of generators.
        degree: usize,
    },
    /// A store-and-forward transfer over several channels.
    #[error("the path has several channels; a store-and-forward transfer crosses exactly 1")]
    NotOneChannel,
    /// Two transfers on one channel in one round.
    #[error("channel {tail}->{head} is already used in the round")]
    ChannelBusy {
        /// The tail of the channel.
        tail: ElementName,
        /// The head of the channel.
        head: ElementName,
    },
    /// A path that visits a node twice.
    #[error("the path visits {node} twice")]
    NodeTwice {
        /// The node.
        node: ElementName,
    },
    /// A path longer than the shortest one, under minimal routing.
    #[error("the path to {receiver} has {hops} channels, the shortest has {shortest}")]
    NotMinimal {
        /// The receiver.
        receiver: ElementName,
        /// Number of channels of the path.
        hops: u64,
        /// Number of channels of the shortest path.
        shortest: u64,
    },
    /// A node that starts more transfers in a round than it has ports.
    #[error("the sender starts more than {limit} transfer(s) in the round, its number of ports")]
    SendPorts {
        /// The number of ports.
        limit: u32,
    },
    /// A node that finishes more transfers in a round than it has ports.
    #[error("{receiver} finishes more than {limit} transfer(s) in the round, its number of ports")]
    ReceivePorts {
        /// The receiver.
        receiver: ElementName,
        /// The number of ports.
        limit: u32,
    },
}

/// A node of a [`CayleyGraph`](lockstep_topology::CayleyGraph) with its name. Displayed as `'name'`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementName {
    /// The node.
    pub element: u64,
    /// The name of the node, or its number if there is no such node.
    pub name: Box<str>,
}

impl fmt::Display for ElementName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.name)
    }
}
