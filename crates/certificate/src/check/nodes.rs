//! Nodes and node sets of a certificate.

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use super::refusal::Checked;
use crate::error::CertificateError;

/// Refuses a number that names no node.
pub(super) fn expect_node(problem: &Problem<'_>, node: NodeId) -> Checked {
    let node_count = problem.topology().node_count();
    if node.index() < node_count {
        return Ok(());
    }
    Err(CertificateError::UnknownNode { node: node.number(), node_count }.into())
}

/// Refuses a node that is not a terminal.
pub(super) fn expect_terminal(problem: &Problem<'_>, node: NodeId) -> Checked {
    expect_node(problem, node)?;
    if problem.topology().is_terminal(node) { Ok(()) } else { Err("the node must be a terminal".into()) }
}

/// Returns the only node of a set if it is a terminal.
pub(super) fn only_terminal(problem: &Problem<'_>, nodes: &[NodeId]) -> Option<NodeId> {
    let topology = problem.topology();
    match nodes {
        &[node] if node.index() < topology.node_count() && topology.is_terminal(node) => Some(node),
        _ => None,
    }
}

/// Returns for each node whether it is in the set.
pub(super) fn membership(problem: &Problem<'_>, nodes: &[NodeId]) -> Checked<Vec<bool>> {
    let mut inside = vec![false; problem.topology().node_count()];
    let mut previous = None;
    for &node in nodes {
        expect_node(problem, node)?;
        if previous >= Some(node) {
            return Err(CertificateError::NodeOrder { node }.into());
        }
        previous = Some(node);
        inside[node.index()] = true;
    }
    Ok(inside)
}
