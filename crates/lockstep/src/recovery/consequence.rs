//! The consequence of one fault set: figures and plan.

use lockstep_faults::{FaultError, Faults};
use lockstep_schedule::Budget;

use super::degradation::{Degradation, FaultOutcome, Loss, PlanFigures};
use super::replan::{ReplanError, replan};
use crate::plan::Plan;
use crate::planner::{PlanError, PlanOptions};

/// The consequence of a fault set.
#[derive(Clone, PartialEq, Debug)]
pub struct Consequence {
    /// The figures.
    pub degradation: Degradation,
    /// The plan, unless the collective is impossible.
    pub plan: Option<Plan>,
}

/// Why the consequence of a fault set is unknown.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConsequenceError {
    /// The faults belong to another network.
    #[error(transparent)]
    Faults(#[from] FaultError),
    /// No plan was found, although one may exist.
    #[error(transparent)]
    Replan(#[from] ReplanError),
}

impl Consequence {
    /// Plans again after faults with [`replan`], or finds out why the collective is impossible.
    ///
    /// ```
    /// use lockstep::faults::FaultSet;
    /// use lockstep::{Budget, Collective, CommunicationModel, Consequence, FaultOutcome, PlanOptions, Topology, plan};
    ///
    /// let mesh: Topology = "mesh:4x4".parse()?;
    /// let budget = Budget::evaluations(1 << 20);
    /// let before = plan(&mesh, &Collective::all_gather(), &CommunicationModel::wormhole(), &budget)?;
    /// let consequence = |faults: FaultSet| Consequence::of(&faults.of(&mesh)?, &before, PlanOptions::auto(1), &budget);
    ///
    /// // One channel into the corner is left for the messages of 15 nodes.
    /// let one_link = consequence(FaultSet::new().link("00", "01"))?;
    /// let plan = one_link.plan.ok_or("the corner is disconnected")?;
    /// assert_eq!((plan.step_count(), plan.is_optimal()), (15, true));
    /// let FaultOutcome::Lost(loss) = consequence(FaultSet::new().node("01").node("10"))?.degradation.outcome else {
    ///     return Err("the corner is still connected".into());
    /// };
    /// assert_eq!(loss.describe(&mesh), "terminal 00 is cut off: there is no path from 00 to 02");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConsequenceError`]; disconnected terminals are not an error, but [`FaultOutcome::Lost`].
    pub fn of(
        faults: &Faults,
        before: &Plan,
        options: PlanOptions<'_>,
        budget: &Budget,
    ) -> Result<Self, ConsequenceError> {
        let network = faults.apply_to(before.topology())?;
        let (outcome, plan) = match replan(before, &network, options, budget, |_| {}) {
            Ok(replanned) => {
                let changes = replanned.repaired.filter(|_| replanned.is_repaired()).map(|repaired| repaired.changes);
                (FaultOutcome::Planned(PlanFigures::new(&replanned.plan, changes)), Some(replanned.plan))
            }
            Err(ReplanError::Plan(PlanError::Problem(error))) => {
                match Loss::of(&error, before.collective(), before.model(), &network) {
                    Some(loss) => (FaultOutcome::Lost(loss), None),
                    None => return Err(ReplanError::from(error).into()),
                }
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Self { degradation: Degradation { faults: faults.clone(), outcome }, plan })
    }
}
