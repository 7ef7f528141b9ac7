//! Laws of the best bandwidth.

use std::num::NonZeroU64;

use lockstep_bounds::throughput;
use lockstep_rings::format::tree_cost;
use lockstep_rings::{RingCost, RingCount, RingFile, RingKind, check_bound, route_orders, search, verify};
use lockstep_schedule::{Budget, CollectiveName, CommunicationModel, Problem};
use lockstep_topology::strategy::{any_topology, cases, shuffled, with_capacities};
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::cases::request;

fn some_network() -> impl Strategy<Value = Topology> {
    any_topology(8)
        .prop_flat_map(|topology| with_capacities(topology, 3))
        .prop_filter("two terminals", |topology| topology.terminal_count() >= 2)
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn numbers_of_nodes_do_not_matter(
        (one, other) in some_network().prop_flat_map(|topology| (Just(topology.clone()), shuffled(topology))),
        rings in 1..=4u32,
    ) {
        let limit = |topology: &Topology| {
            let answer = search(topology, &request(RingKind::Ring, RingCount::AtMost(rings))).unwrap();
            (answer.limit, answer.set.map(|(set, load)| (set.len(), load.rho())))
        };
        prop_assert_eq!(limit(&one), limit(&other));
    }

    #[test]
    fn a_lost_channel_never_raises_the_bandwidth(topology in some_network(), lost: Index, rings in 1..=3u32) {
        let channels: Vec<_> = topology.channels().collect();
        let damaged = topology.with_failures([], [channels[lost.index(channels.len())]]);
        let limit = |topology: &Topology| search(topology, &request(RingKind::Ring, RingCount::Exactly(rings))).unwrap().limit;
        prop_assert!(limit(&damaged) <= limit(&topology));
    }

    #[test]
    fn answers_are_verified_and_survive_a_file(topology in some_network(), seed: u64, rings in 1..=4u32, relay in 0..2u32) {
        let request = lockstep_rings::RingRequest { seed, relay, ..request(RingKind::Ring, RingCount::AtMost(rings)) };
        let answer = search(&topology, &request).unwrap();
        check_bound(&request.problem(&topology).unwrap(), &answer.bound).unwrap();
        let text = serde_json::to_string(&answer.bound).unwrap();
        prop_assert_eq!(serde_json::from_str::<lockstep_rings::RingBound>(&text).unwrap(), answer.bound.clone());
        let Some((set, load)) = answer.set else { return Ok(()) };
        prop_assert!(load.bandwidth() <= answer.limit);
        let file = RingFile { topology: topology.clone(), set };
        let read = RingFile::from_json(&file.to_json()).unwrap();
        prop_assert_eq!(verify(&read.topology, &read.set), Ok(load));
        prop_assert_eq!(&read, &file);
        // The same request gives the same set.
        prop_assert_eq!(search(&topology, &request).unwrap().set.map(|(set, _)| set), Some(read.set));
    }

    #[test]
    fn routed_orders_are_valid(topology in some_network(), kind in prop_oneof![Just(RingKind::Ring), Just(RingKind::Chain)]) {
        let orders = vec![topology.terminals().to_vec(); 2];
        if let Ok(set) = route_orders(&topology, kind, &orders, 8) {
            prop_assert!(verify(&topology, &set).is_ok());
        }
    }

    #[test]
    fn no_ring_chain_or_tree_is_faster_than_the_bound(
        topology in some_network(),
        kind in prop_oneof![Just(RingKind::Ring), Just(RingKind::Chain)],
        name in prop_oneof![Just(CollectiveName::AllGather), Just(CollectiveName::AllReduce)],
    ) {
        const BYTES: u64 = 1 << 40;
        let order = topology.terminals().to_vec();
        let collective = name.with_root(None).unwrap();
        let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole());
        let Ok(set) = route_orders(&topology, kind, &[order.clone(), order.clone()], 0) else { return Ok(()) };
        let (Ok(load), Ok(problem)) = (verify(&topology, &set), problem) else { return Ok(()) };
        let bound = throughput(&problem, &Budget::seconds(1)).and_then(|bound| bound.certificate.quotient());
        let Some([steps, units]) = bound else { return Ok(()) };
        let unit = NonZeroU64::new(1_000_000_000).unwrap();
        let message = u128::from(BYTES) / order.len() as u128;
        let least = message * u128::from(steps) * 1000 / u128::from(units);
        if let Some(cost) = RingCost::of_rings(&topology, &set, &load, name) {
            prop_assert!(cost.transmission_ps(BYTES, unit) >= least);
        }
        if name == CollectiveName::AllReduce && kind == RingKind::Chain {
            let edges = order.windows(2).map(|pair| [pair[0], pair[1]]).collect();
            prop_assert!(tree_cost(&topology, &[edges], 0).unwrap().transmission_ps(BYTES, unit) >= least);
        }
    }
}

#[test]
fn a_group_of_terminals_is_visited() {
    let torus: Topology = "torus:4x4".parse().unwrap();
    let group: Vec<NodeId> = (0..8).map(NodeId::new).collect();
    let request =
        lockstep_rings::RingRequest { terminals: Some(&group), ..request(RingKind::Ring, RingCount::AtMost(2)) };
    let answer = search(&torus, &request).unwrap();
    let (set, load) = answer.set.unwrap();
    assert_eq!((set.terminals(), load.bandwidth().to_string().as_str()), (&group[..], "2"));
}

#[test]
fn an_interrupted_search_ends() {
    let torus: Topology = "torus:16x16".parse().unwrap();
    let request = lockstep_rings::RingRequest { is_stopped: &|| true, ..request(RingKind::Ring, RingCount::AtMost(4)) };
    let answer = search(&torus, &request).unwrap();
    assert!(answer.limit >= answer.set.map_or(lockstep_rings::Rational::ZERO, |(_, load)| load.bandwidth()));
}

#[test]
fn ring_sets_are_all_gathers() {
    for (spec, rings, width_sum) in [("torus:4x4", 4, 15), ("hypercube:3", 6, 14), ("fat-tree:4,2", 1, 15)] {
        let topology: Topology = spec.parse().unwrap();
        let (set, load) = search(&topology, &request(RingKind::Ring, RingCount::Exactly(rings))).unwrap().set.unwrap();
        let (collective, schedule) = lockstep_rings::all_gather(&topology, &set).unwrap();
        let problem =
            lockstep_schedule::Problem::new(&topology, &collective, lockstep_schedule::CommunicationModel::wormhole())
                .unwrap();
        let verified = lockstep_schedule::verify(&problem, &schedule).unwrap();
        assert_eq!(
            (verified.steps as usize, schedule.width_sum()),
            (topology.terminal_count() - 1, width_sum),
            "{spec}"
        );
        let chunks = u64::from(collective.chunks().get());
        // The sum of the widths per chunk is (N - 1) / bandwidth.
        let time = lockstep_rings::Rational::new(width_sum.into(), chunks.into());
        assert_eq!(
            Some(time),
            load.bandwidth().reciprocal().unwrap().checked_scale(topology.terminal_count() as u128 - 1, 1)
        );
    }
}
