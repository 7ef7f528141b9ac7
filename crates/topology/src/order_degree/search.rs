//! The order/degree search: rounds of simulated annealing, one run per promising number of rotations.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::annealing::{Annealing, BestGraph, MILD, RunPlan};
use super::bound::node_bound;
use super::distance_sum::DistanceTotals;
use super::objective::{Objective, Rank};
use super::symmetry::Symmetry;
use super::{OrderDegreeGraph, Polycirculant};

/// The largest supported order: 131,072 nodes.
pub const MAX_ORDER: u32 = 1 << 17;
/// The largest supported product of order and degree: 8,388,608.
pub const MAX_LINK_ENDS: u32 = 1 << 23;

/// Number of lookups of the first round, in all runs together.
const FIRST_ROUND: u64 = 1 << 20;
/// Binary logarithm of the length of the longest round, relative to the first.
const LONGEST_ROUND: u32 = 40;
/// The smallest number of runs per round.
const MIN_RUNS: usize = 4;
/// The smallest number of runs per round, if the diameter comes first.
const FINAL_RUNS: usize = 2;
/// Number of runs without a better result after which other kinds of runs come first.
const FAILURES: u32 = 2;
/// First temperatures.
const HEATS: [u64; 3] = [MILD, MILD << 2, MILD << 6];
/// First temperatures with more than one layer.
const LAYER_HEATS: [u64; 2] = [MILD, MILD << 2];
/// The largest number of layers.
const MAX_LAYERS: u32 = 4;
/// Number of lookups of the longest measurement of one graph. Graphs that need more are not tried.
const LONGEST_MEASUREMENT: u64 = 1 << 28;
/// The largest product of order and degree of all runs of a round, if they are more than the smallest number.
const MAX_RUN_ENDS: usize = 1 << 25;
/// Product of order and degree up to which the first graph has chords 1, 2, ….
const SMALL_ENDS: usize = 1 << 16;
/// The largest sum of distances of the first graph of a run, relative to the bound, in large graphs.
const LARGEST_START: u64 = 4;
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

/// A kind of run: its symmetries and its first temperature, with its best result so far.
#[derive(Clone, Debug)]
struct RunKind {
    /// Best result so far.
    best: Rank,
    /// The graph of the best result, if it is small enough to be kept.
    graph: Option<Polycirculant>,
    /// Number of runs since the last better result.
    failures: u32,
    /// Order of equal results.
    place: usize,
    period: u32,
    /// Number of layers and multiplier of the symmetries, see [`Symmetry`].
    layers: (u32, u32),
    /// See [`RunPlan::heat`].
    heat: u64,
}

impl RunKind {
    /// Returns all kinds of runs, the first to be tried first.
    fn all(order: u32, degree: u32, objective: Objective) -> Vec<Self> {
        let mut periods: Vec<u32> = (1..=order).filter(|&period| order.is_multiple_of(period)).collect();
        if order * degree > SMALL_ENDS as u32 {
            // Up to 64 sources are measured at the cost of one, and a graph with little symmetry starts better.
            periods.sort_by_key(|&period| if period <= 64 { (0, 64 - period) } else { (1, period) });
        }
        let heats: &[u64] = match objective {
            Objective::Sum => &[MILD],
            Objective::DiameterThenSum => &HEATS,
        };
        let kinds = periods.iter().flat_map(|&period| heats.iter().map(move |&heat| (period, (1, 1), heat)));
        let most_layers = if objective == Objective::Sum || degree < 3 { 1 } else { MAX_LAYERS };
        let of_layers = (2..=most_layers).flat_map(|layers| periods.iter().map(move |&period| (period, layers)));
        let with_layers = of_layers.filter(|(period, layers)| period.is_multiple_of(*layers));
        let with_layers = with_layers.flat_map(|(period, layers)| {
            let rotations = order / period;
            let mut multipliers = Symmetry::multipliers(rotations, layers);
            // The graphs of dihedral groups are worse: most of their elements are of order 2.
            multipliers.retain(|&multiplier| multiplier + 1 < rotations);
            let layers = multipliers.into_iter().map(move |multiplier| (layers, multiplier));
            layers.flat_map(move |layers| LAYER_HEATS.map(|heat| (period, layers, heat)))
        });
        let best = (u32::MAX, u64::MAX);
        kinds
            .chain(with_layers)
            .enumerate()
            .map(|(place, (period, layers, heat))| Self { best, graph: None, failures: 0, place, period, layers, heat })
            .collect()
    }

    /// Returns the number of orbits of nodes.
    fn orbits(&self) -> u32 {
        self.period / self.layers.0
    }

    /// Returns a graph with these symmetries.
    fn first_graph(&self, order: u32, degree: u32) -> Option<Polycirculant> {
        match self.layers {
            (1, _) => Polycirculant::circulant(order, degree, self.period),
            (layers, multiplier) => {
                Polycirculant::with_symmetry(Symmetry::new(order, self.period, layers, multiplier)?, degree)
            }
        }
    }

