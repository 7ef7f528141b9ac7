//! A worker: computes the results of tasks.

use super::generation::{GenerationTask, TASK_KIND as GENERATION_TASK_KIND};
use super::workers::seal_result;
use crate::plan::{Plan, PlanFile};
use crate::planner::{ISLAND_TASK_KIND, IslandTask};
use crate::recovery::{SWEEP_TASK_KIND, SweepTask};

/// Computes the results of tasks for another process.
///
/// ```
/// use std::cell::RefCell;
///
/// use lockstep::faults::{FaultKind, FaultSpace};
/// use lockstep::{Budget, Collective, CommunicationModel, PlanOptions, SweepIdentity, Topology};
/// use lockstep::{Worker, Workers, plan, sweep_with};
///
/// /// One worker in this process.
/// struct Own(RefCell<Worker>, RefCell<Option<Vec<u8>>>);
///
/// impl Workers for Own {
///     fn count(&self) -> usize {
///         1
///     }
///
///     fn send(&self, _worker: usize, task: Vec<u8>) {
///         self.1.replace(Some(self.0.borrow_mut().work(&task)));
///     }
///
///     fn receive(&self, _worker: usize, _is_stopped: &dyn Fn() -> bool) -> Option<Vec<u8>> {
///         self.1.take()
///     }
/// }
///
/// let ring: Topology = "ring:16".parse()?;
/// let budget = Budget::evaluations(1 << 16);
/// let before = plan(&ring, &Collective::all_gather(), &CommunicationModel::wormhole(), &budget)?;
/// let options = PlanOptions::auto(1);
/// let identity =
///     SweepIdentity { before: &before, options, evaluations: 1 << 16, sets: "every link" };
/// let links = FaultSpace::new(&ring, FaultKind::Link, 1);
/// let mut sets = Vec::new();
/// sweep_with(&Own(RefCell::default(), RefCell::default()), &identity, 0, links.iter(), &budget, |page| {
///     sets.push(page.degradation.faults);
/// })?;
/// assert!(links.iter().eq(sets));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Worker {
    /// The plan of the last sweep, checked, and its file.
    before: Option<(Vec<u8>, Plan)>,
}

impl Worker {
    /// Returns the result of a task as bytes, or its error.
    pub fn work(&mut self, task: &[u8]) -> Vec<u8> {
        seal_result(&self.result(task))
    }

    fn result(&mut self, task: &[u8]) -> Result<Vec<u8>, String> {
        match GENERATION_TASK_KIND.open::<GenerationTask>(task) {
            Err(error) if error.is_other_kind() => {}
            generation => return generation.map_err(|error| error.to_string())?.run(),
        }
        match ISLAND_TASK_KIND.open::<IslandTask>(task) {
            Err(error) if error.is_other_kind() => {}
            island => return island.map_err(|error| error.to_string())?.run(),
        }
        let task: SweepTask = SWEEP_TASK_KIND.open(task).map_err(|error| error.to_string())?;
        let known = self.before.take().filter(|(file, _)| *file == task.before);
        let (file, plan) = if let Some(known) = known {
            known
        } else {
            let plan = PlanFile::from_bytes(&task.before).map_err(|error| error.to_string())?;
            (task.before.clone(), plan.check().map_err(|error| error.to_string())?)
        };
        let pages = task.run(&plan);
        self.before = Some((file, plan));
        pages
    }
}
