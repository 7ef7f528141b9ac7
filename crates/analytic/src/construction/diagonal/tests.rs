use lockstep_schedule::{BroadcastVerifier, CommunicationModel};
use lockstep_topology::strategy::shuffled;
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;

use super::{DIAGONALS, DiagonalBroadcast};
use crate::StreamedBroadcast;
use crate::kit::broadcast_checks::{
    programs_agree, supports_only_wormhole_all_port_broadcasts, verified, verified_counts,
};

/// The least `r` with `5^r >= size`.
fn log5(size: u64) -> usize {
    (0..28).find(|&power| 5u64.pow(power) >= size).unwrap() as usize
}

#[test]
fn every_square_torus_takes_at_most_one_round_more_than_the_bound() {
    for side in (3..=64).chain([100, 125, 126, 311]) {
        let diagonals = DiagonalBroadcast::new(side).unwrap();
        let root = u64::from(side) + 2;
        assert_eq!(verified_counts(&diagonals, root).rounds, 2 * log5(side.into()), "{side}");
        assert!(diagonals.round_count() <= log5(u64::from(side).pow(2)) + 1);
    }
    assert!(
        DiagonalBroadcast::new(2).is_none()
            && DiagonalBroadcast::new(0).is_none()
            && DiagonalBroadcast::new(u32::MAX).is_none()
    );
}

#[test]
fn every_node_computes_its_own_program() {
    for side in [3, 4, 5, 6, 11, 26] {
        programs_agree(&DiagonalBroadcast::new(side).unwrap(), 5);
    }
}

#[test]
fn a_node_of_a_huge_torus_computes_its_program() {
    let diagonals = DiagonalBroadcast::new(1_000_000).unwrap();
    assert_eq!(diagonals.round_count(), 18);
    let neighbour = diagonals.program(0, 1).unwrap();
    let arrival = diagonals.arrival(1);
    assert!((0..arrival).all(|round| neighbour.round(round).len() == 0));
    assert_eq!(diagonals.program(0, 1_000_000_000_000), None);
}

#[test]
fn a_stream_without_a_transfer_is_refused() {
    let diagonals = DiagonalBroadcast::new(12).unwrap();
    for spoiled in 0..143 {
        let mut verifier = BroadcastVerifier::new(diagonals.graph(), 0, CommunicationModel::wormhole()).unwrap();
        let mut number = 0;
        for round in 0..diagonals.round_count() {
            verifier.begin_round();
            diagonals.senders(round, &mut |sender| {
                diagonals.sends(sender, round, &mut |path| {
                    if number != spoiled {
                        verifier.transfer(sender, path.iter().copied());
                    }
                    number += 1;
                });
            });
        }
        assert!(verifier.finish().is_err(), "without transfer {spoiled}");
    }
}

#[test]
fn other_problems_are_not_supported() {
    supports_only_wormhole_all_port_broadcasts(DIAGONALS, &"torus:7x7".parse().unwrap());
    for spec in ["torus:7x8", "torus:2x2", "torus:3x3x3", "mesh:7x7", "ring:9", "circulant:9,1,3", "complete:5"] {
        let network: Topology = spec.parse().unwrap();
        assert_eq!(verified(DIAGONALS, &network, NodeId::new(0), CommunicationModel::wormhole()), None, "{spec}");
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(8))]

    #[test]
    fn the_numbering_does_not_matter(
        (topology, root) in (3u32..14).prop_flat_map(|side| shuffled(lockstep_topology::torus(&[side, side]).unwrap()))
            .prop_flat_map(|topology| { let nodes = topology.node_count() as u32; (Just(topology), 0..nodes) }),
    ) {
        let (verification, bound) =
            verified(DIAGONALS, &topology, NodeId::new(root), CommunicationModel::wormhole()).unwrap();
        prop_assert!(verification.steps as u32 <= bound + 1);
    }
}
