use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;

use super::*;
use crate::{Collective, MessageId, Problem, Schedule, verify};

type Transfers = Vec<Vec<(u64, Vec<Run>)>>;

fn run(generator: u16, hops: u64) -> Run {
    Run { generator, hops }
}

fn verified(
    graph: &CayleyGraph,
    root: u64,
    model: CommunicationModel,
    rounds: &Transfers,
) -> Result<BroadcastCounts, BroadcastViolation> {
    let mut verifier = BroadcastVerifier::new(graph, root, model).unwrap();
    for round in rounds {
        verifier.begin_round();
        for (sender, path) in round {
            verifier.transfer(*sender, path.iter().copied());
        }
    }
    verifier.finish()
}

fn ring() -> CayleyGraph {
    "ring:5".parse().unwrap()
}

/// A broadcast from 0 on the ring of 5: first to 2 and 3, then to 1 and 4.
fn valid() -> Transfers {
    vec![vec![(0, vec![run(0, 2)]), (0, vec![run(1, 2)])], vec![(0, vec![run(0, 1)]), (3, vec![run(0, 1)])]]
}

fn refusal(model: CommunicationModel, rounds: &Transfers) -> String {
    verified(&ring(), 0, model, rounds).unwrap_err().to_string()
}

#[test]
fn a_valid_broadcast_is_counted() {
    let counts = verified(&ring(), 0, CommunicationModel::wormhole(), &valid()).unwrap();
    let expected = BroadcastCounts { rounds: 2, transfers: 4, channel_uses: 6, longest_path: 2, redundant: 0 };
    assert_eq!(counts, expected);
    let mut twice = valid();
    twice.push(vec![(0, vec![run(0, 1)])]);
    assert_eq!(verified(&ring(), 0, CommunicationModel::wormhole(), &twice).unwrap().redundant, 1);
}

#[test]
fn every_spoiled_broadcast_is_refused_with_its_place() {
    let wormhole = CommunicationModel::wormhole();
    let any = CommunicationModel { routing: Routing::Any, ..wormhole };
    let spoiled = |round: usize, place: usize, transfer: (u64, Vec<Run>)| {
        let mut rounds = valid();
        rounds[round][place] = transfer;
        rounds
    };
    let cases = [
        (wormhole, vec![], "after the last round 4 node(s) do not hold the message, '1' is the first"),
        (
            wormhole,
            spoiled(1, 1, (3, vec![run(0, 2)])),
            "after the last round 1 node(s) do not hold the message, '4' is the first",
        ),
        (
            wormhole,
            spoiled(0, 1, (2, vec![run(1, 1)])),
            "round 1, transfer 2 (from '2'): the sender does not hold the message when the round begins",
        ),
        (wormhole, spoiled(1, 0, (5, vec![run(0, 1)])), "round 2, transfer 1 (from '5'): there is no such node"),
        (
            wormhole,
            spoiled(1, 0, (0, vec![])),
            "round 2, transfer 1 (from '0'): the path is empty; it needs at least one channel",
        ),
        (
            wormhole,
            spoiled(1, 0, (0, vec![run(0, 0)])),
            "round 2, transfer 1 (from '0'): the path is empty; it needs at least one channel",
        ),
        (
            wormhole,
            spoiled(1, 0, (0, vec![run(2, 1)])),
            "round 2, transfer 1 (from '0'): there is no generator 2; the network has 2, counted from 0",
        ),
        (
            wormhole,
            spoiled(0, 1, (0, vec![run(0, 1)])),
            "round 1, transfer 2 (from '0'): channel '0'->'1' is already used in the round",
        ),
        (any, spoiled(0, 0, (0, vec![run(0, u64::MAX)])), "round 1, transfer 1 (from '0'): the path visits '0' twice"),
        (
            any,
            spoiled(0, 0, (0, vec![run(0, 2), run(1, 1)])),
            "round 1, transfer 1 (from '0'): the path visits '1' twice",
        ),
        (
            wormhole,
            spoiled(0, 0, (0, vec![run(0, 3)])),
            "round 1, transfer 1 (from '0'): the path to '3' has 3 channels, the shortest has 2",
        ),
        (
            CommunicationModel { ports: Ports::limit(1).unwrap(), ..wormhole },
            valid(),
            "round 1, transfer 2 (from '0'): the sender starts more than 1 transfer(s) in the round, its number of \
             ports",
        ),
        (
            CommunicationModel { ports: Ports::limit(1).unwrap(), ..wormhole },
            vec![vec![(0, vec![run(0, 1)])], vec![(0, vec![run(1, 2)]), (1, vec![run(0, 2)])]],
            "round 2, transfer 2 (from '1'): '3' finishes more than 1 transfer(s) in the round, its number of ports",
        ),
        (
            CommunicationModel::store_and_forward(),
            valid(),
            "round 1, transfer 1 (from '0'): the path has several channels; a store-and-forward transfer crosses \
             exactly 1",
        ),
    ];
    for (model, rounds, words) in cases {
        assert_eq!(refusal(model, &rounds), words);
    }
}

