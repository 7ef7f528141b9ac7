//! The check of a page: its figures follow from its plan, and a loss from the network.

use lockstep_schedule::{Problem, ScheduleFile};

use super::book_error::BookError;
use super::book_format::Page;
use super::consequence::Consequence;
use super::degradation::{Degradation, FaultOutcome, Loss, PlanFigures};

impl Page {
    /// Verifies the plan of the page and checks its certificate, or finds out why the collective is impossible. `before` is
    /// the schedule of the network without faults.
    ///
    /// # Errors
    ///
    /// [`BookError`] if a claim of the page is wrong.
    pub(super) fn check(&self, before: &ScheduleFile) -> Result<Consequence, BookError> {
        let Self { faults, changes, plan, .. } = self;
        let network = faults.apply_to(before.topology())?;
        let collective = before.collective().remaining(&network);
        let refused = |why: String| BookError::Page { faults: faults.name(before.topology()), why };
        let (outcome, plan) = match (Problem::new(&network, &collective, before.model()), plan) {
            (Ok(problem), Some(packed)) => {
                let plan = packed.file(&problem)?.check().map_err(|violation| refused(violation.to_string()))?;
                let counts = [before.schedule(), plan.schedule()].map(lockstep_schedule::Schedule::transfer_count);
                if changes.is_some_and(|changes| !changes.add_up(counts)) {
                    return Err(refused("its changes do not add up to its transfers".to_owned()));
                }
                (FaultOutcome::Planned(PlanFigures::new(&plan, *changes)), Some(plan))
            }
            (Ok(_), None) => return Err(refused("it is missing, although the collective is possible".to_owned())),
            (Err(error), Some(_)) => return Err(refused(error.to_string())),
            (Err(error), None) => {
                let loss = Loss::of(&error, before.collective(), before.model(), &network).ok_or(error)?;
                (FaultOutcome::Lost(loss), None)
            }
        };
        Ok(Consequence { degradation: Degradation { faults: faults.clone(), outcome }, plan })
    }
}
