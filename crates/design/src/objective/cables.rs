//! What a network costs: f3 of the ExaNeSt document, and what it leaves out.

use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use super::{NoScore, Objective};
use crate::{Network, Placement};

/// Cables of a terminal on average.
pub(super) struct Links;

impl Objective for Links {
    fn name(&self) -> &'static str {
        "links"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "channels out of a node, on average: the slots of a chassis that are in use"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let nodes = network.graph.node_count();
        let channels: u64 = (0..nodes as u32).map(|node| u64::from(network.graph.out_degree(node))).sum();
        Ok(channels as f64 / nodes.max(1) as f64)
    }
}

/// Cables of the router with the most.
pub(super) struct WorstDegree;

impl Objective for WorstDegree {
    fn name(&self) -> &'static str {
        "worst-degree"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "channels out of the node with the most, or into it: the ports that routers need"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        Ok(network.graph.greatest_degree().into())
    }
}

/// Length of all cables together.
pub(super) struct CableLength;

impl Objective for CableLength {
    fn name(&self) -> &'static str {
        "cable-length"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "metres of cable, over a grid of cabinets"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let placement = placement(network)?;
        Ok(network.cables.iter().map(|&cable| placement.centimetres(cable)).sum::<u64>() as f64 / 100.0)
    }
}

/// Cables between cabinets.
pub(super) struct ExternalCables;

impl Objective for ExternalCables {
    fn name(&self) -> &'static str {
        "external-cables"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "cables between cabinets"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let placement = placement(network)?;
        Ok(network.cables.iter().filter(|&&cable| placement.is_external(cable)).count() as f64)
    }
}

fn placement(network: &Network) -> Result<Placement, NoScore> {
    network.placement.ok_or(NoScore::NoCabinets)
}