#[test]
fn a_refusal_names_nodes_as_the_network_does() {
    let torus: CayleyGraph = "torus:3x4".parse().unwrap();
    let refusal = verified(&torus, 0, CommunicationModel::wormhole(), &vec![vec![(5, vec![run(0, 1)])]]).unwrap_err();
    let words = "round 1, transfer 1 (from '11'): the sender does not hold the message when the round begins";
    assert_eq!(refusal.to_string(), words);
}

#[test]
fn a_transfer_needs_a_round() {
    let ring = ring();
    let mut verifier = BroadcastVerifier::new(&ring, 0, CommunicationModel::wormhole()).unwrap();
    assert!(!verifier.is_refused());
    verifier.transfer(0, [run(0, 1)]);
    assert!(verifier.is_refused());
    assert_eq!(verifier.finish(), Err(BroadcastViolation::NoRound));
}

#[test]
fn a_network_that_is_too_large_and_an_unknown_root_are_refused() {
    let refusal = |spec: &str, root| {
        let graph: CayleyGraph = spec.parse().unwrap();
        BroadcastVerifier::new(&graph, root, CommunicationModel::wormhole()).unwrap_err().to_string()
    };
    assert!(refusal("hypercube:60", 0).contains("verified on at most 2^30 channels"));
    assert_eq!(refusal("ring:5", 5), "the root 5 is not a node of ring:5; the nodes are 0 to 4");
}

/// Returns the rounds followed by rounds in which the remaining nodes receive the message from a neighbour.
fn completed(graph: &CayleyGraph, mut rounds: Transfers) -> Transfers {
    let mut informed = vec![false; graph.node_count() as usize];
    informed[0] = true;
    for (sender, path) in rounds.iter().flatten() {
        let end = path.iter().fold(*sender, |node, run| {
            (0..run.hops).fold(node, |node, _| graph.add(node, graph.generators()[usize::from(run.generator)]))
        });
        informed[end as usize] = true;
    }
    while informed.contains(&false) {
        let missing = (0..graph.node_count()).filter(|&node| !informed[node as usize]);
        let round: Vec<(u64, Vec<Run>)> = missing
            .filter_map(|node| {
                let senders = graph.generators().iter().map(|&generator| graph.subtract(node, generator)).zip(0..);
                let found = senders.into_iter().find(|(sender, _)| informed[*sender as usize]);
                found.map(|(sender, generator)| (sender, vec![run(generator, 1)]))
            })
            .collect();
        for (sender, path) in &round {
            informed[graph.add(*sender, graph.generators()[usize::from(path[0].generator)]) as usize] = true;
        }
        rounds.push(round);
    }
    rounds
}

proptest! {
    /// The verifier of broadcasts agrees with the verifier of schedules.
    #[test]
    fn both_verifiers_agree(
        spec in prop::sample::select(vec!["ring:5", "hypercube:3", "torus:3x4", "circulant:9,1,3"]),
        rounds in prop::collection::vec(
            prop::collection::vec((0u64..12, prop::collection::vec((0u16..4, 1u64..3), 1..3)), 0..6), 0..4),
        [ports, minimal, store, complete] in any::<[bool; 4]>(),
    ) {
        let (topology, graph): (Topology, CayleyGraph) = (spec.parse().unwrap(), spec.parse().unwrap());
        let mut model = CommunicationModel::wormhole();
        if ports { model.ports = Ports::limit(2).unwrap(); }
        if !minimal { model.routing = Routing::Any; }
        if store { model.switching = Switching::StoreAndForward; }
        let degree = graph.degree();
        let known: Transfers = rounds.iter().map(|round| {
            let legal = round.iter().filter(|(sender, _)| *sender < graph.node_count());
            legal.map(|(sender, path)| {
                (*sender, path.iter().map(|&(generator, hops)| run(generator % degree as u16, hops)).collect())
            }).collect()
        }).collect();
        let known = if complete { completed(&graph, known) } else { known };
        let mut schedule = Schedule::new();
        for round in &known {
            schedule.begin_step();
            for (sender, path) in round {
                let mut node = *sender;
                let path: Vec<_> = path.iter().flat_map(|run| std::iter::repeat_n(run.generator, run.hops as usize))
                    .map(|generator| {
                        let channel = topology.out_channels(NodeId::new(node as u32))[usize::from(generator)];
                        node = u64::from(topology.head(channel).number());
                        channel
                    }).collect();
                schedule.push(MessageId::new(0), &path);
            }
        }
        let broadcast = Collective::broadcast(NodeId::new(0));
        let problem = Problem::new(&topology, &broadcast, model).unwrap();
        let (whole, streamed) = (verify(&problem, &schedule), verified(&graph, 0, model, &known));
        prop_assert_eq!(whole.is_ok(), streamed.is_ok(), "{:?} {:?}", whole, streamed);
        if let (Ok(whole), Ok(streamed)) = (whole, streamed) {
            prop_assert_eq!(whole.transfers as u64, streamed.transfers);
            prop_assert_eq!(whole.channel_uses as u64, streamed.channel_uses);
            prop_assert_eq!(whole.redundant, streamed.redundant);
        }
    }
}