    /// Returns 0 for the runs that come first. A kind of run that failed twice, each time with a larger budget, is
    /// exhausted: others follow.
    fn priority(&self, objective: Objective) -> u32 {
        match objective {
            Objective::Sum => 0,
            Objective::DiameterThenSum => self.failures / FAILURES,
        }
    }
}

/// A search for a graph of a given order and degree with a small diameter and small distances. It can be stopped after any slice.
///
/// Most of the best known graphs are symmetric. A graph with `k` rotations as symmetries is defined by `1/k` of its
/// links and measured from `1/k` of its nodes. The search therefore makes simulated annealing runs for each number of
/// rotations that divides the order, from several start temperatures. Other runs are for graphs with two to four times as many
/// symmetries as rotations: the semidirect products of two cyclic groups. The search proceeds in rounds. Each round takes twice as
/// long as the one before. Later rounds make fewer runs, but at least two, of the kinds with the best results so far. If
/// a kind of run fails twice to improve its result, other kinds follow. Every other round continues from the best graphs
/// at lower temperatures, unless the graphs are large. The runs of a round are parallel.
///
/// Graphs are compared by diameter, then by the sum of distances, as in the Graph Golf competition. Ties go to the graph
/// with more rotations, then to the earlier graph. The runs minimize the sum, with a surcharge on the farthest pairs if
/// they are few. While the diameter is at most 3, they count walks of at most two links instead of measuring each graph. The
/// result depends only on order, degree, seed and the number of slices.
///
/// The first graph is a circulant graph. It is there at once, also with 131,072 nodes. A number of rotations is
/// tried in the first round that is long enough for some measurements of one graph. It is never tried if one
/// measurement takes more than about half a second.
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
/// number of rotations is a parameter. Semidirect products of cyclic groups as symmetries: Loz, Siran, *New record graphs in
/// the degree-diameter problem*, Australasian J. Combinatorics 41 (2008).
#[derive(Clone, Debug)]
pub struct OrderDegreeSearch {
    order: u32,
    degree: u32,
    seed: u64,
    /// Number of completed rounds.
    round: u32,
    runs: Vec<(RunKind, Annealing)>,
    objective: Objective,
    /// Best first, ties by period.
    ranking: Vec<RunKind>,
    best: OrderDegreeGraph,
    /// Lower bound on the sum of distances from one node.
    node_bound: u64,
}

/// Searches for a connected regular graph with a small diameter and small distances: the best of `rounds` rounds of an
/// [`OrderDegreeSearch`].
///
/// Round `r`, from 0, makes about `2^(20 + r)` table lookups of one to two nanoseconds each, on all threads together.
/// So 10 rounds take one to two seconds of processor time. One measurement of a graph with diameter `D` and `k` rotations
/// takes `order * degree * D * ceil(order / (64 k))` lookups. The search ends when the graph meets the lower bound.
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
    Ok(OrderDegreeSearch::new(order, degree, seed)?.after(rounds))
}

impl OrderDegreeSearch {
    /// Creates a search whose first graph is the circulant graph of chords 1, 2, …. With more than 65,536 link ends, its
    /// chords are 1 and random ones.
    ///
    /// # Errors
    ///
    /// [`OrderDegreeError`] if there is no connected graph of this order and degree, or it is too large.
    pub fn new(order: u32, degree: u32, seed: u64) -> Result<Self, OrderDegreeError> {
        Self::with_objective(order, degree, seed, Objective::DiameterThenSum)
    }

    pub(crate) fn with_objective(
        order: u32,
        degree: u32,
        seed: u64,
        objective: Objective,
    ) -> Result<Self, OrderDegreeError> {
        if !(2..=MAX_ORDER).contains(&order) {
            return Err(OrderDegreeError::Order { order });
        }
        let (least, most) = (if order == 2 { 1 } else { 2 }, (order - 1).min(MAX_LINK_ENDS / order));
        if !(least..=most).contains(&degree) {
            return Err(OrderDegreeError::Degree { order, degree, least, most });
        }
        let (node_bound, best) = first_graph(order, degree, seed).ok_or(OrderDegreeError::Odd { order, degree })?;
        Ok(Self {
            order,
            degree,
            seed,
            objective,
            node_bound,
            round: 0,
            runs: Vec::new(),
            ranking: RunKind::all(order, degree, objective),
            best,
        })
    }

    /// Returns the best graph after this number of rounds.
    pub(crate) fn after(mut self, rounds: u32) -> OrderDegreeGraph {
        while !self.is_over() && self.round < rounds {
            self.advance();
        }
        self.best
    }

