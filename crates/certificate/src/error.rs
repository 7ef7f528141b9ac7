//! Reasons why a certificate is refused.

use lockstep_topology::NodeId;

use crate::rule::Rule;

/// The reason why a certificate does not prove its bound.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A node does not exist.
    #[error("the certificate names node {node}, but the nodes are 0 to {}", .node_count - 1)]
    UnknownNode {
        /// The number that names no node.
        node: u32,
        /// Number of nodes.
        node_count: usize,
    },
    /// A node set lists a node twice or out of order.
    #[error("the node set lists node {node} out of order; list each node once, in ascending order")]
    NodeOrder {
        /// The node.
        node: NodeId,
    },
    /// The argument does not apply to the problem, or the facts do not fit the argument.
    #[error("not a valid {rule} certificate: {why}")]
    NotApplicable {
        /// The rule that the bound names.
        rule: Rule,
        /// The condition that does not hold.
        why: &'static str,
    },
    /// A number differs from that of the network and the messages.
    #[error("{quantity}: the certificate states {claimed}, but the problem gives {actual}")]
    Wrong {
        /// The quantity.
        quantity: &'static str,
        /// The number in the certificate.
        claimed: u64,
        /// The correct number.
        actual: u64,
    },
}
