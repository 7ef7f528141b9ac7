//! Simulated annealing among the graphs with given symmetries.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::distance_sum::{DistanceTotals, Surcharge};
use super::objective::Objective;
use super::polycirculant::SwitchUndo;
use super::segments::Segments;
use super::short_walks::ShortWalks;
use super::{DistanceSum, Polycirculant};

/// Number of random switches per jump before the annealing starts, so that the start is independent of the circulant
/// graph.
const SHUFFLES_PER_JUMP: usize = 10;
/// Cost of a switch without its measurement, in lookups.
const SWITCH_LOOKUPS: u64 = 64;
/// Cost of a changed number of walks, in lookups.
const UPDATE_LOOKUPS: u64 = 2;

/// Number of switches per jump of a cycle. Longer annealing hardly gives better graphs.
const CYCLE_SWITCHES: u64 = 1 << 15;

/// Weight of a pair at the diameter, if few pairs are: the surcharge of [`Objective::DiameterThenSum`].
const FAR_WEIGHT: u64 = 2;
/// A diameter is reduced if at most one pair of `FEW` has this distance.
const FEW: u64 = 128;
/// The first temperature of a run for [`Objective::Sum`].
pub(super) const MILD: u64 = 1 << 16;

/// A simulated annealing run. Its move is a switch of two orbits of links.
///
/// A long run has several cycles. Each cycle starts with the first temperature, so that it finds another graph.
#[derive(Clone, Debug)]
pub(super) struct Annealing {
    rng: ChaCha8Rng,
    distances: DistanceSum,
    graph: Polycirculant,
    /// The sum of distances from one node per orbit in the current graph, with the surcharge.
    cost: u64,
    surcharge: Surcharge,
    best: BestGraph,
    objective: Objective,
    /// The first temperature, in units of `2^-16`.
    heat: u64,
    /// Lower bound on the sum.
    bound: u64,
    /// Number of switches so far, including those that were impossible.
    switches: u64,
    /// Lookup budget of the run, see [`DistanceSum::lookups`].
    lookups: u64,
    /// The numbers of switches and of lookups before the current cycle.
    cycle_start: (u64, u64),
    /// The walks in the current graph, as long as its diameter seems to be at most 3.
    walks: Option<ShortWalks>,
    /// The search for distances without the walks, if there are many rotations.
    segments: Option<Segments>,
    /// See [`ShortWalks::updates`].
    updates: u64,
    unmeasured: Option<UnmeasuredGraph>,
    /// Such a graph is measured when this many lookups are spent: measurements take at most half of the lookups.
    next_measurement: u64,
}

/// A graph that is better than the best measured one if its diameter is at most 3.
#[derive(Clone, Debug)]
struct UnmeasuredGraph {
    totals: DistanceTotals,
    /// The switches since this graph.
    switches: Vec<SwitchUndo>,
}

/// A graph and its distances from one node per orbit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BestGraph {
    pub(super) totals: DistanceTotals,
    pub(super) graph: Polycirculant,
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunPlan {
    pub(super) objective: Objective,
    /// Lower bound on the sum of distances from one node per orbit.
    pub(super) bound: u64,
    /// The largest sum of the first graph.
    pub(super) limit: u64,
    /// The first temperature, in units of `2^-16`: with [`MILD`], the cost may increase by 1 with probability 1/2 and by
    /// 2 with probability 1/4 at the start.
    pub(super) heat: u64,
    /// True if the run starts at a random graph.
    pub(super) is_shuffled: bool,
    /// Lookup budget, see [`DistanceSum::lookups`].
    pub(super) lookups: u64,
}

impl Annealing {
    /// Creates a run that starts at a random graph, or at `start` if the random graph is disconnected. Returns `None`
    /// if both are disconnected or their sums exceed `plan.limit`.
    pub(super) fn new(start: Polycirculant, plan: RunPlan, mut rng: ChaCha8Rng) -> Option<Self> {
        let RunPlan { objective, bound, limit, heat, is_shuffled, lookups } = plan;
        let (degree, sources) = (start.degree(), start.orbits());
        let mut distances = DistanceSum::new(start.neighbours().len() / degree, degree);
        let mut graph = start.clone();
        if is_shuffled {
            graph.shuffle(SHUFFLES_PER_JUMP * degree * sources, &mut rng);
        }
        let mut totals = distances.totals(graph.neighbours(), sources, limit, Surcharge::NONE);
        if totals.is_none() {
            totals = distances.totals(start.neighbours(), sources, limit, Surcharge::NONE);
            graph = start;
        }
        let totals = totals?;
        let best = BestGraph { totals, graph: graph.clone() };
        let mut run = Self {
            rng,
            distances,
            graph,
            cost: totals.sum,
            surcharge: Surcharge::NONE,
            best,
            objective,
            heat,
            bound,
            switches: 0,
            lookups,
            cycle_start: (0, 0),
            walks: None,
            segments: None,
            updates: 0,
            unmeasured: None,
            next_measurement: 0,
        };
        run.set_surcharge(totals);
        // The networks that are found by the sum alone must not change, so their search measures every graph.
        if objective == Objective::DiameterThenSum {
            run.walks = ShortWalks::new(&run.graph).filter(|_| totals.diameter <= 3);
            run.segments = Segments::new(&run.graph);
        }
        Some(run)
    }

