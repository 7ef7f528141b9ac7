use std::collections::BTreeSet;

use lockstep_schedule::{BroadcastVerifier, CommunicationModel, Run};
use lockstep_topology::strategy::shuffled;
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;

use super::SUBGROUP_CHAIN;
use super::broadcast::SubgroupChainBroadcast;
use super::level::ChainLevel;
use crate::StreamedBroadcast;
use crate::kit::broadcast_checks::{
    programs_agree, supports_only_wormhole_all_port_broadcasts, verified, verified_counts,
};

/// The fewest rounds if the number of holders multiplies by up to `factor` per round.
fn rounds_to_multiply(nodes: u64, factor: u64) -> usize {
    std::iter::successors(Some(1u64), |&holders| (holders < nodes).then(|| holders.saturating_mul(factor))).count() - 1
}

/// Checks the fans of a level independently of the construction: step by step, modulo the subgroup of the senders.
fn check_fans(level: &ChainLevel, signs: &[i64]) {
    let flag = &level.flag;
    for (block, paths) in level.rounds.iter().enumerate() {
        let (mut channels, mut ends) = (BTreeSet::new(), BTreeSet::new());
        for path in paths {
            let mut place = vec![0; flag.axes()];
            for leg in path {
                let sign = leg.steps.signum();
                assert!(signs.contains(&sign) || flag.side == 2, "{path:?} uses the network's channels");
                for _ in 0..leg.steps.unsigned_abs() {
                    let mut tail = place.clone();
                    flag.reduce(&mut tail, block);
                    assert!(channels.insert((tail, leg.axis, sign)), "two paths on one channel");
                    place[leg.axis] = (place[leg.axis] + if sign < 0 { flag.side - 1 } else { 1 }) % flag.side;
                }
            }
            for axis in 0..flag.axes() {
                let legs = path.iter().filter(|leg| leg.axis == axis).map(|leg| leg.steps);
                let (net, gross) = legs.fold((0, 0), |(net, gross), steps| (net + steps, gross + steps.abs()));
                assert!(net.abs() == gross && 2 * gross <= i64::from(flag.side), "{path:?} is not a shortest path");
            }
            flag.reduce(&mut place, block);
            let mut rest = place.clone();
            assert_eq!(flag.reduce(&mut rest, block + 1), block + 1, "{path:?} ends outside the smaller subgroup");
            assert!(rest.iter().all(|&entry| entry == 0), "{path:?} ends in the larger subgroup");
            assert!(ends.insert(place), "two paths to one coset");
        }
        assert_eq!(ends.len() as u32 + 1, flag.index(block));
    }
}

fn check_all_fans(chain: &SubgroupChainBroadcast) {
    let signs: &[i64] = if chain.graph().sides()[0] == 2 { &[1] } else { &[1, -1] };
    chain.levels.iter().for_each(|scaled| check_fans(&scaled.level, signs));
}

#[test]
fn every_hypercube_has_a_chain_of_disjoint_fans() {
    for dimension in 1..=60 {
        let chain = SubgroupChainBroadcast::hypercube(dimension).unwrap();
        // The formula of Ho and Kao.
        assert_eq!(chain.round_count(), dimension.div_ceil((dimension + 1).ilog2()) as usize, "Q{dimension}");
        check_all_fans(&chain);
    }
    assert!(SubgroupChainBroadcast::hypercube(0).is_none() && SubgroupChainBroadcast::hypercube(61).is_none());
}

#[test]
fn tori_have_chains_of_disjoint_fans() {
    for dimensions in 1..=6 {
        let degree = 2 * dimensions as u64;
        for side in 3..=2 * degree as u32 + 3 {
            let Some(chain) = SubgroupChainBroadcast::torus(dimensions, side) else {
                let prime_parts = (2..=u64::from(side)).filter(|part| u64::from(side).is_multiple_of(*part));
                let prime = |part: &u64| (2..*part).all(|smaller| !part.is_multiple_of(smaller));
                assert!(prime_parts.into_iter().filter(prime).any(|part| part > degree + 1), "{side}^{dimensions}");
                continue;
            };
            check_all_fans(&chain);
            assert!(chain.round_count() >= rounds_to_multiply(chain.graph().node_count(), degree + 1));
        }
    }
}

#[test]
fn sides_that_are_powers_of_the_degree_and_one_take_the_least_number_of_rounds() {
    // Perfect Lee codes: side (2k + 1)^p in k dimensions takes k p rounds.
    for (dimensions, power) in [(1, 12), (2, 9), (3, 7), (4, 4), (5, 3), (9, 1)] {
        let degree = 2 * dimensions as u64;
        let chain = SubgroupChainBroadcast::torus(dimensions, (degree as u32 + 1).pow(power)).unwrap();
        assert_eq!(chain.round_count(), dimensions * power as usize);
        assert_eq!(chain.round_count(), rounds_to_multiply(chain.graph().node_count(), degree + 1));
        check_all_fans(&chain);
    }
}

