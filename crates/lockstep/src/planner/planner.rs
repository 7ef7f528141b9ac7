//! The planner: all phases of a problem, the verifier, and the check of the certificate.

use lockstep_bounds::Cost;
use lockstep_certificate::LowerBound;
use lockstep_schedule::{Budget, Collective, CommunicationModel, DistributePhase, NotFound, Problem, StopReason};
use lockstep_topology::Topology;

use super::all_reduce::{FIRST_LOOK_EVALUATIONS, is_planned_whole};
use super::bounds::Bounds;
use super::checkpoint::{self, CheckpointError, Identity, LazyIdentity, SavedSearch};
use super::error::PlanError;
use super::event::{Ending, Event};
use super::limits::{MAX_DELIVERIES, TRANSFERS, check_size};
use super::mirror::{MIRROR, Mirror};
use super::options::PlanOptions;
use super::parts::engine_part;
use super::pass::{Found, Pass};
use super::passes::{MOST_USEFUL, PASSES, passes};
use super::plan_state::{PhaseSchedule, PlanState};
use crate::plan::{CutShort, Origin, Plan, WithdrawnBound};

/// Plans a collective by all engines of [`EngineChoice::Auto`](crate::EngineChoice::Auto), with seed 1.
///
/// Within a number of evaluations, the plan depends on the arguments only. A deadline makes it depend on the clock: the
/// plan then is optimal, or it [says so](Plan::cut_short). One evaluation is about a microsecond of work in every engine.
/// More evaluations never give a longer plan. Without a deadline, the first schedule is always completed. With one, it must be
/// complete at [`FIRST_RESULT_GRACE`](lockstep_schedule::FIRST_RESULT_GRACE) after the deadline.
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
/// 7. The verifier for the complete schedule, and the check of the certificate. A proof by the exact rule for an all-reduce is
///    checked when it is found.
///
/// The work ends when the schedule meets the bound. The verifier checks every schedule as soon as an engine returns it,
/// and an invalid schedule is dropped. A collecting phase is planned on the reversed network and read backwards.
///
/// A small all-reduce is planned as a whole first, with few evaluations, which often meets a cheap bound. Otherwise, its
/// reduction and its distribution are planned, and then the whole again. Each gets an equal share of the evaluations. If every
/// channel has an opposite, a schedule of one phase is one of the other with opposite channels. Then the distribution begins
/// with that of the reduction, and a shorter one counts for both. This pass is repeated with four times the evaluations and
/// another seed, as often as the budget allows. It starts from the shortest schedule of the passes before.
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
    ///     Event::Stopped(state) => checkpoint = Some(state.write()),
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
        let budget = &budget.clone().without(options.without);
        let mut engines = options.engines.chosen(options.engine)?;
        engines.retain(|known| budget.uses(engine_part(known.engine)));
        if engines.is_empty() {
            let why = "all its engines are left out".to_owned();
            return Err(NotFound::Unsupported { engine: options.engine.name(), why }.into());
        }
        check_size(TRANSFERS, problem.messages().delivery_count(), MAX_DELIVERIES)?;
        let phases = DistributePhase::all(&problem);
        let problems: Vec<Problem> = phases.iter().map(|phase| phase.problem(&problem)).collect();
        let mut bounds = Bounds::new(&problem, &phases, &problems, budget);
        if let Some(steps) = options.steps {
            check_possible(&problem, &mut bounds, steps, budget)?;
        }
        let limit = budget.evaluation_limit();
        let has_passes = is_planned_whole(&problem, &engines, budget) && budget.uses(PASSES);
        let passes = if has_passes { passes(&problem, limit).collect() } else { vec![limit] };
        let identity = |evaluations| Identity::new(&problem, options, evaluations);
        let resumed = checkpoint.map(|bytes| resumed_pass(passes.iter().map(|&limit| identity(limit)), &bytes));
        let mut resumed = resumed.transpose()?;
        let nothing = NotFound::Stopped { steps: bounds.best_steps(), reason: StopReason::Evaluations };
        let mut shortest: Result<Found, NotFound> = Err(nothing);
        let mirror = budget.uses(MIRROR).then(|| Mirror::new(&problems)).flatten();
        for (number, &evaluations) in passes.iter().enumerate() {
            let pass = Pass {
                problem: &problem,
                phases: &phases,
                problems: &problems,
                mirror: mirror.as_ref(),
                engines: &engines,
                options,
                seed: seed_of_pass(options.seed, number),
                budget: budget.clone().with_evaluations(evaluations),
                // Expensive bounds come after longer searches.
                bounds: if number == 0 && passes.len() > 1 {
                    options.bounds.min(Cost::Searches)
                } else {
                    options.bounds
                },
                looks_first: evaluations < 4 * FIRST_LOOK_EVALUATIONS,
                identity: LazyIdentity::new(&problem, options, evaluations),
            };
            let mut is_spent = false;
            let mut observe = |event: Event<'_>| {
                is_spent |= matches!(event, Event::Ended(Ending::Budget(StopReason::Evaluations)));
                observe(event);
            };
            let of_pass = resumed.take_if(|(of, ..)| *of == number).map(|(_, state, search)| (state, search));
            let known = shortest.as_ref().ok().map(|found| &found.schedule);
            match pass.run(known, of_pass, &mut bounds, &mut observe) {
                Ok(found) => shortest = Ok(found.or_shorter(shortest.ok())),
                Err(PlanError::NotFound(reason)) => shortest = shortest.map_err(|_| reason),
                Err(error) => return Err(error),
            }
            let reached = shortest.as_ref().map_or(u32::MAX, Found::step_count);
            let is_reached = reached <= options.steps.unwrap_or(0).max(bounds.best_steps());
            let has_ended = evaluations >= MOST_USEFUL && !is_spent && budget.time_left().is_none();
            if is_reached || has_ended || budget.interruption().is_some() {
                break;
            }
        }
        let mut found = shortest?;
        if found.step_count() > bounds.best_steps() {
            found.cut_short = found.cut_short.or_else(|| budget.interruption().and_then(CutShort::by));
        }
        match options.steps {
            Some(steps) if steps < found.step_count() => {
                Err(NotFound::TooLong { steps, reached: found.step_count() }.into())
            }
            _ => plan_of(&problem, found, bounds.proved_best(), options),
        }
    }
}

