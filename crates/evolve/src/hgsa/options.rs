//! The parameters of the hybrid of genetic algorithm and simulated annealing.

use serde::{Deserialize, Serialize};

use super::prediction::Prediction;
use crate::local_search::EjectionChainOptions;

/// The moves of the annealing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Moves {
    /// The published moves: a random gene gets another path or step.
    Random,
    /// Moves that start at conflicts; steps move by ejection chains, see
    /// [`EjectionChainSearch`](crate::EjectionChainSearch).
    EjectionChains(EjectionChainOptions),
}

/// The use of the second half of the moves of an annealing, if the first half leaves conflicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum LastResort {
    /// The published rule: the second half continues like the first.
    None,
    /// The annealing continues from its best schedule and moves paths and steps together. Paths need not be shortest.
    AnyPath,
}

/// The parameters of [`Hgsa`](crate::Hgsa).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HgsaOptions {
    /// Number of individuals. Each generation anneals half that number.
    pub population: usize,
    /// The rule that predicts the conflicts of paths without steps.
    pub prediction: Prediction,
    /// The moves of the annealing.
    pub moves: Moves,
    /// The use of the second half of the moves, if the first half leaves conflicts.
    pub last_resort: LastResort,
    /// Seed of all random streams.
    pub seed: u64,
}

impl HgsaOptions {
    /// Returns the published encoding, prediction and moves. The document gives no population size.
    pub const fn published(seed: u64) -> Self {
        Self {
            population: 8,
            prediction: Prediction::Published,
            moves: Moves::Random,
            last_resort: LastResort::None,
            seed,
        }
    }

    /// Moves that start at conflicts, the stronger prediction, and any path as the last resort.
    pub const fn directed(seed: u64) -> Self {
        let chains = EjectionChainOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
        Self {
            prediction: Prediction::Matching,
            moves: Moves::EjectionChains(chains),
            last_resort: LastResort::AnyPath,
            ..Self::published(seed)
        }
    }
}
