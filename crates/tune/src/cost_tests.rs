//! Times of algorithms against formulas of textbooks, and against a search of all sizes.

use lockstep_schedule::{CollectiveName, Ports};
use lockstep_topology::{NodeId, Topology, TopologyBuilder, strategy};
use proptest::prelude::*;

use crate::algorithm::{Algorithm, all_gather, all_reduce, all_to_all, tree};
use crate::cost::AlgorithmCost;
use crate::library::Library;
use crate::network::{Network, NetworkError, RoundCosts};
use crate::tuning::{TuneError, TuneOptions, tune};

/// Latency of a channel and start-up time of a message.
const LATENCY_PS: u64 = 1_000_000;
const START_UP_PS: u64 = 300_000;
/// Picoseconds per byte at one unit of bandwidth.
const BYTE_PS: u128 = 100;

fn timed(topology: &Topology) -> Topology {
    topology.with_times(1_000_000_000_000 / BYTE_PS as u64, LATENCY_PS).unwrap()
}

fn costs() -> RoundCosts {
    RoundCosts { start_up_ps: START_UP_PS, ports: Ports::All }
}

/// A network of terminals on one switch.
fn star(terminals: u32) -> Topology {
    let mut builder = TopologyBuilder::new("star");
    let switch = builder.switch("switch");
    for rank in 0..terminals {
        let terminal = builder.terminal(rank.to_string());
        builder.link(switch, terminal);
    }
    builder.build().unwrap()
}

fn time(topology: &Topology, algorithm: Algorithm, fan: u32, segment: Option<u64>, bytes: u64) -> u128 {
    let topology = timed(topology);
    let network = Network::new(&topology, topology.terminals(), costs()).unwrap();
    let phases = (algorithm.phases)(network.ranks(), fan).unwrap();
    AlgorithmCost::new(&network, 0, &phases).unwrap().curve(segment).picoseconds(bytes)
}

/// On a switch, the time is that of textbooks: a start-up time, two channels, and the largest volume of a rank.
#[test]
fn times_on_one_switch_are_those_of_textbooks() {
    let star = star(8);
    let alpha = u128::from(START_UP_PS + 2 * LATENCY_PS);
    let bytes = 8_000;
    let block = 1_000 * BYTE_PS;
    assert_eq!(time(&star, all_gather::RING, 0, None, bytes), 7 * (alpha + block));
    assert_eq!(time(&star, all_gather::RECURSIVE_DOUBLING, 2, None, bytes), 3 * alpha + 7 * block);
    assert_eq!(time(&star, all_reduce::RING, 0, None, bytes), 14 * (alpha + block));
    assert_eq!(time(&star, all_reduce::RECURSIVE_DOUBLING, 2, None, bytes), 3 * (alpha + 8 * block));
    assert_eq!(time(&star, all_to_all::PAIRWISE, 0, None, bytes), 7 * (alpha + block));
    // Seven messages at once: one latency, seven start-up times.
    let linear = u128::from(7 * START_UP_PS + 2 * LATENCY_PS) + 7 * block;
    assert_eq!(time(&star, all_to_all::LINEAR, 0, None, bytes), linear);
    // A pipeline of 8 segments through 7 ranks.
    assert_eq!(time(&star, tree::CHAIN, 1, Some(1_000), bytes), (7 + 8 - 1) * (alpha + block));
    assert_eq!(time(&star, tree::CHAIN, 1, Some(8_000), bytes), 7 * (alpha + 8 * block));
    assert_eq!(time(&star, tree::CHAIN, 1, None, bytes), 7 * (alpha + 8 * block));
    // Two segments of each block in the first half.
    assert_eq!(time(&star, all_reduce::SEGMENTED_RING, 0, Some(500), bytes), 14 * alpha + 14 * block + 7 * alpha);
}

/// On a path of nodes, messages that share a channel share its bandwidth.
#[test]
fn shared_channels_count_their_load() {
    let bytes = 4_000;
    // The last round of recursive doubling sends two messages of two blocks over the middle channel.
    let doubling = u128::from(2 * START_UP_PS + 3 * LATENCY_PS) + (1 + 2 * 2) * 1_000 * BYTE_PS;
    assert_eq!(time(&"mesh:4".parse().unwrap(), all_gather::RECURSIVE_DOUBLING, 2, None, bytes), doubling);
}

