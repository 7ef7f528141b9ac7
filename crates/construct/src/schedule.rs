//! The public entry points: schedules of one distribution, or of all phases of a collective.

use lockstep_schedule::{
    Budget, DistributePhase, Effort, EngineRequest, FoundSchedule, NotFound, Part, Problem, Schedule,
};
use tracing::instrument;

use crate::kit::method::Method;
use crate::method::METHODS;
use crate::portfolio::Portfolio;

/// Returns every method. The cheapest and most promising methods come first.
///
/// ```
/// let names: Vec<_> = lockstep_construct::methods().iter().map(|method| method.name).collect();
/// assert!(names.contains(&"rarest-first"));
/// ```
pub fn methods() -> &'static [Method] {
    METHODS
}

/// Returns every part of this crate that a budget can [leave out](Budget::without): the methods, each with its own parts, and
/// the parts of [`all_reduce`](crate::all_reduce()).
///
/// ```
/// let names: Vec<String> = lockstep_construct::parts().map(|part| part.to_string()).collect();
/// assert!(names.contains(&"construct/rarest-first".to_owned()) && names.contains(&"rarest-first/relays".to_owned()));
/// ```
pub fn parts() -> impl Iterator<Item = Part> {
    let of_methods =
        METHODS.iter().flat_map(|method| std::iter::once(method.part()).chain(method.parts.iter().copied()));
    of_methods.chain(crate::all_reduce::PARTS.iter().copied())
}

/// Returns the first schedule of at most `goal` steps that a method finds, otherwise the shortest schedule found.
///
/// The methods that support the problem alternate: each makes one attempt, then more and more. Attempts run in parallel
/// on the current rayon pool. The result depends only on the problem, `goal`, `seed` and the number of evaluations,
/// unless time or cancellation ends the search. One evaluation is about a microsecond of work. The first schedule is free: the number of
/// evaluations does not end it. With a deadline, it is a quick one, of any length. Without any limit, the search never ends if `goal` is out of reach.
///
/// `problem` distributes its messages; time-reverse a collecting phase first ([`DistributePhase`]). `observe` gets each
/// method that supports the problem, its effort, and the number of steps if it is a new best.
///
/// ```
/// use lockstep_construct::shortest;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let kautz: Topology = "kautz:2,3".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&kautz, &all_gather, CommunicationModel::store_and_forward())?;
/// let found = shortest(&problem, 6, 1, &Budget::evaluations(20_000), |method, effort, steps| {
///     println!("{}: {} attempts, new best: {steps:?}", method.name, effort.attempts);
/// })?;
/// // Every node receives 11 messages over 2 channels.
/// assert_eq!(found.schedule.step_count(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`NotFound::Unsupported`], if the schedule has 2^32 channel uses or more, the table of terminals and messages takes
/// more than 4 GiB, or the legal paths of a network with buses are too hard to find.
#[instrument(level = "debug", skip_all, fields(network = problem.topology().name(), goal, seed))]
pub fn shortest(
    problem: &Problem<'_>,
    goal: u32,
    seed: u64,
    budget: &Budget,
    mut observe: impl FnMut(&'static Method, Effort, Option<u32>),
) -> Result<FoundSchedule, NotFound> {
    let timed = budget.clone().with_evaluations(u64::MAX);
    let request = EngineRequest::new(*problem, goal, seed, &timed);
    let mut portfolio = Portfolio::new(EngineRequest { pause_after: budget.evaluation_limit(), ..request });
    loop {
        portfolio.round(&mut observe);
        if portfolio.is_over() {
            return portfolio.into_best();
        }
    }
}

/// Returns a schedule of at most `steps` steps for any collective; `steps` may be `u32::MAX`.
///
/// Collecting phases are planned on the reversed network and time-reversed. Consecutive phases share the rounds of the
/// search. Everything else is as in [`shortest()`].
///
/// ```
/// use lockstep_construct::schedule;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let cube: Topology = "hypercube:3".parse()?;
/// let all_reduce = Collective::all_reduce();
/// let problem = Problem::new(&cube, &all_reduce, CommunicationModel::store_and_forward())?;
/// let schedule = schedule(&problem, 6, 1, &Budget::evaluations(100_000))?;
/// assert!(verify(&problem, &schedule)?.steps <= 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`NotFound::TooLong`] with the fewest steps reached, if all evaluations are spent; [`NotFound::Stopped`], if time or
/// cancellation came first; otherwise as [`shortest()`].
pub fn schedule(problem: &Problem<'_>, steps: u32, seed: u64, budget: &Budget) -> Result<Schedule, NotFound> {
    let phases = DistributePhase::all(problem);
    let problems: Vec<Problem> = phases.iter().map(|phase| phase.problem(problem)).collect();
    // Each of several phases shall be as short as possible.
    let goal = if problems.len() == 1 { steps } else { 1 };
    let timed = budget.clone().with_evaluations(u64::MAX);
    let requests = problems.iter().map(|&problem| EngineRequest::new(problem, goal, seed, &timed));
    let pause_after = budget.evaluation_limit();
    let portfolios = requests.map(|request| Portfolio::new(EngineRequest { pause_after, ..request }));
    let mut portfolios: Vec<Portfolio> = portfolios.collect();
    // A search for the first phase must not take the time of the first schedule of the second one.
    for portfolio in &mut portfolios {
        portfolio.begin(&mut |_, _, _| {});
    }
    loop {
        for portfolio in &mut portfolios {
            portfolio.round(&mut |_, _, _| {});
        }
        let best = portfolios.iter().map(Portfolio::best_steps);
        let reached = best.into_iter().try_fold(0, |sum: u32, steps| Some(sum.saturating_add(steps?)));
        let is_over = portfolios.iter().all(Portfolio::is_over);
        match (reached, budget.interruption()) {
            (Some(reached), _) if reached <= steps => break,
            // A portfolio without a schedule returns the error below.
            (None, _) if is_over => break,
            (Some(_), Some(reason)) if is_over => return Err(NotFound::Stopped { steps, reason }),
            (Some(reached), None) if is_over => return Err(NotFound::TooLong { steps, reached }),
            _ => {}
        }
    }
    let mut schedule = Schedule::new();
    for (phase, portfolio) in phases.iter().zip(portfolios) {
        schedule.append(&phase.from_distribution(portfolio.into_best()?.schedule));
    }
    Ok(schedule)
}
