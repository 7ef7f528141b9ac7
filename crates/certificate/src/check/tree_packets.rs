//! A broadcast by packets over a tree.

use std::collections::BTreeSet;

use lockstep_schedule::{MessageId, Problem, Switching};
use lockstep_topology::NodeId;

use super::starts;

/// The least number of steps, or why the argument does not hold.
pub(super) fn least(problem: &Problem<'_>, source: NodeId) -> Result<u64, &'static str> {
    let (topology, messages) = (problem.topology(), problem.messages());
    if problem.model().switching != Switching::StoreAndForward || messages.len() != 1 {
        return Err("the argument is for one message under store-and-forward");
    }
    if messages.source(MessageId::new(0)) != source {
        return Err("another terminal is the source");
    }
    let mut neighbours = vec![BTreeSet::new(); topology.node_count()];
    for channel in topology.channels() {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        neighbours[tail.index()].insert(head);
        neighbours[head.index()].insert(tail);
    }
    // Parents before children; a second way to a node would be a circle.
    let mut order = vec![(source, source)];
    let mut seen = vec![false; topology.node_count()];
    seen[source.index()] = true;
    let mut next = 0;
    while let Some(&(node, parent)) = order.get(next) {
        next += 1;
        for &child in neighbours[node.index()].iter().filter(|&&child| child != parent) {
            if std::mem::replace(&mut seen[child.index()], true) {
                return Err("the links form no tree");
            }
            order.push((child, node));
        }
    }
    let mut waits = vec![false; topology.node_count()];
    messages.receivers_iter(MessageId::new(0)).for_each(|receiver| waits[receiver.index()] = true);
    let mut below: Vec<Vec<u64>> = vec![Vec::new(); topology.node_count()];
    for &(node, parent) in order.iter().rev() {
        if let Some(steps) = after(problem, node, &mut below[node.index()], waits[node.index()]) {
            if node == source {
                return Ok(steps);
            }
            below[parent.index()].push(steps);
        }
    }
    Err("nobody waits for the message")
}

/// The steps that a node takes to serve its subtree, `None` if nobody there waits.
fn after(problem: &Problem<'_>, node: NodeId, below: &mut [u64], waits: bool) -> Option<u64> {
    below.sort_unstable();
    let ports = if problem.topology().is_terminal(node) { starts(problem, node).max(1) } else { 1 };
    let mut last = waits.then_some(0);
    for (steps, place) in below.iter().rev().zip(0..) {
        last = last.max(Some(place / ports + 1 + steps));
    }
    last
}
