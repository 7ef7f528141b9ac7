//! The search for the schedules of a front.

use std::iter;
use std::num::{NonZeroU32, NonZeroU64};

use lockstep_analytic::combining;
use lockstep_bounds::{Cost, least_latency, throughput};
use lockstep_schedule::{
    Budget, Collective, CommunicationModel, NotFound, Pattern, Picoseconds, Problem, Schedule, ScheduleFile, Switching,
    SynchronousCost, verify,
};

use super::algorithms::few_blocks;
use super::candidates::{Candidate, candidates, widened_model, with_joined_steps, with_least_widths};
use super::envelope::{Line, best_of_sizes, lower_envelope};
use super::front_plan::{Front, FrontBound, FrontPlan, Timing};
use super::stages::StagePlanner;
use super::turns::with_turns;
use crate::planner::{PlanError, PlanOptions, Planner};

/// What a front covers, and how much work it may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrontOptions {
    /// The smallest and the largest size in bytes, as nccl-tests counts them.
    pub sizes: [u64; 2],
    /// The maximum number of chunks per message.
    pub chunks: NonZeroU32,
    /// Evaluations per schedule, see [`Budget`].
    pub evaluations: u64,
    /// The maximum number of deliveries of all schedules together. At least one schedule is planned.
    pub deliveries: u64,
    /// Seed of all random choices.
    pub seed: u64,
    /// The kind of time for which schedules are compared.
    pub timing: Timing,
}

impl Default for FrontOptions {
    /// From 1 KiB to 1 GiB, up to 16 chunks, with seed 1.
    fn default() -> Self {
        Self {
            sizes: [1 << 10, 1 << 30],
            chunks: const { NonZeroU32::new(16).unwrap() },
            evaluations: 1 << 15,
            deliveries: 1 << 22,
            seed: 1,
            timing: Timing::Synchronous,
        }
    }
}

/// Why there is no front.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontError {
    /// The network does not say what one unit of capacity is.
    #[error("{network}: the network has no bandwidths; give that of one unit of capacity")]
    NoUnit {
        /// The name of the network.
        network: String,
    },
    /// The smallest size exceeds the largest one.
    #[error("the smallest size, {} bytes, exceeds the largest one, {} bytes", sizes[0], sizes[1])]
    NoSize {
        /// Both sizes.
        sizes: [u64; 2],
    },
    /// There is no schedule.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// A report about the work on a front: a schedule was planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FrontEvent {
    /// Number of chunks per message.
    pub chunks: u32,
    /// Its number of steps.
    pub steps: u32,
    /// The sum of their widths.
    pub width_sum: u64,
    /// The least time of the largest size so far.
    pub time: Picoseconds,
    /// The lower bound of that time.
    pub time_bound: Picoseconds,
    /// The number of parts of the work that are done: a construction for a number of chunks, or a search for a pair of chunks
    /// and width.
    pub done: usize,
    /// The number of these parts.
    pub total: usize,
}

