//! Tests of the whole method.

use std::collections::BTreeSet;

use lockstep_schedule::strategy::{any_model, packet_problem};
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, verify};
use lockstep_topology::strategy::{shuffled, tree};
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::kit::testing::{any_network, broadcast_to, lower_bound};

/// Returns the number of steps of the verified schedule after up to three attempts; `None` if the method does not
/// support the problem.
fn steps(problem: &Problem<'_>, goal: u32) -> Option<u32> {
    let budget = Budget::unlimited();
    let request = MethodRequest { goal, attempts: 0..3, ..MethodRequest::first(problem, &budget) };
    let schedule = (TELEPHONE.find)(&request).ok()?;
    let verified = verify(problem, &schedule).expect("a valid schedule");
    assert_eq!(verified.redundant, 0);
    Some(verified.steps as u32)
}

fn model(ports: u32) -> CommunicationModel {
    CommunicationModel { ports: Ports::limit(ports).expect("ports"), ..CommunicationModel::store_and_forward() }
}

/// Returns the fewest steps by exhaustive search over the sets of informed nodes after each step.
fn exhaustive_steps(problem: &Problem<'_>, root: NodeId) -> u32 {
    let (topology, ports) = (problem.topology(), problem.model().ports);
    let all = problem.messages().receivers_iter(MessageId::new(0)).fold(0u32, |set, node| set | 1 << node.number());
    let mut sets = BTreeSet::from([1u32 << root.number()]);
    for steps in 0.. {
        if sets.iter().any(|set| set & all == all) {
            return steps;
        }
        let mut next = BTreeSet::new();
        for &set in &sets {
            let mut sends = vec![0; topology.node_count()];
            add_successors(topology, ports, set, set, 0, &mut sends, &mut next);
        }
        sets = next;
    }
    unreachable!("some number of steps suffices")
}

/// Adds all sets that one step can reach from `set`, for the undecided nodes from one on.
fn add_successors(
    topology: &Topology,
    ports: Ports,
    set: u32,
    grown: u32,
    node: u32,
    sends: &mut [usize],
    next: &mut BTreeSet<u32>,
) {
    if node as usize == topology.node_count() {
        next.insert(grown);
        return;
    }
    add_successors(topology, ports, set, grown, node + 1, sends, next);
    if set >> node & 1 == 1 {
        return;
    }
    for &channel in topology.in_channels(NodeId::new(node)) {
        let tail = topology.tail(channel);
        let limit = ports.of_degree(topology.out_channels(tail).len());
        if set >> tail.number() & 1 == 1 && sends[tail.index()] < limit {
            sends[tail.index()] += 1;
            add_successors(topology, ports, set, grown | 1 << node, node + 1, sends, next);
            sends[tail.index()] -= 1;
        }
    }
}

proptest! {
    /// On trees, the urgency is exact.
    #[test]
    fn trees_take_the_fewest_steps(
        topology in tree(9).prop_flat_map(shuffled), root: Index, ports in 1u32..4, half: bool,
    ) {
        let topology = if half { topology.half_duplex() } else { topology };
        let root = *root.get(topology.terminals());
        let collective = Collective::broadcast(root);
        let problem = Problem::new(&topology, &collective, model(ports)).unwrap();
        prop_assume!(!problem.messages().is_scatter());
        let fewest = exhaustive_steps(&problem, root);
        prop_assert_eq!(steps(&problem, fewest), Some(fewest));
    }

    #[test]
    fn small_networks_take_hardly_more_than_the_fewest_steps(
        topology in any_network(8), root: Index, others in prop::collection::vec(any::<Index>(), 0..9),
        any in any_model(),
    ) {
        let (root, collective) = broadcast_to(&topology, root, &others);
        let Some(problem) = packet_problem(&topology, &collective, any) else { return Ok(()) };
        let fewest = exhaustive_steps(&problem, root);
        let found = steps(&problem, fewest).expect("it serves every network");
        prop_assert!((fewest..=fewest + 1).contains(&found), "{} after {}", found, fewest);
        prop_assert!(lower_bound(&problem) <= fewest);
        prop_assert_eq!(Some(found), steps(&problem, fewest), "the same every time");
    }
}

/// With one port: the dimension of a cube, half of a ring, the leaves of a star.
#[test]
fn known_networks_take_the_fewest_steps() {
    let cases = [
        ("hypercube:4", 4),
        ("hypercube:6", 6),
        ("ring:9", 5),
        ("ring:10", 5),
        ("complete:16", 4),
        ("star:7", 6),
        // The distance plus one step, because the two farthest nodes share a path.
        ("torus:4x4", 4),
    ];
    for (spec, fewest) in cases {
        let topology: Topology = spec.parse().expect("a spec");
        let collective = Collective::broadcast(topology.terminals()[0]);
        let Ok(problem) = Problem::new(&topology, &collective, model(1)) else { panic!("{spec}") };
        assert_eq!(steps(&problem, fewest), Some(fewest), "{spec}");
    }
}

#[test]
fn other_problems_are_not_supported() {
    let ring: Topology = "ring:6".parse().expect("a spec");
    let broadcast = Collective::broadcast(NodeId::new(0));
    let wormhole = Problem::new(&ring, &broadcast, CommunicationModel::wormhole()).expect("a problem");
    assert_eq!(steps(&wormhole, 1), None);
    let chunks = broadcast.clone().with_chunks(2.try_into().expect("two"));
    assert_eq!(steps(&Problem::new(&ring, &chunks, model(1)).expect("a problem"), 1), None);
}
