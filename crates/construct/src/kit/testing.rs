//! Helpers for the tests of several methods.

use lockstep_schedule::strategy::{Instance, instance, instance_with_capacities};
use lockstep_schedule::{Collective, Problem};
use lockstep_topology::strategy::{any_topology, shuffled, with_capacities, with_parallel_channels};
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;
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

/// Generates networks of all kinds, some of them with capacities, under any node numbers.
pub(crate) fn any_network(max_nodes: usize) -> BoxedStrategy<Topology> {
    let plain = move || any_topology(max_nodes).prop_flat_map(shuffled);
    prop_oneof![2 => plain(), 1 => plain().prop_flat_map(|topology| with_capacities(topology, 3))].boxed()
}

/// Generates problems of all kinds, some of them on networks with capacities.
pub(crate) fn any_instance(max_nodes: usize) -> BoxedStrategy<Instance> {
    prop_oneof![2 => instance(max_nodes), 1 => instance_with_capacities(max_nodes)].boxed()
}

/// Calls `check` with the problem on a network of parallel channels of capacity one. Its schedules are those of the problem,
/// and more if there are buses.
pub(crate) fn on_parallel_channels<T>(problem: &Problem<'_>, check: impl FnOnce(&Problem<'_>) -> T) -> T {
    let (network, _) = with_parallel_channels(problem.topology());
    check(&Problem::new(&network, problem.collective(), problem.model()).expect("the same nodes are joined"))
}

/// Returns a lower bound on the steps.
pub(crate) fn lower_bound(problem: &Problem<'_>) -> u32 {
    on_parallel_channels(problem, |problem| lockstep_bounds::best(problem).steps)
}

/// Returns the network under other node numbers.
pub(crate) fn renumbered(topology: &Topology) -> Topology {
    let nodes = topology.node_count() as u64;
    // The multiples of a prime are a permutation unless the prime divides the number of nodes.
    let numbers: Vec<NodeId> = (0..nodes).map(|node| NodeId::new((node * 10_007 % nodes) as u32)).collect();
    topology.relabelled(&numbers)
}
