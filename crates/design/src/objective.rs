//! The interface of objectives.

use lockstep_metrics::{MAX_EXACT_TERMINALS, StageLoadsError, ThroughputError, TooManyTerminals};
use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use crate::network::Network;
use crate::network_size::NetworkSize;

/// A score of networks and its direction.
///
/// The built-in objectives are listed by [`objectives`](crate::objectives). A score may depend on randomness only
/// through the random stream that is passed in.
pub trait Objective: Sync {
    /// Returns the name in files and on the command line.
    fn name(&self) -> &'static str;

    /// Returns the direction of the score.
    fn sense(&self) -> Sense;

    /// Returns what the score measures, with its unit, on one line.
    fn about(&self) -> &'static str;

    /// Estimates the time of [`score`](Self::score) in nanoseconds, for a network of this size.
    ///
    /// The estimate is a rough upper bound on one core. It does not depend on the machine, so that choices based on it
    /// are reproducible.
    fn estimated_ns(&self, size: &NetworkSize) -> u64;

    /// Computes the score of a network.
    ///
    /// # Errors
    ///
    /// Returns the reason if the network has no such score.
    fn score(&self, network: &mut Network, random: &mut ChaCha8Rng) -> Result<f64, NoScore>;

    /// Returns the reason if networks of this size have no such score.
    fn refusal(&self, size: &NetworkSize) -> Option<NoScore> {
        let _ = size;
        None
    }
}

/// Why a network has no score.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoScore {
    /// Some terminals cannot reach others.
    #[error("the network is disconnected")]
    Disconnected,
    /// The positions of the cabinets are unknown.
    #[error("the network has no cabinets")]
    NoCabinets,
    /// The network has too many terminals.
    #[error("it supports at most {most} terminals, and the network has {terminals}")]
    TooLarge {
        /// Number of terminals of the network.
        terminals: usize,
        /// Largest supported number.
        most: usize,
    },
    /// The network has switches.
    #[error("it supports only networks without switches")]
    Switches,
    /// The channels have capacities, and the score counts channels only.
    #[error("it supports only networks whose channels have capacity 1")]
    Capacities,
    /// The network has no breadth-first broadcast, or its loads are not computed.
    #[error(transparent)]
    StageLoads(StageLoadsError),
    /// The throughput cannot be computed.
    #[error(transparent)]
    Throughput(#[from] ThroughputError),
    /// The search ended before it proved the score.
    #[error("its proof takes too long")]
    NotProved,
}

impl From<TooManyTerminals> for NoScore {
    fn from(TooManyTerminals { terminals }: TooManyTerminals) -> Self {
        Self::TooLarge { terminals, most: MAX_EXACT_TERMINALS }
    }
}
