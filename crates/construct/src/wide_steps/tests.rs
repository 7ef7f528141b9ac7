//! Tests of both constructions.

use std::num::NonZeroU32;

use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, Schedule, verify};
use lockstep_topology::strategy::with_capacities;
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;

use super::*;
use crate::kit::testing::any_network;

fn widths(schedule: &Schedule) -> Vec<u32> {
    schedule.steps().map(|(_, step)| step.width().get()).collect()
}

/// Returns the verified breadth-first broadcast of an all-gather in chunks.
fn breadth_first_of(topology: &Topology, chunks: u32) -> Vec<u32> {
    let all_gather = Collective::all_gather().with_chunks(NonZeroU32::new(chunks).unwrap());
    let problem = Problem::new(topology, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let schedule = breadth_first(&problem, &Budget::unlimited()).expect("a direct network");
    assert_eq!(verify(&problem, &schedule).unwrap().redundant, 0);
    widths(&schedule)
}

/// The loads are those of the reference, times the chunks.
#[test]
fn stages_are_as_wide_as_the_loads() {
    let cases: [(&str, u32, &[u32]); 8] = [
        ("hypercube:4", 4, &[4, 6, 4, 1]),
        ("ring:8", 2, &[2, 2, 2, 1]),
        ("torus:4x4", 4, &[4, 6, 4, 1]),
        ("mesh:4x4", 2, &[2, 3, 4, 3, 2, 1]),
        ("complete:4", 1, &[1]),
        ("kautz:2,3", 1, &[1, 2, 4]),
        ("kautz:3,2", 1, &[1, 3]),
        ("torus:8x8", 4, &[4, 8, 12, 14, 12, 8, 4, 1]),
    ];
    for (spec, chunks, expected) in cases {
        assert_eq!(breadth_first_of(&spec.parse().unwrap(), chunks), expected, "{spec}");
    }
}

/// The time ends within a step, too: the torus has 16 receivers in each of 4 steps.
#[test]
fn both_end_with_the_time_of_the_budget() {
    let torus: Topology = "torus:4x4".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let steps = [NonZeroU32::new(4).unwrap(); 4];
    for check in [1, 20, 40] {
        let budget = || Budget::unlimited().cancelled_at_check(check);
        assert!(breadth_first(&problem, &budget()).is_none(), "check {check}");
        assert!(in_steps_of(&problem, &steps, 1, &budget()).is_none(), "check {check}");
    }
    assert!(breadth_first(&problem, &Budget::unlimited()).is_some());
    assert!(in_steps_of(&problem, &steps, 1, &Budget::unlimited()).is_some());
}

/// The largest number of messages from a distance that only a set of neighbours can bring, over the capacity of their
/// channels, for all sets: the exact load of a stage.
fn exact_widths(topology: &Topology, chunks: u32) -> Vec<u32> {
    let count = topology.node_count();
    let mut distance = vec![vec![u32::MAX; count]; count];
    for source in topology.nodes() {
        let mut queue = vec![source];
        distance[source.index()][source.index()] = 0;
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if distance[source.index()][head.index()] == u32::MAX {
                    distance[source.index()][head.index()] = distance[source.index()][node.index()] + 1;
                    queue.push(head);
                }
            }
        }
    }
    let farthest = distance.iter().flatten().copied().filter(|&distance| distance < u32::MAX).max().unwrap();
    let width = |stage: u32| {
        let of_receiver = |receiver: NodeId| {
            let channels = topology.in_channels(receiver);
            (1u32..1 << channels.len()).map(move |set| (receiver, set))
        };
        let load = |(receiver, set): (NodeId, u32)| {
            let channels = topology.in_channels(receiver).iter().enumerate();
            let (inside, outside): (Vec<_>, Vec<_>) = channels.partition(|(place, _)| set >> place & 1 == 1);
            let brings = |source: NodeId, channel: lockstep_topology::ChannelId| {
                distance[source.index()][topology.tail(channel).index()] == stage - 1
            };
            let only = topology.nodes().filter(|&source| {
                distance[source.index()][receiver.index()] == stage
                    && !outside.iter().any(|&(_, &channel)| brings(source, channel))
            });
            let capacity: u32 = inside.iter().map(|&(_, &channel)| topology.capacity(channel)).sum();
            (only.count() as u32 * chunks).div_ceil(capacity)
        };
        topology.terminals().iter().flat_map(|&receiver| of_receiver(receiver)).map(load).max().unwrap_or(0)
    };
    (1..=farthest).map(width).collect()
}

proptest! {
    #[test]
    fn widths_are_exact(
        topology in any_network(9).prop_flat_map(|network| with_capacities(network, 3)), chunks in 1u32..5,
    ) {
        let all_gather = Collective::all_gather().with_chunks(NonZeroU32::new(chunks).unwrap());
        let packets = CommunicationModel::store_and_forward();
        let Ok(problem) = Problem::new(&topology, &all_gather, packets) else { return Ok(()) };
        let Some(schedule) = breadth_first(&problem, &Budget::unlimited()) else { return Ok(()) };
        prop_assert_eq!(verify(&problem, &schedule).unwrap().redundant, 0);
        prop_assert_eq!(widths(&schedule), exact_widths(&topology, chunks));
    }

    #[test]
    fn steps_of_given_widths_are_valid(
        topology in any_network(9).prop_flat_map(|network| with_capacities(network, 3)), seed: u64,
        given in prop::collection::vec(1u32..5, 1..12),
    ) {
        let broadcast = Collective::broadcast(topology.terminals()[0]).with_chunks(NonZeroU32::new(4).unwrap());
        for collective in [Collective::all_gather(), broadcast] {
            let model = CommunicationModel::store_and_forward();
            let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
            let steps: Vec<NonZeroU32> = given.iter().map(|&width| NonZeroU32::new(width).unwrap()).collect();
            if let Some(schedule) = in_steps_of(&problem, &steps, seed, &Budget::unlimited()) {
                prop_assert_eq!(verify(&problem, &schedule).unwrap().redundant, 0);
                prop_assert!(given.starts_with(&widths(&schedule)));
            }
        }
    }
}
