//! The search state: a schedule under construction and its conflicts.

mod assignment;
mod evaluator;
mod occupancy;
mod search_state;
mod sparse_set;

pub use evaluator::Evaluator;
pub use search_state::SearchState;
pub(crate) use sparse_set::SparseSet;
