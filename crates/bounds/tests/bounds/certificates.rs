//! Every bound has a certificate that the independent check accepts.

use std::collections::BTreeSet;

use lockstep_bounds::{all, best, by_rule};
use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

/// Problems whose bounds cover every rule.
fn each_problem(mut visit: impl FnMut(&Problem<'_>)) {
    let root = NodeId::new(1);
    let collectives: [Collective; 7] = [
        Collective::broadcast(root),
        Collective::broadcast(root).with_chunks(2.try_into().unwrap()),
        Collective::scatter(root),
        Collective::all_gather(),
        Collective::all_to_all(),
        Collective::gather(root),
        Collective::all_reduce(),
    ];
    for spec in ["mesh:4x4", "mesh:1x4", "kautz:2,3", "full-b-tree:15", "complete:4"] {
        let topology: Topology = spec.parse().unwrap();
        for topology in [topology.half_duplex(), topology] {
            for collective in &collectives {
                let packets = CommunicationModel::store_and_forward();
                let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..packets };
                for model in [CommunicationModel::wormhole(), packets, one_port] {
                    visit(&Problem::new(&topology, collective, model).unwrap());
                }
            }
        }
    }
    let short: Topology = "mesh:1x4".parse().unwrap();
    let short = short.half_duplex();
    let two_blocks = Collective::all_reduce_in_blocks(&short, &[], 2.try_into().unwrap()).unwrap();
    visit(&Problem::new(&short, &two_blocks, CommunicationModel::store_and_forward()).unwrap());
}

#[test]
fn every_bound_is_accepted_and_survives_both_forms() {
    let mut rules = BTreeSet::new();
    each_problem(|problem| {
        for bound in all(problem) {
            rules.insert(bound.rule);
            assert_eq!(bound.check(problem), Ok(()), "{bound}");
            let text = serde_json::to_string(&bound).unwrap();
            assert_eq!(serde_json::from_str::<LowerBound>(&text).unwrap(), bound);
            assert_eq!(LowerBound::from_bytes(&bound.to_bytes()), Ok(bound));
        }
    });
    assert_eq!(rules, BTreeSet::from(Rule::ALL));
}

/// Eight terminals. Four of them are reached through one channel from switch 8 to switch 9.
fn narrow() -> Topology {
    let mut narrow = TopologyBuilder::new("narrow");
    let terminals: Vec<NodeId> = (0..8).map(|node| narrow.terminal(node.to_string())).collect();
    let (inner, outer) = (narrow.switch("in"), narrow.switch("out"));
    for (place, &terminal) in terminals.iter().enumerate() {
        narrow.channel(terminal, inner);
        narrow.channel(if place < 4 { inner } else { outer }, terminal);
    }
    narrow.channel(inner, outer);
    narrow.build().unwrap()
}

#[test]
fn a_reception_names_the_nodes_behind_few_channels() {
    let (network, all_gather) = (narrow(), Collective::all_gather());
    let problem = Problem::new(&network, &all_gather, CommunicationModel::wormhole()).unwrap();
    let words = "28 steps (reception): 28 deliveries to terminals among the 5 nodes 4, 5, 6, 7, 9, at most 1 in a step over \
                 the channels that lead there";
    assert_eq!(best(&problem).to_string(), words);
}

#[test]
fn every_node_more_or_less_of_a_reception_is_refused() {
    let (network, all_gather) = (narrow(), Collective::all_gather());
    let problem = Problem::new(&network, &all_gather, CommunicationModel::wormhole()).unwrap();
    let bound = by_rule(&problem, Rule::Reception).unwrap();
    assert_eq!(bound.check(&problem), Ok(()));
    for node in network.nodes() {
        let mut changed = bound.clone();
        let Certificate::Reception { nodes, .. } = &mut changed.certificate else { panic!("{bound:?}") };
        match nodes.binary_search(&node) {
            Ok(place) => drop(nodes.remove(place)),
            Err(place) => nodes.insert(place, node),
        }
        assert!(changed.check(&problem).is_err(), "{changed:?}");
    }
}
