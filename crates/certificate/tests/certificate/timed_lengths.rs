//! Lengths of resources and ports in each step, for trees of broadcasts.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Ports, Routing};
use lockstep_topology::{Topology, TopologyBuilder};

use crate::verdict::{PACKETS, ROOT, WORMHOLE, nodes, verdict, why};

fn bound(rule: Rule, infeasible: u32, lists: [Vec<u32>; 3], [distance, available]: [u64; 2]) -> LowerBound {
    let [resources, sends, receptions] = lists;
    let certificate = Certificate::TimedTrees { infeasible, resources, sends, receptions, distance, available };
    LowerBound { steps: infeasible.saturating_add(1), rule, certificate }
}

/// Returns the verdict on lengths of the channels alone.
fn trees(topology: &Topology, chunks: u32, infeasible: u32, resources: &[u32], sums: [u64; 2]) -> String {
    let broadcast = Collective::broadcast(ROOT).with_chunks(chunks.try_into().unwrap());
    let lists = [resources.to_vec(), Vec::new(), Vec::new()];
    verdict(topology, &broadcast, PACKETS, &bound(Rule::TimedTrees, infeasible, lists, sums))
}

fn wrong(quantity: &str, claimed: u64, actual: u64) -> String {
    format!("{quantity}: the certificate states {claimed}, but the problem gives {actual}")
}

/// The channels 0 -> 1 and 1 -> 2, and one from 1 to `terminals - 1` others.
fn path(terminals: u32) -> Topology {
    let mut network = TopologyBuilder::new("path");
    let ends: Vec<_> = (0..terminals).map(|node| network.terminal(node.to_string())).collect();
    network.channel(ends[0], ends[1]);
    for &end in &ends[2..] {
        network.channel(ends[1], end);
    }
    network.build().unwrap()
}

#[test]
fn a_message_that_cannot_arrive_is_longer_than_all_that_is_available() {
    let path = path(3);
    assert_eq!(trees(&path, 1, 1, &[0, 0], [1, 0]), "accepted");
    assert_eq!(trees(&path, 2, 1, &[0, 1], [4, 1]), "accepted");
    assert_eq!(trees(&path, 2, 1, &[0, 1], [2, 1]), wrong("lengths of all messages", 2, 4));
    assert_eq!(trees(&path, 2, 1, &[0, 1], [4, 2]), wrong("lengths in all steps", 2, 1));
    // In two steps, each of two chunks covers the length of the first channel in the first step: 1.
    assert_eq!(trees(&path, 2, 2, &[1, 0, 0, 0], [0, 1]), wrong("lengths of all messages", 0, 2));
    assert_eq!(trees(&path, 2, 2, &[1, 0, 0, 0], [2, 1]), "accepted");
    let not_long = why(Rule::TimedTrees, "the trees of all messages are not too long");
    assert_eq!(trees(&path, 1, 2, &[1, 0, 0, 0], [1, 1]), not_long);
}

#[test]
fn capacities_multiply_what_is_available() {
    let mut network = TopologyBuilder::new("wide");
    let ends = ["0", "1"].map(|name| network.terminal(name));
    let channel = network.channel(ends[0], ends[1]);
    network.set_capacity([channel], 3);
    let network = network.build().unwrap();
    let not_long = why(Rule::TimedTrees, "the trees of all messages are not too long");
    assert_eq!(trees(&network, 4, 1, &[2], [8, 6]), "accepted");
    assert_eq!(trees(&network, 3, 1, &[2], [6, 6]), not_long);
}

#[test]
fn ports_have_a_length_in_every_step() {
    let path = path(3);
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    let two_chunks = Collective::broadcast(ROOT).with_chunks(2.try_into().unwrap());
    let check = |sends: Vec<u32>, receptions: Vec<u32>, sums: [u64; 2]| {
        let lists = [vec![0; 4], sends, receptions];
        verdict(&path, &two_chunks, one_port, &bound(Rule::TimedTrees, 2, lists, sums))
    };
    // Terminal 0 sends both chunks in the first step, but has one port.
    assert_eq!(check(vec![1, 0, 0, 0, 0, 0], Vec::new(), [2, 1]), "accepted");
    assert_eq!(check(Vec::new(), vec![0, 1, 0, 0, 0, 0], [2, 1]), "accepted");
    let error = why(Rule::TimedTrees, "either every terminal has a length in every step or none has");
    for count in [3, 5, 7] {
        assert_eq!(check(vec![1; count], Vec::new(), [0, 0]), error);
        assert_eq!(check(Vec::new(), vec![1; count], [0, 0]), error);
    }
}

#[test]
fn the_work_of_a_check_is_limited() {
    let most = path(8);
    let lengths = |network: &Topology, steps: usize| vec![0; steps * network.resource_count()];
    assert_eq!(trees(&most, 1, 1, &lengths(&most, 1), [1, 0]), "accepted");
    let more = path(9);
    let error = why(Rule::TimedTrees, "the trees of all messages take too long to compute again");
    assert_eq!(trees(&more, 1, 1, &lengths(&more, 1), [1, 0]), error);
    let pair = path(2);
    let error = why(Rule::TimedTrees, "the number of steps is 0 or too large");
    assert_eq!(trees(&pair, 1, 0, &[], [1, 0]), error);
    assert_eq!(trees(&pair, 1, 1025, &[1; 1025], [1, 1025]), error);
    assert_eq!(trees(&pair, 1025, 1024, &[1; 1024], [1025, 1024]), "accepted");
    let error = why(Rule::TimedTrees, "every resource must have a length in every step");
    for count in [1, 3] {
        assert_eq!(trees(&pair, 1, 2, &vec![1; count], [1, 1]), error);
    }
}

/// Returns the verdict on a length of the first resource alone, for two chunks from terminal 0 to another one in one step.
fn first_resource(network: &Topology, model: CommunicationModel, receiver: u32, sums: [u64; 2]) -> String {
    let chunks = Collective::many_to_many_broadcast(&[ROOT], &nodes(&[receiver])).with_chunks(2.try_into().unwrap());
    let mut resources = vec![0; network.resource_count()];
    resources[0] = 1;
    let lists = [resources, Vec::new(), Vec::new()];
    verdict(network, &chunks, model, &bound(Rule::TimedTrees, 1, lists, sums))
}

#[test]
fn transfers_take_the_fewest_channels_under_minimal_routing() {
    // The first resource is the channel 0 -> 1.
    let triangle: Topology = "complete:3".parse().unwrap();
    let any = CommunicationModel { routing: Routing::Any, ..WORMHOLE };
    assert_eq!(first_resource(&triangle, WORMHOLE, 1, [2, 1]), "accepted");
    assert_eq!(first_resource(&triangle, any, 1, [2, 1]), wrong("lengths of all messages", 2, 0));
    // The path with the fewest channels from 0 to 2 uses the first resource twice, so transfers take the detour.
    let mut network = TopologyBuilder::new("detour");
    let ends: Vec<_> = (0..5).map(|node| network.terminal(node.to_string())).collect();
    let channels = [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)].map(|(tail, head)| network.channel(ends[tail], ends[head]));
    network.share([channels[0], channels[1]]);
    let detour = network.build().unwrap();
    assert_eq!(first_resource(&detour, WORMHOLE, 2, [4, 1]), wrong("lengths of all messages", 4, 0));
}