/// Finds the schedules that take the least time for some size, with a lower bound of the time.
///
/// Synchronous times are lines over the size, so that the sizes where the best schedule changes are exact. Asynchronous ones
/// are compared for some sizes only, those of [`sizes_between`].
///
/// The [planner](Planner) plans for several numbers of chunks, and on networks that are several times as wide: its schedules
/// are schedules with steps of that width. All-reduces of few blocks are also planned between neighbours alone. Every schedule is verified. A number of chunks and a width are left out if their
/// lower bounds show that they are best for no size. The number of chunks of `problem` does not count.
///
/// The network must have a [unit](lockstep_topology::Topology::unit_bytes_per_second). The result depends on the arguments only; with a
/// deadline or a cancellation it is [marked](Front::is_cut_short).
///
/// # Errors
///
/// [`FrontError`].
///
/// # Source
///
/// Steps of several widths: Cai et al., "Synthesizing optimal collective algorithms" (SCCL), *Principles and Practice of Parallel
/// Programming* (2021).
pub fn front(
    problem: &Problem<'_>,
    options: &FrontOptions,
    budget: &Budget,
    mut observe: impl FnMut(FrontEvent),
) -> Result<Front, FrontError> {
    let topology = problem.topology();
    let Some(unit) = topology.unit_bytes_per_second().and_then(NonZeroU64::new) else {
        return Err(FrontError::NoUnit { network: topology.name().to_owned() });
    };
    if options.sizes[0] > options.sizes[1] {
        return Err(FrontError::NoSize { sizes: options.sizes });
    }
    let collective = problem.collective().clone().with_chunks(NonZeroU32::MIN);
    let problem = Problem::new(topology, &collective, problem.model()).map_err(PlanError::from)?;
    let bound = time_bound(&problem, unit, budget)?;
    let versions = versions(&problem, options, &bound);
    let narrow = versions.iter().filter(|version| version.width == NonZeroU32::MIN).count();
    let mut search = FrontSearch::new(&problem, options, budget, bound, CONSTRUCTIONS * narrow + versions.len());
    search.construct(&versions, &mut observe)?;
    search.deliveries = 0;
    search.done = search.total - versions.len();
    for version in &versions {
        if search.ends_here() {
            break;
        }
        if version.width == NonZeroU32::MIN {
            search.plan_stages(&version.collective, &mut observe)?;
        }
        search.plan(version, &mut observe)?;
        search.done += 1;
    }
    if let Some(reason) = budget.interruption().filter(|_| search.plans.is_empty()) {
        return Err(PlanError::from(NotFound::Unfinished { reason }).into());
    }
    Ok(search.into_front())
}

/// Computes a lower bound of the time of all schedules of a problem, in any number of chunks and with steps of any width.
///
/// Many chunks make the quotients of most rules exact. `unit` is the bandwidth of one unit of capacity in bytes per second.
///
/// # Errors
///
/// [`FrontError`] if the collective cannot have chunks on this network.
pub fn time_bound(problem: &Problem<'_>, unit: NonZeroU64, budget: &Budget) -> Result<FrontBound, FrontError> {
    /// A number with many divisors, and a limit of the messages.
    const CHUNKS: u64 = 60;
    const MESSAGES: u64 = 1 << 16;
    let messages = problem.messages().len() as u64;
    let chunks = (MESSAGES / messages.max(1)).clamp(1, CHUNKS);
    let chunks = u32::try_from(chunks).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN);
    let collective = problem.collective().clone().with_chunks(chunks);
    let problem = Problem::new(problem.topology(), &collective, problem.model()).map_err(PlanError::from)?;
    let widths = throughput(&problem, budget).filter(|bound| bound.check(&problem).is_ok());
    Ok(FrontBound::new(&problem, least_latency(&problem), widths, unit))
}

/// Returns some sizes: the smallest one, four times as many bytes as before, and the largest one.
pub fn sizes_between(sizes: [u64; 2]) -> impl Iterator<Item = u64> {
    let powers = iter::successors(Some(sizes[0]), move |&bytes| bytes.checked_mul(4).filter(|&bytes| bytes < sizes[1]));
    powers.chain(Some(sizes[1]).filter(|&largest| largest > sizes[0]))
}

/// A collective in a number of chunks or blocks, and the width for which it is planned.
#[derive(Debug)]
struct Version {
    collective: Collective,
    width: NonZeroU32,
}

/// Returns the versions of a collective of one chunk, in the order in which they are planned.
fn versions(problem: &Problem<'_>, options: &FrontOptions, bound: &FrontBound) -> Vec<Version> {
    let collective = problem.collective();
    // Steps of width 1 per chunk, rounded up, and the chunks that make them whole.
    let [numerator, denominator] = bound.width_per_chunk(problem);
    let widths = numerator.div_ceil(denominator).clamp(1, u64::from(u32::MAX)) as u32;
    let divisor = u32::try_from(denominator).unwrap_or(u32::MAX);
    let in_chunks = candidates(options.chunks, divisor, widths)
        .into_iter()
        .map(|Candidate { chunks, width }| Version { collective: collective.clone().with_chunks(chunks), width });
    let in_blocks = few_blocks(problem).into_iter().map(|collective| Version { collective, width: NonZeroU32::MIN });
    in_blocks.chain(in_chunks).collect()
}

