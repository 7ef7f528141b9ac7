//! Certificates say what they say: accepted as found, refused when anything in them is changed.

use expect_test::expect;
use lockstep_bounds::{all, best, by_rule};
use lockstep_certificate::{Certificate, CertificateError, Direction, LowerBound, Rule, WeightedSet};
use lockstep_schedule::{Collective, CollectiveKind, CommunicationModel, Ports, Problem};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use serde_json::Value;

/// Problems whose bounds cover every rule.
fn each_problem(mut visit: impl FnMut(&Problem<'_>)) {
    let root = NodeId::new(1);
    let collectives: [Collective; 7] = [
        Collective::one_to_all_broadcast(root),
        Collective::one_to_all_broadcast(root).with_chunks(2.try_into().unwrap()),
        Collective::one_to_all_scatter(root),
        Collective::all_to_all_broadcast(),
        Collective::all_to_all_scatter(),
        CollectiveKind::Gather { root }.into(),
        CollectiveKind::AllReduce.into(),
    ];
    for spec in ["mesh:4x4", "kautz:2,3", "full-b-tree:15"] {
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
}

#[test]
fn every_rule_is_accepted_and_survives_json() {
    let mut seen = std::collections::BTreeSet::new();
    each_problem(|problem| {
        for bound in all(problem) {
            seen.insert(bound.rule);
            bound.check(problem).unwrap();
            let text = serde_json::to_string(&bound).unwrap();
            assert_eq!(serde_json::from_str::<LowerBound>(&text).unwrap(), bound);
        }
    });
    assert_eq!(seen.len(), 14, "{seen:?}");
}

#[test]
fn every_changed_number_is_refused() {
    each_problem(|problem| {
        for bound in all(problem) {
            let value = serde_json::to_value(&bound).unwrap();
            let mut places = Vec::new();
            numbers(&value, &mut Vec::new(), &mut places);
            for place in &places {
                for change in [1, -1] {
                    let mut spoilt = value.clone();
                    let number = at(&mut spoilt, place);
                    let Some(changed) = number.as_i64().unwrap().checked_add(change).filter(|&n| n >= 0) else {
                        continue;
                    };
                    *number = changed.into();
                    let spoilt: LowerBound = serde_json::from_value(spoilt).unwrap();
                    // Another terminal, set or time may be as good; then all else must still fit exactly.
                    let named = ["nodes", "source", "node", "holds", "sends", "receives"];
                    let is_node = place.iter().any(|key| named.contains(&key.as_str()));
                    assert!(spoilt.check(problem).is_err() || is_node, "{spoilt:?} for {bound:?}");
                }
            }
        }
    });
}

fn numbers(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Number(_) => {
            found.push(path.clone());
            return;
        }
        Value::Array(items) => items.iter().enumerate().map(|(place, item)| (place.to_string(), item)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), field)).collect(),
        _ => return,
    };
    for (key, child) in children {
        path.push(key);
        numbers(child, path, found);
        path.pop();
    }
}

fn at<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(value, |value, key| match value {
        Value::Array(items) => &mut items[key.parse::<usize>().unwrap()],
        value => &mut value[key.as_str()],
    })
}

