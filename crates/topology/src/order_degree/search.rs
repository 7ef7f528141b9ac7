//! The order/degree search: rounds of simulated annealing, one run per promising number of rotations.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::annealing::{Annealing, BestGraph};
use super::bound::node_bound;
use super::{DistanceSum, OrderDegreeGraph, Polycirculant};

/// The largest supported order: 8,192 nodes.
pub const MAX_ORDER: u32 = 1 << 13;
/// The largest supported product of order and degree: 65,536.
pub const MAX_LINK_ENDS: u32 = 1 << 16;

/// Number of lookups of the first round, in all runs together.
const FIRST_ROUND: u64 = 1 << 20;
/// Binary logarithm of the length of the longest round, relative to the first.
const LONGEST_ROUND: u32 = 40;
/// The smallest number of runs per round.
const MIN_RUNS: usize = 4;
/// Number of lookups of a run per slice.
const SLICE: u64 = 1 << 22;

/// The reason an order and degree are not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OrderDegreeError {
    /// Too few or too many nodes.
    #[error("order: {order} nodes; give 2 to {MAX_ORDER}")]
    Order {
        /// The number of nodes.
        order: u32,
    },
    /// A degree too small for a connected graph, too large for a simple graph, or above [`MAX_LINK_ENDS`]` / order`.
    #[error("degree: {degree} links at each of {order} nodes; give {least} to {most}")]
    Degree {
        /// The number of nodes.
        order: u32,
        /// The degree.
        degree: u32,
        /// The smallest degree of a connected graph.
        least: u32,
        /// The largest supported degree.
        most: u32,
    },
    /// An odd product of order and degree.
    #[error("degree: {degree} links at each of {order} nodes have an odd number of ends; make one of the two even")]
    Odd {
        /// The number of nodes.
        order: u32,
        /// The degree.
        degree: u32,
    },
}

/// A search for a graph of a given order and degree with small distances. It can be stopped after any slice.
///
/// Most of the best known graphs are symmetric. A graph with `k` rotations as symmetries is defined by `1/k` of its
/// links and measured from `1/k` of its nodes. The search therefore makes simulated annealing runs for each number of
/// rotations that divides the order. It proceeds in rounds. Each round takes twice as long as the one before and makes
/// fewer runs, but at least four, for the numbers of rotations with the best results so far. The runs of a round are
/// parallel.
///
/// The result depends only on order, degree, seed and the number of slices. Ties go to the graph with more rotations,
/// then to the earlier graph.
///
/// ```
/// use lockstep_topology::OrderDegreeSearch;
///
/// let mut search = OrderDegreeSearch::new(16, 4, 1)?;
/// while !search.is_over() && search.round() < 5 {
///     search.advance();
/// }
/// assert_eq!(search.best().distance_sum(), 420);
/// # Ok::<(), lockstep_topology::OrderDegreeError>(())
/// ```
///
/// # Source
///
/// Simulated annealing of graphs with rotations by switching two links: Nakao, Murai, Sato, *A method for order/degree
/// problem based on graph symmetry and simulated annealing with MPI/OpenMP parallelization*, HPC Asia (2019). There the
/// number of rotations is a parameter.
#[derive(Clone, Debug)]
pub struct OrderDegreeSearch {
    order: u32,
    degree: u32,
    seed: u64,
    /// Number of completed rounds.
    round: u32,
    runs: Vec<Annealing>,
    /// The best sum of distances and the period, for each period. Best first, ties by period.
    ranking: Vec<(u64, u32)>,
    best: OrderDegreeGraph,
    /// Lower bound on the sum of distances from one node.
    node_bound: u64,
}

/// Searches for a connected regular graph with small distances: the best of `rounds` rounds of an
/// [`OrderDegreeSearch`].
///
/// Round `r`, from 0, makes about `2^(20 + r)` table lookups of one to two nanoseconds each, on all threads together.
/// So 10 rounds take one to two seconds of processor time. A large graph takes at least `order^2 * degree * D / 64`
/// lookups for diameter `D`. The search ends when the graph meets the lower bound.
///
/// ```
/// let graph = lockstep_topology::order_degree(32, 4, 1, 10)?;
/// assert_eq!((graph.links().len(), graph.distance_sum(), graph.bound()), (64, 2336, 2336));
/// # Ok::<(), lockstep_topology::OrderDegreeError>(())
/// ```
///
/// # Errors
///
/// [`OrderDegreeError`] if there is no connected graph of this order and degree, or it is too large.
pub fn order_degree(order: u32, degree: u32, seed: u64, rounds: u32) -> Result<OrderDegreeGraph, OrderDegreeError> {
    let mut search = OrderDegreeSearch::new(order, degree, seed)?;
    while !search.is_over() && search.round() < rounds {
        search.advance();
    }
    Ok(search.best)
}

