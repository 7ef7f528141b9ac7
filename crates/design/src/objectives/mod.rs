//! The built-in objectives.

mod bisection;
mod cables;
mod distances;
mod paths;
mod robustness;
mod stage_loads;
mod throughput;

use lockstep_files::{is_same_name, name_advice, one_line};

use crate::objective::Objective;

/// A word that names no objective.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown objective '{}'; {}", one_line(.word), name_advice(.word, objectives().iter().map(|objective| objective.name())))]
pub struct UnknownObjective {
    /// The word.
    pub word: String,
}

/// Names of the objectives of a machine, unless others are chosen: performance and cost.
pub const DEFAULT_OBJECTIVES: [&str; 3] = ["bisection", "throughput", "links"];

/// Names of the objectives f1, f2 and f3 of the `ExaNeSt` document.
///
/// They do not measure performance: one run of a heuristic often overestimates the bisection width, and evolution keeps the
/// luckiest runs; networks with long distances have many shortest paths.
pub const PUBLISHED_OBJECTIVES: [&str; 3] = ["kernighan-lin", "paths", "links"];

/// Returns all built-in objectives, in display order.
pub fn objectives() -> &'static [&'static dyn Objective] {
    &[
        &bisection::KernighanLin,
        &bisection::BestBisection,
        &bisection::ExactBisection,
        &paths::Paths,
        &paths::PathsWithSelves,
        &paths::EDGE_DISJOINT,
        &paths::VERTEX_DISJOINT,
        &cables::Links,
        &cables::WorstDegree,
        &throughput::Throughput,
        &distances::Distance,
        &distances::Diameter,
        &stage_loads::Latency,
        &stage_loads::Bandwidth,
        &robustness::SpectralGap,
        &robustness::EdgeConnectivity,
        &cables::CableLength,
        &cables::ExternalCables,
    ]
}

/// Returns the built-in objective with this name.
///
/// ```
/// use lockstep_design::{Network, objective};
/// use lockstep_topology::Topology;
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
///
/// let cube: Topology = "hypercube:5".parse()?;
/// let score = objective("exact-bisection")?.score(&mut Network::of(&cube), &mut ChaCha8Rng::seed_from_u64(1))?;
/// assert_eq!(score, 16.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns [`UnknownObjective`], whose message suggests similar names, or lists all.
pub fn objective(name: &str) -> Result<&'static dyn Objective, UnknownObjective> {
    let found = objectives().iter().find(|objective| is_same_name(objective.name(), name));
    found.copied().ok_or_else(|| UnknownObjective { word: name.to_owned() })
}

#[cfg(test)]
mod tests;
