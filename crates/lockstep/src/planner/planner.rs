//! The planner: all phases of a problem, the verifier, and the check of the certificate.

use lockstep_bounds::{BoundSearch, Cost};
use lockstep_certificate::LowerBound;
use lockstep_schedule::{
    Budget, Collective, CommunicationModel, DistributePhase, NotFound, Phase, Problem, Schedule, StopReason,
};
use lockstep_topology::Topology;

use super::all_reduce::{bound_of_whole, first_look, is_planned_whole, shorter_all_reduce};
use super::budget_share::share;
use super::checkpoint::{self, CheckpointError, Identity};
use super::error::PlanError;
use super::event::{Ending, Event};
use super::limits::{MAX_DELIVERIES, TRANSFERS, check_size};
use super::options::PlanOptions;
use super::phase_planner::PhasePlanner;
use super::plan_state::{PhaseSchedule, PlanState};
use super::registry::RegisteredEngine;
use crate::plan::{CutShort, Origin, Plan, WithdrawnBound};

/// Plans a collective by all engines of [`EngineChoice::Auto`](crate::EngineChoice::Auto), with seed 1.
///
/// Within a number of evaluations, the plan depends on the arguments only. A deadline makes it depend on the clock: the
/// plan then is optimal, or it [says so](Plan::cut_short). One evaluation is about a microsecond of work in every engine.
/// More evaluations never give a longer plan. The first schedule of the portfolio is always completed.
///
/// ```
/// use lockstep::{Budget, Collective, CommunicationModel, plan};
///
/// let hypercube = "hypercube:3".parse()?;
/// let exchange = Collective::all_to_all();
/// let plan = plan(&hypercube, &exchange, &CommunicationModel::wormhole(), &Budget::evaluations(1 << 20))?;
/// assert_eq!((plan.step_count(), plan.is_optimal()), (4, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`PlanError`]; with a budget of evaluations and no deadline it is never [`PlanError::NotFound`].
pub fn plan(
    topology: &Topology,
    collective: &Collective,
    model: &CommunicationModel,
    budget: &Budget,
) -> Result<Plan, PlanError> {
    let problem = Problem::new(topology, collective, *model)?;
    Planner::new(problem, PlanOptions::auto(1)).run(budget, |_| {})
}

/// Computes a [`Plan`] for a problem.
///
/// 1. Cheap lower bounds; engines of [`EngineStage::Construction`](crate::EngineStage::Construction).
/// 2. Bounds that take a search; the engines of [`EngineStage::Portfolio`](crate::EngineStage::Portfolio), until they
///    pause.
/// 3. Expensive bounds (flows, linear programmes) that can still exceed the schedule's steps; before the portfolio, if a
///    construction has found a schedule.
/// 4. Engines of [`EngineStage::Search`](crate::EngineStage::Search), until they pause.
/// 5. Further rounds of the portfolio and the searches, each with as many evaluations as all rounds before.
/// 6. For an all-reduce, bounds of the whole, and a schedule in which both phases share steps
///    ([`all_reduce`](lockstep_construct::all_reduce())); the shorter schedule counts.
/// 7. The verifier for the complete schedule, and the check of the certificate.
///
/// The work ends when the schedule meets the bound. The verifier checks every schedule as soon as an engine returns it,
/// and an invalid schedule is dropped. A collecting phase is planned on the reversed network and read backwards.
///
/// A small all-reduce is planned as a whole first, with few evaluations, which often meets a cheap bound. Otherwise, its
/// reduction and its distribution are planned, and then the whole again. Each gets an equal share of the budget.
///
/// ```
/// use lockstep::{Budget, Collective, CommunicationModel, EngineChoice, PlanOptions, Planner, Problem, load};
///
/// let omega = load("omega:8")?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&omega, &all_gather, CommunicationModel::wormhole())?;
/// let options = PlanOptions { engine: EngineChoice::Named("umda"), steps: Some(8), ..PlanOptions::auto(1) };
/// let plan = Planner::new(problem, options).run(&Budget::evaluations(10_000_000), |event| println!("{event:?}"))?;
/// assert!(plan.step_count() <= 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Planner<'a> {
    problem: Problem<'a>,
    options: PlanOptions<'a>,
    checkpoint: Option<Vec<u8>>,
}

