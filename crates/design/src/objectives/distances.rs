//! Distances between terminals.

use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use crate::network::Network;
use crate::network_size::NetworkSize;
use crate::objective::{NoScore, Objective};

/// The mean distance.
pub(super) struct Distance;

impl Objective for Distance {
    fn name(&self) -> &'static str {
        "distance"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "mean distance between two terminals, in channels"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        size.searches_ns()
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        network.distances().map(|distances| distances.mean()).ok_or(NoScore::Disconnected)
    }
}

/// The greatest distance.
pub(super) struct Diameter;

impl Objective for Diameter {
    fn name(&self) -> &'static str {
        "diameter"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "greatest distance between two terminals, in channels"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        size.searches_ns()
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        network.distances().map(|distances| distances.diameter.into()).ok_or(NoScore::Disconnected)
    }
}
