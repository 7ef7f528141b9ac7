//! Paths that others give.

use lockstep_topology::{ChannelId, NodeId, Topology};

/// Why channels are no path between two terminals.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathFault {
    /// No channel.
    #[error("the path has no channel")]
    Empty,
    /// A number that names no channel that works.
    #[error("channel {channel} does not exist or has failed")]
    NoChannel {
        /// The number.
        channel: ChannelId,
    },
    /// A channel that does not begin where the one before ends.
    #[error("channel {channel} does not begin at node {node}, where the path has come")]
    Gap {
        /// The channel.
        channel: ChannelId,
        /// The end of the channel before.
        node: NodeId,
    },
    /// A node that is met twice.
    #[error("the path meets node {node} twice")]
    Loop {
        /// The node.
        node: NodeId,
    },
    /// An end that is no terminal.
    #[error("node {node}, where it begins or ends, is no terminal")]
    NotATerminal {
        /// The node.
        node: NodeId,
    },
    /// A terminal other than that of the task.
    #[error("it leads from node {} to node {}, but the tasks are at {} and {}", .found[0], .found[1], .tasks[0], .tasks[1])]
    Ends {
        /// Where it begins and ends.
        found: [NodeId; 2],
        /// Where the two tasks are.
        tasks: [NodeId; 2],
    },
}

/// The first and the last node of a path that exists.
pub(crate) fn ends_of(topology: &Topology, path: &[ChannelId]) -> Result<[NodeId; 2], PathFault> {
    let works = |channel: ChannelId| channel.index() < topology.channel_bound() && topology.is_working(channel);
    if let Some(&channel) = path.iter().find(|&&channel| !works(channel)) {
        return Err(PathFault::NoChannel { channel });
    }
    let [first, ..] = path else { return Err(PathFault::Empty) };
    let start = topology.tail(*first);
    let mut node = start;
    let mut met = vec![start];
    for &channel in path {
        if topology.tail(channel) != node {
            return Err(PathFault::Gap { channel, node });
        }
        node = topology.head(channel);
        met.push(node);
    }
    met.sort_unstable();
    if let Some(twice) = met.array_windows().find(|[one, next]| one == next) {
        return Err(PathFault::Loop { node: twice[0] });
    }
    Ok([start, node])
}
