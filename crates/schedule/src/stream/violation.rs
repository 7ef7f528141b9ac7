//! What makes a broadcast invalid, in words.

use std::fmt;

/// Why a broadcast cannot be judged round by round.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BroadcastJudgeError {
    /// The tables of the judge would be too large.
    #[error("{graph} has {nodes} nodes of degree {degree}; a broadcast is judged on up to 2^30 channels")]
    TooLarge {
        /// Name of the network.
        graph: String,
        /// Number of nodes.
        nodes: u64,
        /// Number of channels that leave a node.
        degree: usize,
    },
    /// A root that is no node.
    #[error("the root {root} is no node of {graph}; the nodes are 0 to {}", .nodes - 1)]
    UnknownRoot {
        /// The root.
        root: u64,
        /// Name of the network.
        graph: String,
        /// Number of nodes.
        nodes: u64,
    },
}

/// The first rule that a broadcast breaks, and where. The words count rounds and transfers from 1, the fields from 0.
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
        /// The place of the transfer in its round.
        transfer: u64,
        /// The sender in words.
        sender: ElementName,
        /// What is wrong.
        fault: TransferFault,
    },
    /// Nodes that never get the message.
    #[error("after the last round {missing} node(s) do not hold the message, {first} is the first")]
    Undelivered {
        /// Number of nodes.
        missing: u64,
        /// The lowest of them.
        first: ElementName,
    },
}

/// What is wrong with a transfer of a broadcast.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferFault {
    /// A sender that is no node.
    #[error("there is no such node")]
    UnknownSender,
    /// A sender without the message.
    #[error("the sender does not hold the message when the round begins")]
    NotHeld,
    /// A path without a channel.
    #[error("the path is empty; it needs at least one channel")]
    EmptyPath,
    /// A generator that the graph does not have.
    #[error("there is no generator {generator}; the network has {degree}, counted from 0")]
    UnknownGenerator {
        /// Its place.
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
        /// Where the channel begins.
        tail: ElementName,
        /// Where it ends.
        head: ElementName,
    },
    /// A path that comes back.
    #[error("the path visits {node} twice")]
    NodeTwice {
        /// The node.
        node: ElementName,
    },
    /// A detour where routing is minimal.
    #[error("the path to {receiver} has {hops} channels, the shortest has {shortest}")]
    NotMinimal {
        /// Where the path ends.
        receiver: ElementName,
        /// Number of channels of the path.
        hops: u64,
        /// Number of channels of the shortest path.
        shortest: u64,
    },
    /// A node that starts too many transfers in a round.
    #[error("the sender starts more than {limit} transfer(s) in the round, its number of ports")]
    SendPorts {
        /// Transfers it may start in a round.
        limit: u32,
    },
    /// A node that finishes too many transfers in a round.
    #[error("{receiver} finishes more than {limit} transfer(s) in the round, its number of ports")]
    ReceivePorts {
        /// The receiver.
        receiver: ElementName,
        /// Transfers it may finish in a round.
        limit: u32,
    },
}

/// A node of a [`CayleyGraph`](lockstep_topology::CayleyGraph) with its name; written `'name'`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementName {
    /// The node.
    pub element: u64,
    /// Its name, or its number if there is no such node.
    pub name: Box<str>,
}

impl fmt::Display for ElementName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.name)
    }
}
