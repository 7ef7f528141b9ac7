//! The search space: deliveries, candidate paths and genes.

mod candidate_paths;
mod deliveries;
mod gene;
mod limits;
mod relay_depths;
mod search_space;
#[cfg(test)]
mod tests;

pub use gene::Gene;
pub(crate) use limits::ENGINE;
pub use limits::MAX_DELIVERIES;
pub use search_space::SearchSpace;