    /// Runs one slice: some milliseconds, or the time to measure one graph per run. Does nothing if the search is over.
    pub fn advance(&mut self) {
        if self.is_over() {
            return;
        }
        if self.runs.is_empty() {
            self.runs = self.next_runs();
        }
        let is_kept = self.objective == Objective::DiameterThenSum && self.ends() <= SMALL_ENDS;
        self.runs.par_iter_mut().for_each(|(_, run)| run.advance(SLICE));
        for (run_kind, run) in &self.runs {
            let &BestGraph { totals, ref graph } = run.best();
            let period = graph.period() as u32;
            let totals = DistanceTotals { sum: totals.sum * u64::from(graph.symmetry().size()), ..totals };
            let rank = self.objective.rank(totals);
            let best = &self.best;
            let best_rank = self.objective.rank_of(best.diameter, best.distance_sum);
            if (rank, period) < (best_rank, best.graph.period() as u32) {
                self.best = OrderDegreeGraph {
                    graph: graph.clone(),
                    distance_sum: totals.sum,
                    diameter: totals.diameter,
                    bound: best.bound,
                };
            }
            for kind in self.ranking.iter_mut().filter(|kind| kind.place == run_kind.place) {
                if rank < kind.best {
                    kind.best = rank;
                    kind.graph = is_kept.then(|| graph.clone());
                }
            }
        }
        if self.runs.iter().all(|(_, run)| run.is_over()) {
            self.end_round();
        }
    }

    /// Ranks the kinds of runs by their results.
    fn end_round(&mut self) {
        for (before, _) in self.runs.drain(..) {
            for kind in self.ranking.iter_mut().filter(|kind| kind.place == before.place) {
                kind.failures = if kind.best < before.best { 0 } else { kind.failures + 1 };
            }
        }
        let objective = self.objective;
        self.ranking.sort_unstable_by_key(|kind| (kind.priority(objective), kind.best, kind.place));
        self.round = self.round.saturating_add(1);
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

    /// Creates the runs of the next round. There is none if no measurement fits into the round.
    fn next_runs(&self) -> Vec<(RunKind, Annealing)> {
        let all = self.ranking.len();
        let (least, run_count) = match self.objective {
            Objective::Sum => (MIN_RUNS, all.saturating_sub(self.round as usize).max(MIN_RUNS)),
            Objective::DiameterThenSum => (FINAL_RUNS, (all >> (self.round / 2).min(16)).max(FINAL_RUNS)),
        };
        let ends = self.ends();
        let run_count = run_count.min((MAX_RUN_ENDS / ends).max(least));
        let total = FIRST_ROUND << self.round.min(LONGEST_ROUND);
        let longest = (total / 16).clamp(FIRST_ROUND, LONGEST_MEASUREMENT);
        let fits = |kind: &&RunKind| self.measurement(kind.orbits()) <= longest;
        let mut kinds: Vec<RunKind> = self.ranking.iter().filter(fits).take(run_count).cloned().collect();
        // If there are few periods, repeat the one without symmetry.
        if let Some(last) = self.ranking.iter().filter(fits).max_by_key(|kind| kind.period) {
            kinds.resize(kinds.len().max(least), last.clone());
        }
        let lookups = total / kinds.len().max(1) as u64;
        let run = |(place, kind): (usize, &RunKind)| {
            let &RunKind { period, heat, .. } = kind;
            let start = kind.first_graph(self.order, self.degree)?;
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream((u64::from(self.round) << 32) + ((place as u64) << 16) + u64::from(period));
            let bound = self.node_bound * u64::from(kind.orbits());
            let limit = if ends <= SMALL_ENDS { u64::MAX } else { LARGEST_START * bound };
            let known = kind.graph.as_ref().filter(|_| self.round % 2 == 1);
            let (start, heat, is_shuffled) =
                known.map_or((start, heat, true), |graph| (graph.clone(), heat / 4, false));
            let plan = RunPlan { objective: self.objective, bound, limit, heat, is_shuffled, lookups };
            Some((kind.clone(), Annealing::new(start, plan, rng)?))
        };
        kinds.par_iter().enumerate().filter_map(run).collect()
    }

    /// Returns the product of order and degree.
    fn ends(&self) -> usize {
        self.order as usize * self.degree as usize
    }

    /// Estimates the number of lookups to create and measure one graph with this number of orbits.
    fn measurement(&self, orbits: u32) -> u64 {
        let ends = u64::from(self.order) * u64::from(self.degree);
        let mean = self.node_bound.div_ceil(u64::from(self.order - 1));
        ends * (mean + 1) * u64::from(orbits.div_ceil(64))
    }
}

/// Returns the lower bound on the sum of distances from one node, and the first graph of a search: a circulant graph.
fn first_graph(order: u32, degree: u32, seed: u64) -> Option<(u64, OrderDegreeGraph)> {
    let ends = order as usize * degree as usize;
    let graph = if ends <= SMALL_ENDS || degree == 2 {
        Polycirculant::circulant(order, degree, 1)?
    } else {
        Polycirculant::random_circulant(order, degree, &mut ChaCha8Rng::seed_from_u64(seed))?
    };
    let (sum, diameter) = graph.distances_from_0()?;
    let node_bound = node_bound(order.into(), degree.into())?;
    let [distance_sum, bound] = [sum, node_bound].map(|of_node| of_node * u64::from(order));
    Some((node_bound, OrderDegreeGraph { graph, distance_sum, bound, diameter }))
}
