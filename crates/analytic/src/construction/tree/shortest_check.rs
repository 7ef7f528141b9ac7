//! A check that the paths of a spanning tree are shortest paths of the network.

use lockstep_topology::{ChannelId, NodeId, Topology};

use super::rooted_tree::NONE;

/// The largest number of channels that are examined: a tenth of a second.
const WORK: usize = 1 << 25;

/// Returns true if no legal path is shorter than one of these; false also if the check takes too long.
///
/// For each path, it searches from the first node up to a distance below the length of the path.
pub(super) fn are_shortest<'a>(topology: &Topology, paths: impl IntoIterator<Item = &'a [ChannelId]>) -> bool {
    let mut seen_for = vec![NONE; topology.node_count()];
    let (mut level, mut next_level) = (Vec::new(), Vec::new());
    let mut work = 0;
    let long = paths.into_iter().filter(|path| path.len() > 1);
    for (number, path) in long.enumerate() {
        let (from, to) = (topology.tail(path[0]), topology.head(path[path.len() - 1]));
        level.clear();
        level.push(from);
        seen_for[from.index()] = number as u32;
        for _ in 1..path.len() {
            next_level.clear();
            for &node in level.iter().filter(|&&node: &&NodeId| node == from || topology.routes(node)) {
                let channels = topology.out_channels(node);
                work += channels.len();
                let heads = channels.iter().map(|&channel| topology.head(channel));
                next_level.extend(
                    heads.filter(|head| std::mem::replace(&mut seen_for[head.index()], number as u32) != number as u32),
                );
            }
            std::mem::swap(&mut level, &mut next_level);
            if seen_for[to.index()] == number as u32 || work > WORK {
                return false;
            }
        }
    }
    true
}
