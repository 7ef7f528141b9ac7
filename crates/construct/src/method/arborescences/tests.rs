//! Tests of the whole method.

use std::num::NonZeroU32;

use lockstep_schedule::strategy::any_model;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, StopReason, verify};
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;
use proptest::sample::Index;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::kit::testing::{any_network, broadcast_to, lower_bound};

/// Returns the number of steps of the verified schedule after a few attempts; `None` if the method does not support the
/// problem.
fn steps(problem: &Problem<'_>) -> Option<u32> {
    let budget = Budget::unlimited();
    let request = MethodRequest { attempts: 0..4, ..MethodRequest::first(problem, &budget) };
    let schedule = (ARBORESCENCES.find)(&request).ok()?;
    let verified = verify(problem, &schedule).expect("a valid schedule");
    assert_eq!(verified.redundant, 0);
    Some(verified.steps as u32)
}

/// Returns the minimum cut: the least capacity of the channels that enter a set of nodes without the source.
fn minimum_cut(topology: &Topology, source: NodeId) -> u32 {
    let is_working =
        |set: u32| topology.nodes().any(|node| set >> node.number() & 1 == 1 && !topology.has_failed(node));
    let sets = 1u32..1 << topology.node_count();
    let sets = sets.filter(|&set| set >> source.number() & 1 == 0 && is_working(set));
    let inlets = sets.map(|set| {
        let is_in = |node: NodeId| set >> node.number() & 1 == 1;
        let enters = topology.channels().filter(|&e| !is_in(topology.tail(e)) && is_in(topology.head(e)));
        enters.map(|channel| topology.capacity(channel)).sum()
    });
    inlets.min().unwrap_or(0)
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(64))]

    /// This is Edmonds' theorem; every tree spans the network.
    #[test]
    fn the_number_of_disjoint_trees_is_the_minimum_cut(
        topology in any_network(9), root: Index, seed: u64,
    ) {
        prop_assume!(topology.is_direct());
        let source = *root.get(topology.terminals());
        let mut packing = TreePacking::new(&topology, source, u32::MAX, || false).unwrap();
        prop_assert_eq!(packing.most_trees(), minimum_cut(&topology, source));
        let one = TreePacking::new(&topology, source, 1, || false).unwrap();
        prop_assert_eq!(one.most_trees(), minimum_cut(&topology, source).min(1));
        for count in 1..=packing.most_trees() {
            let trees = packing.pack(count, &mut ChaCha8Rng::seed_from_u64(seed), || false).unwrap();
            let mut uses = vec![0; topology.channel_bound()];
            for tree in trees {
                let mut depth_of = vec![None; topology.node_count()];
                depth_of[source.index()] = Some(0);
                for (channel, depth) in tree {
                    uses[channel.index()] += 1;
                    prop_assert!(uses[channel.index()] <= topology.capacity(channel));
                    let (tail, head) = (topology.tail(channel), topology.head(channel));
                    prop_assert_eq!(depth_of[tail.index()], Some(depth - 1));
                    prop_assert_eq!(depth_of[head.index()].replace(depth), None);
                }
                prop_assert!(topology.nodes().all(|node| depth_of[node.index()].is_some() != topology.has_failed(node)));
            }
        }
    }

    #[test]
    fn every_schedule_is_valid(
        topology in any_network(12), root: Index, others in prop::collection::vec(any::<Index>(), 0..9),
        chunks in 2u32..9, model in any_model(),
    ) {
        let (_, collective) = broadcast_to(&topology, root, &others);
        let collective = collective.with_chunks(NonZeroU32::new(chunks).unwrap());
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        if let Some(found) = steps(&problem) {
            prop_assert!(found >= lower_bound(&problem));
            prop_assert_eq!(Some(found), steps(&problem), "the same every time");
        }
    }
}

/// The steps are the distance of the farthest terminal, plus one for each further chunk per channel of the minimum cut.
#[test]
fn chunks_follow_each_other() {
    let cases = [
        ("ring:8", 5, 2),
        ("mesh:4x4", 16, 2),
        ("kautz:3,2", 16, 3),
        ("de-bruijn:2,5", 9, 1),
        ("full-b-tree:15", 6, 1),
    ];
    for (spec, chunks, connectivity) in cases {
        let topology: Topology = spec.parse().unwrap();
        let root = topology.terminals()[0];
        let collective = Collective::broadcast(root).with_chunks(NonZeroU32::new(chunks).unwrap());
        let problem = Problem::new(&topology, &collective, CommunicationModel::store_and_forward()).unwrap();
        let packing = TreePacking::new(&topology, root, chunks, || false).unwrap();
        assert_eq!(packing.most_trees(), connectivity, "{spec}");
        assert_eq!(steps(&problem), Some(packing.depth() + chunks.div_ceil(connectivity) - 1), "{spec}");
    }
}

#[test]
fn other_problems_are_not_supported() {
    let ring: Topology = "ring:6".parse().unwrap();
    let broadcast = Collective::broadcast(NodeId::new(0));
    let problem = Problem::new(&ring, &broadcast, CommunicationModel::store_and_forward()).unwrap();
    assert_eq!(steps(&problem), None, "one chunk");
    let omega: Topology = "omega:8".parse().unwrap();
    let chunks = Collective::broadcast(omega.terminals()[0]).with_chunks(NonZeroU32::new(2).unwrap());
    let problem = Problem::new(&omega, &chunks, CommunicationModel::wormhole()).unwrap();
    assert_eq!(steps(&problem), None, "no channel joins two terminals");
}

#[test]
fn the_flows_end_with_the_budget() {
    let torus: Topology = "torus:8x8".parse().unwrap();
    assert!(TreePacking::new(&torus, NodeId::new(0), 4, || true).is_none());
    let mut packing = TreePacking::new(&torus, NodeId::new(0), 4, || false).unwrap();
    assert!(packing.pack(4, &mut ChaCha8Rng::seed_from_u64(1), || true).is_none());
    let broadcast = Collective::broadcast(NodeId::new(0)).with_chunks(NonZeroU32::new(4).unwrap());
    let problem = Problem::new(&torus, &broadcast, CommunicationModel::store_and_forward()).unwrap();
    let budget = Budget::unlimited();
    budget.cancel();
    let error = (ARBORESCENCES.find)(&MethodRequest::first(&problem, &budget)).unwrap_err();
    assert_eq!(error, MethodError::Stopped(StopReason::Cancelled));
}
