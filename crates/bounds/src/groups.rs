//! Groups of nodes that are connected by channels of a large capacity.

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use crate::transfer_rules::TransferRules;

/// The largest number of capacities that are considered.
const MAX_CAPACITIES: usize = 16;

/// Returns the connected parts of the network over the channels of at least some capacity, for each capacity but the smallest
/// one, as far as there are several parts with terminals. Parts without terminals are left out.
///
/// The servers of a cluster are such parts, whatever the numbers of its nodes. Takes `O(N + M)` time per capacity.
pub(crate) fn by_capacity(problem: &Problem<'_>, rules: TransferRules<'_>) -> Vec<Vec<Vec<NodeId>>> {
    let topology = problem.topology();
    let mut capacities: Vec<u32> = topology.channels().map(|channel| topology.capacity(channel)).collect();
    capacities.sort_unstable();
    capacities.dedup();
    let partition = |&least: &u32| {
        let mut root: Vec<usize> = (0..topology.node_count()).collect();
        for channel in topology.channels() {
            if topology.capacity(channel) >= least && rules.carries(channel) {
                let [one, other] =
                    [topology.tail(channel), topology.head(channel)].map(|node| find(&mut root, node.index()));
                root[one.max(other)] = one.min(other);
            }
        }
        let mut parts: Vec<Vec<NodeId>> = vec![Vec::new(); topology.node_count()];
        for node in topology.nodes() {
            parts[find(&mut root, node.index())].push(node);
        }
        parts.retain(|nodes| nodes.iter().any(|&node| topology.is_terminal(node)));
        parts
    };
    let partitions = capacities.iter().skip(1).take(MAX_CAPACITIES).map(partition);
    partitions.filter(|parts| parts.len() > 1 && parts.len() < topology.terminal_count()).collect()
}

fn find(root: &mut [usize], mut node: usize) -> usize {
    while root[node] != node {
        root[node] = root[root[node]];
        node = root[node];
    }
    node
}
