//! Messages that enter a node set late: the numbers of entries by the number of last steps.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};
use lockstep_topology::{Topology, TopologyBuilder};

use crate::verdict::{PACKETS, ROOT, nodes, verdict, why};

/// A network of this many terminals with these links and channels.
fn network(terminals: u32, links: &[[u32; 2]], channels: &[[u32; 2]]) -> TopologyBuilder {
    let mut network = TopologyBuilder::new("late");
    let terminals: Vec<_> = (0..terminals).map(|node| network.terminal(node.to_string())).collect();
    for &[one, other] in links {
        network.link(terminals[one as usize], terminals[other as usize]);
    }
    for &[tail, head] in channels {
        network.channel(terminals[tail as usize], terminals[head as usize]);
    }
    network
}

/// Returns the last steps, the entries and the steps of each certificate for a broadcast of terminal 0, which the check
/// accepts.
fn late_cuts(
    topology: &Topology,
    model: CommunicationModel,
    chunks: u32,
    set: &[u32],
    receivers: u64,
) -> Vec<(u32, u64, u64)> {
    late_cuts_of(topology, &Collective::broadcast(ROOT).with_chunks(chunks.try_into().unwrap()), model, set, receivers)
}

/// As [`late_cuts`], for any collective.
fn late_cuts_of(
    topology: &Topology,
    collective: &Collective,
    model: CommunicationModel,
    set: &[u32],
    receivers: u64,
) -> Vec<(u32, u64, u64)> {
    let problem = Problem::new(topology, collective, model).unwrap();
    let certificates = Certificate::late_cuts(&problem, &nodes(set));
    let facts = certificates.into_iter().filter_map(|(certificate, steps)| {
        let &Certificate::LateCut { late, entries, receivers: fewest, .. } = &certificate else {
            panic!("{certificate:?}")
        };
        let bound = |steps: u64| LowerBound {
            steps: steps.try_into().unwrap(),
            rule: Rule::TimedCut,
            certificate: certificate.clone(),
        };
        assert_eq!(verdict(topology, collective, model, &bound(steps)), "accepted");
        assert_ne!(verdict(topology, collective, model, &bound(steps + 1)), "accepted");
        (fewest == receivers).then_some((late, entries, steps))
    });
    facts.collect()
}

#[test]
fn a_message_that_enters_a_path_late_cannot_reach_its_end() {
    let path = network(5, &[], &[[0, 1], [1, 2], [2, 3], [3, 4]]).build().unwrap();
    assert_eq!(late_cuts(&path, PACKETS, 5, &[1, 2, 3, 4], 4), [(1, 0, 6), (2, 0, 7), (3, 0, 8)]);
    // No message has 3 or 5 receivers in the set, and a set has its nodes in order.
    for (set, receivers) in [(&[1, 2, 3, 4][..], 3), (&[1, 2, 3, 4], 5), (&[1, 2], 0), (&[2, 1], 2)] {
        assert_eq!(late_cuts(&path, PACKETS, 5, set, receivers), []);
    }
    let no_message = network(3, &[[0, 1]], &[[2, 0]]).build().unwrap();
    let to_first = Collective::many_to_many_broadcast(&[ROOT], &nodes(&[1]));
    let problem = Problem::new(&no_message, &to_first, PACKETS).unwrap();
    assert_eq!(Certificate::late_cuts(&problem, &nodes(&[2])), []);
}

/// Both terminals receive every chunk from outside, by two entries, whatever the number of last steps.
#[test]
fn terminals_without_channels_between_them_need_an_entry_each() {
    let star = network(3, &[[0, 1], [0, 2]], &[]).build().unwrap();
    let mut failed = network(3, &[[0, 1], [0, 2]], &[]);
    let inner = failed.channel(nodes(&[1])[0], nodes(&[2])[0]);
    failed.fail_channel(inner);
    // A node that does not forward is no way from terminal 1 to terminal 2.
    let mut dead = network(3, &[[0, 1], [0, 2]], &[]);
    let end = dead.node("dead", false, Some(false));
    dead.channel(nodes(&[1])[0], end);
    dead.channel(end, nodes(&[2])[0]);
    // Nor is a path that leaves the set.
    let around = network(4, &[[0, 1], [0, 3]], &[[1, 3], [3, 2]]).build().unwrap();
    let late = |topology: &Topology, set: &[u32]| late_cuts(topology, PACKETS, 100, set, 2);
    let expected: Vec<(u32, u64, u64)> =
        (1..=64).map(|late| (late, 2, u64::from(late) + u64::from(100 - late).div_ceil(2))).collect();
    assert_eq!(late(&star, &[1, 2]), expected);
    assert_eq!(late(&failed.build().unwrap(), &[1, 2]), expected);
    assert_eq!(late(&dead.build().unwrap(), &[1, 2, 3]), expected);
    assert_eq!(late(&around, &[1, 2]), expected);
}

