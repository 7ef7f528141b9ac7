//! Sweeps: the consequences of many fault sets.

use lockstep_faults::Faults;
use lockstep_schedule::{Budget, StopReason};
use rayon::prelude::*;

use super::consequence::{Consequence, ConsequenceError};
use crate::plan::Plan;
use crate::planner::PlanOptions;

/// Number of fault sets per thread between two calls of the observer.
const BATCH: usize = 4;

/// Computes the consequences of many fault sets in parallel, and passes them to `observe` in the order of the sets.
///
/// Each set gets all evaluations of the budget, and all sets share its deadline. Returns why the sweep stopped before
/// the last set, or `None` if it is complete. A plan that was cut short is not passed on: every consequence depends on
/// the arguments only.
///
/// ```
/// use lockstep::faults::{FaultKind, FaultSpace};
/// use lockstep::{Budget, Collective, CommunicationModel, FaultOutcome, PlanOptions, plan, sweep};
///
/// let ring = "ring:5".parse()?;
/// let budget = Budget::evaluations(1 << 16);
/// let before = plan(&ring, &Collective::all_gather(), &CommunicationModel::wormhole(), &budget)?;
/// let links = FaultSpace::new(&ring, FaultKind::Link, 1);
/// let mut steps = Vec::new();
/// sweep(&before, links.iter(), PlanOptions::auto(1), &budget, |consequence| {
///     if let FaultOutcome::Planned(figures) = consequence.degradation.outcome {
///         steps.push(figures.steps);
///     }
/// })?;
/// assert_eq!(steps, [4; 5]); // without any one link, the ring is a line of 5 nodes
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The first [`ConsequenceError`].
pub fn sweep(
    before: &Plan,
    sets: impl IntoIterator<Item = Faults>,
    options: PlanOptions<'_>,
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
