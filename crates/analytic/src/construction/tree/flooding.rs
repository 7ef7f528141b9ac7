//! Store-and-forward all-gather on a tree.

use lockstep_schedule::{Budget, MessageId, Schedule};
use lockstep_topology::Topology;

use super::rooted_tree::RootedTree;

/// Returns the store-and-forward all-gather on a tree of terminals with all ports, in `P - 1` steps; `None` when the
/// budget ends.
///
/// Every node sends to each neighbour, in the order of arrival, all messages except those from that neighbour.
///
/// A channel with `k` nodes on its sender's side is busy in the steps 1 to `k` without a gap. By induction over the
/// tree, the sender has its own message and, after step `t`, from every other side of `j` nodes the first `min(t, j)`
/// messages.
///
/// Takes time and memory `O(P^2)`.
pub(super) fn flood(tree: &RootedTree, topology: &Topology, budget: &Budget) -> Option<Schedule> {
    let count = tree.len();
    let deliveries = count * (count - 1);
    // The messages of each node, by the place of their source, in order of arrival.
    let mut has: Vec<Vec<u32>> = (0..count as u32).map(|place| vec![place]).collect();
    // The number of messages that the node has sent to its parent, and the parent to the node.
    let mut sent = vec![[0usize; 2]; count];
    let mut arrivals: Vec<(u32, u32)> = Vec::with_capacity(2 * count);
    let mut schedule = Schedule::with_capacity(deliveries, deliveries);
    for _ in 1..count {
        if budget.interruption().is_some() {
            return None;
        }
        schedule.begin_step();
        for child in 1..count {
            let (parent, below) = (tree.parent[child] as usize, tree.below(child as u32));
            let directions = [(child, parent, tree.up[child]), (parent, child, tree.down[child])];
            for ((from, to, channel), sent) in directions.into_iter().zip(&mut sent[child]) {
                let goes = |source: &u32| below.contains(source) == (from == child);
                let ahead = &has[from][*sent..];
                let next = ahead.iter().position(goes);
                *sent += next.map_or(ahead.len(), |next| next + 1);
                let Some(source) = next.map(|next| ahead[next]) else { continue };
                let rank = topology.terminal_rank(tree.node[source as usize])?;
                schedule.push(MessageId::from_index(rank), &[channel?]);
                arrivals.push((to as u32, source));
            }
        }
        // Arrivals are added last, so that no message is forwarded in the step in which it arrives.
        for (to, source) in arrivals.drain(..) {
            has[to as usize].push(source);
        }
    }
    Some(schedule)
}
