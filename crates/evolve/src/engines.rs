//! The evolutionary searches as engines.

use lockstep_schedule::{Engine, EngineObserver, EngineRequest, NotFound, Outcome, Problem};

use crate::hgsa::HgsaOptions;
use crate::level_search::{check_size, search_levels};
use crate::umda::UmdaOptions;

/// The engine `umda`: searches with [`Umda`](crate::Umda) and [directed](UmdaOptions::directed) mutation.
///
/// It first searches for a schedule of `goal` steps. Then it halves the interval between the largest number of steps
/// without a schedule and the smallest one with a schedule. When no number of steps is left, the next pass begins, with
/// twice the evaluations for each. If only `goal` is left from the beginning, it gets the whole budget. An evaluation is
/// an individual or an ejection chain. The search can be resumed.
///
/// ```
/// use lockstep_evolve::UmdaEngine;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Engine, EngineRequest, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let omega: Topology = "omega:8".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&omega, &all_gather, CommunicationModel::wormhole())?;
/// let budget = Budget::evaluations(1_000_000);
/// let found = UmdaEngine.find(&EngineRequest::new(problem, 8, 1, &budget), &mut |_| {}).found?;
/// assert_eq!(verify(&problem, &found.schedule)?.steps, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct UmdaEngine;

impl Engine for UmdaEngine {
    fn name(&self) -> &'static str {
        "umda"
    }

    fn description(&self) -> &'static str {
        "an estimation-of-distribution search for a given number of steps"
    }

    fn supports(&self, problem: &Problem<'_>) -> Result<(), NotFound> {
        check_size(self.name(), problem)
    }

    fn find(&self, request: &EngineRequest<'_>, observer: &mut EngineObserver<'_>) -> Outcome {
        search_levels(self.name(), UmdaOptions::directed, request, observer)
    }
}

/// The engine `hgsa`: searches with [`Hgsa`](crate::Hgsa) and [directed](HgsaOptions::directed) moves.
///
/// For broadcasts and all-gathers under store-and-forward switching. The order of searches is that of [`UmdaEngine`].
#[derive(Clone, Copy, Debug)]
pub struct HgsaEngine;

impl Engine for HgsaEngine {
    fn name(&self) -> &'static str {
        "hgsa"
    }

    fn description(&self) -> &'static str {
        "a genetic search with simulated annealing, for broadcasts under store-and-forward switching"
    }

    fn supports(&self, problem: &Problem<'_>) -> Result<(), NotFound> {
        check_size(self.name(), problem)
    }

    fn find(&self, request: &EngineRequest<'_>, observer: &mut EngineObserver<'_>) -> Outcome {
        search_levels(self.name(), HgsaOptions::directed, request, observer)
    }
}