#[test]
fn tori_of_many_axes_have_chains_too() {
    // One axis of 7 a round, three of 3; and 6 = 2 * 3 with four axes of 2 and three of 3 a round.
    for (dimensions, side, rounds) in [(20, 7, 20), (24, 3, 8), (18, 6, 11)] {
        let chain = SubgroupChainBroadcast::torus(dimensions, side).unwrap();
        assert_eq!(chain.round_count(), rounds);
        check_all_fans(&chain);
    }
}

#[test]
fn expanded_chains_are_valid_broadcasts() {
    for dimension in 1..=14 {
        verified_counts(&SubgroupChainBroadcast::hypercube(dimension).unwrap(), (1 << dimension) / 3);
    }
    let tori = [
        (1, 27),
        (2, 3),
        (2, 5),
        (2, 8),
        (2, 9),
        (2, 25),
        (2, 60),
        (2, 128),
        (2, 625),
        (3, 7),
        (3, 12),
        (4, 9),
        (4, 6),
    ];
    for (dimensions, side) in tori {
        let chain = SubgroupChainBroadcast::torus(dimensions, side).unwrap();
        verified_counts(&chain, chain.graph().node_count() / 3);
    }
}

#[test]
fn every_node_computes_its_own_program() {
    let tori = [(1, 9), (2, 4), (2, 5), (2, 12), (2, 25), (3, 6), (3, 7)]
        .map(|(k, side)| SubgroupChainBroadcast::torus(k, side).unwrap());
    let cubes = (1..=9).map(|dimension| SubgroupChainBroadcast::hypercube(dimension).unwrap());
    for chain in cubes.chain(tori) {
        programs_agree(&chain, chain.graph().node_count() / 2);
    }
}

#[test]
fn a_node_of_a_huge_network_computes_its_program() {
    let (chain, [root, node]) = (SubgroupChainBroadcast::hypercube(60).unwrap(), [(1 << 59) + 12345, 987_654_321_987]);
    let (program, arrival) = (chain.program(root, node).unwrap(), chain.arrival(root ^ node));
    let sends: Vec<usize> = (0..program.round_count()).map(|round| program.round(round).len()).collect();
    assert!((0..12).all(|round| sends[round] == if round < arrival { 0 } else { 31 }), "{sends:?} from {arrival}");
    assert_eq!(chain.program(1 << 60, 0), None);
    // Side 5^13: the first paths are too long to be stored hop by hop.
    let vast = SubgroupChainBroadcast::torus(2, 5u32.pow(13)).unwrap();
    assert_eq!((vast.round_count(), vast.program(7, 7)), (26, None));
    assert_eq!(vast.program(7, 8).unwrap().send_count(), 0, "a neighbour that receives in the last round");
}

/// The transfers of every holder on a torus of two axes, hop by hop from the origin.
fn hops(chain: &SubgroupChainBroadcast, round: usize) -> Vec<Vec<([u64; 2], u16)>> {
    let walk = |path: &Vec<Run>| {
        let mut place = 0;
        let generators = path.iter().flat_map(|run| std::iter::repeat_n(run.generator, run.hops as usize));
        let hops = generators.map(|generator| {
            let tail = chain.graph().coordinates(place);
            place = chain.graph().add(place, chain.graph().generators()[usize::from(generator)]);
            ([tail[0], tail[1]], generator)
        });
        hops.collect()
    };
    chain.rounds[round].paths.iter().map(walk).collect()
}

