//! Lengths of resources and ports in each step, for transfers into classes of terminals.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Ports};
use lockstep_topology::{Topology, TopologyBuilder};

use crate::verdict::{PACKETS, ROOT, WORMHOLE, verdict, why};

fn bound(infeasible: u32, lists: [&[u32]; 3], [distance, available]: [u64; 2]) -> LowerBound {
    let [resources, sends, receptions] = lists.map(<[u32]>::to_vec);
    let certificate = Certificate::TimedLengths { infeasible, resources, sends, receptions, distance, available };
    LowerBound { steps: infeasible + 1, rule: Rule::TimedEntries, certificate }
}

/// The channels 0 -> 1 and 1 -> 2.
fn path() -> Topology {
    let mut network = TopologyBuilder::new("path");
    let ends = ["0", "1", "2"].map(|name| network.terminal(name));
    network.channel(ends[0], ends[1]);
    network.channel(ends[1], ends[2]);
    network.build().unwrap()
}

/// Returns the verdict on two chunks from terminal 0, by lengths of the two channels in two steps.
fn broadcast(resources: &[u32], sums: [u64; 2]) -> String {
    let broadcast = Collective::broadcast(ROOT).with_chunks(2.try_into().unwrap());
    verdict(&path(), &broadcast, PACKETS, &bound(2, [resources, &[], &[]], sums))
}

fn wrong(claimed: u64, actual: u64) -> String {
    format!("lengths of all messages: the certificate states {claimed}, but the problem gives {actual}")
}

#[test]
fn a_message_enters_after_the_way_to_a_class_and_before_the_way_beyond() {
    // Both chunks cross the second channel in the second step, and the first channel in the first step.
    assert_eq!(broadcast(&[0, 0, 0, 1], [2, 1]), "accepted");
    assert_eq!(broadcast(&[1, 0, 0, 0], [2, 1]), "accepted");
    assert_eq!(broadcast(&[1, 0, 0, 1], [4, 2]), "accepted");
    for [claimed, actual] in [[1, 2], [3, 2]] {
        assert_eq!(broadcast(&[0, 0, 0, 1], [claimed, 1]), wrong(claimed, actual));
    }
    let not_long = why(Rule::TimedEntries, "the entries of all messages are not too long");
    // Terminal 2 cannot receive in the first step, and terminal 1 not too late in the second one.
    assert_eq!(broadcast(&[0, 1, 0, 0], [0, 1]), not_long);
    assert_eq!(broadcast(&[0, 0, 1, 0], [0, 1]), not_long);
    assert_eq!(broadcast(&[1, 1, 0, 0], [2, 2]), not_long);
}

#[test]
fn ports_add_to_the_length_of_a_channel() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    let two_chunks = Collective::broadcast(ROOT).with_chunks(2.try_into().unwrap());
    let check = |sends: &[u32], receptions: &[u32], sums| {
        verdict(&path(), &two_chunks, one_port, &bound(2, [&[0; 4], sends, receptions], sums))
    };
    assert_eq!(check(&[1, 0, 0, 0, 0, 0], &[], [2, 1]), "accepted");
    assert_eq!(check(&[], &[0, 0, 0, 0, 0, 1], [2, 1]), "accepted");
    assert_eq!(check(&[2, 0, 0, 0, 0, 0], &[0, 1, 0, 0, 0, 0], [6, 3]), "accepted");
}

#[test]
fn a_message_that_cannot_be_in_time_is_longer_than_all_that_is_available() {
    let once = Collective::broadcast(ROOT);
    let check = |length: u32, sums| verdict(&path(), &once, PACKETS, &bound(1, [&[length; 2], &[], &[]], sums));
    assert_eq!(check(0, [1, 0]), "accepted");
    assert_eq!(check(3, [7, 6]), "accepted");
}

#[test]
fn wormholes_take_several_channels_in_a_step() {
    let broadcast = Collective::broadcast(ROOT).with_chunks(2.try_into().unwrap());
    let error = why(Rule::TimedEntries, "a transfer can take several channels, so distances say nothing about steps");
    assert_eq!(verdict(&path(), &broadcast, WORMHOLE, &bound(2, [&[0, 0, 0, 1], &[], &[]], [2, 1])), error);
}

/// Terminals 0 and 1 are one class, and 2 and 3 are another one. The link between the classes has lengths. All contributions
/// cross it in the second of three steps: they need one step before it, and one step after it.
#[test]
fn contributions_cross_between_the_ways_on_both_sides() {
    let line: Topology = "mesh:1x4".parse().unwrap();
    let between: Vec<usize> = line
        .channels()
        .filter(|&channel| (line.tail(channel).number() < 2) != (line.head(channel).number() < 2))
        .map(|channel| line.resource(channel).index())
        .collect();
    let blocks = Collective::all_reduce_in_blocks(&line, &[], 2.try_into().unwrap()).unwrap();
    let check = |step: usize, sums| {
        let mut resources = vec![0; 3 * line.resource_count()];
        for resource in &between {
            resources[step * line.resource_count() + resource] = 1;
        }
        verdict(&line, &blocks, PACKETS, &bound(3, [&resources, &[], &[]], sums))
    };
    assert_eq!(check(1, [4, 2]), "accepted");
    let not_long = why(Rule::TimedEntries, "the entries of all messages are not too long");
    assert_eq!(check(0, [0, 2]), not_long);
    assert_eq!(check(2, [0, 2]), not_long);
}

/// Each terminal is a class. One of them is complete first. Each other one sends a transfer out and is completed by another.
#[test]
fn every_class_but_one_has_a_departure_and_a_completion() {
    let star: Topology = "star:4".parse().unwrap();
    let check = |blocks: u32, sums| {
        let blocks = Collective::all_reduce_in_blocks(&star, &[], blocks.try_into().unwrap()).unwrap();
        let lengths = vec![1; 2 * star.resource_count()];
        verdict(&star, &blocks, PACKETS, &bound(2, [&lengths, &[], &[]], sums))
    };
    let available = 2 * star.resource_count() as u64;
    let of_block = 2 * (star.terminal_count() as u64 - 1);
    assert!(3 * of_block > available);
    assert_eq!(check(3, [3 * of_block, available]), "accepted");
    assert_eq!(check(3, [0, available]), wrong(0, 3 * of_block));
}