/// Returns the number of the pass whose identity a checkpoint has, with its contents.
fn resumed_pass(
    identities: impl Iterator<Item = Identity>,
    bytes: &[u8],
) -> Result<(usize, PlanState, SavedSearch), CheckpointError> {
    let mut refusal = None;
    for (number, identity) in identities.enumerate() {
        match checkpoint::read(&identity, bytes) {
            Ok((state, search)) => return Ok((number, state, search)),
            Err(error) => refusal = Some(error),
        }
    }
    Err(refusal.expect("there is a first pass"))
}

/// Returns the seed of a pass. Another pass over the same problem does not repeat the choices of those before.
fn seed_of_pass(seed: u64, number: usize) -> u64 {
    seed ^ (number as u64).rotate_right(8)
}

/// Returns the plan of what was found, with a bound, and whether the check of the certificate has accepted that.
fn plan_of(
    problem: &Problem<'_>,
    found: Found,
    bound: (LowerBound, bool),
    options: PlanOptions<'_>,
) -> Result<Plan, PlanError> {
    let Found { schedule: PhaseSchedule { engine, method, schedule, verification }, cut_short, exceeded } = found;
    let origin = Origin::new(&engine, method.as_deref(), options.seed, cut_short);
    let plan = Plan::verified(problem, schedule, verification, bound, origin)
        .map_err(|refusal| PlanError::refused(&engine, refusal))?;
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
    bounds: &mut Bounds<'_>,
    steps: u32,
    budget: &Budget,
) -> Result<(), PlanError> {
    bounds.raise_all(steps.saturating_add(1), budget);
    let bound = bounds.best();
    if bound.steps <= steps {
        return Ok(());
    }
    let why = bound.certificate.explain(problem.topology()).to_string();
    Err(PlanError::Impossible { steps, least: bound.steps, why })
}

#[cfg(test)]
mod tests {
    use lockstep_bounds::{BoundSearch, of_phase};
    use lockstep_schedule::{FoundSchedule, verify};

    use super::super::pass::{exceeded, joined};
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
            state.push_bound(&bound);
            bounds.push(bound);
            let verification = verify(&problem, &schedule).unwrap();
            state.done.push(PhaseSchedule::new("construct", FoundSchedule { schedule, method: None }, verification));
        }
        let (exceeded, options) = (exceeded(&state).unwrap(), PlanOptions::auto(1));
        let found = Found { schedule: joined(&problem, &phases, state.done, options), cut_short: None, exceeded };
        let bound = match phases.as_slice() {
            [phase] => of_phase(phase, bounds.remove(0)),
            _ => BoundSearch::new(&problem).best().clone(),
        };
        plan_of(&problem, found, (bound, false), options).unwrap_err()
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
        let refusal = Plan::verified(&problem, padded, None, (bound, false), origin).unwrap_err();
        let text = PlanError::refused("construct", refusal).to_string();
        assert!(text.contains("is withdrawn: its certificate is refused ("), "{text}");
    }
}
