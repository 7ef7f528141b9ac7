//! Groups of nodes: those of a host, and those that channels of a large capacity connect.

use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId, Topology};

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

/// Returns the terminals of each host. A terminal without a host is a group.
pub(crate) fn by_host(topology: &Topology) -> Vec<Vec<NodeId>> {
    let mut terminals = topology.terminals().to_vec();
    terminals.sort_by_key(|&terminal| (topology.host(terminal), terminal));
    let is_same =
        |one: &NodeId, other: &NodeId| topology.host(*one).is_some() && topology.host(*one) == topology.host(*other);
    terminals.chunk_by(is_same).map(<[NodeId]>::to_vec).collect()
}

/// Returns the number of transfers that can start in one of these groups and end outside of it in one step, or reversely: the
/// smaller number.
pub(crate) fn room_between(rules: TransferRules<'_>, groups: &[Vec<NodeId>]) -> u64 {
    let topology = rules.topology;
    let mut group = vec![None; topology.node_count()];
    for (number, nodes) in groups.iter().enumerate() {
        for node in nodes {
            group[node.index()] = Some(number);
        }
    }
    let room = |end: fn(&Topology, ChannelId) -> NodeId, other: fn(&Topology, ChannelId) -> NodeId| {
        rules.room(topology.channels().filter(|&channel| {
            let [end, other] = [end, other].map(|end| group[end(topology, channel).index()]);
            end.is_some() && end != other
        }))
    };
    room(Topology::head, Topology::tail).min(room(Topology::tail, Topology::head))
}

fn find(root: &mut [usize], mut node: usize) -> usize {
    while root[node] != node {
        root[node] = root[root[node]];
        node = root[node];
    }
    node
}