#[test]
fn the_tiling_is_knights_moves_and_straight_ones_disjoint_modulo_its_lattice() {
    for levels in 1..=5u32 {
        let side = 5u64.pow(levels);
        let chain = SubgroupChainBroadcast::torus(2, side as u32).unwrap();
        assert_eq!(chain.round_count(), 2 * levels as usize);
        for level in 0..levels {
            let s = 5u64.pow(levels - 1 - level);
            let ends = |round: usize| {
                let ends = chain.rounds[round].ends.iter().map(|&end| chain.graph().coordinates(end));
                ends.collect::<BTreeSet<_>>()
            };
            // Steps backwards from 0 wrap around the side.
            let offsets = |offsets: [[i64; 2]; 4]| {
                let coordinate = |steps: i64| (steps * s.cast_signed()).rem_euclid(side.cast_signed()).cast_unsigned();
                offsets.map(|offset| offset.map(coordinate).to_vec()).into_iter().collect::<BTreeSet<_>>()
            };
            let round = 2 * level as usize;
            assert_eq!(ends(round), offsets([[1, 2], [-2, 1], [-1, -2], [2, -1]]));
            assert_eq!(ends(round + 1), offsets([[1, 0], [0, 1], [-1, 0], [0, -1]]));
            assert!(chain.rounds[round].paths.iter().all(|path| path[0].hops == s && path[1].hops == 2 * s));

            // Holders are the multiples of 5 s, then also the sums of these and multiples of (s, 2 s).
            let squares = |[x, y]: [u64; 2]| [x % (5 * s), y % (5 * s)];
            let pluses = |[x, y]: [u64; 2]| {
                let moves = x / s % 5;
                [x % s, (y + 10 * s - 2 * moves * s) % (5 * s)]
            };
            let disjoint = |round: usize, modulo: &dyn Fn([u64; 2]) -> [u64; 2]| {
                let hops: Vec<_> = hops(&chain, round).into_iter().flatten().collect();
                let channels: BTreeSet<_> = hops.iter().map(|&(tail, generator)| (modulo(tail), generator)).collect();
                channels.len() == hops.len()
            };
            assert!(disjoint(round, &squares) && disjoint(round + 1, &pluses));
            assert!(!disjoint(round, &|[x, y]| [x % s, y % s]), "the check can fail");
        }
    }
}

#[test]
fn a_changed_chain_is_refused() {
    let chain = SubgroupChainBroadcast::torus(2, 25).unwrap();
    let refusal = |spoil: &dyn Fn(&mut SubgroupChainBroadcast)| {
        let mut spoiled = chain.clone();
        spoil(&mut spoiled);
        let mut verifier = BroadcastVerifier::new(chain.graph(), 0, CommunicationModel::wormhole()).unwrap();
        spoiled.replay(0, &mut verifier);
        verifier.finish().unwrap_err().to_string()
    };
    assert!(refusal(&|chain| drop(chain.rounds[3].paths.pop())).contains("125 node(s) do not hold the message"));
    assert!(refusal(&|chain| chain.rounds.swap(2, 3)).contains("already used"));
    assert!(refusal(&|chain| chain.rounds[0].paths[1] = chain.rounds[0].paths[0].clone()).contains("already used"));
    assert!(refusal(&|chain| chain.rounds[0].paths[0][1].hops += 5).contains("has 20 channels, the shortest has 15"));
    assert!(refusal(&|chain| chain.rounds[2].paths[0][0].generator = 4).contains("no generator 4"));
}

#[test]
fn the_construction_is_optimal_where_the_formulas_say_so() {
    // Chains of these are as long as the growth bound: theory for hypercubes, and sizes that factor into parts of degree + 1.
    let specs = ["hypercube:2", "hypercube:3", "hypercube:4", "hypercube:6", "hypercube:7", "hypercube:9"];
    let tori =
        ["ring:9", "torus:3x3", "torus:4x4", "torus:5x5", "torus:8x8", "torus:10x10", "torus:4x4x4", "torus:7x7x7"];
    for spec in specs.into_iter().chain(tori) {
        let network: Topology = spec.parse().unwrap();
        let (verification, bound) =
            verified(SUBGROUP_CHAIN, &network, NodeId::new(2), CommunicationModel::wormhole()).unwrap();
        assert_eq!(verification.steps as u32, bound, "{spec}");
    }
}

#[test]
fn other_problems_are_not_supported() {
    supports_only_wormhole_all_port_broadcasts(SUBGROUP_CHAIN, &"torus:5x5".parse().unwrap());
    supports_only_wormhole_all_port_broadcasts(SUBGROUP_CHAIN, &"hypercube:3".parse().unwrap());
    for spec in
        ["torus:7x7", "torus:3x5", "mesh:5x5", "circulant:9,1,3", "complete:5", "b-tree:8", "folded-hypercube:4"]
    {
        let network: Topology = spec.parse().unwrap();
        let root = network.terminals()[0];
        assert_eq!(verified(SUBGROUP_CHAIN, &network, root, CommunicationModel::wormhole()), None, "{spec}");
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(24))]

    #[test]
    fn numbers_do_not_matter(
        (topology, root) in prop::sample::select(vec![
            "hypercube:1", "hypercube:2", "hypercube:5", "hypercube:8", "ring:6", "torus:2x2x4", "torus:3x3", "torus:6x6",
            "torus:9x9", "torus:3x3x3x3",
        ])
        .prop_flat_map(|spec| shuffled(spec.parse::<Topology>().unwrap()))
        .prop_flat_map(|topology| { let nodes = topology.node_count() as u32; (Just(topology), 0..nodes) }),
    ) {
        prop_assert!(verified(SUBGROUP_CHAIN, &topology, NodeId::new(root), CommunicationModel::wormhole()).is_some());
    }
}
