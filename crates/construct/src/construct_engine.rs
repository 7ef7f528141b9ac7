//! The portfolio as an engine.

use lockstep_schedule::{Engine, EngineEvent, EngineObserver, EngineRequest, Outcome};

use crate::kit::method::{ENGINE, Method};
use crate::portfolio::Portfolio;

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
/// let found = ConstructEngine.find(&EngineRequest::new(problem, 4, 1, &budget), &mut |_| {}).found?;
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

    fn find(&self, request: &EngineRequest<'_>, observer: &mut EngineObserver<'_>) -> Outcome {
        let mut portfolio = Portfolio::new(*request);
        if let Err(refused) = request.resume.map_or(Ok(()), |state| portfolio.restore(state)) {
            return Outcome::of_attempt(Err(refused));
        }
        let tried =
            |method: &'static Method, effort, steps| EngineEvent::Tried { method: Some(method.name), effort, steps };
        let quick = portfolio.quick(&mut |method, effort, steps| observer(tried(method, effort, steps)));
        if let Some(found) = quick {
            observer(EngineEvent::Found(found));
        }
        loop {
            portfolio.round(&mut |method, effort, steps| observer(tried(method, effort, steps)));
            if portfolio.is_over() {
                return portfolio.outcome();
            }
        }
    }
}
