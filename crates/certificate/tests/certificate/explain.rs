//! Certificates in words.

use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};
use lockstep_topology::{NodeId, Topology};

use crate::cases::all;

#[test]
fn certificates_read_like_sentences() {
    for case in all() {
        assert_eq!(case.bound.to_string(), case.explanation);
    }
}

#[test]
fn an_explanation_uses_the_names_of_nodes() {
    let mesh: Topology = "mesh:2x3".parse().unwrap();
    let certificate = |nodes: &[u32]| Certificate::Cut {
        nodes: nodes.iter().copied().map(NodeId::new).collect(),
        direction: Direction::Both,
        messages: 1,
        per_step: 2,
    };
    let pair = "1 message must go into or out of the 2 nodes 01, 02, at most 2 in a step";
    assert_eq!(certificate(&[1, 2]).explain(&mesh).to_string(), pair);
    // A wrong certificate may name nodes that do not exist.
    let unknown = "terminal 77 sends and receives 1 message, at most 2 in a step";
    assert_eq!(certificate(&[77]).explain(&mesh).to_string(), unknown);
}

#[test]
fn long_sets_are_shortened() {
    let nodes = (0..10).map(NodeId::new).collect();
    let bound = LowerBound {
        steps: 1,
        rule: Rule::Reception,
        certificate: Certificate::Reception { nodes, deliveries: 1, per_step: 1 },
    };
    let expected = "1 step (reception): 1 delivery to terminals among the 10 nodes 0, 1, 2, 3, 4, 5, 6, 7 and 2 more, \
                    at most 1 in a step over the channels that lead there";
    assert_eq!(bound.to_string(), expected);
}
