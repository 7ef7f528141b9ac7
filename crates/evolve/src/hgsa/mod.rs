//! The hybrid of genetic algorithm and simulated annealing.

mod algorithm;
mod alternating_annealing;
mod gene_annealing;
mod individual_maker;
mod message_trees;
mod options;
mod path_annealing;
mod predicted_conflicts;
mod prediction;
mod step_assignment;
mod window;

pub use algorithm::Hgsa;
pub use options::{HgsaOptions, LastResort, Moves};
pub use prediction::Prediction;
