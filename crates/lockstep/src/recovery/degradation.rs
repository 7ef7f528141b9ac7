//! What faults cost: the plan after each set of them, or what they have cut off.

use lockstep_certificate::Rule;
use lockstep_faults::{FaultError, Faults, Survivability, Transport};
use lockstep_schedule::{Budget, ProblemError, StopReason};
use lockstep_topology::{NodeId, Topology};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::replan::{Changes, ReplanError, replan};
use crate::plan::{Plan, Verdict};
use crate::planner::{PlanError, PlanOptions};

/// Sets of faults that each thread plans for before their results are told.
const BATCH: usize = 4;

/// What some faults cost: a row of a degradation table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Degradation {
    /// What fails at once; nothing in the row of the whole network.
    pub faults: Faults,
    /// What becomes of the collective.
    pub outcome: Outcome,
}

/// What becomes of a collective under some faults.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It goes on.
    Planned(Planned),
    /// It cannot go on.
    Lost(Loss),
}

/// The figures of a plan after faults.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Planned {
    /// Steps of the schedule, which the judge has accepted on the faulty network.
    pub steps: u32,
    /// Steps that no schedule on the faulty network can beat.
    pub bound: u32,
    /// What proves it.
    pub rule: Rule,
    /// How far they are apart.
    pub verdict: Verdict,
    /// What found the schedule.
    pub engine: String,
    /// How the schedule differs from the one before the faults; `None` if it is a fresh one.
    pub changes: Option<Changes>,
}

impl Planned {
    /// The figures of a plan that has changed so much.
    pub fn new(plan: &Plan, changes: Option<Changes>) -> Self {
        let bound = plan.lower_bound();
        Self {
            steps: plan.step_count(),
            bound: bound.steps,
            rule: bound.rule,
            verdict: plan.verdict(),
            engine: plan.engine().to_owned(),
            changes,
        }
    }
}

/// Why a collective cannot go on: an answer, not an error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// The root itself has failed.
    Root(NodeId),
    /// Terminals that the collective joins are not connected any more, or there are fewer than two.
    Terminals(Survivability),
    /// Of the senders and receivers of a custom collective too few are left for a message.
    Messages,
}

impl Loss {
    /// The answer in a few words, by the names of nodes: `the root 00 has failed`.
    pub fn words(&self, topology: &Topology) -> String {
        match self {
            Self::Root(root) => format!("the root {} has failed", topology.node_name(*root)),
            Self::Terminals(survivability) => survivability.words(topology),
            Self::Messages => "no sender is left with a receiver".to_owned(),
        }
    }
}

/// What some faults lead to.
#[derive(Clone, PartialEq, Debug)]
pub struct Consequence {
    /// The figures.
    pub degradation: Degradation,
    /// The plan, unless the collective cannot go on.
    pub plan: Option<Plan>,
}

/// Why the consequence of some faults is not known.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConsequenceError {
    /// Faults of another network.
    #[error(transparent)]
    Faults(#[from] FaultError),
    /// No plan, though there might be one.
    #[error(transparent)]
    Replan(#[from] ReplanError),
}

impl Consequence {
    /// The plan after some faults, by [`replan`], or what they have cut off.
    ///
    /// ```
    /// use lockstep::faults::FaultSet;
    /// use lockstep::{Budget, Collective, CommunicationModel, Consequence, Outcome, PlanOptions, Topology, plan};
    ///
    /// let mesh: Topology = "mesh:4x4".parse()?;
    /// let budget = Budget::evaluations(1 << 20);
    /// let before = plan(&mesh, &Collective::all_to_all_broadcast(), &CommunicationModel::wormhole(), &budget)?;
    /// let consequence = |faults: FaultSet| Consequence::of(&faults.of(&mesh)?, &before, PlanOptions::auto(1), &budget);
    ///
    /// // The corner has one way in for the messages of 15 others.
    /// let Outcome::Planned(planned) = consequence(FaultSet::new().link("00", "01"))?.degradation.outcome else { panic!() };
    /// assert_eq!((planned.steps, planned.bound), (15, 15));
    /// let Outcome::Lost(loss) = consequence(FaultSet::new().node("01").node("10"))?.degradation.outcome else { panic!() };
    /// assert_eq!(loss.words(&mesh), "terminal 00 is cut off: there is no path from 00 to 02");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConsequenceError`]; terminals that are cut off are an [`Outcome::Lost`].
    pub fn of(faults: &Faults, before: &Plan, options: PlanOptions, budget: &Budget) -> Result<Self, ConsequenceError> {
        let network = faults.apply_to(before.topology())?;
        let (outcome, plan) = match replan(&before.problem(), before.schedule(), &network, options, budget, |_| {}) {
            Ok(replanned) => {
                let changes = replanned.repaired.filter(|_| replanned.is_repaired()).map(|repaired| repaired.changes);
                (Outcome::Planned(Planned::new(&replanned.plan, changes)), Some(replanned.plan))
            }
            Err(ReplanError::Plan(PlanError::Problem(error))) => (Outcome::Lost(loss(error, before, &network)?), None),
            Err(error) => return Err(error.into()),
        };
        Ok(Self { degradation: Degradation { faults: faults.clone(), outcome }, plan })
    }
}

/// What is lost, if that is why there is no problem any more.
fn loss(error: ProblemError, before: &Plan, network: &Topology) -> Result<Loss, ConsequenceError> {
    let transport = Transport::of(before.collective(), before.model());
    match (error, before.collective().root()) {
        (ProblemError::HasFailed { .. }, Some(root)) => Ok(Loss::Root(root)),
        (ProblemError::TooFewTerminals { .. } | ProblemError::Unreachable { .. }, _) => {
            Ok(Loss::Terminals(Survivability::of(network, transport)))
        }
        (ProblemError::NoMessage, _) => Ok(Loss::Messages),
        (error, _) => Err(ReplanError::from(error).into()),
    }
}

/// Finds the consequences of many sets of faults, in parallel, and tells them to `observe` in the order of the sets.
///
/// Every set has the evaluations of the budget to itself; a deadline is one for all. Returns what ended the sweep before
/// its end, if anything did. A plan that was cut short is not told: each one depends on the arguments alone.
///
/// # Errors
///
/// The first [`ConsequenceError`].
pub fn sweep(
    before: &Plan,
    sets: impl IntoIterator<Item = Faults>,
    options: PlanOptions,
    budget: &Budget,
    mut observe: impl FnMut(Consequence),
) -> Result<Option<StopReason>, ConsequenceError> {
    let mut sets = sets.into_iter();
    loop {
        let batch: Vec<Faults> = sets.by_ref().take(BATCH * rayon::current_num_threads()).collect();
        if batch.is_empty() {
            return Ok(None);
        }
        let consequences: Vec<Result<Consequence, ConsequenceError>> =
            batch.par_iter().map(|faults| Consequence::of(faults, before, options, budget)).collect();
        for consequence in consequences {
            let consequence = consequence?;
            if consequence.plan.as_ref().is_some_and(|plan| plan.cut_short().is_some()) {
                return Ok(budget.stop_after(0));
            }
            observe(consequence);
        }
        if let Some(reason) = budget.stop_after(0) {
            return Ok(Some(reason));
        }
    }
}
