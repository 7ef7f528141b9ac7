//! Transfers of an all-reduce between groups of nodes, each claim with the value above and below.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CollectiveName, MessageId, Problem, Schedule, verify};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

use crate::verdict::{PACKETS, nodes, verdict, why};

/// Two cliques of this many terminals, with links between the terminals of the same place, up to `links`.
fn two_cliques(size: usize, links: usize) -> Topology {
    let mut network = TopologyBuilder::new("two cliques");
    let ends: Vec<NodeId> = (0..2 * size).map(|node| network.terminal(node.to_string())).collect();
    for clique in ends.chunks(size) {
        for (place, &one) in clique.iter().enumerate() {
            for &other in &clique[place + 1..] {
                network.link(one, other);
            }
        }
    }
    for place in 0..links {
        network.link(ends[place], ends[size + place]);
    }
    network.build().unwrap()
}

fn bound(steps: u32, groups: &[&[u32]], [transfers, members, per_step]: [u64; 3]) -> LowerBound {
    let groups = groups.iter().map(|group| nodes(group)).collect();
    LowerBound {
        steps,
        rule: Rule::Volume,
        certificate: Certificate::GroupVolume { groups, transfers, members, per_step },
    }
}

fn wrong(what: &str, claimed: u64, actual: u64) -> String {
    format!("{what}: the certificate states {claimed}, but the problem gives {actual}")
}

/// Each of 4 messages in 3 chunks crosses twice: 24 transfers, 2 per step. One of those in the first step serves two needs
/// of the three that have to be met before a message crosses back, and the same holds at the end.
#[test]
fn every_message_crosses_between_two_groups_twice() {
    let network = two_cliques(2, 1);
    let three_chunks = Collective::all_reduce().with_chunks(3.try_into().unwrap());
    let check = |steps: u32, facts: [u64; 3]| {
        verdict(&network, &three_chunks, PACKETS, &bound(steps, &[&[0, 1], &[2, 3]], facts))
    };
    assert_eq!(check(13, [24, 2, 2]), "accepted");
    assert_ne!(check(14, [24, 2, 2]), "accepted");
    for (transfers, members, per_step, error) in [
        (23, 2, 2, wrong("transfers between groups", 23, 24)),
        (25, 2, 2, wrong("transfers between groups", 25, 24)),
        (24, 1, 2, wrong("members in a group", 1, 2)),
        (24, 3, 2, wrong("members in a group", 3, 2)),
        (24, 2, 1, wrong("transfers between groups in one step", 1, 2)),
        (24, 2, 3, wrong("transfers between groups in one step", 3, 2)),
    ] {
        assert_eq!(check(13, [transfers, members, per_step]), error);
    }
}

/// With four links, 8 transfers per step. Terminals 0 to 3 and 4 to 7 have 4 members each: 16 / 5 = 3 transfers at each end.
/// With two links, 4 per step: 8 / 5 = 1 at each end.
#[test]
fn transfers_of_the_first_and_last_step_serve_few_members() {
    let two_groups: [&[u32]; 2] = [&[0, 1, 2, 3], &[4, 5, 6, 7]];
    let check = |links: usize, blocks: u32, steps: u32, per_step: u64| {
        let network = two_cliques(4, links);
        let collective = Collective::all_reduce_in_blocks(&network, &[], blocks.try_into().unwrap()).unwrap();
        verdict(&network, &collective, PACKETS, &bound(steps, &two_groups, [2 * u64::from(blocks), 4, per_step]))
    };
    // 10 transfers without 2 of 3 leave 4, so there is a step between.
    assert_eq!([check(4, 5, 3, 8), check(4, 3, 1, 8)], ["accepted"; 2]);
    assert_ne!(check(4, 5, 4, 8), "accepted");
    // 15 blocks: 30 transfers without 6 leave 24, which take 3 steps and not 4.
    assert_eq!(check(4, 15, 5, 8), "accepted");
    assert_ne!(check(4, 15, 6, 8), "accepted");
    // All 4 transfers fit in one step, although the ends of a longer schedule leave 2.
    assert_eq!(check(2, 2, 1, 4), "accepted");
    assert_ne!(check(2, 2, 3, 4), "accepted");
}

