//! Certificates are accepted as found, and refused when anything in them is changed.

use std::collections::BTreeSet;

use expect_test::expect;
use lockstep_certificate::{Certificate, CertificateError, Direction, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Problem, ScatterRule};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

use crate::cases::{Case, all, case};
use crate::mutation::{at, numbers};

#[test]
fn every_case_is_accepted_and_survives_json() {
    let mut rules = BTreeSet::new();
    for case in all() {
        rules.insert(case.bound.rule);
        assert_eq!(case.with_problem(|problem| case.bound.check(problem)), Ok(()), "{}", case.explanation);
        let text = serde_json::to_string(&case.bound).unwrap();
        assert_eq!(serde_json::from_str::<LowerBound>(&text).unwrap(), case.bound);
    }
    assert_eq!(rules, BTreeSet::from(Rule::ALL));
}

#[test]
fn every_changed_number_is_refused() {
    for case in all() {
        let value = serde_json::to_value(&case.bound).unwrap();
        for place in numbers(&value) {
            for change in [1, -1] {
                let mut changed = value.clone();
                let number = at(&mut changed, &place);
                let Some(next) = number.as_i64().unwrap().checked_add(change).filter(|&next| next >= 0) else {
                    continue;
                };
                *number = next.into();
                let changed: LowerBound = serde_json::from_value(changed).unwrap();
                // Another terminal, set or time can prove the same bound if all other facts still fit exactly.
                let names = ["nodes", "source", "node", "holds", "sends", "receives"];
                let may_be_valid = place.iter().any(|key| names.contains(&key.as_str()));
                let is_refused = case.with_problem(|problem| changed.check(problem).is_err());
                assert!(is_refused || may_be_valid, "{changed:?} for {:?}", case.bound);
            }
        }
    }
}

/// The bisection of the all-to-all on the 4 by 4 mesh.
fn middle_cut(nodes: &[u32]) -> LowerBound {
    LowerBound {
        steps: 16,
        rule: Rule::Cut,
        certificate: Certificate::Cut {
            nodes: nodes.iter().copied().map(NodeId::new).collect(),
            direction: Direction::In,
            messages: 64,
            per_step: 4,
        },
    }
}

/// The nodes of the left half.
const LEFT: [u32; 8] = [0, 1, 4, 5, 8, 9, 12, 13];

