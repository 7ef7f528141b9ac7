//! Errors of an evolution.

use crate::algorithm::SelectionAlgorithm;
use crate::limits::{MAX_ATTEMPTS, MAX_POPULATION};
use crate::score::MAX_SCORE;

/// Why an evolution cannot start, continue, or be resumed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvolutionError {
    /// The algorithm does not support this number of objectives.
    #[error("{algorithm} takes 1 to {most} objectives, not {objectives}; choose others, or another algorithm")]
    Objectives {
        /// The algorithm.
        algorithm: SelectionAlgorithm,
        /// The number of objectives.
        objectives: usize,
        /// The largest supported number.
        most: usize,
    },
    /// The population is too small or too large.
    #[error("population: {population} individuals; give 1 to {MAX_POPULATION}")]
    Population {
        /// The number of individuals.
        population: usize,
    },
    /// A probability is not from 0 to 1.
    #[error("{field}: {value} is not a probability; give a number from 0 to 1")]
    Probability {
        /// The parameter.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// All genomes that were tried for one individual are infeasible.
    #[error("{MAX_ATTEMPTS} genomes in a row are infeasible; relax the constraints of the problem")]
    NoneFeasible,
    /// An evaluation returned a score that is not a number or out of range.
    #[error("objective {objective} of a genome is {value}; scores are numbers from -{MAX_SCORE:e} to {MAX_SCORE:e}")]
    Score {
        /// Index of the objective, from 0.
        objective: usize,
        /// The score.
        value: f64,
    },
    /// The state to resume from is not a state of this problem.
    #[error("the state of the evolution is inconsistent: {what}; start again, or fetch the file again")]
    State {
        /// The inconsistency.
        what: String,
    },
}