fn mesh_exchange(visit: impl FnOnce(&Problem<'_>, LowerBound)) {
    let mesh: Topology = "mesh:4x4".parse().unwrap();
    let exchange = Collective::all_to_all_scatter();
    let problem = Problem::new(&mesh, &exchange, CommunicationModel::wormhole()).unwrap();
    visit(&problem, best(&problem));
}

#[test]
fn every_changed_node_of_the_middle_cut_is_refused() {
    mesh_exchange(|problem, bound| {
        assert_eq!(bound.rule, Rule::Cut);
        let Certificate::Cut { nodes, .. } = &bound.certificate else { panic!("{bound:?}") };
        assert_eq!(nodes.len(), 8);
        for place in 0..nodes.len() {
            for other in (0..16).map(NodeId::new).filter(|node| !nodes.contains(node)) {
                let mut spoilt = bound.clone();
                let Certificate::Cut { nodes, .. } = &mut spoilt.certificate else { unreachable!() };
                nodes[place] = other;
                nodes.sort_unstable();
                assert!(matches!(spoilt.check(problem), Err(CertificateError::Wrong { .. })), "{spoilt:?}");
            }
        }
    });
}

/// Eight terminals, four of which are reached through one channel from switch 8 to switch 9.
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
fn every_node_more_or_less_is_refused() {
    let (mesh, narrow): (Topology, _) = ("mesh:4x4".parse().unwrap(), narrow());
    let cases = [
        (&mesh, Collective::one_to_all_scatter(NodeId::new(1)), Rule::SourceCut),
        (&narrow, Collective::all_to_all_broadcast(), Rule::Reception),
    ];
    for (topology, collective, rule) in cases {
        let problem = Problem::new(topology, &collective, CommunicationModel::wormhole()).unwrap();
        let bound = by_rule(&problem, rule).unwrap();
        assert_eq!(bound.check(&problem), Ok(()));
        for node in topology.nodes() {
            let mut spoilt = bound.clone();
            let (Certificate::SourceCut { nodes, .. } | Certificate::Reception { nodes, .. }) = &mut spoilt.certificate
            else {
                panic!("{bound:?}")
            };
            match nodes.binary_search(&node) {
                Ok(place) => drop(nodes.remove(place)),
                Err(place) => nodes.insert(place, node),
            }
            assert!(spoilt.check(&problem).is_err(), "{spoilt:?}");
        }
    }
}

#[test]
fn faults_of_a_node_set_are_named() {
    let cut = |nodes: &[u32]| LowerBound {
        steps: 16,
        rule: Rule::Cut,
        certificate: Certificate::Cut {
            nodes: nodes.iter().copied().map(NodeId::new).collect(),
            direction: Direction::In,
            messages: 64,
            per_step: 4,
        },
    };
    mesh_exchange(|problem, _| {
        let refused = |nodes: &[u32]| cut(nodes).check(problem).unwrap_err().to_string();
        assert_eq!(cut(&[0, 1, 2, 3, 4, 5, 6, 7]).check(problem), Ok(()));
        assert_eq!(refused(&[0, 4_000_000_000]), "the certificate names node 4000000000, but the nodes are 0 to 15");
        assert_eq!(refused(&[0, 2, 1]), "node 1 stands out of order in the node set; list each node once, ascending");
        assert_eq!(refused(&[0, 0]), "node 0 stands out of order in the node set; list each node once, ascending");
        assert_eq!(refused(&[0, 1, 2, 3]), "messages that must cross: the certificate says 64, the problem gives 48");
        assert_eq!(refused(&[]), "messages that must cross: the certificate says 64, the problem gives 0");
    });
}

#[test]
fn a_rule_needs_its_own_kind_of_facts() {
    mesh_exchange(|problem, bound| {
        let others = [
            Rule::Ports,
            Rule::Growth,
            Rule::TreePackets,
            Rule::Eccentricity,
            Rule::SourceCut,
            Rule::Reception,
            Rule::TimedCut,
            Rule::DistanceSum,
            Rule::Volume,
            Rule::Phases,
        ];
        for rule in others {
            let spoilt = LowerBound { rule, ..bound.clone() };
            assert!(matches!(spoilt.check(problem), Err(CertificateError::NotApplicable { .. })), "{rule}");
        }
        let reversed = Certificate::Reversed { certificate: bound.certificate.clone().into() };
        assert!(LowerBound { certificate: reversed, ..bound.clone() }.check(problem).is_err());
        let phases = Certificate::Phases { phases: vec![bound.clone(), bound.clone()] };
        assert!(LowerBound { certificate: phases, rule: Rule::Phases, steps: 32 }.check(problem).is_err());
    });
}

#[test]
fn every_changed_table_of_a_tree_is_refused() {
    let tree: Topology = "full-b-tree:31".parse().unwrap();
    let broadcast = Collective::one_to_all_broadcast(NodeId::new(0));
    let problem = Problem::new(&tree, &broadcast, CommunicationModel::wormhole()).unwrap();
    let bound = best(&problem);
    assert_eq!((bound.rule, bound.check(&problem)), (Rule::TreeBroadcast, Ok(())));
    let Certificate::TreeBroadcast { source, infeasible, states, digest } = &bound.certificate else { unreachable!() };
    let refused = |infeasible: u32, digest: String| {
        let certificate = Certificate::TreeBroadcast { source: *source, infeasible, states: *states, digest };
        let spoilt = LowerBound { steps: infeasible + 1, rule: bound.rule, certificate };
        spoilt.check(&problem).unwrap_err().to_string()
    };
    let why = |why: &str| format!("this is no certificate by tree-broadcast: {why}");
    let other = digest.replacen(|_: char| true, "x", 1);
    assert_eq!(refused(*infeasible, other), why("the tables of the programme are others"));
    // The optimum is 4; what is more cannot be proved, and what takes too long is not tried.
    assert_eq!(refused(4, digest.clone()), why("the source can meet the needs of all subtrees"));
    assert_eq!(refused(u32::MAX - 1, digest.clone()), why("the programme is for 1 to 8 steps"));
    let mesh: Topology = "mesh:2x2".parse().unwrap();
    let elsewhere = Problem::new(&mesh, &broadcast, CommunicationModel::wormhole()).unwrap();
    assert_eq!(bound.check(&elsewhere).unwrap_err().to_string(), why("the links form no tree"));
}

/// A cut of packets from a node of a tree: eight of them go up through one channel.
fn moving_cut(ports: Ports, visit: impl FnOnce(&Problem<'_>, LowerBound)) {
    let tree: Topology = "full-b-tree:15".parse().unwrap();
    let scatter = Collective::one_to_all_scatter(NodeId::new(1));
    let model = CommunicationModel { ports, ..CommunicationModel::store_and_forward() };
    let problem = Problem::new(&tree, &scatter, model).unwrap();
    let bound = by_rule(&problem, Rule::TimedCut).unwrap();
    visit(&problem, bound);
}

/// A label may move where nothing hangs on it; else a number changes.
#[test]
fn every_label_that_matters_is_checked() {
    for ports in [Ports::All, Ports::limit(2).unwrap()] {
        moving_cut(ports, |problem, bound| {
            let value = serde_json::to_value(&bound).unwrap();
            let (mut refused, mut labels) = (0, Vec::new());
            numbers(&value, &mut Vec::new(), &mut labels);
            labels
                .retain(|place| ["holds", "sends", "receives"].iter().any(|name| place.contains(&(*name).to_owned())));
            for place in &labels {
                for label in 0..=bound.steps + 1 {
                    let mut spoilt = value.clone();
                    *at(&mut spoilt, place) = label.into();
                    let spoilt: LowerBound = serde_json::from_value(spoilt).unwrap();
                    refused += u32::from(spoilt.check(problem).is_err());
                    assert!(label <= bound.steps || spoilt.check(problem).is_err(), "{spoilt:?}");
                }
            }
            let tried = labels.len() as u32 * (bound.steps + 2);
            assert!(refused > tried / 2, "{refused} of {tried}");
        });
    }
}

#[test]
fn labels_are_complete_and_in_time() {
    moving_cut(Ports::All, |problem, bound| {
        let Certificate::TimedCut { infeasible, holds, messages, crossings, .. } = &bound.certificate else {
            panic!("{bound:?}")
        };
        let refused = |infeasible: u32, holds: Vec<u32>, sends: Vec<u32>| {
            let (messages, crossings, receives) = (*messages, *crossings, sends.clone());
            let certificate = Certificate::TimedCut { infeasible, holds, sends, receives, messages, crossings };
            let spoilt = LowerBound { certificate, steps: infeasible.saturating_add(1), ..bound };
            spoilt.check(problem).unwrap_err().to_string()
        };
        let why = |why: &str| format!("this is no certificate by timed-cut: {why}");
        let complete = why("every node has a label, and two for its ports if they are limited");
        assert_eq!(refused(*infeasible, holds[1..].to_vec(), vec![]), complete);
        assert_eq!(refused(*infeasible, holds.clone(), holds.clone()), complete);
        let late = vec![infeasible + 2; holds.len()];
        assert_eq!(refused(*infeasible, late, vec![]), why("no label is greater than that for never"));
        assert_eq!(refused(u32::MAX, holds.clone(), vec![]), why("there are too many steps"));
    });
}

#[test]
fn every_change_of_a_spread_is_refused() {
    let packets = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::store_and_forward() };
    let cases = [("mesh:5x5", 12, CommunicationModel::wormhole()), ("de-bruijn:2,4", 3, packets)];
    for (spec, root, model) in cases {
        let topology: Topology = spec.parse().unwrap();
        let broadcast = Collective::one_to_all_broadcast(NodeId::new(root));
        let problem = Problem::new(&topology, &broadcast, model).unwrap();
        let bound = best(&problem);
        assert_eq!((bound.rule, bound.check(&problem)), (Rule::BroadcastLp, Ok(())), "{spec}");
        let value = serde_json::to_value(&bound).unwrap();
        let refused = |spoilt: Value| {
            assert_ne!(spoilt, value);
            let spoilt: LowerBound = serde_json::from_value(spoilt).unwrap();
            assert!(spoilt.check(&problem).is_err(), "{spoilt:?} for {bound:?}");
        };
        let mut places = Vec::new();
        numbers(&value, &mut Vec::new(), &mut places);
        for place in &places {
            for change in [1, -1, 7] {
                let mut spoilt = value.clone();
                let number = at(&mut spoilt, place);
                *number = (number.as_i64().unwrap() + change).max(0).into();
                if spoilt != value {
                    refused(spoilt);
                }
            }
        }
        // A set, or a node of one, left out or written twice.
        for list in places.iter().map(|place| &place[..place.len() - 1]).filter(|list| list.len() > 1) {
            for list in [list, &list[..2]] {
                let Some(items) = at(&mut value.clone(), list).as_array().cloned() else { continue };
                for place in 0..items.len() {
                    let (mut fewer, mut more) = (items.clone(), items.clone());
                    fewer.remove(place);
                    more.insert(place, items[place].clone());
                    for changed in [fewer, more] {
                        let mut spoilt = value.clone();
                        *at(&mut spoilt, list) = changed.into();
                        refused(spoilt);
                    }
                }
            }
        }
        let mut spoilt = value.clone();
        let digest = &mut spoilt["certificate"]["digest"];
        *digest = digest.as_str().unwrap().replacen(|_: char| true, "x", 1).into();
        refused(spoilt);
    }
}

#[test]
fn spreads_that_cannot_be_added_up_are_refused() {
    let bound = |steps: u32, sets: usize| LowerBound {
        steps: steps.saturating_add(1),
        rule: Rule::BroadcastLp,
        certificate: Certificate::BroadcastLp {
            source: NodeId::new(0),
            infeasible: steps,
            inlets: vec![WeightedSet { step: 1, nodes: vec![NodeId::new(1)], count: 2, weight: 1 }; sets],
            needs: Vec::new(),
            excess: 1,
            digest: String::new(),
        },
    };
    let torus: Topology = "torus:64x64".parse().unwrap();
    let refused = |collective: Collective, bound: LowerBound| {
        let problem = Problem::new(&torus, &collective, CommunicationModel::wormhole()).unwrap();
        bound.check(&problem).unwrap_err().to_string()
    };
    let why = |why: &str| format!("this is no certificate by broadcast-lp: {why}");
    let broadcast = || Collective::one_to_all_broadcast(NodeId::new(0));
    let step = why("a message can get to one terminal more in every step");
    assert_eq!([0, 4096, u32::MAX].map(|steps| refused(broadcast(), bound(steps, 1))), [(); 3].map(|()| step.clone()));
    let long = why("the sum is too long to add up again");
    assert_eq!(
        [(4095, 0), (600, 1000)].map(|(steps, sets)| refused(broadcast(), bound(steps, sets))),
        [(); 2].map(|()| long.clone())
    );
    assert_eq!(refused(broadcast(), bound(3, 0)), why("the sets can take in what they need"));
    let one = why("it is for one message, from its source");
    assert_eq!(refused(Collective::all_to_all_broadcast(), bound(3, 1)), one);
    assert_eq!(refused(Collective::one_to_all_broadcast(NodeId::new(1)), bound(3, 1)), one);
}

#[test]
fn a_certificate_is_no_good_for_another_problem() {
    mesh_exchange(|problem, bound| {
        let gather = Collective::all_to_all_broadcast();
        let other = Problem::new(problem.topology(), &gather, problem.model()).unwrap();
        assert!(bound.check(&other).is_err());
        let torus: Topology = "torus:4x4".parse().unwrap();
        let other = Problem::new(&torus, problem.collective(), problem.model()).unwrap();
        assert!(bound.check(&other).is_err());
    });
}

#[test]
fn json_is_as_documented() {
    mesh_exchange(|_, bound| {
        let expected = expect![[
            r#"{"steps":16,"rule":"cut","certificate":{"kind":"cut","nodes":[0,1,4,5,8,9,12,13],"direction":"in","messages":64,"per_step":4}}"#
        ]];
        expected.assert_eq(&serde_json::to_string(&bound).unwrap());
    });
}

#[test]
fn receptions_name_the_nodes_behind_few_channels() {
    let (network, gather) = (narrow(), Collective::all_to_all_broadcast());
    let problem = Problem::new(&network, &gather, CommunicationModel::wormhole()).unwrap();
    let words = "28 steps (reception): 28 deliveries to terminals among the 5 nodes 4, 5, 6, 7, 9, at most 1 in a step over \
                 the channels that lead there";
    assert_eq!(best(&problem).to_string(), words);
}
