//! The search for the schedules of a front.

use std::cmp::Reverse;
use std::iter;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use lockstep_bounds::{Cost, least_latency, throughput};
use lockstep_schedule::{
    Budget, CommunicationModel, NotFound, Pattern, Picoseconds, Problem, Schedule, ScheduleFile, StopReason, Switching,
    SynchronousCost, Unverified, verify, verify_within,
};

use super::candidates::{Version, versions, widened_model, with_joined_steps, with_least_widths};
use super::envelope::{Line, best_of_sizes, lower_envelope};
use super::front_plan::{Front, FrontBound, FrontPlan, Timing};
use super::options::{FrontError, FrontEvent, FrontOptions};
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
/// deadline or a cancellation it is [marked](Front::is_cut_short). The budget's evaluations are those of all schedules together: half of them are for
/// constructions, which count their deliveries. The search leaves time for the [asynchronous
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
    search.evaluation_limit = budget.evaluation_limit();
    search.done = search.total - versions.len();
    let mut open: Vec<&Version> = versions.iter().collect();
    while let Some(place) = search.next_version(&open) {
        let version = open.remove(place);
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

/// The schedules so far.
pub(super) struct FrontSearch<'a, 'p> {
    /// The problem of one chunk.
    pub(super) problem: &'p Problem<'a>,
    pub(super) options: &'p FrontOptions,
    budget: &'p Budget,
    pub(super) bound: FrontBound,
    /// The least latency of a channel.
    least_latency_ps: u64,
    /// The time that the asynchronous times of the schedules take when the search has ended, and the most that is left for it.
    reserve: Duration,
    largest_reserve: Duration,
    /// The schedules that are best for some size, with their asynchronous times at all [sizes](sizes_between) if these are
    /// compared.
    plans: Vec<(FrontPlan, Vec<Picoseconds>)>,
    compared: usize,
    /// The deliveries of the schedules of the current part of the search: constructions, or plans.
    pub(super) deliveries: u64,
    /// The evaluations of all schedules, and their limit in the current part of the search.
    evaluations: u64,
    evaluation_limit: u64,
    is_cut_short: bool,
    /// The number of versions that were chosen by their gains.
    turn: usize,
    /// The number of parts of the work that are done, and of all.
    pub(super) done: usize,
    total: usize,
}

/// The number of times that schedules are constructed for a version of width 1: breadth-first broadcasts, then combining
/// algorithms.
const CONSTRUCTIONS: usize = 2;

/// The product of steps and transfers up to which steps are joined: each step takes a verification.
const MAX_JOIN_WORK: usize = 1 << 19;

/// Gains count in multiples of one part of this number, so that small versions come first if large ones gain little more.
const GAIN_PARTS: u128 = 32;

/// The evaluations that one delivery of a schedule takes, from its construction to its verification.
const EVALUATIONS_PER_DELIVERY: u64 = 4;

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
            evaluations: 0,
            evaluation_limit: budget.evaluation_limit() / 2,
            is_cut_short: false,
            turn: 0,
            done: 0,
            total,
        }
    }

    /// Returns the budget of the work on a schedule: the first one may come a little after the deadline, and the others leave
    /// time for asynchronous times.
    pub(super) fn budget(&self) -> Budget {
        match self.budget.time_left() {
            _ if self.plans.is_empty() => self.budget.for_first_result(),
            Some(left) => self.budget.clone().for_addition().within(left.saturating_sub(self.reserve)),
            None => self.budget.clone(),
        }
    }

    /// Returns true if the time is over; marks the front as cut short then.
    pub(super) fn ends_here(&mut self) -> bool {
        let stopped = self.budget().interruption();
        self.is_cut_short |= stopped.is_some();
        stopped.is_some()
    }

    /// Returns the place of the version to plan next. The sizes take turns, from the largest one on: the next version is the one with the
    /// greatest gain for the size, the ratio of the least time so far to the least one that its chunks and widths allow. Of equal gains,
    /// the first version counts. Without gains, and in a front of asynchronous times, it is the first of all. `None` if none is left.
    fn next_version(&mut self, versions: &[&Version]) -> Option<usize> {
        let unit = self.bound.unit_bytes_per_second;
        let sizes: Vec<u64> = sizes_between(self.options.sizes).collect();
        let turns = if self.options.timing == Timing::Synchronous { sizes.len() } else { 0 };
        for _ in 0..turns {
            let bytes = sizes[sizes.len() - 1 - self.turn % sizes.len()];
            self.turn += 1;
            let of_plans = self.plans.iter().map(|(plan, _)| Line::of(plan).time_ps(bytes, unit));
            let Some(best) = of_plans.min() else { break };
            let gain = |version: &Version| {
                let widths = self.least_width_sum(version.parts);
                let line = self.least_line(version.parts, widths.div_ceil(version.width.get().into()), widths);
                best.saturating_mul(GAIN_PARTS) / line.time_ps(bytes, unit).max(1)
            };
            let gains = versions.iter().map(|version| gain(version)).enumerate();
            let most = gains.max_by_key(|&(place, gain)| (gain, Reverse(place)));
            if let Some((place, _)) = most.filter(|&(_, gain)| gain > GAIN_PARTS) {
                return Some(place);
            }
        }
        (!versions.is_empty()).then_some(0)
    }

    /// Plans a version, unless it is too large or can be best for no size.
    fn plan(&mut self, version: &Version, observe: &mut dyn FnMut(FrontEvent)) -> Result<(), FrontError> {
        let Version { collective, width, .. } = version;
        let topology = self.problem.topology();
        let problem = Problem::new(topology, collective, self.problem.model()).map_err(PlanError::from)?;
        let is_first = self.plans.is_empty();
        let (parts, widths) = (version.parts, self.least_width_sum(version.parts));
        let steps = widths.div_ceil(width.get().into());
        if !is_first && (self.is_useless(parts, steps, widths) || !self.takes(&problem, self.options.evaluations)) {
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

    /// Counts one more schedule, and the evaluations of the search for it; false if its deliveries or evaluations exceed a limit.
    pub(super) fn takes(&mut self, problem: &Problem<'_>, evaluations: u64) -> bool {
        let count = problem.messages().delivery_count();
        let deliveries = self.deliveries.saturating_add(count);
        let evaluations = evaluations.saturating_add(count.saturating_mul(EVALUATIONS_PER_DELIVERY));
        let evaluations = self.evaluations.saturating_add(evaluations);
        let fits = deliveries <= self.options.deliveries && evaluations <= self.evaluation_limit;
        if fits {
            (self.deliveries, self.evaluations) = (deliveries, evaluations);
        }
        fits
    }

    /// Adds a schedule with the least widths that its transfers need, and drops the schedules that are best for no size. A
    /// schedule that is best for no size itself is not verified. One that is not verified in time is left out.
    pub(super) fn add(
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
        let cost = SynchronousCost::of(topology, &schedule);
        let parts = FrontBound::parts_of(problem);
        if self.is_above(Line { latency_ps: cost.latency_ps, width_per_part: [cost.width_sum, parts] }) {
            self.compared += 1;
            return Ok(());
        }
        schedule = with_turns(problem, &schedule);
        if let Some(reason) = self.verify(problem, engine, &schedule, &budget)? {
            self.is_cut_short = true;
            let has_others = !self.plans.is_empty();
            return if has_others { Ok(()) } else { Err(PlanError::from(NotFound::Unfinished { reason }).into()) };
        }
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

    /// Returns the sum of the widths that a schedule with this number of parts needs at least.
    pub(super) fn least_width_sum(&self, parts: u64) -> u64 {
        let [numerator, denominator] = self.bound.width_per_part();
        let widths = u128::from(numerator) * u128::from(parts);
        u64::try_from(widths.div_ceil(denominator.into())).unwrap_or(u64::MAX).max(1)
    }

    /// Returns true if no schedule with this number of parts, steps and this sum of widths can be best for some size.
    ///
    /// Steps say nothing about asynchronous times.
    pub(super) fn is_useless(&self, parts: u64, steps: u64, widths: u64) -> bool {
        self.is_above(self.least_line(parts, steps, widths))
    }

    /// Returns the least time of a schedule with this number of parts, steps and this sum of widths.
    fn least_line(&self, parts: u64, steps: u64, widths: u64) -> Line {
        let steps = steps.max(self.bound.latency.steps.into());
        let latency_ps = u128::from(steps) * u128::from(self.least_latency_ps);
        let latency_ps = latency_ps.max(self.bound.latency.picoseconds.into());
        Line { latency_ps, width_per_part: [widths, parts] }
    }

    /// Returns true if no schedule can be best for some size.
    pub(super) fn meets_bound(&self) -> bool {
        self.is_above(Line {
            latency_ps: self.bound.latency.picoseconds.into(),
            width_per_part: self.bound.width_per_part(),
        })
    }

    /// Returns true if a schedule with this synchronous time is best for no size. It says nothing about asynchronous times.
    fn is_above(&self, line: Line) -> bool {
        if self.options.timing == Timing::Asynchronous {
            return false;
        }
        let mut lines: Vec<Line> = self.plans.iter().map(|(plan, _)| Line::of(plan)).collect();
        lines.push(line);
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