impl<'a> Planner<'a> {
    /// Creates a planner.
    pub fn new(problem: Problem<'a>, options: PlanOptions<'a>) -> Self {
        Self { problem, options, checkpoint: None }
    }

    /// Resumes from a checkpoint of the same problem, options and number of evaluations.
    ///
    /// The plan is the same as without the interruption. An observer receives checkpoints with [`Event::Search`] and
    /// [`Event::Stopped`].
    ///
    /// ```
    /// use lockstep::{Budget, Collective, CommunicationModel, EngineChoice, Event, PlanOptions, Planner, Problem};
    ///
    /// let omega = "omega:8".parse()?;
    /// let all_gather = Collective::all_gather();
    /// let problem = Problem::new(&omega, &all_gather, CommunicationModel::wormhole())?;
    /// let options = PlanOptions { engine: EngineChoice::Named("umda"), steps: Some(8), ..PlanOptions::auto(1) };
    /// let budget = Budget::evaluations(1_000_000);
    /// let mut checkpoint = None;
    /// let interrupted = Planner::new(problem, options).run(&budget, |event| match event {
    ///     Event::Search(_) => budget.cancel(),
    ///     Event::Stopped(search) => checkpoint = Some((search.checkpoint)()),
    ///     _ => {}
    /// });
    /// assert!(interrupted.is_err());
    ///
    /// let planner = Planner::new(problem, options).from_checkpoint(checkpoint.ok_or("no search was running")?);
    /// assert_eq!(planner.run(&Budget::evaluations(1_000_000), |_| {})?.step_count(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn from_checkpoint(self, checkpoint: Vec<u8>) -> Self {
        Self { checkpoint: Some(checkpoint), ..self }
    }

    /// Computes the plan. `observe` receives the [events](Event) of the work.
    ///
    /// Cancelling the budget, or its deadline, ends a search soon. The best schedule so far then is the plan.
    ///
    /// # Errors
    ///
    /// [`PlanError`].
    pub fn run(self, budget: &Budget, mut observe: impl FnMut(Event<'_>)) -> Result<Plan, PlanError> {
        let Self { problem, options, checkpoint } = self;
        let engines = options.engines.chosen(options.engine)?;
        check_size(TRANSFERS, problem.messages().delivery_count(), MAX_DELIVERIES)?;
        let phases = DistributePhase::all(&problem);
        let problems: Vec<Problem> = phases.iter().map(|phase| phase.problem(&problem)).collect();
        let mut searches: Vec<BoundSearch> = problems.iter().map(BoundSearch::new).collect();
        if let Some(steps) = options.steps {
            check_possible(&problem, &phases, &mut searches, steps, budget)?;
        }
        let identity = Identity::new(&problem, options, budget.evaluation_limit());
        let (mut state, mut resumed) = match checkpoint {
            Some(bytes) => checkpoint::read(&identity, &bytes).map(|(state, search)| (state, Some(search)))?,
            None => (PlanState::default(), None),
        };
        let known = resumed_bounds(&state, &problems, resumed.is_some())?;
        let first = first_look(&problem, &engines, options.steps, options.seed, budget, &mut observe);
        let goal = options.steps.unwrap_or(0);
        if let Some((first, _)) = first.as_ref().filter(|(first, bound)| {
            // Phases one after the other cannot be shorter than their bounds together.
            let enough = first.step_count();
            let of_phase = |search: &mut BoundSearch<'_>| {
                search.raise(Cost::Searches, enough, budget, |_, _| {});
                search.best().steps
            };
            let together = searches.iter_mut().map(of_phase).fold(0, u32::saturating_add);
            enough <= goal.max(*bound).max(together)
        }) {
            let bound = lockstep_bounds::of_phases(&phases, best_bounds(&searches));
            let bound = bound_of_whole(&problem, bound, first.step_count(), (options.bounds, budget), &mut observe);
            return whole(&problem, &engines, first, bound, options, budget, &mut observe);
        }
        let parts = phases.len() + usize::from(is_planned_whole(&problem, &engines));
        for (place, bound_search) in searches.iter().enumerate().skip(state.done.len()) {
            observe(Event::Part { place, count: parts, reached: None });
            let reached: u32 = state.done.iter().map(PhaseSchedule::step_count).sum();
            let to_come: u32 = searches[place + 1..].iter().map(|later| later.best().steps).sum();
            let phase_planner = PhasePlanner {
                problem: problems[place],
                engines: &engines,
                seed: options.seed,
                bound: known.get(place).unwrap_or(bound_search.best()).clone(),
                ceiling: options.steps.map(|steps| steps.saturating_sub(reached.saturating_add(to_come))),
                budget: share(budget, parts, parts - place),
                identity: &identity,
                // The exact bound of an all-reduce is that of the whole.
                bounds: if phases.len() == 1 { options.bounds } else { options.bounds.min(Cost::Expensive) },
                failure: None,
                is_spent: false,
            };
            let planned = phase_planner.run(&mut state, bound_search.clone(), resumed.take(), &mut observe);
            if let Err(error) = planned {
                // The steps that two phases need may still suffice without a barrier.
                observe(Event::Part { place: parts - 1, count: parts, reached: None });
                let bound = lockstep_bounds::of_phases(&phases, best_bounds(&searches));
                let bound = bound_of_whole(&problem, bound, u32::MAX, (options.bounds, budget), &mut observe);
                let goal = options.steps.unwrap_or(bound.steps);
                let budget = (budget, parts);
                let (whole, _) = shorter_all_reduce(&problem, &engines, None, goal, options.seed, budget, &mut observe);
                return match (error, whole) {
                    (PlanError::NotFound(_), Some(whole))
                        if options.steps.is_none_or(|steps| whole.step_count() <= steps) =>
                    {
                        plan_of(&problem, whole, bound, state.cut_short, options)
                    }
                    (error, _) => Err(error),
                };
            }
        }
        let bounds = state.bounds().map_err(|error| inconsistent(error.to_string()))?;
        let first = first.map(|(first, _)| first);
        finish(&problem, &phases, state, (first, bounds), options, |start, bound| {
            let reached = start.step_count() as u32;
            if parts > phases.len() {
                observe(Event::Part { place: phases.len(), count: parts, reached: Some(reached) });
            }
            let bound = bound_of_whole(&problem, bound, reached, (options.bounds, budget), &mut observe);
            let goal = options.steps.unwrap_or(bound.steps);
            let budget = (budget, parts);
            let (found, stopped) =
                shorter_all_reduce(&problem, &engines, Some(start), goal, options.seed, budget, &mut observe);
            (bound, found, stopped)
        })
    }
}

