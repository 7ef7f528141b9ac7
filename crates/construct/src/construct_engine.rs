//! The portfolio as an engine.

use lockstep_schedule::{Engine, EngineEvent, EngineObserver, EngineRequest, FoundSchedule, NotFound, StopReason};

use crate::kit::method::ENGINE;
use crate::portfolio::{MethodSchedule, Portfolio, RoundLimits};

/// The engine `construct`: a portfolio of [methods](crate::methods) for any network. See
/// [`shortest`](crate::shortest()).
///
/// One evaluation is about a microsecond of work. If no schedule is known, the first one is always completed. The portfolio pauses and
/// continues with the next attempts of all methods.
///
/// ```
/// use lockstep_construct::ConstructEngine;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Engine, EngineRequest, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:4x4".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward())?;
/// let budget = Budget::evaluations(10_000);
/// let request =
///     EngineRequest { problem, goal: 4, below: u32::MAX, best: None, seed: 1, budget: &budget, pause_after: u64::MAX, resume: None };
/// let found = ConstructEngine.find(&request, &mut |_| {})?;
/// assert_eq!(verify(&problem, &found.schedule)?.steps, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ConstructEngine;

impl Engine for ConstructEngine {
    fn name(&self) -> &'static str {
        ENGINE
    }

    fn description(&self) -> &'static str {
        "a portfolio of heuristic methods for any network"
    }

    fn find(&self, request: &EngineRequest<'_>, observer: &mut EngineObserver<'_>) -> Result<FoundSchedule, NotFound> {
        let EngineRequest { problem, goal, below, best, seed, budget, pause_after, resume } = *request;
        let limits = RoundLimits { goal, seed, budget, pause_after };
        let mut portfolio = Portfolio::new(&problem).without_left_out(budget);
        portfolio.improve(best);
        resume.map_or(Ok(()), |state| portfolio.restore(state, below))?;
        let quick = portfolio.quick(limits, &mut |method, effort, steps| {
            observer(EngineEvent::Tried { method: Some(method.name), effort, steps });
        });
        if let Some(MethodSchedule { method, schedule }) = quick {
            observer(EngineEvent::Found(FoundSchedule { schedule, method: Some(method.name.to_owned()) }));
        }
        loop {
            portfolio.round(limits, &mut |method, effort, steps| {
                observer(EngineEvent::Tried { method: Some(method.name), effort, steps });
            });
            if portfolio.is_over(limits) {
                break;
            }
        }
        observer(EngineEvent::Spent(portfolio.evaluations()));
        let spent = Some(StopReason::Evaluations).filter(|_| portfolio.is_spent());
        let reason = budget.interruption().or(spent);
        let is_reached = portfolio.best_steps().is_some_and(|steps| steps <= goal);
        match reason {
            _ if is_reached => {}
            Some(reason) => observer(EngineEvent::Stopped { reason, progress: None }),
            None if portfolio.has_more() => observer(EngineEvent::Paused { state: portfolio.save() }),
            None => {}
        }
        let found = portfolio.into_best(budget)?;
        Ok(FoundSchedule { schedule: found.schedule, method: Some(found.method.name.to_owned()) })
    }
}
