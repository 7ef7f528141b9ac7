//! The best bound of a problem.

use lockstep_certificate::LowerBound;
use lockstep_schedule::{Budget, DistributePhase, Problem};

use crate::bound_search::BoundSearch;
use crate::cost::Cost;
use crate::phase::of_phase;

/// Computes the best lower bound of the problem, at least 1 step.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let all_to_all = Collective::all_to_all();
/// let problem = Problem::new(&mesh, &all_to_all, CommunicationModel::wormhole())?;
/// assert_eq!(lockstep_bounds::best(&problem).steps, 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best(problem: &Problem<'_>) -> LowerBound {
    best_within(problem, &Budget::unlimited())
}

/// Computes the best lower bound of the problem that is found within the time of a budget, at least 1 step. Evaluations do not
/// count.
///
/// ```
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let all_to_all = Collective::all_to_all();
/// let problem = Problem::new(&mesh, &all_to_all, CommunicationModel::wormhole())?;
/// assert!((1..=16).contains(&lockstep_bounds::best_within(&problem, &Budget::seconds(0)).steps));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best_within(problem: &Problem<'_>, budget: &Budget) -> LowerBound {
    search(problem, u32::MAX, budget)
}

/// Computes lower bounds, cheap rules first, until one has at least `enough` steps, and returns the best one.
///
/// If a schedule of `enough` steps is known, the result is as useful as that of [`best`], and often takes only the
/// rules with linear running time. Ties go to the earlier [`Rule`](crate::Rule) of those that were applied: costly parts of
/// a rule are left out if they cannot exceed the best bound.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let cube: Topology = "hypercube:8".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&cube, &all_gather, CommunicationModel::store_and_forward())?;
/// assert_eq!(lockstep_bounds::best_reaching(&problem, 32).steps, 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best_reaching(problem: &Problem<'_>, enough: u32) -> LowerBound {
    search(problem, enough, &Budget::unlimited())
}

/// Applies all rules, cheap ones first, until one has at least `enough` steps or the time is over.
fn search(problem: &Problem<'_>, enough: u32, budget: &Budget) -> LowerBound {
    let raised = |problem: &Problem<'_>| {
        let mut search = BoundSearch::without(problem, budget);
        search.raise(Cost::Exact, enough, budget, |_, _| {});
        search.best().clone()
    };
    match DistributePhase::all(problem).as_slice() {
        [phase] => of_phase(phase, raised(&phase.problem(problem))),
        _ => raised(problem),
    }
}
