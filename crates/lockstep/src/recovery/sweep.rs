//! Sweeps: the consequences of many fault sets.

use lockstep_faults::Faults;
use lockstep_schedule::{Budget, StopReason};
use rayon::prelude::*;

use super::consequence::{Consequence, ConsequenceError};
use crate::plan::Plan;
use crate::planner::PlanOptions;

/// Number of fault sets per thread between two calls of the observer.
pub(super) const BATCH: usize = 4;

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
        let consequence = |faults| {
            let consequence = Consequence::of(faults, before, options, budget);
            // A budget that has not stopped by now has not cut short any part of the work.
            (consequence, budget.interruption())
        };
        let consequences: Vec<_> = batch.par_iter().map(consequence).collect();
        for (consequence, stopped) in consequences {
            if stopped.is_some() {
                return Ok(stopped);
            }
            let consequence = consequence?;
            if let Some(cut_short) = consequence.plan.as_ref().and_then(Plan::cut_short) {
                return Ok(Some(cut_short.reason()));
            }
            observe(consequence);
        }
    }
}