/// The schedules so far.
struct FrontSearch<'a, 'p> {
    /// The problem of one chunk.
    problem: &'p Problem<'a>,
    options: &'p FrontOptions,
    budget: &'p Budget,
    bound: FrontBound,
    /// The least latency of a channel.
    least_latency_ps: u64,
    /// The schedules that are best for some size, with their asynchronous times at all [sizes](sizes_between) if these are
    /// compared.
    plans: Vec<(FrontPlan, Vec<Picoseconds>)>,
    compared: usize,
    deliveries: u64,
    is_cut_short: bool,
    /// The number of parts of the work that are done, and of all.
    done: usize,
    total: usize,
}

/// The number of times that schedules are constructed for a version of width 1: breadth-first broadcasts, then combining
/// algorithms.
const CONSTRUCTIONS: usize = 2;

/// The product of steps and transfers up to which steps are joined: each step takes a verification.
const MAX_JOIN_WORK: usize = 1 << 19;

impl<'a, 'p> FrontSearch<'a, 'p> {
    fn new(
        problem: &'p Problem<'a>,
        options: &'p FrontOptions,
        budget: &'p Budget,
        bound: FrontBound,
        total: usize,
    ) -> Self {
        let topology = problem.topology();
        let least_latency_ps = topology.channels().map(|channel| topology.latency_ps(channel)).min().unwrap_or(0);
        Self {
            problem,
            options,
            budget,
            bound,
            least_latency_ps,
            plans: Vec::new(),
            compared: 0,
            deliveries: 0,
            is_cut_short: false,
            done: 0,
            total,
        }
    }

    /// Returns true if the time is over; marks the front as cut short then. Without a schedule, the time is over a little later.
    fn ends_here(&mut self) -> bool {
        let stopped = if self.plans.is_empty() {
            self.budget.for_first_result().interruption()
        } else {
            self.budget.interruption()
        };
        self.is_cut_short |= stopped.is_some();
        stopped.is_some()
    }

    /// Plans a version, unless it is too large or can be best for no size.
    fn plan(&mut self, version: &Version, observe: &mut dyn FnMut(FrontEvent)) -> Result<(), FrontError> {
        let Version { collective, width } = version;
        let topology = self.problem.topology();
        let problem = Problem::new(topology, collective, self.problem.model()).map_err(PlanError::from)?;
        let is_first = self.plans.is_empty();
        let (parts, widths) = (FrontBound::parts_of(&problem), self.least_width_sum(&problem));
        let steps = widths.div_ceil(width.get().into());
        if !is_first && (self.is_useless(parts, steps, widths) || !self.takes(&problem)) {
            return Ok(());
        }
        let Ok(wide) = topology.widened(*width) else { return Ok(()) };
        for model in self.models_of(&problem) {
            if self.ends_here() {
                break;
            }
            let wide = Problem::new(&wide, collective, widened_model(model, *width)).map_err(PlanError::from)?;
            // The bound of the front serves all schedules.
            let options = PlanOptions { bounds: Cost::Linear, ..PlanOptions::auto(self.options.seed) };
            let budget = self.budget.clone().with_evaluations(self.options.evaluations);
            let plan = match Planner::new(wide, options).run(&budget, |_| {}) {
                Ok(plan) => plan,
                Err(PlanError::NotFound(_) | PlanError::TooLarge { .. }) if !self.plans.is_empty() => continue,
                Err(error) => return Err(error.into()),
            };
            observe(self.add(&problem, plan.engine(), plan.schedule())?);
        }
        Ok(())
    }

    /// Returns the models for which a version is planned, that of the problem first. An all-reduce of few blocks takes the
    /// fewest steps along paths of several channels, which have a greater latency. Under store-and-forward, each path has one
    /// channel, so such a schedule is valid for wormholes between terminals too.
    fn models_of(&self, problem: &Problem<'_>) -> Vec<CommunicationModel> {
        let (topology, model) = (problem.topology(), problem.model());
        let has_few_blocks = problem.collective().pattern() == Pattern::ReduceBroadcast
            && problem.messages().len() < topology.terminal_count();
        let is_worth = has_few_blocks
            && model.switching == Switching::Wormhole
            && self.least_latency_ps > 0
            && topology.terminal_count() == topology.node_count();
        let neighbours = is_worth.then_some(CommunicationModel { switching: Switching::StoreAndForward, ..model });
        iter::once(model).chain(neighbours).collect()
    }

