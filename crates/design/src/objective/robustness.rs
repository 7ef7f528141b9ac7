//! How well a network holds together.

use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use super::{NoScore, Objective};
use crate::Network;

/// The algebraic connectivity.
pub(super) struct SpectralGap;

impl Objective for SpectralGap {
    fn name(&self) -> &'static str {
        "spectral-gap"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "second eigenvalue of the Laplacian: how fast traffic that takes any way spreads"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        Ok(network.tools.spectrum.measure(&network.graph).value)
    }
}

/// The edge connectivity.
pub(super) struct EdgeConnectivity;

impl Objective for EdgeConnectivity {
    fn name(&self) -> &'static str {
        "edge-connectivity"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "channels that must fail until some terminal cannot reach some other"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let connectivity = lockstep_metrics::EdgeConnectivity::of(&network.graph);
        // With nobody to reach, nothing can fail.
        Ok(connectivity.map_or(0.0, |connectivity| connectivity.channels as f64))
    }
}
