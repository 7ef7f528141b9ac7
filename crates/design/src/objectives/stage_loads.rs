//! Latency and bandwidth of an all-gather by breadth-first broadcast.

use lockstep_metrics::{MAX_STAGE_NODES, StageLoads, StageLoadsError};
use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use crate::network::Network;
use crate::network_size::{NetworkSize, product};
use crate::objective::{NoScore, Objective};

/// The number of stages.
pub(super) struct Latency;

impl Objective for Latency {
    fn name(&self) -> &'static str {
        "bfb-latency"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "stages of an all-gather by breadth-first broadcast"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        estimated_ns(size)
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        Ok(stage_loads(network)?.loads().len() as f64)
    }
    fn refusal(&self, size: &NetworkSize) -> Option<NoScore> {
        refusal(size)
    }
}

/// The time of all stages for long messages.
pub(super) struct Bandwidth;

impl Objective for Bandwidth {
    fn name(&self) -> &'static str {
        "bfb-bandwidth"
    }
    fn sense(&self) -> Sense {
        Sense::Minimise
    }
    fn about(&self) -> &'static str {
        "time of an all-gather by breadth-first broadcast, for long messages: 1 is all data over all ports of a node"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        estimated_ns(size)
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let loads = stage_loads(network)?;
        let steps: f64 = loads.loads().iter().map(|&[load, unit]| load as f64 / unit as f64).sum();
        let ports = f64::from(network.graph.greatest_degree());
        Ok(steps * ports / network.graph.node_count() as f64)
    }
    fn refusal(&self, size: &NetworkSize) -> Option<NoScore> {
        refusal(size)
    }
}

fn stage_loads(network: &Network) -> Result<StageLoads, NoScore> {
    if network.has_capacities {
        return Err(NoScore::Capacities);
    }
    Ok(StageLoads::of_graph(&network.graph, &network.sources)?)
}

fn estimated_ns(size: &NetworkSize) -> u64 {
    // A breadth-first search from each source and its predecessors, then tables of all sets of predecessors by stage.
    let degree = size.arcs.div_ceil(size.nodes.max(1));
    let sets = product(&[size.sources, degree, 200, 1 << degree.min(16)]);
    product(&[size.searches_ns(), degree + 1]).saturating_add(sets)
}

fn refusal(size: &NetworkSize) -> Option<NoScore> {
    let terminals = size.terminals as usize;
    (terminals > MAX_STAGE_NODES).then_some(NoScore::TooLarge { terminals, most: MAX_STAGE_NODES })
}

impl From<StageLoadsError> for NoScore {
    fn from(error: StageLoadsError) -> Self {
        match error {
            StageLoadsError::Unreachable { .. } => Self::Disconnected,
            StageLoadsError::Switch { .. } => Self::Switches,
            error => Self::StageLoads(error),
        }
    }
}