    /// Adds schedules without search: breadth-first broadcasts, then combining algorithms.
    fn construct(&mut self, versions: &[Version], observe: &mut dyn FnMut(FrontEvent)) -> Result<(), FrontError> {
        let (topology, model) = (self.problem.topology(), self.problem.model());
        let narrow = versions.iter().filter(|version| version.width == NonZeroU32::MIN);
        let problems = narrow.map(|version| Problem::new(topology, &version.collective, model));
        let problems: Vec<Problem<'_>> = problems.collect::<Result<_, _>>().map_err(PlanError::from)?;
        // The chunks for which the bound of the widths is a whole number come first.
        let [_, divisor] = self.bound.width_per_chunk(self.problem);
        let is_whole = |problem: &&Problem<'_>| u64::from(problem.messages().chunks()).is_multiple_of(divisor.max(1));
        let (whole, others): (Vec<_>, Vec<_>) = problems.iter().partition(is_whole);
        for problem in whole.into_iter().chain(others) {
            let schedules = iter::once_with(|| StagePlanner::new(problem).breadth_first()).flatten();
            self.add_all(problem, schedules.map(|schedule| ("breadth-first".to_owned(), schedule)), observe)?;
            self.done += 1;
        }
        for problem in &problems {
            let schedules = combining::schedules(problem).filter(|found| self.budget.uses(found.algorithm.part()));
            let schedules = schedules.map(|found| (found.to_string(), found.schedule));
            self.add_all(problem, schedules, observe)?;
            self.done += 1;
        }
        Ok(())
    }

    /// Adds schedules, with the names of their engines, as long as one of this number of chunks can be best for some size.
    fn add_all(
        &mut self,
        problem: &Problem<'_>,
        mut schedules: impl Iterator<Item = (String, Schedule)>,
        observe: &mut dyn FnMut(FrontEvent),
    ) -> Result<(), FrontError> {
        let (parts, least) = (FrontBound::parts_of(problem), self.least_width_sum(problem));
        while !self.ends_here()
            && !self.is_useless(parts, 1, least)
            && self.takes(problem)
            && let Some((engine, schedule)) = schedules.next()
        {
            if !self.is_useless(parts, schedule.step_count() as u64, schedule.width_sum()) {
                observe(self.add(problem, &engine, &schedule)?);
            }
        }
        Ok(())
    }

    /// Counts the deliveries of one more schedule; false if they exceed the limit.
    fn takes(&mut self, problem: &Problem<'_>) -> bool {
        let deliveries = self.deliveries.saturating_add(problem.messages().delivery_count());
        let fits = deliveries <= self.options.deliveries;
        if fits {
            self.deliveries = deliveries;
        }
        fits
    }

