//! The parameters of an evolution.

use serde::{Deserialize, Serialize};

use crate::algorithm::Algorithm;
use crate::error::EvolutionError;
use crate::sms_emoa::MAX_HYPERVOLUME_OBJECTIVES;

/// The largest population.
pub const MAX_POPULATION: usize = 1 << 16;
/// The most objectives.
pub const MAX_OBJECTIVES: usize = 32;

/// What becomes of points that are equal in all objectives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EqualPoints {
    /// They are points like others.
    Keep,
    /// The first of them stays. In an evolution others stay only where there are too few different points.
    Remove,
}

/// What becomes of the scores of those who survive, where evaluations are random.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elites {
    /// An individual keeps the scores that it was born with, however lucky.
    Keep,
    /// All are evaluated again at the beginning of each generation, and the new scores count.
    ReEvaluate,
}

/// The parameters of an [`Evolution`](crate::Evolution).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionOptions {
    /// Who become parents, and who survives.
    pub algorithm: Algorithm,
    /// Number of individuals, 1 to [`MAX_POPULATION`], and of children in a generation.
    pub population: usize,
    /// Probability that a child has two parents, 0 to 1.
    pub crossover: f64,
    /// Probability that a child is mutated, 0 to 1.
    pub mutation: f64,
    /// Seed of all random streams.
    pub seed: u64,
    /// What becomes of the scores of those who survive.
    pub elites: Elites,
    /// What becomes of individuals with the same scores.
    pub equal_points: EqualPoints,
}

impl EvolutionOptions {
    /// Refuses parameters out of their range, and numbers of objectives that the algorithm is not made for.
    pub(crate) fn check(&self, objectives: usize) -> Result<(), EvolutionError> {
        let most = match self.algorithm {
            Algorithm::SmsEmoa => MAX_HYPERVOLUME_OBJECTIVES,
            Algorithm::Nsga2 | Algorithm::Nsga3 => MAX_OBJECTIVES,
        };
        if !(1..=most).contains(&objectives) {
            return Err(EvolutionError::Objectives { algorithm: self.algorithm, objectives, most });
        }
        if !(1..=MAX_POPULATION).contains(&self.population) {
            return Err(EvolutionError::Population { population: self.population });
        }
        for (field, value) in [("crossover", self.crossover), ("mutation", self.mutation)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(EvolutionError::Probability { field, value });
            }
        }
        Ok(())
    }
}
