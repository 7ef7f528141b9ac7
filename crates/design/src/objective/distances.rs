//! How far terminals are from each other.

use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use super::{NoScore, Objective};
use crate::Network;

/// The average distance.
pub(super) struct Distance;

impl Objective for Distance {
    fn name(&self) -> &'static str {
        "distance"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "channels of a shortest path between two terminals, on average"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        network.distances().map(|distances| distances.mean()).ok_or(NoScore::InParts)
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
        "channels of the longest of all shortest paths"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        network.distances().map(|distances| distances.diameter.into()).ok_or(NoScore::InParts)
    }
}
