//! One walk among graphs that the same rotations keep, with ever less freedom to go uphill.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{DistanceSum, Polycirculant};

/// Switches for every jump before a walk begins: enough to forget the circulant graph.
const SHUFFLES_PER_JUMP: usize = 10;
/// What a switch takes beside the measuring, in looks.
const SWITCH: u64 = 64;

/// Simulated annealing by the exchange of the ends of two links and all their turns.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    rng: ChaCha8Rng,
    distances: DistanceSum,
    graph: Polycirculant,
    /// The sum of distances from one node of each class, in the graph where the walk is.
    sum: u64,
    best: Best,
    /// What a sum cannot be below.
    least: u64,
    /// Switches so far, those that were refused at once included.
    switches: u64,
    /// Looks of the whole walk, see [`DistanceSum::looks`].
    looks: u64,
}

/// A graph and the sum of distances from one node of each class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Best {
    pub(super) sum: u64,
    pub(super) graph: Polycirculant,
}

impl Walk {
    /// A walk of so many looks from a graph at random, or from `start` where the one at random is not connected. It
    /// measures one graph at least. `None` if neither is connected.
    pub(super) fn new(start: Polycirculant, least: u64, looks: u64, mut rng: ChaCha8Rng) -> Option<Self> {
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
        let best = Best { sum, graph: graph.clone() };
        Some(Self { rng, distances, graph, sum, best, least, switches: 0, looks })
    }

    /// The best graph so far.
    pub(super) fn best(&self) -> &Best {
        &self.best
    }

    /// Looks so far.
    fn spent(&self) -> u64 {
        self.distances.looks() + SWITCH * self.switches
    }

    /// Whether the walk is at its end, or no graph is better.
    pub(super) fn is_over(&self) -> bool {
        self.spent() >= self.looks || self.best.sum <= self.least
    }

    /// Goes on for about so many looks.
    pub(super) fn advance(&mut self, looks: u64) {
        let pause = self.spent().saturating_add(looks);
        while !self.is_over() && self.spent() < pause {
            self.step();
        }
    }

    fn step(&mut self) {
        let heat = (self.looks - self.spent()) / (self.looks >> 16).max(1);
        // Counted in any case, so that the walk ends in a graph without any switch.
        self.switches += 1;
        let Some(switched) = self.graph.switch(&mut self.rng) else { return };
        // At the start a sum may grow by 1 with probability one half, by 2 with one quarter, in the end not at all.
        let slack = (heat * halvings(self.rng.next_u64())) >> 32;
        match self.distances.of(self.graph.neighbours(), self.graph.period(), self.sum + slack) {
            Some(sum) => self.sum = sum,
            None => self.graph.take_back(switched),
        }
        if self.sum < self.best.sum {
            self.best = Best { sum: self.sum, graph: self.graph.clone() };
        }
    }
}

/// How often 1 is halved until a fraction drawn at random, these bits, is left, in units of 2^-16: exponentially
/// distributed. Between powers of two the logarithm is taken as linear.
pub(super) fn halvings(bits: u64) -> u64 {
    let bits = bits | 1;
    let whole = bits.leading_zeros();
    let fraction = ((bits << whole) >> 47) & 0xffff;
    (u64::from(whole + 1) << 16) - fraction
}
