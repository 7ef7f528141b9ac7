//! Validation of given paths.

use lockstep_topology::{ChannelId, NodeId, Topology};

/// Why channels are not a path between the terminals of two tasks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathFault {
    /// There is no channel.
    #[error("the path has no channel")]
    Empty,
    /// A channel does not exist or has failed.
    #[error("channel {channel} does not exist or has failed")]
    NoChannel {
        /// The channel.
        channel: ChannelId,
    },
    /// A channel does not begin where the previous one ends.
    #[error("channel {channel} does not begin at node {node}, where the previous channel ends")]
    Gap {
        /// The channel.
        channel: ChannelId,
        /// The end of the previous channel.
        node: NodeId,
    },
    /// The path visits a node twice.
    #[error("the path visits node {node} twice")]
    Loop {
        /// The node.
        node: NodeId,
    },
    /// The path begins or ends at a node that is not a terminal.
    #[error("node {node}, where the path begins or ends, is not a terminal")]
    NotATerminal {
        /// The node.
        node: NodeId,
    },
    /// The path does not connect the terminals of the two tasks.
    #[error("the path leads from node {} to node {}, but the tasks are at nodes {} and {}", .found[0], .found[1], .tasks[0], .tasks[1])]
    Ends {
        /// The first and last node of the path.
        found: [NodeId; 2],
        /// The nodes of the two tasks.
        tasks: [NodeId; 2],
    },
}

/// Verifies a path and returns its first and last node. O(k log k) for `k` channels.
pub(crate) fn ends_of(topology: &Topology, path: &[ChannelId]) -> Result<[NodeId; 2], PathFault> {
    let works = |channel: ChannelId| channel.index() < topology.channel_bound() && topology.is_working(channel);
    if let Some(&channel) = path.iter().find(|&&channel| !works(channel)) {
        return Err(PathFault::NoChannel { channel });
    }
    let [first, ..] = path else { return Err(PathFault::Empty) };
    let start = topology.tail(*first);
    let mut node = start;
    let mut visited = vec![start];
    for &channel in path {
        if topology.tail(channel) != node {
            return Err(PathFault::Gap { channel, node });
        }
        node = topology.head(channel);
        visited.push(node);
    }
    visited.sort_unstable();
    if let Some(twice) = visited.array_windows().find(|[one, next]| one == next) {
        return Err(PathFault::Loop { node: twice[0] });
    }
    Ok([start, node])
}
