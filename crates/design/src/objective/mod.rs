//! What networks are designed for.

mod bisection;
mod cables;
mod distances;
mod paths;
mod robustness;
mod throughput;

use lockstep_metrics::{ThroughputError, TooManyTerminals};
use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use crate::{Machine, Network};

/// A number that says how good a network is, and whether more or less of it is better.
///
/// What the methods take of `random` must be all that is random in a score.
pub trait Objective: Sync {
    /// The name, as it is written in files and on the command line.
    fn name(&self) -> &'static str;

    /// Whether more or less is better.
    fn sense(&self) -> Sense;

    /// What is counted, with its unit, on one line.
    fn about(&self) -> &'static str;

    /// The score of a network.
    ///
    /// # Errors
    ///
    /// [`NoScore`] says why it has none.
    fn score(&self, network: &mut Network, random: &mut ChaCha8Rng) -> Result<f64, NoScore>;

    /// Why no network of the machine is scored, if none is.
    fn refusal(&self, machine: &Machine) -> Option<NoScore> {
        let _ = machine;
        None
    }
}

/// Why a network has no score.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoScore {
    /// Some terminals do not reach others.
    #[error("the network is in parts")]
    InParts,
    /// Nothing is known of cabinets.
    #[error("it is not known which nodes share a cabinet")]
    NoCabinets,
    /// More terminals than a measure takes.
    #[error("it is for {most} terminals at most, and there are {terminals}")]
    TooLarge {
        /// Terminals of the network.
        terminals: usize,
        /// The most that the measure takes.
        most: usize,
    },
    /// A throughput that cannot be found.
    #[error(transparent)]
    Throughput(#[from] ThroughputError),
    /// There is no proof within the effort that is made.
    #[error("its proof takes too long")]
    NotProved,
}

impl From<TooManyTerminals> for NoScore {
    fn from(TooManyTerminals { terminals }: TooManyTerminals) -> Self {
        Self::TooLarge { terminals, most: lockstep_metrics::MAX_EXACT_TERMINALS }
    }
}

/// A word that is no objective.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{}' is no objective; choose from {}", lockstep_files::one_line(.word), names())]
pub struct UnknownObjective {
    /// The word.
    pub word: String,
}

/// All objectives, in the order in which people want to see them.
pub fn objectives() -> &'static [&'static dyn Objective] {
    &[
        &bisection::KernighanLin,
        &bisection::BestBisection,
        &bisection::ExactBisection,
        &paths::Paths,
        &paths::PathsWithSelves,
        &paths::EDGE_DISJOINT,
        &paths::NODE_DISJOINT,
        &cables::Links,
        &cables::WorstDegree,
        &throughput::Throughput,
        &distances::Distance,
        &distances::Diameter,
        &robustness::SpectralGap,
        &robustness::EdgeConnectivity,
        &cables::CableLength,
        &cables::ExternalCables,
    ]
}

/// The objective of this name.
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
/// [`UnknownObjective`] lists them.
pub fn objective(name: &str) -> Result<&'static dyn Objective, UnknownObjective> {
    let found = objectives().iter().find(|objective| objective.name() == name);
    found.copied().ok_or_else(|| UnknownObjective { word: name.to_owned() })
}

fn names() -> String {
    objectives().iter().map(|objective| objective.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
