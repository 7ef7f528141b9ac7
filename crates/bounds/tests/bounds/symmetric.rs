//! What one node says about a network that looks the same from everywhere.

use lockstep_bounds::{all, symmetric};
use lockstep_certificate::Rule;
use lockstep_schedule::{CollectiveName, CommunicationModel, Ports, Problem};
use lockstep_topology::{CayleyGraph, Topology};
use proptest::prelude::*;

const GATHER: CollectiveName = CollectiveName::AllGather;
const EXCHANGE: CollectiveName = CollectiveName::AllToAll;

/// Specs of small Cayley graphs; circulants only where the flag says so.
fn spec() -> impl Strategy<Value = (String, bool)> {
    let exact = prop_oneof![
        (1..=6u32).prop_map(|dimension| format!("hypercube:{dimension}")),
        (2..=5u32).prop_map(|dimension| format!("folded-hypercube:{dimension}")),
        (2..=24u32).prop_map(|side| format!("ring:{side}")),
        (2..=7u32, 2..=7u32).prop_map(|(a, b)| format!("torus:{a}x{b}")),
        (2..=4u32, 2..=4u32, 2..=4u32).prop_map(|(a, b, c)| format!("torus:{a}x{b}x{c}")),
    ];
    let circulant = (5..=24u32, 2..=12u32)
        .prop_map(|(nodes, chord)| format!("circulant:{nodes},1,{}", 2 + chord % (nodes / 2 - 1)));
    prop_oneof![4 => exact.prop_map(|spec| (spec, true)), 1 => circulant.prop_map(|spec| (spec, false))]
}

fn model() -> impl Strategy<Value = CommunicationModel> {
    let switching = prop_oneof![Just(CommunicationModel::wormhole()), Just(CommunicationModel::store_and_forward())];
    (switching, 0..4u32)
        .prop_map(|(model, limit)| CommunicationModel { ports: Ports::limit(limit).unwrap_or(Ports::All), ..model })
}

proptest! {
    /// As much as all rules together say about the network itself, and valid there; on circulants there may be better cuts.
    #[test]
    fn one_node_speaks_for_all((spec, is_exact) in spec(), model in model()) {
        let (graph, topology): (CayleyGraph, Topology) = (spec.parse().unwrap(), spec.parse().unwrap());
        for collective in [GATHER, EXCHANGE] {
            let bound = symmetric(&graph, collective, model).unwrap();
            prop_assert_eq!(bound.check_symmetric(&graph, collective, model), Ok(()));
            let collective = collective.with_root(None).unwrap();
            let problem = Problem::new(&topology, &collective, model).unwrap();
            prop_assert_eq!(bound.check(&problem), Ok(()));
            // What is found out about the network itself holds for its group too; lengths are those of its channels.
            let bounds = all(&problem);
            let of_network = [Rule::Growth, Rule::Volume, Rule::ArcForwarding];
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
    assert_eq!(bounded("hypercube:16", GATHER, Rule::Ports), 65_535u32.div_ceil(16));
    assert_eq!(bounded("hypercube:14", EXCHANGE, Rule::DistanceSum), 1 << 13);
    // n^3 / 8 on an even square torus; n m^2 / 8 on one of n x m, for the cut through its longer side.
    assert_eq!(bounded("torus:64x64", EXCHANGE, Rule::DistanceSum), 64 * 64 * 64 / 8);
    assert_eq!(bounded("torus:16x64", EXCHANGE, Rule::Cut), 16 * 64 * 64 / 8);
    // Nobody can search these: the ports are left, as far as steps can be written.
    assert_eq!(bounded("hypercube:30", GATHER, Rule::Ports), ((1u32 << 30) - 1).div_ceil(30));
    assert_eq!(bounded("hypercube:60", EXCHANGE, Rule::Ports), u32::MAX);
}

#[test]
fn what_is_not_symmetric_is_not_bounded() {
    let ring: CayleyGraph = "ring:8".parse().unwrap();
    let model = CommunicationModel::wormhole();
    assert_eq!(symmetric(&ring, CollectiveName::Broadcast, model), None);
    // Even steps never reach the odd nodes.
    let halves = CayleyGraph::new("two rings", &[8], &[2, 6]).unwrap();
    assert_eq!(symmetric(&halves, GATHER, model), None);
    assert_eq!(symmetric(&CayleyGraph::new("alone", &[1], &[]).unwrap(), GATHER, model), None);
}
