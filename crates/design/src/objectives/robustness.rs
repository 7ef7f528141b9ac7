//! Connectivity.

use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use crate::network::Network;
use crate::network_size::{NetworkSize, product};
use crate::objective::{NoScore, Objective};

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
        "second smallest eigenvalue of the Laplacian; greater means better connected"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        let nodes = size.nodes;
        // A small spectrum is computed from the whole matrix, a large one by iteration.
        if nodes <= 512 { product(&[nodes, nodes, nodes]) } else { product(&[nodes, 50_000]) }
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        Ok(network.measurers.spectrum.measure(&network.graph).value)
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
        "least number of channel failures that separate two terminals"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        let flows = if size.terminals_forward { size.terminals } else { product(&[size.terminals, size.terminals]) };
        product(&[flows, size.elements(), 30])
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let connectivity = lockstep_metrics::EdgeConnectivity::of(&network.graph);
        // With fewer than two terminals, there is no pair to separate.
        Ok(connectivity.map_or(0.0, |connectivity| connectivity.channels as f64))
    }
}
