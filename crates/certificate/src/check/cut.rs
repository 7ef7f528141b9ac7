//! What crosses the border of a node set.

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::NodeId;

use super::{Checked, distinct_resources, finishes, node_set, starts, uncut, usable};
use crate::certificate::Direction;

/// Messages that must cross the border of the set, and crossings possible in one step.
pub(super) fn count(problem: &Problem<'_>, nodes: &[NodeId], direction: Direction) -> Checked<(u64, u64)> {
    let (topology, messages) = (problem.topology(), problem.messages());
    let inside = node_set(problem, nodes)?;
    let terminals_inside = nodes.iter().filter(|&&node| topology.is_terminal(node)).count();
    let (mut into, mut out) = (0, 0);
    let (originals, chunks) = uncut(&messages);
    for message in originals {
        let starts_inside = inside[messages.source(message).index()];
        let receivers_inside = match messages.receivers(message) {
            Receivers::AllOthers => terminals_inside - usize::from(starts_inside),
            Receivers::One(receiver) => usize::from(inside[receiver.index()]),
            Receivers::List(receivers) => receivers.iter().filter(|receiver| inside[receiver.index()]).count(),
        };
        if !starts_inside && receivers_inside > 0 {
            into += chunks;
        }
        if starts_inside && receivers_inside < messages.receiver_count(message) {
            out += chunks;
        }
    }
    let inside = &inside;
    let crossing = |from: bool| {
        topology.channels().filter(move |&channel| {
            let ends = [topology.tail(channel), topology.head(channel)].map(|node| inside[node.index()]);
            ends == [from, !from] && usable(problem, channel)
        })
    };
    let alone = matches!(nodes, [node] if topology.is_terminal(*node));
    let ports = |limit: fn(&Problem<'_>, NodeId) -> u64| if alone { limit(problem, nodes[0]) } else { u64::MAX };
    Ok(match direction {
        Direction::In => (into, distinct_resources(problem, crossing(false)).min(ports(finishes))),
        Direction::Out => (out, distinct_resources(problem, crossing(true)).min(ports(starts))),
        Direction::Both => {
            let resources = distinct_resources(problem, crossing(false).chain(crossing(true)));
            (into + out, resources.min(ports(finishes).saturating_add(ports(starts))))
        }
    })
}
