//! Fronts of sizes.

use std::num::NonZeroU32;

use lockstep::{Front as LibraryFront, FrontError, FrontOptions, PlanError, Timing, front as library_front};
use pyo3::prelude::*;

use super::plan::budget;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::schedule::Schedule;
use crate::{errors, worker};

/// The schedules that take the least time for some size.
#[pyclass(frozen)]
pub(crate) struct Front {
    front: LibraryFront,
}

/// A schedule of a front: itself, its smallest size in bytes, its engine, and the latency of its steps in picoseconds.
type FrontRow = (Schedule, u64, String, u128);

#[pymethods]
impl Front {
    fn rows(&self) -> Vec<FrontRow> {
        let plans = self.front.plans.iter();
        plans
            .map(|plan| (plan.file.clone().into(), plan.least_size, plan.engine.clone(), plan.cost.latency_ps))
            .collect()
    }

    #[getter]
    fn is_cut_short(&self) -> bool {
        self.front.is_cut_short
    }

    /// Returns the number of the best schedule for a size, its synchronous and asynchronous time, a lower bound of the time,
    /// all in picoseconds, and the bus bandwidth in bytes per second.
    fn time(&self, bytes: u64) -> (usize, u128, u128, u128, u64) {
        let front = &self.front;
        let place = front.plans.partition_point(|plan| plan.least_size <= bytes).saturating_sub(1);
        let plan = &front.plans[place];
        let time = plan.time(front.timing, bytes);
        let [synchronous, asynchronous] =
            [Timing::Synchronous, Timing::Asynchronous].map(|timing| plan.time(timing, bytes).number());
        let bound = front.bound.time(front.timing, bytes).number();
        (place, synchronous, asynchronous, bound, plan.size(bytes).bus_bandwidth(time))
    }
}

/// Finds the best schedules for all sizes between two.
#[pyfunction]
pub(crate) fn front(
    py: Python<'_>,
    problem: &Problem,
    sizes: [u64; 2],
    max_chunks: u32,
    asynchronous: bool,
    limit: Option<&str>,
    seed: u64,
    observer: Option<&Bound<'_, PyAny>>,
) -> PyResult<Front> {
    let chunks = NonZeroU32::new(max_chunks);
    let chunks = chunks.ok_or_else(|| errors::problem("max_chunks: found 0, expected 1 or more"))?;
    if sizes[0] == 0 || sizes[0] > sizes[1] {
        return Err(errors::problem("sizes: expected a size above 0, and a second one that is not smaller"));
    }
    let timing = if asynchronous { Timing::Asynchronous } else { Timing::Synchronous };
    let options = FrontOptions { sizes, chunks, seed, timing, ..FrontOptions::default() };
    let (budget, problem) = (budget(limit)?, problem.clone());
    let result = worker::run(py, &budget, observer, move |events, budget| {
        let problem = problem.checked().map_err(PlanError::from)?;
        library_front(&problem, &options, budget, |event| events.see(|| Some(Progress::of_front(event))))
    })?;
    let front = result.map_err(|error| match error {
        FrontError::Plan(error) => errors::plan(error),
        error => errors::problem(error),
    })?;
    Ok(Front { front })
}