#[test]
fn groups_are_sorted_sets_of_nodes_that_do_not_overlap() {
    let network = two_cliques(2, 1);
    let check = |groups: &[&[u32]]| verdict(&network, &Collective::all_reduce(), PACKETS, &bound(5, groups, [8, 2, 2]));
    assert_eq!(check(&[&[0, 1], &[2, 3]]), "accepted");
    assert_eq!(check(&[&[0, 1], &[2, 4]]), "the certificate names node 4, but the nodes are 0 to 3");
    assert_eq!(check(&[&[0, 1], &[2, 3], &[4]]), "the certificate names node 4, but the nodes are 0 to 3");
    for unsorted in [[1, 0], [0, 0]] {
        let error = check(&[&unsorted, &[2, 3]]);
        assert_eq!(error, "the node set lists node 0 out of order; list each node once, in ascending order");
    }
    assert_eq!(check(&[&[0, 1], &[1, 2, 3]]), why(Rule::Volume, "a node is in two groups"));
    assert_eq!(check(&[&[0, 1], &[2]]), why(Rule::Volume, "a terminal is in no group"));
}

/// Six blocks of the three leaves of a star take 7 steps: the hub adds the sums, so a block crosses 3 times in each direction,
/// and not 4 times.
#[test]
fn a_terminal_that_is_no_member_is_in_a_group_too() {
    let mut network = TopologyBuilder::new("star");
    let ends: Vec<NodeId> = (0..4).map(|node| network.terminal(node.to_string())).collect();
    for &leaf in &ends[1..] {
        network.link(ends[0], leaf);
    }
    let network = network.build().unwrap();
    let blocks = Collective::all_reduce_in_blocks(&network, &[nodes(&[1, 2, 3])], 6.try_into().unwrap()).unwrap();
    let problem = Problem::new(&network, &blocks, PACKETS).unwrap();
    let channel = |from: usize, to: usize| {
        let mut out = network.out_channels(ends[from]).iter().copied();
        out.find(|&channel| network.head(channel) == ends[to]).unwrap()
    };
    let mut schedule = Schedule::new();
    for step in 0..7 {
        schedule.begin_step();
        for leaf in 1..4 {
            if step < 6 {
                schedule.push(MessageId::new(step), &[channel(leaf, 0)]);
            }
            if step > 0 {
                schedule.push(MessageId::new(step - 1), &[channel(0, leaf)]);
            }
        }
    }
    assert_eq!(verify(&problem, &schedule).unwrap().steps, 7);

    let check =
        |groups: &[&[u32]], steps: u32, facts| verdict(&network, &blocks, PACKETS, &bound(steps, groups, facts));
    assert_eq!(check(&[&[1], &[2], &[3]], 8, [24, 1, 3]), why(Rule::Volume, "a terminal is in no group"));
    assert_eq!(check(&[&[0, 1], &[2], &[3]], 6, [24, 1, 4]), "accepted");
}

/// Only the messages of terminals 1 and 2 cross. The others stay in the group of their members.
#[test]
fn messages_within_a_group_do_not_cross() {
    let network = two_cliques(2, 1);
    let pairs = [nodes(&[0, 3]), nodes(&[1, 2])];
    let two = Collective::all_reduce_in_blocks(&network, &pairs, 2.try_into().unwrap()).unwrap();
    let check =
        |groups: &[&[u32]], facts: [u64; 3], steps: u32| verdict(&network, &two, PACKETS, &bound(steps, groups, facts));
    assert_eq!(check(&[&[0, 3], &[1, 2]], [0, 2, 6], 0), why(Rule::Volume, "no message has to move"));
    assert_eq!(check(&[&[0, 1], &[2, 3]], [8, 1, 2], 4), "accepted");
    let in_groups = CollectiveName::AllReduce.in_groups(&network, &pairs, &[]).unwrap();
    let error = verdict(&network, &in_groups, PACKETS, &bound(5, &[&[0, 1], &[2, 3]], [4, 1, 2]));
    assert_eq!(error, wrong("transfers between groups", 4, 8));
}
