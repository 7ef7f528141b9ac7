//! The parameters of an evolution.

use serde::{Deserialize, Serialize};

use crate::algorithm::SelectionAlgorithm;
use crate::error::EvolutionError;
use crate::limits::{MAX_HYPERVOLUME_OBJECTIVES, MAX_OBJECTIVES, MAX_POPULATION};

/// The treatment of points with equal scores in all objectives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EqualPoints {
    /// All equal points are kept.
    Keep,
    /// Only the first of equal points is kept. An evolution keeps others only to fill its population.
    Remove,
}

/// The scores of survivors in problems whose evaluations are random.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Elites {
    /// Each survivor keeps its first scores.
    Keep,
    /// All individuals are evaluated again at the start of each generation, and the new scores replace the old ones.
    ReEvaluate,
}

/// The parameters of an [`Evolution`](crate::Evolution).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EvolutionOptions {
    /// The selection algorithm.
    pub algorithm: SelectionAlgorithm,
    /// Number of individuals, 1 to [`MAX_POPULATION`], and number of children per generation.
    pub population: usize,
    /// Probability that a child has two parents, 0 to 1.
    pub crossover: f64,
    /// Probability that a child is mutated, 0 to 1.
    pub mutation: f64,
    /// Seed of all random streams.
    pub seed: u64,
    /// The scores of survivors.
    pub elites: Elites,
    /// The treatment of individuals with equal scores.
    pub equal_points: EqualPoints,
}

impl EvolutionOptions {
    /// Verifies the range of each parameter, and that the algorithm supports this number of objectives.
    pub(crate) fn check(&self, objectives: usize) -> Result<(), EvolutionError> {
        let most = match self.algorithm {
            SelectionAlgorithm::SmsEmoa => MAX_HYPERVOLUME_OBJECTIVES,
            SelectionAlgorithm::Nsga2 | SelectionAlgorithm::Nsga3 => MAX_OBJECTIVES,
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
