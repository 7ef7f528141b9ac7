//! The order/degree problem: among the graphs of one order and degree, one with short distances.

mod annealing;
mod bound;
mod distance_sum;
mod graph;
mod polycirculant;
mod search;

#[cfg(test)]
mod tests;

pub use bound::distance_sum_bound;
pub(crate) use distance_sum::DistanceSum;
pub use graph::OrderDegreeGraph;
pub(crate) use polycirculant::{Link, Polycirculant};
pub use search::{MAX_LINK_ENDS, MAX_ORDER, OrderDegreeError, OrderDegreeSearch, order_degree};
