//! Cost of a network: number of cables (f3 of the ExaNeSt document), ports, cable length.

use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use crate::network::Network;
use crate::network_size::NetworkSize;
use crate::objective::{NoScore, Objective};
use crate::placement::Placement;

/// Mean number of outgoing channels per node.
pub(super) struct Links;

impl Objective for Links {
    fn name(&self) -> &'static str {
        "links"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "outgoing channels per node on average: the used slots per chassis"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        size.elements()
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let nodes = network.graph.node_count();
        let channels: u64 = (0..nodes as u32).map(|node| u64::from(network.graph.out_degree(node))).sum();
        Ok(channels as f64 / nodes.max(1) as f64)
    }
}

/// Greatest in- or out-degree.
pub(super) struct WorstDegree;

impl Objective for WorstDegree {
    fn name(&self) -> &'static str {
        "worst-degree"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "greatest number of channels into or out of one node: the ports that a router needs"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        size.elements()
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        Ok(network.graph.greatest_degree().into())
    }
}

/// Total length of all cables.
pub(super) struct CableLength;

impl Objective for CableLength {
    fn name(&self) -> &'static str {
        "cable-length"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "total cable length in metres, for cabinets on a grid"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        size.elements()
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let placement = placement(network)?;
        Ok(network.cables.iter().map(|&cable| placement.centimetres(cable)).sum::<u64>() as f64 / 100.0)
    }
}

/// Number of cables between cabinets.
pub(super) struct ExternalCables;

impl Objective for ExternalCables {
    fn name(&self) -> &'static str {
        "external-cables"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "number of cables between cabinets"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        size.elements()
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let placement = placement(network)?;
        Ok(network.cables.iter().filter(|&&cable| placement.is_external(cable)).count() as f64)
    }
}

/// Returns the positions of the cabinets.
fn placement(network: &Network) -> Result<Placement, NoScore> {
    network.placement().ok_or(NoScore::NoCabinets)
}
