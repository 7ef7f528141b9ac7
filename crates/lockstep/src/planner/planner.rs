//! From a problem to a certified plan: construction, bound, search, judge.

use lockstep_bounds::{BoundSearch, Cost};
use lockstep_certificate::LowerBound;
use lockstep_schedule::{
    Budget, Collective, CommunicationModel, DistributePhase, NotFound, Phase, Problem, ProblemError, Schedule,
    Violation,
};
use lockstep_topology::Topology;
use serde::{Deserialize, Serialize};

use super::checkpoint::{self, CheckpointError, Identity};
use super::engine::Engine;
use super::event::Event;
use super::phase_planner::PhasePlanner;
use super::plan_state::{Found, PlanState};
use crate::plan::Plan;

/// Evaluations that usually take a few seconds, for who does not want to choose.
pub const DEFAULT_EVALUATIONS: u64 = 1 << 22;

/// The most deliveries of a problem that is planned: a schedule with one transfer each takes a few hundred megabytes.
pub const MAX_DELIVERIES: u64 = 1 << 24;

/// The most channel uses that a plan may need at least: 1 GiB.
pub const MAX_CHANNEL_USES: u64 = 1 << 28;

/// What is asked of a planner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlanOptions {
    /// What looks for the schedule.
    pub engine: Engine,
    /// The most steps it may have; `None` for as few as can be found.
    pub steps: Option<u32>,
    /// Seed of all random choices.
    pub seed: u64,
}

impl PlanOptions {
    /// As few steps as can be found, by construction and search.
    pub const fn auto(seed: u64) -> Self {
        Self { engine: Engine::Auto, steps: None, seed }
    }
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A collective that cannot be asked of the network.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A problem too large to be planned.
    #[error("the schedule needs {amount} {what}, more than {limit}; choose a smaller network or fewer chunks")]
    TooLarge {
        /// How many, at least.
        amount: u64,
        /// Of what.
        what: &'static str,
        /// How many can be planned.
        limit: u64,
    },
    /// Fewer steps than any schedule has.
    #[error("no schedule has fewer than {least} steps ({why}); allow more than {steps}")]
    Impossible {
        /// The number of steps allowed.
        steps: u32,
        /// The lower bound.
        least: u32,
        /// What proves it, in words.
        why: String,
    },
    /// The engine found no schedule, or does not do such problems.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// A checkpoint that cannot be gone on from.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// An engine made a schedule that the judge refuses.
    #[error("the {engine} engine made an invalid schedule, which is a mistake in lockstep: {violation}")]
    Refused {
        /// The engine.
        engine: Engine,
        /// What is wrong with the schedule.
        violation: Box<Violation>,
    },
}

/// A plan by construction and search, with seed 1.
///
/// Within evaluations the plan depends on the arguments alone; a budget with a deadline may end elsewhere, and then the
/// plan [says so](Plan::cut_short). One evaluation is one chain of changes in a search; a general construction counts one
/// for each transfer placed or moved, and its first schedule is free.
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
/// [`PlanError`]; with a budget of some evaluations and no deadline it is never [`PlanError::NotFound`].
pub fn plan(
    topology: &Topology,
    collective: &Collective,
    model: &CommunicationModel,
    budget: &Budget,
) -> Result<Plan, PlanError> {
    let problem = Problem::new(topology, collective, *model)?;
    Planner::new(problem, PlanOptions::auto(1)).run(budget, |_| {})
}

/// The way from a problem to a [`Plan`].
///
/// 1. The lower bounds that cost little; the constructions for networks of known structure, judged at once.
/// 2. The bounds that take searches; a first look by the general constructions.
/// 3. The dear bounds, flows and linear programmes, as far as they can still say more than the schedule; then the general
///    constructions with more attempts.
/// 4. Evolutionary search at as many steps as the bound, then half way between what was not found and what is found, and so
///    on. Each number of steps gets half of what is left of the budget, the last one all of it.
/// 5. The judge of the schedule, and the check of the certificate.
///
/// What reaches the bound ends the way. Every engine has the bounds; [`Engine::Analytic`] and [`Engine::Umda`] have the
/// schedules of 1 and 4 alone, [`Engine::Construct`] those of 2 and 3. A collecting phase is planned on the reversed network
/// and read backwards; of two phases, each gets half of the budget.
///
/// ```
/// use lockstep::{Budget, Collective, CommunicationModel, Engine, PlanOptions, Planner, Problem, load};
///
/// let omega = load("omega:8")?;
/// let gather = Collective::all_gather();
/// let problem = Problem::new(&omega, &gather, CommunicationModel::wormhole())?;
/// let options = PlanOptions { engine: Engine::Umda, steps: Some(8), seed: 1 };
/// let plan = Planner::new(problem, options).run(&Budget::evaluations(10_000_000), |event| println!("{event:?}"))?;
/// assert!(plan.step_count() <= 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Planner<'a> {
    problem: Problem<'a>,
    options: PlanOptions,
    checkpoint: Option<Vec<u8>>,
}

impl<'a> Planner<'a> {
    /// A planner that begins at the beginning.
    pub fn new(problem: Problem<'a>, options: PlanOptions) -> Self {
        Self { problem, options, checkpoint: None }
    }

