//! Why an evolution cannot begin or go on.

use crate::algorithm::Algorithm;
use crate::options::MAX_POPULATION;
use crate::points::MAX_SCORE;
use crate::problem::MAX_ATTEMPTS;

/// Why an evolution cannot begin, go on, or be resumed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvolutionError {
    /// A number of objectives that the algorithm is not made for.
    #[error("{algorithm} takes 1 to {most} objectives, not {objectives}; choose others, or another algorithm")]
    Objectives {
        /// The algorithm.
        algorithm: Algorithm,
        /// The number of objectives.
        objectives: usize,
        /// The most that it takes.
        most: usize,
    },
    /// Too few or too many individuals.
    #[error("population: {population} individuals; give 1 to {MAX_POPULATION}")]
    Population {
        /// The number of individuals.
        population: usize,
    },
    /// A probability that is none.
    #[error("{field}: {value} is no probability; give a number from 0 to 1")]
    Probability {
        /// The parameter.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// All that was tried for one individual is infeasible.
    #[error("none of {MAX_ATTEMPTS} genomes in a row is feasible; loosen the constraints of the problem")]
    NoneFeasible,
    /// An evaluation whose result cannot be compared.
    #[error("objective {objective} of a genome is {value}; scores are numbers from -{MAX_SCORE:e} to {MAX_SCORE:e}")]
    Score {
        /// Number of the objective, from 0.
        objective: usize,
        /// The score.
        value: f64,
    },
    /// A state that no evolution of the problem can have.
    #[error("the state of the evolution contradicts itself: {what}; begin anew, or fetch the file again")]
    State {
        /// The contradiction.
        what: String,
    },
}