impl OrderDegreeSearch {
    /// Creates a search whose first graph is the circulant graph of chords 1, 2, ….
    ///
    /// # Errors
    ///
    /// [`OrderDegreeError`] if there is no connected graph of this order and degree, or it is too large.
    pub fn new(order: u32, degree: u32, seed: u64) -> Result<Self, OrderDegreeError> {
        if !(2..=MAX_ORDER).contains(&order) {
            return Err(OrderDegreeError::Order { order });
        }
        let (least, most) = (if order == 2 { 1 } else { 2 }, (order - 1).min(MAX_LINK_ENDS / order));
        if !(least..=most).contains(&degree) {
            return Err(OrderDegreeError::Degree { order, degree, least, most });
        }
        let first = || {
            let start = Polycirculant::circulant(order, degree, 1)?;
            let sum = DistanceSum::new(order as usize, degree as usize).of(start.neighbours(), 1, u64::MAX)?;
            let bound_of_node = node_bound(order.into(), degree.into())?;
            let [distance_sum, bound] = [sum, bound_of_node].map(|of_node| of_node * u64::from(order));
            Some((bound_of_node, OrderDegreeGraph { graph: start, distance_sum, bound }))
        };
        let (node_bound, best) = first().ok_or(OrderDegreeError::Odd { order, degree })?;
        let periods = (1..=order).filter(|&period| order.is_multiple_of(period));
        Ok(Self {
            order,
            degree,
            seed,
            node_bound,
            round: 0,
            runs: Vec::new(),
            ranking: periods.map(|period| (u64::MAX, period)).collect(),
            best,
        })
    }

    /// Runs one slice: some milliseconds, or the time to measure one graph per run. Does nothing if the search is over.
    pub fn advance(&mut self) {
        if self.is_over() {
            return;
        }
        if self.runs.is_empty() {
            self.runs = self.next_runs();
        }
        self.runs.par_iter_mut().for_each(|run| run.advance(SLICE));
        for run in &self.runs {
            let BestGraph { sum, graph } = run.best();
            let total = sum * u64::from(graph.rotations());
            let period = graph.period() as u32;
            if (total, period) < (self.best.distance_sum, self.best.graph.period() as u32) {
                self.best = OrderDegreeGraph { graph: graph.clone(), distance_sum: total, bound: self.best.bound };
            }
            for (known, _) in self.ranking.iter_mut().filter(|(_, of)| *of == period) {
                *known = total.min(*known);
            }
        }
        if self.runs.iter().all(Annealing::is_over) {
            self.runs.clear();
            self.round = self.round.saturating_add(1);
            self.ranking.sort_unstable();
        }
    }

    /// Returns true if the best graph meets the lower bound, so that it is optimal.
    pub fn is_over(&self) -> bool {
        self.best.distance_sum <= self.best.bound()
    }

    /// Returns the number of completed rounds.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Returns the best graph so far.
    pub fn best(&self) -> &OrderDegreeGraph {
        &self.best
    }

    /// Creates the runs of the next round.
    fn next_runs(&self) -> Vec<Annealing> {
        let run_count = self.ranking.len().saturating_sub(self.round as usize).max(MIN_RUNS).min(self.ranking.len());
        let periods = self.ranking[..run_count].iter().map(|&(_, period)| period);
        // If there are few periods, repeat the one without symmetry.
        let periods: Vec<u32> =
            periods.chain(std::iter::repeat_n(self.order, MIN_RUNS.saturating_sub(run_count))).collect();
        let lookups = (FIRST_ROUND << self.round.min(LONGEST_ROUND)) / periods.len() as u64;
        let run = |(place, &period): (usize, &u32)| {
            let start = Polycirculant::circulant(self.order, self.degree, period)?;
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream(u64::from(self.round) << 32 | (place as u64) << 16 | u64::from(period));
            Annealing::new(start, self.node_bound * u64::from(period), lookups, rng)
        };
        periods.par_iter().enumerate().filter_map(run).collect()
    }
}
