//! The search for the schedules of a front.

use std::iter;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use lockstep_analytic::combining;
use lockstep_bounds::{Cost, least_latency, throughput};
use lockstep_schedule::{
    Budget, Collective, CommunicationModel, NotFound, Pattern, Picoseconds, Problem, Schedule, ScheduleFile,
    StopReason, Switching, SynchronousCost, Unverified, verify, verify_within,
};

use super::algorithms::few_blocks;
use super::candidates::{Candidate, candidates, widened_model, with_joined_steps, with_least_widths};
use super::envelope::{Line, best_of_sizes, lower_envelope};
use super::front_plan::{Front, FrontBound, FrontPlan, Timing};
use super::options::{FrontError, FrontEvent, FrontOptions};
use super::stages::{StagePlanner, widths};
use super::turns::with_turns;
use crate::planner::{EngineChoice, PlanError, PlanOptions, Planner};

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
/// deadline or a cancellation it is [marked](Front::is_cut_short). The search leaves time for the [asynchronous
/// times](Front::times) of the sizes of [`sizes_between`], at most a quarter of the limit.
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
    let is_auto = options.engine == EngineChoice::Auto;
    if is_auto {
        search.construct(&versions, &mut observe)?;
    }
    search.deliveries = 0;
    search.done = search.total - versions.len();
    for version in &versions {
        if search.ends_here() {
            break;
        }
        if version.width == NonZeroU32::MIN && is_auto {
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
    let blocks = if options.engine == EngineChoice::Auto { few_blocks(problem) } else { Vec::new() };
    let in_blocks = blocks.into_iter().map(|collective| Version { collective, width: NonZeroU32::MIN });
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
    /// The time that the asynchronous times of the schedules take when the search has ended, and the most that is left for it.
    reserve: Duration,
    largest_reserve: Duration,
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

/// An estimate of the time that one asynchronous time takes per channel use.
const TIME_PER_USE: Duration = Duration::from_nanos(100);

/// The number of asynchronous times that take as long as what all of them share.
const NUMBERING: u64 = 2;

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
            reserve: Duration::ZERO,
            largest_reserve: budget.time_left().unwrap_or_default() / 4,
            plans: Vec::new(),
            compared: 0,
            deliveries: 0,
            is_cut_short: false,
            done: 0,
            total,
        }
    }

    /// Returns the budget of the work on a schedule: the first one may come a little after the deadline, and the others leave
    /// time for asynchronous times.
    fn budget(&self) -> Budget {
        match self.budget.time_left() {
            _ if self.plans.is_empty() => self.budget.for_first_result(),
            Some(left) => self.budget.clone().for_addition().within(left.saturating_sub(self.reserve)),
            None => self.budget.clone(),
        }
    }

    /// Returns true if the time is over; marks the front as cut short then.
    fn ends_here(&mut self) -> bool {
        let stopped = self.budget().interruption();
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
            let engine = self.options.engine;
            let options = PlanOptions { engine, bounds: Cost::Linear, ..PlanOptions::auto(self.options.seed) };
            // The planner itself delays the deadline of a first schedule.
            let budget = if self.plans.is_empty() { self.budget.clone() } else { self.budget() };
            let budget = budget.with_evaluations(self.options.evaluations);
            let plan = match Planner::new(wide, options).run(&budget, |_| {}) {
                Ok(plan) => plan,
                Err(PlanError::NotFound(_) | PlanError::TooLarge { .. }) if !self.plans.is_empty() => continue,
                Err(error) => return Err(error.into()),
            };
            self.add(&problem, plan.engine(), plan.schedule(), observe)?;
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
            let budget = self.budget();
            let schedules = iter::once_with(|| StagePlanner::new(problem, budget).breadth_first()).flatten();
            self.add_all(problem, schedules.map(|schedule| ("breadth-first".to_owned(), schedule)), observe)?;
            self.done += 1;
        }
        for problem in &problems {
            let budget = self.budget();
            let schedules = combining::schedules(problem, &budget).map(|found| (found.to_string(), found.schedule));
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
                self.add(problem, &engine, &schedule, observe)?;
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
        let planner = StagePlanner::new(&problem, self.budget());
        let Some((breadth_first, least_widths)) = planner.breadth_first().zip(planner.least_widths()) else {
            return Ok(());
        };
        let (parts, least) = (FrontBound::parts_of(&problem), self.least_width_sum(&problem));
        let phases = planner.phase_count();
        for width_sum in least.div_ceil(phases)..breadth_first.width_sum().div_ceil(phases) {
            let left =
                self.options.deliveries.saturating_sub(self.deliveries) / problem.messages().delivery_count().max(1);
            let left = usize::try_from(left).unwrap_or(usize::MAX);
            for widths in widths(&least_widths, u32::try_from(width_sum).unwrap_or(u32::MAX), left) {
                if self.is_useless(parts, phases * widths.len() as u64, phases * width_sum) {
                    break;
                }
                if self.ends_here() || !self.takes(&problem) {
                    return Ok(());
                }
                if let Some(schedule) = planner.in_steps_of(&widths, self.options.seed) {
                    self.add(&problem, "rarest-first", &schedule, observe)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Adds a schedule with the least widths that its transfers need, and drops the schedules that are best for no size. A
    /// schedule that is not verified in time is left out.
    fn add(
        &mut self,
        problem: &Problem<'_>,
        engine: &str,
        schedule: &Schedule,
        observe: &mut dyn FnMut(FrontEvent),
    ) -> Result<(), FrontError> {
        let (topology, timing, budget) = (problem.topology(), self.options.timing, self.budget());
        let mut schedule = with_least_widths(problem, schedule);
        // Joined steps have fewer latencies, but a transfer of a wide step gets a smaller part of its channels.
        let has_few = schedule.step_count() * schedule.transfer_count() <= MAX_JOIN_WORK;
        if timing == Timing::Synchronous && has_few {
            schedule = with_joined_steps(problem, &schedule, &budget);
        }
        schedule = with_turns(problem, &schedule);
        if let Some(reason) = self.verify(problem, engine, &schedule, &budget)? {
            self.is_cut_short = true;
            let has_others = !self.plans.is_empty();
            return if has_others { Ok(()) } else { Err(PlanError::from(NotFound::Unfinished { reason }).into()) };
        }
        let cost = SynchronousCost::of(topology, &schedule);
        let steps = schedule.step_count() as u32;
        let file = ScheduleFile::new(problem, schedule);
        let plan = FrontPlan { steps, file, engine: engine.to_owned(), cost, least_size: 0 };
        let sizes: Vec<u64> = sizes_between(self.options.sizes).collect();
        let times = match timing {
            Timing::Synchronous => Some(Vec::new()),
            Timing::Asynchronous => plan.times(timing, &sizes, &budget).into_iter().collect(),
        };
        if times.is_none() {
            self.is_cut_short = true;
            if !self.plans.is_empty() {
                return Ok(());
            }
        }
        // Without times, this schedule stays the only one, because the time is over.
        self.plans.push((plan, times.unwrap_or_default()));
        self.compared += 1;
        self.keep_best();
        let (chunks, largest) = (problem.collective().chunks().get(), self.options.sizes[1]);
        let time = match timing {
            Timing::Synchronous => self.plans.iter().map(|(plan, _)| plan.time(timing, largest)).min(),
            Timing::Asynchronous => self.plans.iter().filter_map(|(_, times)| times.last().copied()).min(),
        };
        observe(FrontEvent {
            chunks,
            steps,
            width_sum: cost.width_sum,
            time,
            time_bound: self.bound.time(timing, largest),
            done: self.done,
            total: self.total,
        });
        Ok(())
    }

    /// Verifies a schedule. Returns the reason if the time ends first. A cancellation does not discard the first schedule.
    fn verify(
        &self,
        problem: &Problem<'_>,
        engine: &str,
        schedule: &Schedule,
        budget: &Budget,
    ) -> Result<Option<StopReason>, PlanError> {
        let verified = match verify_within(problem, schedule, budget) {
            Err(Unverified::Stopped(StopReason::Cancelled)) if self.plans.is_empty() => {
                verify(problem, schedule).map_err(Unverified::Invalid)
            }
            verified => verified,
        };
        match verified {
            Ok(_) => Ok(None),
            Err(Unverified::Stopped(reason)) => Ok(Some(reason)),
            Err(Unverified::Invalid(violation)) => {
                Err(PlanError::Refused { engine: engine.to_owned(), violation: Box::new(violation) })
            }
        }
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

    /// Drops the schedules that are best for no size, and estimates the time that the asynchronous times of the others take.
    fn keep_best(&mut self) {
        let best = self.best();
        let mut is_best = vec![false; self.plans.len()];
        for &(place, _) in &best {
            is_best[place] = true;
        }
        let uses = |place: usize| self.plans[place].0.file.schedule().channel_use_count() as u64;
        let ends = best.iter().skip(1).map(|&(_, next)| next).chain([u64::MAX]);
        let of_plans = best.iter().zip(ends).map(|(&(place, from), end)| {
            let sizes = sizes_between(self.options.sizes).filter(|&size| from <= size && size < end);
            uses(place) * (NUMBERING + sizes.count() as u64)
        });
        self.reserve =
            (TIME_PER_USE * u32::try_from(of_plans.sum::<u64>()).unwrap_or(u32::MAX)).min(self.largest_reserve);
        let mut is_kept = is_best.iter();
        self.plans.retain(|_| is_kept.next() == Some(&true));
    }

    /// Returns the places of the schedules that are best for some size, with the smallest size of each range.
    fn best(&self) -> Vec<(usize, u64)> {
        let sizes = self.options.sizes;
        match self.options.timing {
            Timing::Asynchronous if self.plans.len() == 1 => vec![(0, sizes[0])],
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