fn best_bounds(searches: &[BoundSearch<'_>]) -> Vec<LowerBound> {
    searches.iter().map(|search| search.best().clone()).collect()
}

/// Returns the plan of a whole all-reduce without its phases, from the first schedule on.
fn whole(
    problem: &Problem<'_>,
    engines: &[RegisteredEngine<'_>],
    first: &PhaseSchedule,
    bound: LowerBound,
    options: PlanOptions<'_>,
    budget: &Budget,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Plan, PlanError> {
    let goal = options.steps.unwrap_or(bound.steps);
    let (found, stopped) =
        shorter_all_reduce(problem, engines, Some(&first.schedule), goal, options.seed, (budget, 1), observe);
    let found = found.unwrap_or_else(|| first.clone());
    let reached = found.step_count();
    observe(Event::Ended(match stopped {
        _ if reached <= bound.steps => Ending::BoundReached,
        _ if reached <= goal => Ending::StepsReached,
        Some(reason) => Ending::Budget(reason),
        None => Ending::Exhausted,
    }));
    match options.steps {
        Some(steps) if steps < reached => Err(NotFound::TooLong { steps, reached }.into()),
        _ => plan_of(problem, found, bound, stopped.and_then(CutShort::by), options),
    }
}

/// Returns the plan of a schedule of all phases.
fn plan_of(
    problem: &Problem<'_>,
    found: PhaseSchedule,
    bound: LowerBound,
    cut_short: Option<CutShort>,
    options: PlanOptions<'_>,
) -> Result<Plan, PlanError> {
    let PhaseSchedule { engine, method, schedule, verification } = found;
    let origin = Origin::new(&engine, method.as_deref(), options.seed, cut_short);
    Plan::verified(problem, schedule, verification, bound, origin)
        .map_err(|refusal| PlanError::refused(&engine, refusal))
}

/// Returns the plan of all phases, or of the first schedule of all of them if it is shorter; or of what `improve` makes of
/// it: a better bound and a shorter schedule.
fn finish(
    problem: &Problem<'_>,
    phases: &[DistributePhase<'_>],
    state: PlanState,
    (first, bounds): (Option<PhaseSchedule>, Vec<LowerBound>),
    options: PlanOptions<'_>,
    improve: impl FnOnce(&Schedule, LowerBound) -> (LowerBound, Option<PhaseSchedule>, Option<StopReason>),
) -> Result<Plan, PlanError> {
    let steps = |place: usize| state.done[place].step_count();
    let exceeded = bounds.iter().enumerate().find(|&(place, bound)| steps(place) < bound.steps);
    let exceeded = exceeded.map(|(place, bound)| (bound.clone(), steps(place)));
    let bound = lockstep_bounds::of_phases(phases, bounds);
    let joined = joined(problem, phases, state.done, options);
    let shortest = first.filter(|first| first.step_count() < joined.step_count()).unwrap_or(joined);
    let (bound, improved, stopped) = improve(&shortest.schedule, bound);
    let cut_short = stopped.and_then(CutShort::by).or(state.cut_short);
    let plan = plan_of(problem, improved.unwrap_or(shortest), bound, cut_short, options)?;
    match exceeded {
        // The bound of one phase is false, although that of the collective is not.
        Some((bound, steps)) => {
            Err(Box::new(WithdrawnBound::exceeded(&bound, steps, (**plan.schedule_file()).clone())).into())
        }
        None => Ok(plan),
    }
}

/// Refuses a maximum number of steps below the lower bound.
fn check_possible(
    problem: &Problem<'_>,
    phases: &[DistributePhase<'_>],
    searches: &mut [BoundSearch<'_>],
    steps: u32,
    budget: &Budget,
) -> Result<(), PlanError> {
    let of_phases = if phases.len() == 1 { Cost::Exact } else { Cost::Expensive };
    for search in searches.iter_mut() {
        search.raise(of_phases, steps.saturating_add(1), budget, |_, _| {});
    }
    let bound = lockstep_bounds::of_phases(phases, best_bounds(searches));
    let bound = bound_of_whole(problem, bound, steps.saturating_add(1), (Cost::Exact, budget), &mut |_| {});
    if bound.steps <= steps {
        return Ok(());
    }
    let why = bound.certificate.explain(problem.topology()).to_string();
    Err(PlanError::Impossible { steps, least: bound.steps, why })
}

/// Returns the checked bounds of the phases that a checkpoint contains.
fn resumed_bounds(
    state: &PlanState,
    problems: &[Problem<'_>],
    is_searching: bool,
) -> Result<Vec<LowerBound>, CheckpointError> {
    let bounds = state.bounds().map_err(|error| inconsistent(error.to_string()))?;
    if state.done.len() >= problems.len() || bounds.len() != state.done.len() + usize::from(is_searching) {
        return Err(inconsistent("it has other phases than the collective".to_owned()));
    }
    for (bound, problem) in bounds.iter().zip(problems) {
        bound.check(problem).map_err(|error| inconsistent(error.to_string()))?;
    }
    Ok(bounds)
}

fn inconsistent(what: String) -> CheckpointError {
    CheckpointError::Inconsistent { what }
}

/// Returns the schedule of all phases, under the name of the last engine in the registry's order. The report of the
/// verifier is kept only if the schedule is the verified one.
fn joined(
    problem: &Problem<'_>,
    phases: &[DistributePhase<'_>],
    mut done: Vec<PhaseSchedule>,
    options: PlanOptions<'_>,
) -> PhaseSchedule {
    if done.len() == 1 && problem.collective().phases() == [Phase::Distribute] {
        return done.remove(0);
    }
    let last = done.iter().max_by_key(|phase| options.engines.position(&phase.engine));
    let last = last.expect("a collective has a phase");
    let (engine, method) = (last.engine.clone(), last.method.clone());
    let mut schedule = Schedule::new();
    for (phase, planned) in phases.iter().zip(done) {
        schedule.append(&phase.from_distribution(planned.schedule));
    }
    PhaseSchedule { engine, method, schedule, verification: None }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{FoundSchedule, verify};

    use super::*;

    /// Returns the result of planning a collective on a ring of four, if the bounds of its phases were `raised` by some
    /// false rule.
    fn planned_with_false_bounds(collective: &Collective, raised: &[u32]) -> PlanError {
        let ring: Topology = "ring:4".parse().unwrap();
        let problem = Problem::new(&ring, collective, CommunicationModel::wormhole()).unwrap();
        let phases = DistributePhase::all(&problem);
        let (mut state, mut bounds) = (PlanState::default(), Vec::new());
        for (phase, raised) in phases.iter().zip(raised) {
            let problem = phase.problem(&problem);
            let schedule = lockstep_construct::schedule(&problem, u32::MAX, 1, &Budget::evaluations(1 << 12)).unwrap();
            let mut bound = BoundSearch::new(&problem).best().clone();
            bound.steps += raised;
            bounds.push(bound);
            let verification = verify(&problem, &schedule).unwrap();
            state.done.push(PhaseSchedule::new("construct", FoundSchedule { schedule, method: None }, verification));
        }
        finish(&problem, &phases, state, (None, bounds), PlanOptions::auto(1), |_, bound| (bound, None, None))
            .unwrap_err()
    }

    #[test]
    fn a_schedule_below_a_bound_is_kept_and_the_bound_is_withdrawn() {
        let cases = [
            (Collective::all_gather(), &[9][..]),
            (Collective::all_gather().reversed(), &[9]),
            (Collective::all_reduce(), &[9, 0]),
            (Collective::all_reduce(), &[0, 9]),
        ];
        for (collective, raised) in cases {
            let error = planned_with_false_bounds(&collective, raised);
            let text = error.to_string();
            let PlanError::BoundWithdrawn(withdrawn) = error else { panic!("{text}") };
            assert!(text.contains("is withdrawn: a valid schedule has ") && text.contains("please report"), "{text}");
            assert!(verify(&withdrawn.schedule.problem(), withdrawn.schedule.schedule()).is_ok());
        }
    }

    /// The bound does not exceed the schedule, but nothing proves it.
    #[test]
    fn a_bound_without_proof_is_withdrawn() {
        let ring: Topology = "ring:4".parse().unwrap();
        let collective = Collective::all_gather();
        let problem = Problem::new(&ring, &collective, CommunicationModel::wormhole()).unwrap();
        let slow = lockstep_construct::schedule(&problem, u32::MAX, 1, &Budget::evaluations(1)).unwrap();
        let mut bound = BoundSearch::new(&problem).best().clone();
        let mut padded = slow.clone();
        (0..9).for_each(|_| padded.begin_step());
        bound.steps += 1;
        let origin = Origin::new("construct", None, 1, None);
        let refusal = Plan::verified(&problem, padded, None, bound, origin).unwrap_err();
        let text = PlanError::refused("construct", refusal).to_string();
        assert!(text.contains("is withdrawn: its certificate is refused ("), "{text}");
    }
}
