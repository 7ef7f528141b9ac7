//! Bounds of Cayley graphs.

use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};
use lockstep_schedule::{CollectiveName, CommunicationModel};
use lockstep_topology::{CayleyGraph, NodeId};

const ALL_GATHER: CollectiveName = CollectiveName::AllGather;
const ALL_TO_ALL: CollectiveName = CollectiveName::AllToAll;

fn into_nodes(nodes: std::ops::Range<u32>, messages: u64, per_step: u64) -> Certificate {
    Certificate::Cut { nodes: nodes.map(NodeId::new).collect(), direction: Direction::In, messages, per_step }
}

#[test]
fn every_changed_fact_is_refused() {
    let far = |messages| {
        let (node, direction, distance, ports) = (NodeId::new(3), Direction::In, 4, 2);
        Certificate::Eccentricity { node, direction, distance, messages, ports }
    };
    let sum = |channel_uses| Certificate::DistanceSum { channel_uses, per_step: 64 };
    let cases = [
        ("ring:9", ALL_GATHER, Rule::Ports, 4, into_nodes(0..1, 8, 2), into_nodes(0..2, 8, 2)),
        ("ring:9", ALL_GATHER, Rule::Eccentricity, 4, far(2), far(3)),
        ("hypercube:4", ALL_TO_ALL, Rule::Cut, 8, into_nodes(0..8, 64, 8), into_nodes(1..9, 64, 8)),
        ("hypercube:4", ALL_TO_ALL, Rule::DistanceSum, 8, sum(512), sum(513)),
    ];
    for (spec, collective, rule, steps, certificate, changed) in cases {
        let graph: CayleyGraph = spec.parse().unwrap();
        let check = |collective, steps, rule, certificate: &Certificate| {
            let bound = LowerBound { steps, rule, certificate: certificate.clone() };
            bound.check_symmetric(&graph, collective, CommunicationModel::store_and_forward())
        };
        assert_eq!(check(collective, steps, rule, &certificate), Ok(()), "{spec} {rule}");
        assert!(check(collective, steps + 1, rule, &certificate).is_err());
        assert!(check(collective, steps, Rule::Volume, &certificate).is_err());
        assert!(check(CollectiveName::Gather, steps, rule, &certificate).is_err());
        assert!(check(collective, steps, rule, &changed).is_err(), "{changed:?}");
    }
}

#[test]
fn unknown_and_unordered_nodes_are_named() {
    let ring: CayleyGraph = "ring:4".parse().unwrap();
    let refusal = |nodes: &[u32]| {
        let nodes = nodes.iter().copied().map(NodeId::new).collect();
        let certificate = Certificate::Cut { nodes, direction: Direction::In, messages: 4, per_step: 2 };
        let bound = LowerBound { steps: 2, rule: Rule::Cut, certificate };
        bound.check_symmetric(&ring, ALL_TO_ALL, CommunicationModel::wormhole()).unwrap_err().to_string()
    };
    assert_eq!(refusal(&[0, 4]), "the certificate names node 4, but the nodes are 0 to 3");
    assert_eq!(refusal(&[1, 1]), "the node set lists node 1 out of order; list each node once, in ascending order");
    assert_eq!(refusal(&[1, 0]), "the node set lists node 0 out of order; list each node once, in ascending order");
}

#[test]
fn generators_must_reach_every_node() {
    let rings = CayleyGraph::new("two rings", &[8], &[2, 6]).unwrap();
    let certificate = Certificate::DistanceSum { channel_uses: 128, per_step: 16 };
    let bound = LowerBound { steps: 8, rule: Rule::DistanceSum, certificate };
    let refusal = bound.check_symmetric(&rings, ALL_TO_ALL, CommunicationModel::wormhole()).unwrap_err().to_string();
    assert_eq!(refusal, "not a valid distance-sum certificate: the generators do not reach every node");
}

/// The verdict on a bound for packets.
fn verdict(spec: &str, collective: CollectiveName, rule: Rule, steps: u32, certificate: Certificate) -> String {
    let graph: CayleyGraph = spec.parse().unwrap();
    let checked = LowerBound { steps, rule, certificate }.check_symmetric(
        &graph,
        collective,
        CommunicationModel::store_and_forward(),
    );
    checked.map_or_else(|error| error.to_string(), |()| "accepted".to_owned())
}

#[test]
fn both_directions_of_a_cut_are_added() {
    let both = |per_step: u64| {
        let (nodes, direction, messages) = (vec![NodeId::new(5)], Direction::Both, 30);
        let certificate = Certificate::Cut { nodes, direction, messages, per_step };
        verdict("hypercube:4", ALL_TO_ALL, Rule::Ports, 4, certificate)
    };
    assert_eq!(both(8), "accepted");
    assert_eq!(both(6), "crossings in one step: the certificate states 6, but the problem gives 8");
}

#[test]
fn nothing_crosses_the_border_of_no_node_and_of_all_nodes() {
    for nodes in [0..0, 0..9] {
        for collective in [ALL_GATHER, ALL_TO_ALL] {
            let refused = verdict("ring:9", collective, Rule::Cut, 1, into_nodes(nodes.clone(), 0, 0));
            assert_eq!(refused, "not a valid cut certificate: no message has to move");
        }
    }
}

/// In an all-gather, a source has one message for both terminals that are 4 channels away.
#[test]
fn an_all_to_all_sends_one_message_to_each_far_terminal() {
    let far = |collective, direction, messages| {
        let (node, distance, ports) = (NodeId::new(3), 4, 2);
        let certificate = Certificate::Eccentricity { node, direction, distance, messages, ports };
        verdict("ring:9", collective, Rule::Eccentricity, 4, certificate)
    };
    let refused = |claimed, actual| {
        format!("messages that travel this far: the certificate states {claimed}, but the problem gives {actual}")
    };
    for (collective, direction, messages) in [
        (ALL_GATHER, Direction::Out, 1),
        (ALL_GATHER, Direction::In, 2),
        (ALL_TO_ALL, Direction::Out, 2),
        (ALL_TO_ALL, Direction::In, 2),
    ] {
        assert_eq!(far(collective, direction, messages), "accepted");
        assert_eq!(far(collective, direction, 3 - messages), refused(3 - messages, messages));
    }
}

#[test]
fn distances_are_added_for_scatters_of_networks_that_can_be_searched() {
    let sum = |spec: &str, collective| {
        let certificate = Certificate::DistanceSum { channel_uses: 512, per_step: 64 };
        verdict(spec, collective, Rule::DistanceSum, 8, certificate)
    };
    let why = |why: &str| format!("not a valid distance-sum certificate: {why}");
    assert_eq!(sum("hypercube:4", ALL_TO_ALL), "accepted");
    assert_eq!(sum("hypercube:4", ALL_GATHER), why("the facts belong to another rule or collective"));
    assert_eq!(sum("hypercube:30", ALL_TO_ALL), why("the network is too large to be searched"));
}
