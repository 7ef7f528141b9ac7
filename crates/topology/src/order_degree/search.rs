//! Rounds of walks, one for each number of rotations that pays.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::annealing::{Best, Walk};
use super::bound::node_bound;
use super::{DistanceSum, OrderDegreeGraph, Polycirculant};

/// The largest order that is searched.
pub const MAX_ORDER: u32 = 1 << 13;
/// The largest product of order and degree that is searched.
pub const MAX_LINK_ENDS: u32 = 1 << 16;

/// Looks of the first round, in all its walks.
const FIRST_ROUND: u64 = 1 << 20;
/// The longest round, in powers of two of the first.
const LONGEST_ROUND: u32 = 40;
/// Walks of a round at least, if there are so many numbers of rotations.
const WALKS: usize = 4;
/// Looks of a walk in a slice.
const SLICE: u64 = 1 << 22;

/// Why there is no graph to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OrderDegreeError {
    /// Too few nodes or too many.
    #[error("order: {order} nodes; give 2 to {MAX_ORDER}")]
    Order {
        /// The number of nodes.
        order: u32,
    },
    /// A degree that connects nothing, or that no simple graph has.
    #[error("degree: {degree} links at each of {order} nodes; give {least} to {most}")]
    Degree {
        /// The number of nodes.
        order: u32,
        /// The degree.
        degree: u32,
        /// The least degree of a connected graph.
        least: u32,
        /// The greatest degree that is searched.
        most: u32,
    },
    /// A link with one end.
    #[error("degree: {degree} links at each of {order} nodes have an odd number of ends; make one of the two even")]
    Odd {
        /// The number of nodes.
        order: u32,
        /// The degree.
        degree: u32,
    },
}

/// A search for a graph of a given order and degree with short distances, which can be stopped at any time.
///
/// The best graphs known are mostly symmetric, and a graph that `k` rotations keep is known from a `k`-th of its links
/// and judged from a `k`-th of its nodes. So there are walks for every number of rotations, from all to none. They go in
/// rounds: a round takes twice as long as the one before, in fewer and fewer walks, four at least, of those numbers of
/// rotations that have served best. Walks are made side by side on all threads; the result depends on order, degree,
/// seed and the number of slices alone. Of equal sums the graph of more rotations counts as the best, and the earlier one.
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
/// **Source**: simulated annealing by the exchange of the ends of two links among graphs with rotations, as in Nakao,
/// Murai, Sato, *A method for order/degree problem based on graph symmetry and simulated annealing with MPI/OpenMP
/// parallelization*, HPC Asia (2019). There the number of rotations is given.
#[derive(Clone, Debug)]
pub struct OrderDegreeSearch {
    order: u32,
    degree: u32,
    seed: u64,
    /// Rounds that are complete.
    round: u32,
    walks: Vec<Walk>,
    /// The best sum of all distances for each number of classes, the best first, and fewer classes first.
    ranking: Vec<(u64, u32)>,
    best: OrderDegreeGraph,
    /// The least sum of the distances from one node.
    least: u64,
}

/// A connected graph of this order and degree with short distances: the best of so many rounds of an
/// [`OrderDegreeSearch`].
///
/// Round `r`, from 0, takes about `2^(20 + r)` looks at neighbours for 64 sources, of one to two nanoseconds each, shared
/// by all threads: 10 rounds take one to two seconds of one thread. Large graphs take at least `order^2 * degree / 64`
/// looks for each unit of the diameter. The search ends at once where the bound is reached.
///
/// ```
/// let graph = lockstep_topology::order_degree(32, 4, 1, 10)?;
/// assert_eq!((graph.links().len(), graph.distance_sum(), graph.bound()), (64, 2336, 2336));
/// # Ok::<(), lockstep_topology::OrderDegreeError>(())
/// ```
///
/// # Errors
///
/// [`OrderDegreeError`], if there is no connected graph of this order and degree, or it is too large.
pub fn order_degree(order: u32, degree: u32, seed: u64, rounds: u32) -> Result<OrderDegreeGraph, OrderDegreeError> {
    let mut search = OrderDegreeSearch::new(order, degree, seed)?;
    while !search.is_over() && search.round() < rounds {
        search.advance();
    }
    Ok(search.best)
}

impl OrderDegreeSearch {
    /// A search that has a first graph, the circulant one of jumps 1, 2 and so on.
    ///
    /// # Errors
    ///
    /// [`OrderDegreeError`], if there is no connected graph of this order and degree, or it is too large.
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
            let least = node_bound(order.into(), degree.into())?;
            let [distance_sum, bound] = [sum, least].map(|of_node| of_node * u64::from(order));
            Some((least, OrderDegreeGraph { graph: start, distance_sum, bound }))
        };
        let (least, best) = first().ok_or(OrderDegreeError::Odd { order, degree })?;
        let periods = (1..=order).filter(|&period| order.is_multiple_of(period));
        Ok(Self {
            order,
            degree,
            seed,
            least,
            round: 0,
            walks: Vec::new(),
            ranking: periods.map(|period| (u64::MAX, period)).collect(),
            best,
        })
    }

    /// Goes on for a slice: some milliseconds, or as long as it takes to measure one graph of every walk. Does nothing if
    /// the search is over.
    pub fn advance(&mut self) {
        if self.is_over() {
            return;
        }
        if self.walks.is_empty() {
            self.walks = self.walks_of_round();
        }
        self.walks.par_iter_mut().for_each(|walk| walk.advance(SLICE));
        for walk in &self.walks {
            let Best { sum, graph } = walk.best();
            let total = sum * u64::from(graph.rotations());
            let period = graph.period() as u32;
            if (total, period) < (self.best.distance_sum, self.best.graph.period() as u32) {
                self.best = OrderDegreeGraph { graph: graph.clone(), distance_sum: total, bound: self.best.bound };
            }
            for (known, _) in self.ranking.iter_mut().filter(|(_, of)| *of == period) {
                *known = total.min(*known);
            }
        }
        if self.walks.iter().all(Walk::is_over) {
            self.walks.clear();
            self.round = self.round.saturating_add(1);
            self.ranking.sort_unstable();
        }
    }

    /// Whether no graph of this order and degree is better than the best one.
    pub fn is_over(&self) -> bool {
        self.best.distance_sum <= self.best.bound()
    }

    /// Number of rounds that are complete.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The best graph so far.
    pub fn best(&self) -> &OrderDegreeGraph {
        &self.best
    }

    /// The walks of the next round at their beginnings.
    fn walks_of_round(&self) -> Vec<Walk> {
        let kept = self.ranking.len().saturating_sub(self.round as usize).max(WALKS).min(self.ranking.len());
        let periods = self.ranking[..kept].iter().map(|&(_, period)| period);
        // The freest walk once more where there are few.
        let periods: Vec<u32> = periods.chain(std::iter::repeat_n(self.order, WALKS.saturating_sub(kept))).collect();
        let looks = (FIRST_ROUND << self.round.min(LONGEST_ROUND)) / periods.len() as u64;
        let walk = |(place, &period): (usize, &u32)| {
            let start = Polycirculant::circulant(self.order, self.degree, period)?;
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream(u64::from(self.round) << 32 | (place as u64) << 16 | u64::from(period));
            Walk::new(start, self.least * u64::from(period), looks, rng)
        };
        periods.par_iter().enumerate().filter_map(walk).collect()
    }
}
