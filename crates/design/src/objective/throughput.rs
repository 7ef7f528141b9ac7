//! How much can be sent.

use lockstep_metrics::ThroughputGoal;
use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use super::{NoScore, Objective};
use crate::Network;

/// Close enough to tell good networks from better ones, soon enough for thousands of them.
const GOAL: ThroughputGoal = ThroughputGoal { gap: 0.02, searches: 100_000 };

/// The rate of all-to-all traffic.
pub(super) struct Throughput;

impl Objective for Throughput {
    fn name(&self) -> &'static str {
        "throughput"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "what a terminal sends to all others, in channels, if traffic takes the best ways; at most 2 % low"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let Network { graph, symmetries, tools, .. } = network;
        let throughput = tools.throughput.measure(graph, symmetries, GOAL)?;
        // A flow that is known, so that a search which ends too soon flatters nobody.
        if throughput.gap() <= GOAL.gap { Ok(throughput.lower) } else { Err(NoScore::NotProved) }
    }
}