    /// Plans a collective of broadcasts in few steps of several widths, fewer than those of the breadth-first broadcast.
    fn plan_stages(&mut self, collective: &Collective, observe: &mut dyn FnMut(FrontEvent)) -> Result<(), FrontError> {
        let problem =
            Problem::new(self.problem.topology(), collective, self.problem.model()).map_err(PlanError::from)?;
        if !self.takes(&problem) {
            return Ok(());
        }
        let planner = StagePlanner::new(&problem);
        let Some(breadth_first) = planner.breadth_first() else { return Ok(()) };
        let (parts, least) = (FrontBound::parts_of(&problem), self.least_width_sum(&problem));
        let phases = planner.phase_count();
        for width_sum in least.div_ceil(phases)..breadth_first.width_sum().div_ceil(phases) {
            for widths in planner.widths(u32::try_from(width_sum).unwrap_or(u32::MAX)) {
                if self.is_useless(parts, phases * widths.len() as u64, phases * width_sum) {
                    break;
                }
                if self.ends_here() || !self.takes(&problem) {
                    return Ok(());
                }
                if let Some(schedule) = planner.in_steps_of(&widths, self.options.seed) {
                    observe(self.add(&problem, "rarest-first", &schedule)?);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Adds a schedule with the least widths that its transfers need, and drops the schedules that are best for no size.
    fn add(&mut self, problem: &Problem<'_>, engine: &str, schedule: &Schedule) -> Result<FrontEvent, FrontError> {
        let topology = problem.topology();
        let mut schedule = with_least_widths(problem, schedule);
        // Joined steps have fewer latencies, but a transfer of a wide step gets a smaller part of its channels.
        let timing = self.options.timing;
        let has_few = schedule.step_count() * schedule.transfer_count() <= MAX_JOIN_WORK;
        if timing == Timing::Synchronous && has_few {
            schedule = with_joined_steps(problem, &schedule);
        }
        schedule = with_turns(problem, &schedule);
        verify(problem, &schedule)
            .map_err(|violation| PlanError::Refused { engine: engine.to_owned(), violation: Box::new(violation) })?;
        let cost = SynchronousCost::of(topology, &schedule);
        self.compared += 1;
        let steps = schedule.step_count() as u32;
        let plan = FrontPlan {
            steps,
            file: ScheduleFile::new(problem, schedule),
            engine: engine.to_owned(),
            cost,
            least_size: 0,
        };
        let times = match timing {
            Timing::Synchronous => Vec::new(),
            Timing::Asynchronous => sizes_between(self.options.sizes).map(|bytes| plan.time(timing, bytes)).collect(),
        };
        self.plans.push((plan, times));
        self.keep_best();
        let (chunks, largest) = (problem.collective().chunks().get(), self.options.sizes[1]);
        let times = self.plans.iter().map(|(plan, _)| plan.time(timing, largest));
        Ok(FrontEvent {
            chunks,
            steps,
            width_sum: cost.width_sum,
            time: times.min().unwrap_or(Picoseconds::new(0)),
            time_bound: self.bound.time(timing, largest),
            done: self.done,
            total: self.total,
        })
    }

    /// Returns the sum of the widths that a schedule needs at least.
    fn least_width_sum(&self, problem: &Problem<'_>) -> u64 {
        let [numerator, denominator] = self.bound.width_per_part();
        let widths = u128::from(numerator) * u128::from(FrontBound::parts_of(problem));
        u64::try_from(widths.div_ceil(denominator.into())).unwrap_or(u64::MAX).max(1)
    }

    /// Returns true if no schedule with this number of parts, steps and this sum of widths can be best for some size.
    ///
    /// Steps say nothing about asynchronous times.
    fn is_useless(&self, parts: u64, steps: u64, widths: u64) -> bool {
        if self.options.timing == Timing::Asynchronous {
            return false;
        }
        let mut lines: Vec<Line> = self.plans.iter().map(|(plan, _)| Line::of(plan)).collect();
        let steps = steps.max(self.bound.latency.steps.into());
        let latency_ps = u128::from(steps) * u128::from(self.least_latency_ps);
        let latency_ps = latency_ps.max(self.bound.latency.picoseconds.into());
        lines.push(Line { latency_ps, width_per_part: [widths, parts] });
        let last = lines.len() - 1;
        lower_envelope(&lines, self.options.sizes, self.bound.unit_bytes_per_second)
            .iter()
            .all(|&(place, _)| place != last)
    }

    /// Drops the schedules that are best for no size.
    fn keep_best(&mut self) {
        let mut is_best = vec![false; self.plans.len()];
        self.best().into_iter().for_each(|(place, _)| is_best[place] = true);
        let mut is_kept = is_best.iter();
        self.plans.retain(|_| is_kept.next() == Some(&true));
    }

    /// Returns the places of the schedules that are best for some size, with the smallest size of each range.
    fn best(&self) -> Vec<(usize, u64)> {
        let sizes = self.options.sizes;
        match self.options.timing {
            Timing::Synchronous => {
                let lines: Vec<Line> = self.plans.iter().map(|(plan, _)| Line::of(plan)).collect();
                lower_envelope(&lines, sizes, self.bound.unit_bytes_per_second)
            }
            Timing::Asynchronous => {
                let times: Vec<&[Picoseconds]> = self.plans.iter().map(|(_, times)| &times[..]).collect();
                best_of_sizes(&times, sizes_between(sizes))
            }
        }
    }

    fn into_front(self) -> Front {
        let best = |(place, least_size): (usize, u64)| FrontPlan { least_size, ..self.plans[place].0.clone() };
        Front {
            plans: self.best().into_iter().map(best).collect(),
            timing: self.options.timing,
            bound: self.bound,
            compared: self.compared,
            is_cut_short: self.is_cut_short,
        }
    }
}
