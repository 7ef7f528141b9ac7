//! Violations of the rules by schedules.

use std::fmt;

use lockstep_files::one_line;
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::messages::{MessageId, Messages, Receivers};
use crate::pattern::Pattern;

/// A node with its name. Displayed as `'name'`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedNode {
    /// The node.
    pub id: NodeId,
    /// Its name in the topology.
    pub name: Box<str>,
}

impl NamedNode {
    pub(crate) fn new(topology: &Topology, id: NodeId) -> Self {
        Self { id, name: topology.node_name(id).into() }
    }
}

impl fmt::Display for NamedNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", one_line(&self.name))
    }
}

/// A channel with the names of its ends. Displayed as `17 (tail->head)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedChannel {
    /// The channel.
    pub id: ChannelId,
    /// The names of its tail and head, `tail->head`.
    pub name: Box<str>,
}

impl NamedChannel {
    pub(crate) fn new(topology: &Topology, id: ChannelId) -> Self {
        Self { id, name: topology.channel_name(id).into() }
    }
}

impl fmt::Display for NamedChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.id, one_line(&self.name))
    }
}

/// A message with its source and receiver. Displayed as `message 12 ('a' to 'b')`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedMessage {
    /// The message, which may not exist.
    pub id: MessageId,
    /// The source and receiver: `from 'a'` for a broadcast, `'a' to 'b'` for one receiver, `towards 'a'` for a
    /// reduction. Empty if the message does not exist, and in an all-reduce, where all terminals are equal.
    pub route: Box<str>,
}

impl NamedMessage {
    /// Returns the message of this number in a collective of this pattern.
    pub(crate) fn new(topology: &Topology, messages: &Messages<'_>, pattern: Pattern, id: MessageId) -> Self {
        if id.index() >= messages.len() || pattern == Pattern::ReduceBroadcast {
            return Self { id, route: "".into() };
        }
        let name = |node| topology.node_name(node);
        let source = name(messages.source(id));
        let collects = matches!(pattern, Pattern::Gather | Pattern::Reduce);
        let route = match (collects, messages.receivers(id)) {
            (false, Receivers::One(receiver)) => format!("'{source}' to '{}'", name(receiver)),
            (true, Receivers::One(receiver)) => format!("'{}' to '{source}'", name(receiver)),
            (false, _) => format!("from '{source}'"),
            (true, _) => format!("towards '{source}'"),
        };
        Self { id, route: route.into() }
    }
}

impl fmt::Display for NamedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}", self.id)?;
        if self.route.is_empty() { Ok(()) } else { write!(f, " ({})", one_line(&self.route)) }
    }
}

/// The place of a violation in a schedule.
///
/// The fields count from 0. The displayed text counts steps and transfers from 1:
/// `step 3, transfer 5, message 12 ('a' to 'b')`. The numbers of messages, channels and nodes are shown unchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The step, from 0.
    pub step: usize,
    /// The index of the transfer in its step, from 0.
    pub transfer: usize,
    /// The message that the transfer moves.
    pub message: NamedMessage,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}, transfer {}, {}", self.step + 1, self.transfer + 1, self.message)
    }
}

