//! Simulated annealing among the graphs of one period.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{DistanceSum, Polycirculant};

/// Number of random switches per jump before the annealing starts, so that the start is independent of the circulant
/// graph.
const SHUFFLES_PER_JUMP: usize = 10;
/// Cost of a switch without its measurement, in lookups.
const SWITCH_LOOKUPS: u64 = 64;

/// A simulated annealing run. Its move is a switch of two orbits of links.
#[derive(Clone, Debug)]
pub(super) struct Annealing {
    rng: ChaCha8Rng,
    distances: DistanceSum,
    graph: Polycirculant,
    /// Sum of the distances from one node per class, in the current graph.
    sum: u64,
    best: BestGraph,
    /// Lower bound on `sum`.
    bound: u64,
    /// Number of switches so far, including those that were impossible.
    switches: u64,
    /// Lookup budget of the run, see [`DistanceSum::lookups`].
    lookups: u64,
}

/// A graph and the sum of distances from one node per class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BestGraph {
    pub(super) sum: u64,
    pub(super) graph: Polycirculant,
}

impl Annealing {
    /// Creates a run with a budget of `lookups`. It starts at a random graph, or at `start` if the random graph is
    /// disconnected. Returns `None` if both are disconnected.
    pub(super) fn new(start: Polycirculant, bound: u64, lookups: u64, mut rng: ChaCha8Rng) -> Option<Self> {
        let (degree, period) = (start.degree(), start.period());
        let mut distances = DistanceSum::new(start.neighbours().len() / degree, degree);
        let mut graph = start.clone();
        for _ in 0..SHUFFLES_PER_JUMP * degree * period {
            graph.switch(&mut rng);
        }
        let mut sum = distances.of(graph.neighbours(), period, u64::MAX);
        if sum.is_none() {
            sum = distances.of(start.neighbours(), period, u64::MAX);
            graph = start;
        }
        let sum = sum?;
        let best = BestGraph { sum, graph: graph.clone() };
        Some(Self { rng, distances, graph, sum, best, bound, switches: 0, lookups })
    }

    /// Returns the best graph so far.
    pub(super) fn best(&self) -> &BestGraph {
        &self.best
    }

    /// Returns the number of lookups so far.
    fn spent(&self) -> u64 {
        self.distances.lookups() + SWITCH_LOOKUPS * self.switches
    }

    /// Returns true if the budget is used up or the best graph is optimal.
    pub(super) fn is_over(&self) -> bool {
        self.spent() >= self.lookups || self.best.sum <= self.bound
    }

    /// Continues for about `lookups` lookups.
    pub(super) fn advance(&mut self, lookups: u64) {
        let pause = self.spent().saturating_add(lookups);
        while !self.is_over() && self.spent() < pause {
            self.step();
        }
    }

    fn step(&mut self) {
        let temperature = (self.lookups - self.spent()) / (self.lookups >> 16).max(1);
        // Counted even if impossible, so that the run ends in a graph without any switch.
        self.switches += 1;
        let Some(switched) = self.graph.switch(&mut self.rng) else { return };
        // At the start, the sum may increase by 1 with probability 1/2 and by 2 with probability 1/4; at the end never.
        let slack = (temperature * negative_log2(self.rng.next_u64())) >> 32;
        match self.distances.of(self.graph.neighbours(), self.graph.period(), self.sum + slack) {
            Some(sum) => self.sum = sum,
            None => self.graph.undo(switched),
        }
        if self.sum < self.best.sum {
            self.best = BestGraph { sum: self.sum, graph: self.graph.clone() };
        }
    }
}

/// Returns `-log2(bits / 2^64)` in units of `2^-16`, with linear interpolation between powers of two. For random `bits`
/// it is exponentially distributed.
pub(super) fn negative_log2(bits: u64) -> u64 {
    let bits = bits | 1;
    let whole = bits.leading_zeros();
    let fraction = ((bits << whole) >> 47) & 0xffff;
    (u64::from(whole + 1) << 16) - fraction
}
