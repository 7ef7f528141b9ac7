//! Limits of problems and parameters.

/// Largest population.
pub const MAX_POPULATION: usize = 1 << 16;

/// Largest number of objectives.
pub const MAX_OBJECTIVES: usize = 32;

/// Largest number of objectives of SMS-EMOA. Each objective after the third multiplies the time per child by the
/// population size.
pub const MAX_HYPERVOLUME_OBJECTIVES: usize = 5;

/// Number of genomes that are tried for one individual until one is feasible.
pub const MAX_ATTEMPTS: u32 = 10_000;
