//! Throughput of all-to-all traffic.

use lockstep_metrics::{MAX_FLOWS, ThroughputError, ThroughputGoal};
use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use crate::network::Network;
use crate::network_size::{NetworkSize, product};
use crate::objective::{NoScore, Objective};

/// The accuracy: sufficient to compare good networks, and fast enough for thousands of them.
const GOAL: ThroughputGoal = ThroughputGoal { gap: 0.02, searches: 100_000 };

/// The rate of all-to-all traffic per terminal.
pub(super) struct Throughput;

impl Objective for Throughput {
    fn name(&self) -> &'static str {
        "throughput"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "all-to-all rate per terminal with optimal routing, in channel bandwidths; at most 2 % too low"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        product(&[size.sources, size.arcs, size.nodes.max(2).ilog2().into(), 100])
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        let Network { graph, symmetries, measurers, .. } = network;
        let throughput = measurers.throughput.measure(graph, symmetries, GOAL)?;
        // The lower end is the rate of a known flow, so the score is never too high.
        if throughput.gap() <= GOAL.gap { Ok(throughput.lower) } else { Err(NoScore::NotProved) }
    }
    fn refusal(&self, size: &NetworkSize) -> Option<NoScore> {
        let [sources, nodes] = [size.sources, size.nodes].map(|count| count as usize);
        (sources.saturating_mul(nodes) > MAX_FLOWS).then(|| ThroughputError::TooLarge { sources, nodes }.into())
    }
}
