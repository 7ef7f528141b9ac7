//! A new plan after faults: the old schedule repaired, or a fresh one if it is shorter.

use lockstep_schedule::{Budget, Problem, ProblemError};
use lockstep_topology::Topology;

use super::repair::ScheduleRepair;
use crate::plan::{Plan, Repaired};
use crate::planner::{Event, MAX_DELIVERIES, PlanError, PlanOptions, Planner, TRANSFERS, check_size};

/// A plan for a network with faults, and how it relates to the plan before.
#[derive(Clone, PartialEq, Debug)]
pub struct Replan {
    /// The shorter one of the repaired and the fresh plan. Ties go to the repaired plan, which changes less of a
    /// running system.
    pub plan: Plan,
    /// The repaired schedule; `None` if no method could continue from the remaining transfers.
    pub repaired: Option<Repaired>,
    /// Number of steps of the fresh plan; `None` if the repaired plan is good enough, or if no fresh plan was found.
    pub fresh_steps: Option<u32>,
}

impl Replan {
    /// Returns true if the plan is the repaired one.
    pub fn is_repaired(&self) -> bool {
        self.repaired.is_some_and(|repaired| self.fresh_steps.is_none_or(|fresh| repaired.steps <= fresh))
    }
}

/// Why there is no plan for a network with faults.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplanError {
    /// The faulty network is not the network of the plan with more failures.
    #[error("the faulty network is not the network of the plan; let nodes and channels of that network fail")]
    OtherNetwork,
    /// The remaining problem cannot be planned. If the faults disconnect terminals, the error names two of them.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl From<ProblemError> for ReplanError {
    fn from(error: ProblemError) -> Self {
        Self::Plan(error.into())
    }
}

/// Plans again after faults. `faulty` is the network of `before` after more nodes and channels have failed.
///
/// Transfers that the faults do not affect are kept, and the rest is repaired. If the repaired schedule exceeds the
/// lower bound, a fresh plan is computed with `options`, and the shorter plan is returned. Failed terminals leave the
/// collective. The verifier checks the result on the faulty network, and its lower bound holds for the faulty network.
/// The plan before is verified already, because it is a [`Plan`].
///
/// Without a deadline in `budget`, the result depends on the arguments only. `observe` receives the events of the work;
/// [`Event::Repaired`] marks the end of the repair.
///
/// ```
/// use lockstep::{Budget, Collective, CommunicationModel, PlanOptions, Topology, plan, replan};
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let budget = Budget::evaluations(1 << 20);
/// let plan = plan(&mesh, &Collective::all_gather(), &CommunicationModel::wormhole(), &budget)?;
/// let faulty = mesh.with_failures([], mesh.links()[0]);
/// let replan = replan(&plan, &faulty, PlanOptions::auto(1), &budget, |_| {})?;
/// // One channel into a corner is left for the messages of 15 nodes.
/// assert_eq!((plan.step_count(), replan.plan.step_count()), (8, 15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`ReplanError`]; [`ProblemError::Unreachable`] names two disconnected terminals.
pub fn replan(
    before: &Plan,
    faulty: &Topology,
    options: PlanOptions<'_>,
    budget: &Budget,
    mut observe: impl FnMut(Event<'_>),
) -> Result<Replan, ReplanError> {
    if !has_more_failures(before.topology(), faulty) {
        return Err(ReplanError::OtherNetwork);
    }
    let collective = before.collective().remaining(faulty);
    let problem = Problem::new(faulty, &collective, before.model())?;
    check_size(TRANSFERS, problem.messages().delivery_count(), MAX_DELIVERIES)?;

    let repair = ScheduleRepair { before: &before.problem(), problem: &problem, seed: options.seed, budget };
    let repaired = repair.run(before.schedule(), &mut observe)?;
    let allowed = options.steps.unwrap_or(u32::MAX);
    let is_enough = |plan: &Plan| plan.step_count() <= allowed && (plan.is_optimal() || options.steps.is_some());
    let Some((plan, repaired)) = repaired else {
        let plan = Planner::new(problem, options).run(budget, observe)?;
        return Ok(Replan { fresh_steps: Some(plan.step_count()), plan, repaired: None });
    };
    if is_enough(&plan) {
        return Ok(Replan { plan, repaired: Some(repaired), fresh_steps: None });
    }
    let (plan, fresh_steps) = match Planner::new(problem, options).run(budget, observe) {
        Ok(fresh) => {
            let fresh_steps = fresh.step_count();
            let is_shorter = fresh_steps < plan.step_count();
            let plan = if is_shorter { fresh } else { plan.with_bound_of(fresh).map_err(PlanError::from)? };
            (plan, Some(fresh_steps))
        }
        Err(PlanError::NotFound(_)) if plan.step_count() <= allowed => (plan.stopped_by(budget.interruption()), None),
        Err(error) => return Err(error.into()),
    };
    Ok(Replan { plan, repaired: Some(repaired), fresh_steps })
}

/// Returns true if the second network is the first one, perhaps with more failures.
fn has_more_failures(before: &Topology, faulty: &Topology) -> bool {
    (before.node_count(), before.channel_bound()) == (faulty.node_count(), faulty.channel_bound())
        && before.with_failures(faulty.failed_nodes().iter().copied(), faulty.failed_channels()).digest()
            == faulty.digest()
}