/// A rule that a schedule breaks, and its place. Every error message is one line.
///
/// The displayed text counts steps and transfers from 1, the fields from 0.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A transfer of a message that is not in the collective.
    #[error("{at}: there is no such message; the messages are 0 to {}", .message_count - 1)]
    UnknownMessage {
        /// The transfer.
        at: Place,
        /// Number of messages of the collective.
        message_count: usize,
    },
    /// A transfer that crosses no channel.
    #[error("{at}: the path is empty; it needs at least one channel")]
    EmptyPath {
        /// The transfer.
        at: Place,
    },
    /// A path through a channel that is not in the network.
    #[error("{at}: there is no channel {channel}; the channels of the network are numbered below {channel_bound}")]
    UnknownChannel {
        /// The transfer.
        at: Place,
        /// The unknown channel.
        channel: ChannelId,
        /// The highest channel number plus one.
        channel_bound: usize,
    },
    /// A channel that has failed.
    #[error("{at}: channel {channel} has failed")]
    FailedChannel {
        /// The transfer.
        at: Place,
        /// The channel.
        channel: NamedChannel,
    },
    /// A path whose channels do not follow each other.
    #[error("{at}: channel {channel} does not start at {node}, where the path has arrived")]
    BrokenPath {
        /// The transfer.
        at: Place,
        /// The channel that starts at another node.
        channel: NamedChannel,
        /// The end of the path before the channel.
        node: NamedNode,
    },
    /// A path that visits a node twice.
    #[error("{at}: the path visits {node} twice")]
    NodeTwice {
        /// The transfer.
        at: Place,
        /// The node.
        node: NamedNode,
    },
    /// A wormhole path through a node that does not route.
    #[error("{at}: the path runs through {node}, which does not route")]
    InnerNode {
        /// The transfer.
        at: Place,
        /// The node.
        node: NamedNode,
    },
    /// A path that starts at a switch.
    #[error("{at}: the path starts at {node}, which is a switch; only terminals send")]
    SenderIsSwitch {
        /// The transfer.
        at: Place,
        /// The switch.
        node: NamedNode,
    },
    /// A path that ends at a switch.
    #[error("{at}: the path ends at {node}, which is a switch; only terminals receive")]
    ReceiverIsSwitch {
        /// The transfer.
        at: Place,
        /// The switch.
        node: NamedNode,
    },
    /// A store-and-forward transfer over several channels.
    #[error("{at}: the path has {channels} channels; a store-and-forward transfer crosses exactly 1")]
    NotOneChannel {
        /// The transfer.
        at: Place,
        /// Number of channels of its path.
        channels: usize,
    },
    /// A path longer than the shortest legal one, under minimal routing.
    #[error("{at}: the path from {from} to {to} has {channels} channels, the shortest has {shortest}")]
    NotMinimal {
        /// The transfer.
        at: Place,
        /// The sender.
        from: NamedNode,
        /// The receiver.
        to: NamedNode,
        /// Number of channels of the path.
        channels: usize,
        /// Number of channels of the shortest legal path.
        shortest: usize,
    },
    /// Two transfers on one channel in one step.
    #[error("{at}: channel {channel} is already used by transfer {} of the step", .other + 1)]
    ChannelBusy {
        /// The second transfer.
        at: Place,
        /// The channel.
        channel: NamedChannel,
        /// The index of the first transfer in the step, from 0.
        other: usize,
    },
    /// Two transfers on channels that share a resource (half duplex) in one step.
    #[error(
        "{at}: channel {channel} shares a resource with channel {other_channel}, used by transfer {} of the step",
        .other + 1
    )]
    ResourceBusy {
        /// The second transfer.
        at: Place,
        /// Its channel.
        channel: NamedChannel,
        /// The index of the first transfer in the step, from 0.
        other: usize,
        /// The channel of the first transfer.
        other_channel: NamedChannel,
    },
    /// More transfers than a channel, or the channels that share its resource, carry in the step.
    #[error(
        "{at}: channel {channel} carries {room} transfers in this step, and earlier transfers of the step take them all"
    )]
    ResourceFull {
        /// The first transfer beyond the capacity.
        at: Place,
        /// Its channel.
        channel: NamedChannel,
        /// The capacity times the width of the step.
        room: u64,
    },
    /// One path over two channels that share a resource.
    #[error("{at}: the path uses channel {channel} and channel {other_channel}, which share a resource")]
    ResourceTwice {
        /// The transfer.
        at: Place,
        /// The later channel of the path.
        channel: NamedChannel,
        /// The earlier channel of the path.
        other_channel: NamedChannel,
    },
    /// A terminal that starts more transfers in a step than it has ports.
    #[error("{at}: {node} starts more than {limit} transfer(s) in the step, its number of ports")]
    SendPorts {
        /// The first transfer above the limit.
        at: Place,
        /// The sender.
        node: NamedNode,
        /// The number of ports.
        limit: u32,
    },
    /// A terminal that finishes more transfers in a step than it has ports.
    #[error("{at}: {node} finishes more than {limit} transfer(s) in the step, its number of ports")]
    ReceivePorts {
        /// The first transfer above the limit.
        at: Place,
        /// The receiver.
        node: NamedNode,
        /// The number of ports.
        limit: u32,
    },
    /// A sender that does not hold the message.
    #[error("{at}: the sender {sender} does not hold the message when the step begins")]
    NotHeld {
        /// The transfer.
        at: Place,
        /// The sender.
        sender: NamedNode,
    },
    /// A transfer that is not from source to receiver, under direct scatter.
    #[error(
        "{at}: the path goes from {from} to {to}; direct scatter goes from the source to the receiver in one transfer"
    )]
    NotDirect {
        /// The transfer.
        at: Place,
        /// The sender.
        from: NamedNode,
        /// The receiver of the transfer.
        to: NamedNode,
    },
    /// A receiver that does not receive its message.
    #[error("after the last step {receiver} does not hold {message}")]
    Undelivered {
        /// The message.
        message: NamedMessage,
        /// The receiver that does not hold it.
        receiver: NamedNode,
    },
    /// A sum that shares a contribution with what its receiver holds or gets in the same step, in a reduction, although
    /// no arriving sum contains all of that.
    #[error(
        "{at}: the sum of {sender} brings {receiver} the contribution of {contributor} a second time; it must share nothing \
         with what {receiver} holds, or contain all of it"
    )]
    CountedTwice {
        /// The transfer.
        at: Place,
        /// The sender.
        sender: NamedNode,
        /// The receiver.
        receiver: NamedNode,
        /// A terminal whose contribution is counted twice.
        contributor: NamedNode,
    },
    /// A terminal that does not hold all contributions, in a reduction.
    #[error("after the last step {receiver} lacks {lacking} contribution(s) to {message}, first that of {contributor}")]
    Incomplete {
        /// The message.
        message: NamedMessage,
        /// The terminal that must hold all contributions.
        receiver: NamedNode,
        /// A terminal whose contribution is missing.
        contributor: NamedNode,
        /// Number of missing contributions.
        lacking: u32,
    },
}

impl Violation {
    /// Returns the place of the violation; `None` if it concerns the end of the last step.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::UnknownMessage { at, .. }
            | Self::EmptyPath { at }
            | Self::UnknownChannel { at, .. }
            | Self::FailedChannel { at, .. }
            | Self::BrokenPath { at, .. }
            | Self::NodeTwice { at, .. }
            | Self::InnerNode { at, .. }
            | Self::SenderIsSwitch { at, .. }
            | Self::ReceiverIsSwitch { at, .. }
            | Self::NotOneChannel { at, .. }
            | Self::NotMinimal { at, .. }
            | Self::ChannelBusy { at, .. }
            | Self::ResourceBusy { at, .. }
            | Self::ResourceFull { at, .. }
            | Self::ResourceTwice { at, .. }
            | Self::SendPorts { at, .. }
            | Self::ReceivePorts { at, .. }
            | Self::NotHeld { at, .. }
            | Self::NotDirect { at, .. }
            | Self::CountedTwice { at, .. } => Some(at),
            Self::Undelivered { .. } | Self::Incomplete { .. } => None,
        }
    }
}
