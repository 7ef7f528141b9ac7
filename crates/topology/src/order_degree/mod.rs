//! The order/degree problem: find a regular graph of a given order and degree with small distances.

mod annealing;
mod bound;
mod distance_sum;
mod graph;
mod objective;
mod polycirculant;
mod search;
mod segments;
mod short_walks;
mod symmetry;

#[cfg(test)]
mod symmetry_tests;
#[cfg(test)]
mod tests;

pub use bound::distance_sum_bound;
pub(crate) use distance_sum::DistanceSum;
pub use graph::OrderDegreeGraph;
pub(crate) use objective::Objective;
pub(crate) use polycirculant::{Polycirculant, PolycirculantLink};
pub use search::{MAX_LINK_ENDS, MAX_ORDER, OrderDegreeError, OrderDegreeSearch, order_degree};