    /// The same planner, going on from a [checkpoint](crate::Search::checkpoint) of the same problem, options and number
    /// of evaluations: it ends in the very plan that would have been found without the interruption.
    #[must_use]
    pub fn from_checkpoint(self, checkpoint: Vec<u8>) -> Self {
        Self { checkpoint: Some(checkpoint), ..self }
    }

    /// The plan. `observe` sees how it comes about.
    ///
    /// Cancelling the budget, or its deadline, ends the search soon, and the best schedule so far is the plan.
    ///
    /// # Errors
    ///
    /// [`PlanError`].
    pub fn run(self, budget: &Budget, mut observe: impl FnMut(Event<'_>)) -> Result<Plan, PlanError> {
        let Self { problem, options, checkpoint } = self;
        check_size("transfers", problem.messages().delivery_count(), MAX_DELIVERIES)?;
        let phases = DistributePhase::all(&problem);
        let problems: Vec<Problem> = phases.iter().map(|phase| phase.problem(&problem)).collect();
        let mut ladders: Vec<BoundSearch> = problems.iter().map(BoundSearch::new).collect();
        if let Some(steps) = options.steps {
            check_possible(&problem, &phases, &mut ladders, steps, budget)?;
        }
        let identity = Identity::new(&problem, options, budget.evaluation_limit());
        let (mut state, mut search) = match checkpoint {
            Some(bytes) => checkpoint::read(&identity, &bytes).map(|(state, search)| (state, Some(search)))?,
            None => (PlanState::default(), None),
        };
        let known = resumed_bounds(&state, &problems, search.is_some())?;
        for (place, bound_search) in ladders.iter().enumerate().skip(state.done.len()) {
            let reached: u32 = state.done.iter().map(Found::step_count).sum();
            let to_come: u32 = ladders[place + 1..].iter().map(|bound_search| bound_search.best().steps).sum();
            let ceiling = options.steps.map(|steps| steps.saturating_sub(reached.saturating_add(to_come)));
            let phase_planner = PhasePlanner {
                problem: problems[place],
                options,
                bound: known.get(place).unwrap_or(bound_search.best()).clone(),
                ceiling,
                budget: share(budget, phases.len(), phases.len() - place),
                identity: &identity,
            };
            phase_planner.run(&mut state, bound_search.clone(), search.take(), &mut observe)?;
        }
        let bounds = state.bounds().map_err(|error| inconsistent(error.to_string()))?;
        let bound = lockstep_bounds::of_phases(&phases, bounds);
        let found = assembled(&problem, &phases, state.done);
        Plan::judged(&problem, found, bound, options.seed, state.cut_short)
    }
}

/// Refuses a number of steps that no schedule has.
fn check_possible(
    problem: &Problem<'_>,
    phases: &[DistributePhase<'_>],
    ladders: &mut [BoundSearch<'_>],
    steps: u32,
    budget: &Budget,
) -> Result<(), PlanError> {
    for place in 0..ladders.len() {
        let others = ladders.iter().fold(0, |sum: u32, bound_search| sum.saturating_add(bound_search.best().steps));
        let others = others - ladders[place].best().steps;
        ladders[place].raise(Cost::Expensive, steps.saturating_add(1).saturating_sub(others), budget, |_, _| {});
    }
    let bounds = ladders.iter().map(|bound_search| bound_search.best().clone()).collect();
    let bound = lockstep_bounds::of_phases(phases, bounds);
    if bound.steps <= steps {
        return Ok(());
    }
    let why = bound.certificate.explain(problem.topology()).to_string();
    Err(PlanError::Impossible { steps, least: bound.steps, why })
}

/// The bounds of the phases that an interrupted state has come through, checked.
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

/// The schedule of all phases, by the most laborious of those that found one, and what the judge said if it is the very
/// one that he has seen.
fn assembled(problem: &Problem<'_>, phases: &[DistributePhase<'_>], mut found: Vec<Found>) -> Found {
    if found.len() == 1 && problem.collective().phases() == [Phase::Distribute] {
        return found.remove(0);
    }
    let finder = found.iter().max_by_key(|found| found.engine).expect("a collective has a phase");
    let (engine, method) = (finder.engine, finder.method.clone());
    let mut schedule = Schedule::new();
    for (phase, found) in phases.iter().zip(found) {
        schedule.append(&phase.from_distribution(found.schedule));
    }
    Found { engine, method, schedule, verification: None }
}

/// Refuses problems whose schedules would not fit into memory.
pub(crate) fn check_size(what: &'static str, amount: u64, limit: u64) -> Result<(), PlanError> {
    if amount <= limit { Ok(()) } else { Err(PlanError::TooLarge { amount, what, limit }) }
}

/// What each of `of` phases may spend: its part of the evaluations, and of the time that `left` of them still have.
pub(crate) fn share(budget: &Budget, of: usize, left: usize) -> Budget {
    let share = match budget.evaluation_limit() {
        u64::MAX => budget.clone(),
        evaluations => budget.clone().with_evaluations(evaluations / of as u64),
    };
    match budget.time_left() {
        Some(time) => share.within(time / left as u32),
        None => share,
    }
}
