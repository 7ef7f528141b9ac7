//! The portfolio as an engine.

use lockstep_schedule::{Effort, Engine, EngineEvent, EngineObserver, EngineRequest, FoundSchedule, NotFound};

use crate::portfolio::ENGINE;
use crate::schedule::shortest;

/// The engine `construct`: a portfolio of [methods](crate::methods) for any network. See
/// [`shortest`](crate::shortest()).
///
/// One evaluation is about one transfer placed or moved. The first schedule is always completed.
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
/// let request = EngineRequest { problem, goal: 4, below: u32::MAX, seed: 1, budget: &budget, resume: None };
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
        let EngineRequest { problem, goal, seed, budget, .. } = *request;
        let found = shortest(&problem, goal, seed, budget, |method, attempts, steps| {
            observer(EngineEvent::Tried { method: Some(method.name), effort: Effort::Attempts(attempts), steps });
        })?;
        if found.schedule.step_count() as u32 > goal
            && let Some(reason) = budget.clone().with_evaluations(u64::MAX).stop_after(0)
        {
            observer(EngineEvent::Stopped { reason, progress: None });
        }
        Ok(FoundSchedule { schedule: found.schedule, method: Some(found.method.name.to_owned()) })
    }
}
