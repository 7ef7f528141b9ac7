//! Cables between two halves of the terminals: f1 of the ExaNeSt document.

use lockstep_metrics::exact_bisection;
use lockstep_pareto::Sense;
use rand_chacha::ChaCha8Rng;

use super::{NoScore, Objective};
use crate::{Machine, Network};

/// Runs whose best cut counts.
const STARTS: u32 = 10;

/// The most terminals for which a search can wait for proofs.
const MOST_TERMINALS: usize = 40;

/// Nodes of a search tree, some seconds of work.
const NODE_BUDGET: u64 = 100_000_000;

/// The cut of one run of Kernighan and Lin's algorithm, in which parallel cables are one: so the ExaNeSt document's figures are
/// reproduced best.
pub(super) struct KernighanLin;

impl Objective for KernighanLin {
    fn name(&self) -> &'static str {
        "kernighan-lin"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "pairs of nodes that one run of Kernighan and Lin's algorithm parts: the bisection width, often overrated"
    }
    fn score(&self, network: &mut Network, random: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        Ok(network.tools.bisector.kernighan_lin(&network.graph.simple(), random).into())
    }
}

/// The least cut of several runs.
pub(super) struct BestBisection;

impl Objective for BestBisection {
    fn name(&self) -> &'static str {
        "bisection"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "cables in the best of ten cuts: the bisection width, seldom overrated"
    }
    fn score(&self, network: &mut Network, random: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        Ok(network.tools.bisector.best_of(&network.graph, STARTS, random).into())
    }
}

/// The bisection width, proved.
pub(super) struct ExactBisection;

impl Objective for ExactBisection {
    fn name(&self) -> &'static str {
        "exact-bisection"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "cables that must be cut to halve the terminals, proved; up to 40 terminals"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        refusal(network.graph.terminals().len()).map_or(Ok(()), Err)?;
        let found = exact_bisection(&network.graph, NODE_BUDGET)?.bisection;
        if found.is_exact() { Ok(found.cut.into()) } else { Err(NoScore::NotProved) }
    }
    fn refusal(&self, machine: &Machine) -> Option<NoScore> {
        refusal(machine.router_count() as usize)
    }
}

fn refusal(terminals: usize) -> Option<NoScore> {
    (terminals > MOST_TERMINALS).then_some(NoScore::TooLarge { terminals, most: MOST_TERMINALS })
}
