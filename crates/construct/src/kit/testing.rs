//! Helpers for the tests of several methods.

use lockstep_schedule::Collective;
use lockstep_topology::{NodeId, Topology};
use proptest::sample::Index;

/// Returns the root and a broadcast from it to the other terminals drawn. If fewer than two are drawn, the broadcast
/// goes to all terminals.
pub(crate) fn broadcast_to(topology: &Topology, root: Index, others: &[Index]) -> (NodeId, Collective) {
    let root = *root.get(topology.terminals());
    let mut others: Vec<NodeId> = others.iter().map(|other| *other.get(topology.terminals())).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|&other| other != root);
    let collective = if others.len() < 2 {
        Collective::broadcast(root)
    } else {
        Collective::many_to_many_broadcast(&[root], &others)
    };
    (root, collective)
}

/// Returns the network under other node numbers.
pub(crate) fn renumbered(topology: &Topology) -> Topology {
    let nodes = topology.node_count() as u64;
    // The multiples of a prime are a permutation unless the prime divides the number of nodes.
    let numbers: Vec<NodeId> = (0..nodes).map(|node| NodeId::new((node * 10_007 % nodes) as u32)).collect();
    topology.relabelled(&numbers)
}