#[test]
fn ports_limit_the_bandwidth_of_a_rank() {
    let topology = timed(&"hypercube:3".parse().unwrap());
    let with = |ports| {
        let network = Network::new(&topology, topology.terminals(), RoundCosts { start_up_ps: 0, ports }).unwrap();
        let phases = (tree::LINEAR.phases)(8, 0).unwrap();
        AlgorithmCost::new(&network, 0, &phases).unwrap().curve(None).picoseconds(1_000)
    };
    let latency = u128::from(3 * LATENCY_PS);
    // Seven messages over three channels, or one after another.
    assert_eq!(with(Ports::All), latency + 3 * 1_000 * BYTE_PS);
    assert_eq!(with(Ports::limit(1).unwrap()), latency + 7 * 1_000 * BYTE_PS);
}

#[test]
fn wrong_ranks_are_named() {
    let topology = timed(&star(3));
    let terminals = topology.terminals();
    let error = |members: &[NodeId]| Network::new(&topology, members, costs()).unwrap_err();
    assert_eq!(error(&terminals[..1]), NetworkError::FewRanks { ranks: 1 });
    assert!(matches!(error(&[terminals[0], terminals[0]]), NetworkError::Member { .. }));
    assert!(matches!(error(&[terminals[0], NodeId::new(99)]), NetworkError::Member { .. }));
    let switch = topology.nodes().find(|&node| !topology.is_terminal(node)).unwrap();
    assert!(matches!(error(&[terminals[0], switch]), NetworkError::Member { .. }));
    let untimed: Topology = "ring:4".parse().unwrap();
    assert_eq!(Network::new(&untimed, untimed.terminals(), costs()).unwrap_err(), NetworkError::NoUnit);
}

#[test]
fn ranks_without_a_path_are_named() {
    let mut builder = TopologyBuilder::new("islands");
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| builder.terminal(name));
    builder.link(a, b);
    builder.link(c, d);
    let islands = timed(&builder.build().unwrap());
    let network = Network::new(&islands, islands.terminals(), costs()).unwrap();
    let options = TuneOptions {
        library: Library::Mpich,
        collectives: vec![CollectiveName::AllGather],
        sizes: [1, 2],
        root: 0,
        channels: 1,
    };
    let error = tune(&network, &options).unwrap_err().to_string();
    let expected = "all-gather: mpich has no algorithm for these ranks: there is no path from 'b' to 'c' that passes no other terminal";
    assert_eq!(error, expected);
}

#[test]
fn wrong_options_are_named() {
    let topology = timed(&"ring:4".parse().unwrap());
    let network = Network::new(&topology, topology.terminals(), costs()).unwrap();
    let options = TuneOptions {
        library: Library::Mpich,
        collectives: vec![CollectiveName::Scatter],
        sizes: [1, 2],
        root: 0,
        channels: 1,
    };
    assert_eq!(tune(&network, &options), Err(TuneError::NoCollective { library: Library::Mpich }));
    let root = TuneOptions { root: 4, ..options };
    assert_eq!(tune(&network, &root), Err(TuneError::Root { root: 4, ranks: 4 }));
}

proptest! {
    #![proptest_config(strategy::cases(32))]

    /// On any network and for any size, no other choice takes less time, and the result depends on the network alone.
    #[test]
    fn no_choice_is_better_than_the_best_one(
        topology in strategy::connected_topology(9),
        library in prop::sample::select(Library::ALL.to_vec()),
        size in 0u32..30,
        offset in 0u64..1000,
    ) {
        prop_assume!(topology.terminal_count() > 1);
        let topology = timed(&topology);
        let network = Network::new(&topology, topology.terminals(), costs()).unwrap();
        let options = TuneOptions { library, collectives: Vec::new(), sizes: [1, 1 << 30], root: 0, channels: 4 };
        let tuning = tune(&network, &options).unwrap();
        prop_assert_eq!(&tune(&network, &options).unwrap(), &tuning);
        let bytes = ((1u64 << size) + offset).min(1 << 30);
        for table in &tuning.tables {
            let least = table.choices.iter().map(|choice| choice.time.picoseconds(bytes)).min();
            prop_assert_eq!(least, Some(table.best(bytes).time.picoseconds(bytes)));
            prop_assert_eq!(table.ranges[0].from, 1);
        }
    }
}
