//! Another plan after faults: the schedule repaired, or a fresh one where that is shorter.

use std::borrow::Cow;

use lockstep_schedule::{
    Budget, Collective, CollectiveKind, Message, Problem, ProblemError, Schedule, Violation, verify,
};
use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

use super::repair::ScheduleRepair;
use crate::plan::Plan;
use crate::planner::Event;
use crate::planner::{MAX_DELIVERIES, PlanError, PlanOptions, Planner, check_size};

/// A plan for a network with faults, and what became of the plan that there was before.
#[derive(Clone, PartialEq, Debug)]
pub struct Replan {
    /// The shorter one of the repaired and the fresh plan. Of equals it is the repaired one, which leaves more of what runs
    /// already as it is.
    pub plan: Plan,
    /// The repaired schedule; `None` if no method could begin with what was left.
    pub repaired: Option<Repaired>,
    /// Steps of the fresh plan; `None` if there was no need of one, as the repaired one is as short as can be, or if none
    /// was found.
    pub fresh_steps: Option<u32>,
}

impl Replan {
    /// Whether the plan is the repaired one.
    pub fn is_repaired(&self) -> bool {
        self.repaired.is_some_and(|repaired| self.fresh_steps.is_none_or(|fresh| repaired.steps <= fresh))
    }
}

/// A schedule that goes on from what faults have left of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repaired {
    /// Its number of steps.
    pub steps: u32,
    /// What was kept and what was changed.
    pub changes: Changes,
}

/// How a repaired schedule differs from the one before, in transfers.
///
/// Steps are those of the repaired schedule: one in which the faults leave nothing is gone, and those after it come earlier.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Changes {
    /// In both, on the same path and in the same step.
    pub kept: usize,
    /// Hit by the faults, or by what they hit.
    pub lost: usize,
    /// Not hit, but dropped, or in another step or on another path, so that the schedule is shorter.
    pub moved: usize,
    /// In the repaired schedule only.
    pub added: usize,
}

/// Why there is no plan for a network with faults.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplanError {
    /// A network that is not the one planned for.
    #[error("the faulty network is not the one of the plan; take that one and let nodes and channels fail")]
    OtherNetwork,
    /// A schedule that was not valid before.
    #[error("the schedule was not valid before the faults: {0}")]
    Invalid(Box<Violation>),
    /// What is left cannot be planned: above all, the faults have cut terminals off, and these are named.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl From<ProblemError> for ReplanError {
    fn from(error: ProblemError) -> Self {
        Self::Plan(error.into())
    }
}

/// A plan for `faulty`, which is the network of `before` after more nodes and channels have failed.
///
/// What the faults do not touch of the valid `schedule` is kept, and the rest repaired; if that is longer than the lower
/// bound, a fresh plan is made by the `options`, too, and the shorter one is taken. Failed terminals are no part of the
/// collective any more. The plan is judged on the faulty network, and its bound is one of the faulty network.
///
/// It depends on the arguments alone, as far as the `budget` has no deadline. `observe` sees how it comes about; who wants
/// to know the time of the repair looks at the clock at [`Event::Repaired`].
///
/// ```
/// use lockstep::{Budget, Collective, CommunicationModel, PlanOptions, Topology, plan, replan};
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let budget = Budget::evaluations(1 << 20);
/// let plan = plan(&mesh, &Collective::all_to_all_broadcast(), &CommunicationModel::wormhole(), &budget)?;
/// let faulty = mesh.with_failures([], mesh.links()[0]);
/// let replan = replan(&plan.problem(), plan.schedule(), &faulty, PlanOptions::auto(1), &budget, |_| {})?;
/// // One channel into a corner is left for the messages of 15 nodes.
/// assert_eq!((plan.step_count(), replan.plan.step_count()), (8, 15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`ReplanError`]; terminals that are cut off are named by [`ProblemError::Unreachable`].
pub fn replan(
    before: &Problem<'_>,
    schedule: &Schedule,
    faulty: &Topology,
    options: PlanOptions,
    budget: &Budget,
    mut observe: impl FnMut(Event<'_>),
) -> Result<Replan, ReplanError> {
    if !is_same(before.topology(), faulty) {
        return Err(ReplanError::OtherNetwork);
    }
    verify(before, schedule).map_err(|violation| ReplanError::Invalid(Box::new(violation)))?;
    let collective = remaining(before.collective(), faulty);
    let problem = Problem::new(faulty, &collective, before.model())?;
    check_size("transfers", problem.messages().delivery_count(), MAX_DELIVERIES)?;

    let mended =
        ScheduleRepair { before, problem: &problem, seed: options.seed, budget }.mend(schedule, &mut observe)?;
    let allowed = options.steps.unwrap_or(u32::MAX);
    let is_enough = |plan: &Plan| plan.step_count() <= allowed && (plan.is_optimal() || options.steps.is_some());
    let Some((plan, repaired)) = mended else {
        let plan = Planner::new(problem, options).run(budget, observe)?;
        return Ok(Replan { fresh_steps: Some(plan.step_count()), plan, repaired: None });
    };
    if is_enough(&plan) {
        return Ok(Replan { plan, repaired: Some(repaired), fresh_steps: None });
    }
    let (plan, fresh_steps) = match Planner::new(problem, options).run(budget, observe) {
        Ok(fresh) => {
            let fresh_steps = fresh.step_count();
            (if fresh_steps < plan.step_count() { fresh } else { plan.beside(fresh) }, Some(fresh_steps))
        }
        Err(PlanError::NotFound(_)) if plan.step_count() <= allowed => (plan, None),
        Err(error) => return Err(error.into()),
    };
    Ok(Replan { plan, repaired: Some(repaired), fresh_steps })
}

/// Whether the second network is the first one with more failures.
fn is_same(before: &Topology, faulty: &Topology) -> bool {
    (before.node_count(), before.channel_bound()) == (faulty.node_count(), faulty.channel_bound())
        && before.with_failures(faulty.failed_nodes().iter().copied(), faulty.failed_channels()).digest()
            == faulty.digest()
}

/// The collective without what has failed. One with a name leaves it out by itself.
pub(crate) fn remaining<'a>(collective: &'a Collective, faulty: &Topology) -> Cow<'a, Collective> {
    let CollectiveKind::Custom(messages) = &collective.kind else { return Cow::Borrowed(collective) };
    let is_left = |node: &NodeId| !faulty.has_failed(*node);
    let left = messages.iter().filter(|message| is_left(&message.source)).map(|message| Message {
        source: message.source,
        receivers: message.receivers.iter().copied().filter(is_left).collect(),
    });
    let kind = CollectiveKind::Custom(left.filter(|message| !message.receivers.is_empty()).collect());
    Cow::Owned(Collective { kind, chunks: collective.chunks })
}
