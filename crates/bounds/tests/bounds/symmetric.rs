//! Bounds of Cayley graphs from one node.

use lockstep_bounds::{all, symmetric};
use lockstep_certificate::Rule;
use lockstep_schedule::{CollectiveName, CommunicationModel, Ports, Problem};
use lockstep_topology::{CayleyGraph, Topology};
use proptest::prelude::*;

const ALL_GATHER: CollectiveName = CollectiveName::AllGather;
const ALL_TO_ALL: CollectiveName = CollectiveName::AllToAll;

/// Specs of small Cayley graphs. The flag is false for circulants, which can have better cuts.
fn spec() -> impl Strategy<Value = (String, bool)> {
    let exact = prop_oneof![
        (1..=5u32).prop_map(|dimension| format!("hypercube:{dimension}")),
        (2..=4u32).prop_map(|dimension| format!("folded-hypercube:{dimension}")),
        (2..=16u32).prop_map(|side| format!("ring:{side}")),
        (2..=6u32, 2..=6u32).prop_map(|(a, b)| format!("torus:{a}x{b}")),
        (2..=3u32, 2..=3u32, 2..=4u32).prop_map(|(a, b, c)| format!("torus:{a}x{b}x{c}")),
    ];
    let circulant =
        (5..=16u32, 2..=8u32).prop_map(|(nodes, chord)| format!("circulant:{nodes},1,{}", 2 + chord % (nodes / 2 - 1)));
    prop_oneof![4 => exact.prop_map(|spec| (spec, true)), 1 => circulant.prop_map(|spec| (spec, false))]
}

fn model() -> impl Strategy<Value = CommunicationModel> {
    let switching = prop_oneof![Just(CommunicationModel::wormhole()), Just(CommunicationModel::store_and_forward())];
    (switching, 0..4u32)
        .prop_map(|(model, limit)| CommunicationModel { ports: Ports::limit(limit).unwrap_or(Ports::All), ..model })
}

proptest! {
    // Each case computes all bounds twice.
    #![proptest_config(lockstep_topology::strategy::cases(16))]

    /// The bound is as good as that of all rules on the network itself. On circulants, there may be better cuts.
    #[test]
    fn one_node_represents_all_nodes((spec, is_exact) in spec(), model in model()) {
        let (graph, topology): (CayleyGraph, Topology) = (spec.parse().unwrap(), spec.parse().unwrap());
        for collective in [ALL_GATHER, ALL_TO_ALL] {
            let bound = symmetric(&graph, collective, model).unwrap();
            prop_assert_eq!(bound.check_symmetric(&graph, collective, model), Ok(()));
            let collective = collective.with_root(None).unwrap();
            let problem = Problem::new(&topology, &collective, model).unwrap();
            prop_assert_eq!(bound.check(&problem), Ok(()));
            // Bounds of the network hold for its group too, except by rules that the group has no check for.
            let bounds = all(&problem);
            let of_network = [Rule::Growth, Rule::Volume, Rule::ArcForwarding, Rule::Satisfiability];
            for bound in bounds.iter().filter(|bound| !of_network.contains(&bound.rule)) {
                prop_assert_eq!(bound.check_symmetric(&graph, collective.name().unwrap(), model), Ok(()), "{}", bound);
            }
            let best = &bounds[0];
            if is_exact {
                prop_assert_eq!(bound.steps, best.steps, "{} is not {}", bound, best);
            } else {
                prop_assert!(bound.steps <= best.steps, "{bound} is above {best}");
            }
        }
    }
}

#[test]
fn large_networks_are_bounded_by_one_search() {
    let model = CommunicationModel::store_and_forward();
    let bounded = |spec: &str, collective, rule| {
        let graph: CayleyGraph = spec.parse().unwrap();
        let bound = symmetric(&graph, collective, model).unwrap();
        assert_eq!((bound.check_symmetric(&graph, collective, model), bound.rule), (Ok(()), rule), "{spec}");
        bound.steps
    };
    // Bertsekas et al. (1991): ceil((2^d - 1) / d) and 2^(d - 1).
    assert_eq!(bounded("hypercube:16", ALL_GATHER, Rule::Ports), 65_535u32.div_ceil(16));
    assert_eq!(bounded("hypercube:14", ALL_TO_ALL, Rule::DistanceSum), 1 << 13);
    // n^3 / 8 on an even square torus; n m^2 / 8 on one of n x m, for the cut through its longer side.
    assert_eq!(bounded("torus:64x64", ALL_TO_ALL, Rule::DistanceSum), 64 * 64 * 64 / 8);
    assert_eq!(bounded("torus:16x64", ALL_TO_ALL, Rule::Cut), 16 * 64 * 64 / 8);
    // These are too large for a search, so only the ports count. Steps are at most `u32::MAX`.
    assert_eq!(bounded("hypercube:30", ALL_GATHER, Rule::Ports), ((1u32 << 30) - 1).div_ceil(30));
    assert_eq!(bounded("hypercube:60", ALL_TO_ALL, Rule::Ports), u32::MAX);
}

#[test]
fn other_collectives_and_disconnected_graphs_have_no_bound() {
    let ring: CayleyGraph = "ring:8".parse().unwrap();
    let model = CommunicationModel::wormhole();
    assert_eq!(symmetric(&ring, CollectiveName::Broadcast, model), None);
    // Even generators do not reach the odd nodes.
    let halves = CayleyGraph::new("two rings", &[8], &[2, 6]).unwrap();
    assert_eq!(symmetric(&halves, ALL_GATHER, model), None);
    assert_eq!(symmetric(&CayleyGraph::new("alone", &[1], &[]).unwrap(), ALL_GATHER, model), None);
}
