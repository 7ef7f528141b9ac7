//! The order/degree problem: among the graphs of one order and degree, one with short distances.

mod bound;
mod distances;
mod polycirculant;
mod search;

#[cfg(test)]
mod tests;

pub use bound::distance_sum_bound;
pub(crate) use distances::DistanceSum;
pub(crate) use polycirculant::{Link, Polycirculant};
pub(crate) use search::search;