fn mesh_all_to_all(visit: impl FnOnce(&Problem<'_>)) {
    let mesh: Topology = "mesh:4x4".parse().unwrap();
    visit(&Problem::new(&mesh, &Collective::all_to_all(), CommunicationModel::wormhole()).unwrap());
}

#[test]
fn every_changed_node_of_the_middle_cut_is_refused() {
    mesh_all_to_all(|problem| {
        assert_eq!(middle_cut(&LEFT).check(problem), Ok(()));
        for place in 0..LEFT.len() {
            for other in (0..16).filter(|node| !LEFT.contains(node)) {
                let mut nodes = LEFT;
                nodes[place] = other;
                nodes.sort_unstable();
                let refusal = middle_cut(&nodes).check(problem);
                assert!(matches!(refusal, Err(CertificateError::Wrong { .. })), "{nodes:?}");
            }
        }
    });
}

#[test]
fn errors_of_a_node_set_are_named() {
    mesh_all_to_all(|problem| {
        let refusal = |nodes: &[u32]| middle_cut(nodes).check(problem).unwrap_err().to_string();
        assert_eq!(middle_cut(&[0, 1, 2, 3, 4, 5, 6, 7]).check(problem), Ok(()));
        assert_eq!(refusal(&[0, 4_000_000_000]), "the certificate names node 4000000000, but the nodes are 0 to 15");
        let order =
            |node: u32| format!("the node set lists node {node} out of order; list each node once, in ascending order");
        assert_eq!([refusal(&[0, 2, 1]), refusal(&[0, 0])], [order(1), order(0)]);
        let messages = |actual: u64| {
            format!("messages that must cross: the certificate states 64, but the problem gives {actual}")
        };
        assert_eq!([refusal(&[0, 1, 2, 3]), refusal(&[])], [messages(48), messages(0)]);
    });
}

#[test]
fn a_rule_needs_its_own_kind_of_facts() {
    mesh_all_to_all(|problem| {
        let bound = middle_cut(&LEFT);
        for rule in Rule::ALL.into_iter().filter(|&rule| rule != Rule::Cut) {
            let changed = LowerBound { rule, ..bound.clone() };
            assert!(matches!(changed.check(problem), Err(CertificateError::NotApplicable { .. })), "{rule}");
        }
        let reversed = Certificate::Reversed { certificate: bound.certificate.clone().into() };
        assert!(LowerBound { certificate: reversed, ..bound.clone() }.check(problem).is_err());
    });
}

/// Sums that are added in one direction cannot be added backwards in time.
#[test]
fn exact_bounds_of_all_reduces_do_not_concern_the_reversed_network() {
    let case = case("mesh:1x3", Rule::Satisfiability);
    let reversed = Certificate::Reversed { certificate: case.bound.certificate.clone().into() };
    let refusal = case.refusal(&LowerBound { certificate: reversed, ..case.bound.clone() });
    assert_eq!(refusal, "not a valid satisfiability certificate: an all-reduce of sums backwards in time is none");
}

#[test]
fn a_certificate_proves_nothing_about_another_problem() {
    mesh_all_to_all(|problem| {
        let all_gather = Collective::all_gather();
        let other = Problem::new(problem.topology(), &all_gather, problem.model()).unwrap();
        assert!(middle_cut(&LEFT).check(&other).is_err());
        let torus: Topology = "torus:4x4".parse().unwrap();
        let other = Problem::new(&torus, problem.collective(), problem.model()).unwrap();
        assert!(middle_cut(&LEFT).check(&other).is_err());
    });
}

#[test]
fn json_is_as_documented() {
    let expected = expect![[
        r#"{"steps":16,"rule":"cut","certificate":{"kind":"cut","nodes":[0,1,4,5,8,9,12,13],"direction":"in","messages":64,"per_step":4}}"#
    ]];
    expected.assert_eq(&serde_json::to_string(&middle_cut(&LEFT)).unwrap());
}

#[test]
fn every_changed_digest_of_a_tree_is_refused() {
    let case = case("full-b-tree:31", Rule::TreeBroadcast);
    let Certificate::TreeBroadcast { source, infeasible, states, digest } = &case.bound.certificate else {
        panic!("{:?}", case.bound)
    };
    let changed = |infeasible: u32, digest: String| LowerBound {
        steps: infeasible + 1,
        rule: Rule::TreeBroadcast,
        certificate: Certificate::TreeBroadcast { source: *source, infeasible, states: *states, digest },
    };
    let why = |why: &str| format!("not a valid tree-broadcast certificate: {why}");
    let other = digest.replacen(|_: char| true, "x", 1);
    assert_eq!(case.refusal(&changed(*infeasible, other)), why("the needs of the subtrees have another digest"));
    // The optimum is 4. More cannot be proved, and a program that takes too long is not run.
    let feasible = case.refusal(&changed(4, digest.clone()));
    assert_eq!(feasible, why("the source can meet the needs of all subtrees"));
    let long = case.refusal(&changed(u32::MAX - 1, digest.clone()));
    assert_eq!(long, why("the number of steps must be 1 to 16"));
    let no_tree = Case { network: "mesh:2x2".into(), ..case.clone() };
    assert_eq!(no_tree.refusal(&case.bound), why("the links do not form a tree"));
}

/// Cuts of the scatter on a tree, with unlimited and with two ports.
fn timed_cuts() -> impl Iterator<Item = Case> {
    all().into_iter().filter(|case| case.network == "full-b-tree:15" && case.bound.rule == Rule::TimedCut)
}

/// A label may change where no message depends on it; otherwise a number changes.
#[test]
fn every_label_that_matters_is_checked() {
    assert_eq!(timed_cuts().count(), 2);
    for case in timed_cuts() {
        let value = serde_json::to_value(&case.bound).unwrap();
        let mut labels = numbers(&value);
        labels.retain(|place| ["holds", "sends", "receives"].iter().any(|name| place.contains(&(*name).to_owned())));
        let mut refused = 0;
        for place in &labels {
            for label in 0..=case.bound.steps + 1 {
                let mut changed = value.clone();
                *at(&mut changed, place) = label.into();
                let changed: LowerBound = serde_json::from_value(changed).unwrap();
                let is_refused = case.with_problem(|problem| changed.check(problem).is_err());
                refused += u32::from(is_refused);
                assert!(label <= case.bound.steps || is_refused, "{changed:?}");
            }
        }
        let tried = labels.len() as u32 * (case.bound.steps + 2);
        assert!(refused > tried / 2, "{refused} of {tried}");
    }
}

#[test]
fn labels_are_complete_and_within_the_steps() {
    let case = timed_cuts().next().unwrap();
    let Certificate::TimedCut { infeasible, holds, messages, crossings, .. } = &case.bound.certificate else {
        panic!("{:?}", case.bound)
    };
    let refusal = |infeasible: u32, holds: Vec<u32>, sends: Vec<u32>| {
        let (messages, crossings, receives) = (*messages, *crossings, sends.clone());
        let certificate = Certificate::TimedCut { infeasible, holds, sends, receives, messages, crossings };
        case.refusal(&LowerBound { certificate, steps: infeasible.saturating_add(1), ..case.bound })
    };
    let why = |why: &str| format!("not a valid timed-cut certificate: {why}");
    let incomplete =
        why("every node must have one label, and two more under wormhole switching or if ports are limited");
    assert_eq!(refusal(*infeasible, holds[1..].to_vec(), vec![]), incomplete);
    assert_eq!(refusal(*infeasible, holds.clone(), holds.clone()), incomplete);
    let late = vec![infeasible + 2; holds.len()];
    assert_eq!(refusal(*infeasible, late, vec![]), why("no label may exceed the number of steps plus 1"));
    assert_eq!(refusal(u32::MAX, holds.clone(), vec![]), why("there are too many steps"));
}

/// The root of a star of terminals around a switch sends one of three messages in a step.
#[test]
fn a_wormhole_transfer_passes_a_near_switch_in_one_step() {
    let mut star = TopologyBuilder::new("star");
    let switch = star.switch("switch");
    let [root, ..] = ["a", "b", "c", "d"].map(|name| {
        let terminal = star.terminal(name);
        star.link(terminal, switch);
        terminal
    });
    let star = star.build().unwrap();
    let collective = Collective::scatter(root);
    let model = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
    let problem = Problem::new(&star, &collective, model).unwrap();
    // The label of the sends of the root, and those of the switch.
    let check = |root_sends: u32, [switch_sends, switch_receives]: [u32; 2]| {
        let [mut holds, mut sends, mut receives] =
            [const { Vec::new() }; 3].map(|_: Vec<u32>| vec![3; star.node_count()]);
        holds[root.index()] = 0;
        sends[root.index()] = root_sends;
        (sends[switch.index()], receives[switch.index()]) = (switch_sends, switch_receives);
        let certificate = Certificate::TimedCut { infeasible: 2, holds, sends, receives, messages: 3, crossings: 2 };
        let bound = LowerBound { steps: 3, rule: Rule::TimedCut, certificate };
        bound.check(&problem).map_err(|error| error.to_string())
    };
    // The cut passes the send port, or the channel to the switch.
    assert_eq!(check(3, [3, 3]), Ok(()));
    assert_eq!(check(1, [3, 3]), Ok(()));
    let why = |why: &str| Err(format!("not a valid timed-cut certificate: {why}"));
    let goes_on = why("a wormhole transfer leaves a node that routes in the step in which it arrives");
    assert_eq!(check(1, [3, 1]), goes_on);
    // The cut passes the channels from the switch.
    assert_eq!(
        check(1, [1, 1]),
        Err("crossings in all steps: the certificate states 2, but the problem gives 8".to_owned())
    );
}
