//! The constructions as an engine.

use lockstep_schedule::{Effort, Engine, EngineEvent, EngineObserver, EngineRequest, FoundSchedule, NotFound, Outcome};

use crate::registry::shortest;

/// The engine `analytic`: runs every [construction](crate::constructions) that supports the problem, without search.
///
/// It ignores the seed and the number of evaluations.
///
/// ```
/// use lockstep_analytic::AnalyticEngine;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Engine, EngineRequest, Problem};
/// use lockstep_topology::Topology;
///
/// let cube: Topology = "hypercube:4".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&cube, &all_gather, CommunicationModel::store_and_forward())?;
/// let budget = Budget::unlimited();
/// let found = AnalyticEngine.find(&EngineRequest::new(problem, 4, 1, &budget), &mut |_| {}).found?;
/// assert_eq!((found.schedule.step_count(), found.method), (4, Some("hypercube")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AnalyticEngine;

impl Engine for AnalyticEngine {
    fn name(&self) -> &'static str {
        "analytic"
    }

    fn description(&self) -> &'static str {
        "constructions for networks of known structure, without search"
    }

    fn find(&self, request: &EngineRequest<'_>, observer: &mut EngineObserver<'_>) -> Outcome {
        let found = shortest(&request.problem, request.goal, request.budget, |construction, steps| {
            let method = Some(construction.name);
            observer(EngineEvent::Tried { method, effort: Effort { attempts: 1, evaluations: 0 }, steps: Some(steps) });
        });
        Outcome::of_attempt(match (found, request.budget.interruption()) {
            (Some((construction, schedule)), _) => Ok(FoundSchedule { schedule, method: Some(construction.name) }),
            (None, Some(reason)) => Err(NotFound::Unfinished { reason }),
            (None, None) => {
                let why = "no construction recognises the structure of the network".to_owned();
                Err(NotFound::Unsupported { engine: self.name(), why })
            }
        })
    }
}