/// With one port, a message that enters in the first of two last steps is at two of four terminals at the end.
#[test]
fn ports_limit_how_far_a_late_message_spreads() {
    let inner = [[1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
    let clique = network(5, &[&inner[..], &[[0, 1]]].concat(), &[]).build().unwrap();
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    assert_eq!(late_cuts(&clique, one_port, 3, &[1, 2, 3, 4], 4), [(1, 0, 4), (2, 2, 4)]);
    assert_eq!(late_cuts(&clique, PACKETS, 3, &[1, 2, 3, 4], 4), [(1, 0, 4)]);
}

/// A switch sends on in the same step: terminals 3 and 4 are one transfer from the entrance, terminal 5 is two.
#[test]
fn a_transfer_crosses_switches_inside_the_set() {
    let mut network = TopologyBuilder::new("switches");
    let root = network.terminal("0");
    let switches = [network.switch("1"), network.switch("2")];
    let ends: Vec<_> = (3..6).map(|node| network.terminal(node.to_string())).collect();
    network.channel(root, switches[0]);
    network.link(switches[0], switches[1]);
    network.channel(switches[1], ends[0]);
    network.channel(switches[1], ends[1]);
    network.channel(ends[0], ends[2]);
    let network = network.build().unwrap();
    assert_eq!(late_cuts(&network, PACKETS, 4, &[1, 2, 3, 4, 5], 3), [(1, 0, 5), (2, 2, 5)]);
}

/// Terminals 2 and 3 receive everything from terminal 1, and it receives everything over one channel.
#[test]
fn a_message_from_inside_enters_for_those_that_it_does_not_reach() {
    let network = network(4, &[], &[[0, 1], [1, 2], [1, 3], [2, 0], [3, 0]]).build().unwrap();
    let late = |collective: &Collective, receivers| {
        late_cuts_of(&network, collective, CommunicationModel::wormhole(), &[1, 2, 3], receivers)
    };
    // The message of terminal 0 enters for all three, those of terminals 2 and 3 for two, and that of terminal 1 for none.
    let all_gather = Collective::all_gather();
    assert_eq!(late(&all_gather, 3), [(1, 3, 2)]);
    assert_eq!(late(&all_gather, 2), [(1, 2, 4)]);
    assert_eq!(late(&all_gather, 1), []);
    // Terminal 2 is the source of this message, and no receiver.
    let from = |source, receivers: &[u32]| Collective::many_to_many_broadcast(&nodes(&[source]), &nodes(receivers));
    assert_eq!(late(&from(2, &[1, 2, 3]), 2), [(1, 2, 2)]);
    assert_eq!(late(&from(1, &[2, 3]), 2), []);
}

/// Terminal 1 has two channels, of which one stays inside. So two of three terminals have a message that enters in the first
/// of two last steps.
#[test]
fn only_channels_inside_the_set_spread_a_message() {
    let chain = network(4, &[[0, 1]], &[[1, 2], [2, 3]]).build().unwrap();
    assert_eq!(late_cuts(&chain, CommunicationModel::wormhole(), 5, &[1, 2, 3], 3), [(1, 3, 6), (2, 2, 6)]);
}

#[test]
fn the_facts_of_a_late_cut_are_exact() {
    let inner = [[1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
    let clique = network(5, &[&inner[..], &[[0, 1]]].concat(), &[]).build().unwrap();
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    let three_chunks = Collective::broadcast(ROOT).with_chunks(3.try_into().unwrap());
    let check = |set: &[u32], [receivers, messages, per_step, entries]: [u64; 4], late: u32| {
        let certificate = Certificate::LateCut { nodes: nodes(set), receivers, messages, per_step, late, entries };
        verdict(&clique, &three_chunks, one_port, &LowerBound { steps: 4, rule: Rule::TimedCut, certificate })
    };
    let all = [1, 2, 3, 4];
    assert_eq!(check(&all, [4, 3, 1, 2], 2), "accepted");
    assert_eq!(check(&all, [0, 3, 1, 2], 2), why(Rule::TimedCut, "the messages must have receivers in the set"));
    for late in [0, 65] {
        let error = why(Rule::TimedCut, "the number of last steps must be 1 to 64");
        assert_eq!(check(&all, [4, 3, 1, 2], late), error);
    }
    for late in [3, 64] {
        let error = why(Rule::TimedCut, "one entry is enough in this number of last steps");
        assert_eq!(check(&all, [4, 3, 1, 1], late), error);
    }
    for wrong in [[5, 3, 1, 2], [3, 3, 1, 2], [4, 2, 1, 2], [4, 4, 1, 2], [4, 3, 2, 2], [4, 3, 1, 1], [4, 3, 1, 3]] {
        let error = check(&all, wrong, 2);
        assert!(error.contains("but the problem gives"), "{wrong:?}: {error}");
    }
}
