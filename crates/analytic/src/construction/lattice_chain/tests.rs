use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
use lockstep_topology::strategy::shuffled;
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;

use super::LATTICE_CHAIN;
use super::construct::paths_of_steps;
use crate::kit::broadcast_checks::supports_only_wormhole_all_port_broadcasts;
use crate::kit::plane_torus::PlaneTorus;

/// Returns the number of steps of a verified broadcast and the least number, by the growth of the holders.
fn steps_and_bound(topology: &Topology, root: u32) -> Option<(usize, usize)> {
    let broadcast = Collective::broadcast(NodeId::new(root));
    let problem = Problem::new(topology, &broadcast, CommunicationModel::wormhole()).unwrap();
    let schedule = LATTICE_CHAIN.schedule(&problem, 0, &Budget::unlimited())?;
    let (verification, nodes) = (verify(&problem, &schedule).unwrap(), topology.node_count());
    assert_eq!((verification.transfers, verification.redundant), (nodes - 1, 0));
    Some((verification.steps, (0..13).find(|&steps| 5u64.pow(steps) >= nodes as u64).unwrap() as usize))
}

#[test]
fn small_tori_take_as_few_steps_as_the_bound() {
    for first in 4..=20u32 {
        for second in first..=20 {
            let torus: Topology = format!("torus:{first}x{second}").parse().unwrap();
            let Some((steps, bound)) = steps_and_bound(&torus, first + 1) else {
                assert_eq!((first, second), (11, 11), "the only one without a chain");
                continue;
            };
            assert_eq!(steps, bound, "{first}x{second}");
        }
    }
}

/// Squares, long tori, sides without small factors, and sizes just below and above a power of 5.
#[test]
fn large_tori_take_as_few_steps_as_the_bound() {
    let sizes = [
        "3x100", "4x156", "5x125", "9x400", "25x125", "33x90", "56x56", "13x240", "6x521", "50x61", "90x170", "10x1000",
    ];
    for size in sizes {
        let torus: Topology = format!("torus:{size}").parse().unwrap();
        let (steps, bound) = steps_and_bound(&torus, 17).unwrap();
        assert_eq!(steps, bound, "{size}");
    }
}

#[test]
fn a_torus_of_256x256_takes_seven_steps() {
    let torus = PlaneTorus::new([256, 256]).unwrap();
    let steps = paths_of_steps(torus, &Budget::unlimited()).unwrap();
    assert_eq!(steps.iter().map(Vec::len).collect::<Vec<_>>(), [4, 20, 100, 500, 2500, 12500, 49911]);
}

#[test]
fn other_problems_are_not_supported() {
    supports_only_wormhole_all_port_broadcasts(LATTICE_CHAIN, &"torus:6x7".parse().unwrap());
    for spec in ["torus:2x8", "torus:3x3x3", "mesh:7x7", "ring:9", "circulant:9,1,3", "complete:5", "complete:2"] {
        assert_eq!(steps_and_bound(&spec.parse().unwrap(), 0), None, "{spec}");
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(24))]

    #[test]
    fn the_numbering_does_not_matter(
        (topology, root) in (5u32..30, 5u32..30)
            .prop_filter("no chain is known", |sides| *sides != (11, 11))
            .prop_flat_map(|(first, second)| shuffled(lockstep_topology::torus(&[first, second]).unwrap()))
            .prop_flat_map(|topology| { let nodes = topology.node_count() as u32; (Just(topology), 0..nodes) }),
    ) {
        let (steps, bound) = steps_and_bound(&topology, root).unwrap();
        prop_assert_eq!(steps, bound);
    }
}
