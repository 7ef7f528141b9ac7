//! The order/degree problem: among the graphs of one order and degree, one with short distances.

mod bound;
mod distances;
mod graph;
mod polycirculant;
mod search;
mod walk;

#[cfg(test)]
mod tests;

pub use bound::distance_sum_bound;
pub(crate) use distances::DistanceSum;
pub use graph::OrderDegreeGraph;
pub(crate) use polycirculant::{Link, Polycirculant};
pub use search::{MAX_LINK_ENDS, MAX_ORDER, OrderDegreeError, OrderDegreeSearch, order_degree};