    /// Sets the surcharge for a current graph with the best diameter so far.
    fn set_surcharge(&mut self, totals: DistanceTotals) {
        let pairs = self.graph.orbits() * self.graph.order() as usize;
        let is_rare = totals.farthest_pairs * FEW <= pairs as u64;
        self.surcharge = match self.objective {
            Objective::DiameterThenSum if is_rare => Surcharge { target: totals.diameter - 1, weight: FAR_WEIGHT },
            Objective::DiameterThenSum => Surcharge { target: totals.diameter, weight: FAR_WEIGHT },
            Objective::Sum => return,
        };
        self.cost = totals.sum + if is_rare { FAR_WEIGHT * totals.farthest_pairs } else { 0 };
    }

    /// Returns the best graph so far.
    pub(super) fn best(&self) -> &BestGraph {
        &self.best
    }

    /// Returns the cost so far, in lookups.
    fn spent(&self) -> u64 {
        let of_segments = self.segments.as_ref().map_or(0, Segments::lookups);
        self.distances.lookups() + of_segments + UPDATE_LOOKUPS * self.updates + SWITCH_LOOKUPS * self.switches
    }

    /// Returns true if the budget is used up or the best graph is optimal.
    pub(super) fn is_over(&self) -> bool {
        self.spent() >= self.lookups || self.best.totals.sum <= self.bound
    }

    /// Continues for about `lookups` lookups.
    pub(super) fn advance(&mut self, lookups: u64) {
        let pause = self.spent().saturating_add(lookups);
        while !self.is_over() && self.spent() < pause {
            self.step();
        }
        if self.is_over() || self.spent() >= self.next_measurement {
            self.measure();
        }
    }

    /// Returns the temperature, in units of `2^-16`. It falls to 0 at the end of the run and of each cycle.
    pub(super) fn temperature(&mut self) -> u64 {
        let (mut switches, mut lookups) = self.cycle_start;
        let cycle = (self.graph.orbits() * self.graph.degree()) as u64 * CYCLE_SWITCHES;
        // The networks that are found by the sum alone must not change: their search has one cycle.
        if self.objective == Objective::DiameterThenSum && self.switches >= switches + cycle {
            (switches, lookups) = (self.switches, self.spent());
            self.cycle_start = (switches, lookups);
        }
        let of_run = (self.lookups - self.spent()) / ((self.lookups - lookups) >> 16).max(1);
        let heat = match self.objective {
            Objective::Sum => of_run,
            Objective::DiameterThenSum => of_run.min(((switches + cycle - self.switches) << 16) / cycle),
        };
        (heat * self.heat) >> 16
    }

    fn step(&mut self) {
        let temperature = self.temperature();
        // Counted even if impossible, so that the run ends in a graph without any switch.
        self.switches += 1;
        let Some((totals, switched)) = self.switch(temperature) else { return };
        self.cost = totals.cost;
        let best = self.unmeasured.as_ref().map_or(self.best.totals, |graph| graph.totals);
        if self.objective.rank(totals) < self.objective.rank(best) {
            if totals.diameter < best.diameter {
                self.set_surcharge(totals);
            }
            if self.walks.is_some() {
                self.unmeasured = Some(UnmeasuredGraph { totals, switches: Vec::new() });
            } else {
                self.best = BestGraph { totals, graph: self.graph.clone() };
                if self.segments.is_some() {
                    self.best.graph.write_all_neighbours();
                }
            }
        } else if let Some(better) = &mut self.unmeasured {
            better.switches.push(switched);
        }
    }

    /// Makes a random switch. Reverses it and returns `None` if the cost increases too much for the temperature.
    fn switch(&mut self, temperature: u64) -> Option<(DistanceTotals, SwitchUndo)> {
        let Self { graph, rng, distances, surcharge, walks, segments, updates, .. } = self;
        let has_neighbours = walks.is_none() && segments.is_none();
        let switched = if has_neighbours { graph.switch(rng) } else { graph.switch_jumps(rng) }?;
        let slack = (temperature * negative_log2(rng.next_u64())) >> 32;
        let limit = self.cost + slack;
        let totals = if let Some(walks) = walks {
            walks.follow(graph, &switched);
            let totals = Some(walks.totals(*surcharge)).filter(|totals| totals.cost <= limit);
            if totals.is_none() {
                graph.undo_jumps(&switched);
                walks.follow(graph, &switched);
            }
            *updates = walks.updates();
            totals
        } else if let Some(segments) = segments {
            segments.follow(graph, &switched);
            let totals = segments.totals(limit, *surcharge);
            if totals.is_none() {
                graph.undo_jumps(&switched);
                segments.follow(graph, &switched);
            }
            totals
        } else {
            let totals = distances.totals(graph.neighbours(), graph.orbits(), limit, *surcharge);
            if totals.is_none() {
                graph.undo(&switched);
            }
            totals
        };
        Some((totals?, switched))
    }

    /// Measures the graph that is better if its diameter is at most 3. If its diameter is larger, the run continues from the best
    /// measured graph, and measures every graph from then on.
    fn measure(&mut self) {
        let Some(UnmeasuredGraph { totals, switches }) = self.unmeasured.take() else { return };
        let mut graph = self.graph.clone();
        switches.iter().rev().for_each(|switched| graph.undo_jumps(switched));
        graph.write_all_neighbours();
        let before = self.distances.lookups();
        let measured = self.distances.totals(graph.neighbours(), graph.orbits(), totals.sum, Surcharge::NONE);
        self.next_measurement = self.spent() + (self.distances.lookups() - before);
        if measured.is_some_and(|measured| measured.sum == totals.sum) {
            self.best = BestGraph { totals, graph };
        } else {
            self.walks = None;
            self.graph = self.best.graph.clone();
            self.segments = Segments::new(&self.graph);
            self.set_surcharge(self.best.totals);
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
