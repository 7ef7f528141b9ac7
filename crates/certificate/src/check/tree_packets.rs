//! A broadcast by packets over a tree.

use std::collections::BTreeSet;

use lockstep_schedule::{MessageId, Problem, Switching};
use lockstep_topology::NodeId;

use super::capacity::send_limit;
use super::nodes::expect_terminal;
use super::refusal::{Checked, expect};

pub(super) fn steps_proved(problem: &Problem<'_>, source: NodeId, claimed: u32) -> Checked<u64> {
    expect_terminal(problem, source)?;
    let (topology, messages) = (problem.topology(), problem.messages());
    if problem.model().switching != Switching::StoreAndForward || messages.len() != 1 {
        return Err("the argument requires one message under store-and-forward".into());
    }
    if messages.source(MessageId::new(0)) != source {
        return Err("another terminal is the source".into());
    }
    let order = rooted(problem, source)?;
    let mut is_receiver = vec![false; topology.node_count()];
    messages.receivers_iter(MessageId::new(0)).for_each(|receiver| is_receiver[receiver.index()] = true);
    let mut below: Vec<Vec<u64>> = vec![Vec::new(); topology.node_count()];
    for &(node, parent) in order.iter().rev() {
        if let Some(steps) = subtree_steps(problem, node, &mut below[node.index()], is_receiver[node.index()]) {
            if node == source {
                expect("steps over the tree", claimed.into(), steps)?;
                return Ok(steps);
            }
            below[parent.index()].push(steps);
        }
    }
    Err("no terminal receives the message".into())
}

/// Returns all nodes of the tree with their parents, parents first.
fn rooted(problem: &Problem<'_>, source: NodeId) -> Checked<Vec<(NodeId, NodeId)>> {
    let topology = problem.topology();
    let mut neighbours = vec![BTreeSet::new(); topology.node_count()];
    for channel in topology.channels() {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        neighbours[tail.index()].insert(head);
        neighbours[head.index()].insert(tail);
    }
    let mut order = vec![(source, source)];
    let mut is_seen = vec![false; topology.node_count()];
    is_seen[source.index()] = true;
    let mut next = 0;
    while let Some(&(node, parent)) = order.get(next) {
        next += 1;
        for &child in neighbours[node.index()].iter().filter(|&&child| child != parent) {
            // A second path to a node closes a cycle.
            if std::mem::replace(&mut is_seen[child.index()], true) {
                return Err("the links do not form a tree".into());
            }
            order.push((child, node));
        }
    }
    Ok(order)
}

/// Returns the number of steps in which a node serves its subtree, or `None` if the subtree has no receiver.
fn subtree_steps(problem: &Problem<'_>, node: NodeId, below: &mut [u64], is_receiver: bool) -> Option<u64> {
    below.sort_unstable();
    let ports = if problem.topology().is_terminal(node) { send_limit(problem, node).max(1) } else { 1 };
    let mut last = is_receiver.then_some(0);
    for (steps, place) in below.iter().rev().zip(0..) {
        last = last.max(Some(place / ports + 1 + steps));
    }
    last
}
