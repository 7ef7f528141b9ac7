//! Bisection width: objective f1 of the ExaNeSt document.

use lockstep_metrics::exact_bisection;
use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use crate::network::Network;
use crate::network_size::{NetworkSize, product};
use crate::objective::{NoScore, Objective};

/// Number of runs of the heuristic.
const STARTS: u32 = 10;

/// Largest number of terminals for which a proof usually takes seconds.
const MOST_TERMINALS: usize = 40;

/// Node budget of the exact search: some seconds.
const NODE_BUDGET: u64 = 100_000_000;

/// The cut of one run of the Kernighan–Lin algorithm. Parallel cables count once, because this reproduces the published
/// figures best.
pub(super) struct KernighanLin;

impl Objective for KernighanLin {
    fn name(&self) -> &'static str {
        "kernighan-lin"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "bisection width by one run of Kernighan-Lin, parallel cables counted once; often too high"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        product(&[size.elements(), 1_000])
    }
    fn score(&self, network: &mut Network, random: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        Ok(network.measurers.bisector.kernighan_lin(&network.graph.simple(), random).into())
    }
}

/// The smallest cut of several runs.
pub(super) struct BestBisection;

impl Objective for BestBisection {
    fn name(&self) -> &'static str {
        "bisection"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "bisection width in cables, the best of ten heuristic cuts; rarely too high"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        product(&[size.elements(), 10_000])
    }
    fn score(&self, network: &mut Network, random: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        Ok(network.measurers.bisector.best_of(&network.graph, STARTS, random).into())
    }
}

/// The proved bisection width.
pub(super) struct ExactBisection;

impl Objective for ExactBisection {
    fn name(&self) -> &'static str {
        "exact-bisection"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "bisection width in cables, proved; up to 40 terminals"
    }
    fn estimated_ns(&self, _: &NetworkSize) -> u64 {
        // Larger networks are refused, and the search stops at its node budget.
        1 << 30
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        self.refusal(&network.size()).map_or(Ok(()), Err)?;
        let found = exact_bisection(&network.graph, NODE_BUDGET)?.bisection;
        if found.is_exact() { Ok(found.cut.into()) } else { Err(NoScore::NotProved) }
    }
    fn refusal(&self, size: &NetworkSize) -> Option<NoScore> {
        let terminals = size.terminals as usize;
        (terminals > MOST_TERMINALS).then_some(NoScore::TooLarge { terminals, most: MOST_TERMINALS })
    }
}
