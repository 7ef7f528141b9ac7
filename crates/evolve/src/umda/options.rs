//! The parameters of the univariate marginal distribution algorithm.

use serde::{Deserialize, Serialize};

use crate::local_search::EjectionChainOptions;

/// The mutation operator of [`Umda`](crate::Umda).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Mutation {
    /// The published mutation: two random deliveries swap their steps, and one gets another path. In a broadcast, one
    /// delivery gets a random path and step, and feasibility repair follows.
    SlotSwap,
    /// Ejection chains that start at conflicts, see [`EjectionChainSearch`](crate::EjectionChainSearch).
    EjectionChains(EjectionChainOptions),
}

/// The parameters of [`Umda`](crate::Umda).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UmdaOptions {
    /// Number of individuals.
    pub population: usize,
    /// Percentage of new individuals that are mutated.
    pub mutation_percent: u32,
    /// The mutation operator.
    pub mutation: Mutation,
    /// Seed of all random streams.
    pub seed: u64,
}

impl UmdaOptions {
    /// Returns the published parameters and mutation.
    pub const fn published(seed: u64) -> Self {
        Self { population: 60, mutation_percent: 90, mutation: Mutation::SlotSwap, seed }
    }

    /// Returns the published parameters, with mutation by ejection chains.
    pub const fn directed(seed: u64) -> Self {
        let chains = EjectionChainOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
        Self { mutation: Mutation::EjectionChains(chains), ..Self::published(seed) }
    }
}
