//! Fronts of sizes.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};

use lockstep::bounds::least_latency;
use lockstep::schedule::{Picoseconds, SynchronousCost};
use lockstep::{
    Front as LibraryFront, FrontBound, FrontError, FrontOptions, FrontPlan, LowerBound, PlanError, Schedule,
    ScheduleFile, Timing, front as library_front, verify,
};
use lockstep_measure::{Prediction, SweepPoint, SweepVerdict};
use lockstep_report::size_curves_svg;
use lockstep_tune::{Library, LibraryTimes, Ranks, RoundCosts};
use pyo3::prelude::*;

use super::plan::budget;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::schedule::Schedule as NativeSchedule;
use crate::{errors, worker};

/// The schedules that take the least time for some size between two.
#[pyclass(frozen)]
pub(crate) struct Front {
    library: LibraryFront,
    problem: Problem,
    sizes: [u64; 2],
}

/// A schedule of a front: itself, its smallest size in bytes, its engine, and the latency of its steps in picoseconds.
type FrontRow = (NativeSchedule, u64, String, u128);

/// A schedule of a stored front: its file, its smallest size in bytes, and its engine.
type StoredPlan = (Vec<u8>, u64, String);

/// A size: its bytes, a lower bound of the time, the time of the best schedule, the fastest algorithm of the library with its time, and the
/// measured time with its part of the bound and its verdict. Times are in picoseconds.
type ComparedTimes = (u64, u128, u128, Option<(String, u128)>, Option<(u128, f64, String)>);

/// The rows of all sizes, and the verdict of the measured sizes in one line.
type ComparedSizes = (Vec<ComparedTimes>, Option<String>);

/// A stored front: its problem as a schedule file without steps, its schedules, the bound of the widths and its chunks, both
/// sizes, and whether it is asynchronous, how many schedules were compared, whether it is cut short.
type Stored = (Vec<u8>, Vec<StoredPlan>, Option<Vec<u8>>, u32, [u64; 2], (bool, usize, bool));

#[pymethods]
impl Front {
    /// Reads what [`store`](Self::store) returns. All schedules and the bound are checked.
    #[staticmethod]
    fn restore(py: Python<'_>, stored: Stored) -> PyResult<Self> {
        py.detach(move || restored(stored))
    }

    /// Returns the parts of the front in the formats of files.
    fn store(&self, py: Python<'_>) -> PyResult<Stored> {
        py.detach(|| {
            let Self { library: front, problem, sizes } = self;
            let problem = problem.resolve()?;
            let plans = front.plans.iter();
            let flags = (front.timing == Timing::Asynchronous, front.compared, front.is_cut_short);
            let chunks = u32::try_from(front.bound.chunks(&problem)).unwrap_or(u32::MAX);
            Ok((
                ScheduleFile::new(&problem, Schedule::new()).to_bytes(),
                plans.map(|plan| (plan.file.to_bytes(), plan.least_size, plan.engine.clone())).collect(),
                front.bound.widths.as_ref().map(LowerBound::to_bytes),
                chunks,
                *sizes,
                flags,
            ))
        })
    }

    /// Draws the times and the bus bandwidths over the size.
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            let problem = self.problem.resolve()?;
            let title = format!("{} of {}", problem.collective().word(), problem.topology().name());
            let curves = self.library.curves(&[], self.sizes);
            Ok(size_curves_svg(&title, curves.times, curves.bandwidths))
        })
    }

    /// The sizes of the curves of a picture.
    fn curve_sizes(&self) -> Vec<u64> {
        lockstep::curve_sizes(self.sizes)
    }

    /// The smallest and the largest size in bytes.
    #[getter]
    fn sizes(&self) -> (u64, u64) {
        self.sizes.into()
    }

    #[getter]
    fn is_asynchronous(&self) -> bool {
        self.library.timing == Timing::Asynchronous
    }

    /// The name of the collective and of the network.
    #[getter]
    fn names(&self) -> PyResult<(&'static str, String)> {
        let problem = self.problem.resolve()?;
        Ok((problem.collective().word(), problem.topology().name().to_owned()))
    }

    fn rows(&self) -> Vec<FrontRow> {
        let plans = self.library.plans.iter();
        plans
            .map(|plan| (plan.file.clone().into(), plan.least_size, plan.engine.clone(), plan.cost.latency_ps))
            .collect()
    }

    #[getter]
    fn is_cut_short(&self) -> bool {
        self.library.is_cut_short
    }

    /// Returns a row per size, and the verdict of the measured sizes in one line. `library` and `algorithm` are names.
    fn compare(
        &self,
        py: Python<'_>,
        sizes: Vec<u64>,
        observed: BTreeMap<u64, u128>,
        library: Option<&str>,
        algorithm: Option<&str>,
    ) -> PyResult<ComparedSizes> {
        let library = library.map(str::parse).transpose().map_err(errors::problem)?;
        py.detach(|| {
            let times = library.map(|library| self.library_times(library, algorithm)).transpose()?;
            Ok(self.compared(sizes, &observed, times.as_ref()))
        })
    }

    /// Returns the bus bandwidth of a time in picoseconds, in bytes per second.
    fn bus_bandwidth(&self, bytes: u64, picoseconds: u128) -> u64 {
        let plan = &self.library.plans[self.library.best(bytes)];
        plan.size(bytes).bus_bandwidth(Picoseconds::new(picoseconds))
    }

    /// Returns the number of the best schedule for a size, its synchronous and asynchronous time, a lower bound of the time,
    /// all in picoseconds, and the bus bandwidth in bytes per second.
    fn time(&self, bytes: u64) -> (usize, u128, u128, u128, u64) {
        let front = &self.library;
        let place = front.best(bytes);
        let plan = &front.plans[place];
        let [synchronous, asynchronous] =
            [Timing::Synchronous, Timing::Asynchronous].map(|timing| plan.time(timing, bytes));
        let compared = match front.timing {
            Timing::Synchronous => synchronous,
            Timing::Asynchronous => asynchronous,
        };
        let bound = front.bound.time(front.timing, bytes).number();
        (place, synchronous.number(), asynchronous.number(), bound, plan.size(bytes).bus_bandwidth(compared))
    }
}

impl Front {
    /// Returns the algorithms of a library, or that of a name, on all terminals. The start-up time of a message is the least latency of a channel.
    fn library_times(&self, library: Library, algorithm: Option<&str>) -> PyResult<LibraryTimes> {
        let problem = self.problem.resolve()?;
        let (topology, collective) = (problem.topology(), problem.collective());
        let name =
            collective.name().ok_or_else(|| errors::problem("library: found a list of messages, expected a name"))?;
        let members = topology.terminals();
        let root = collective.root().and_then(|root| members.iter().position(|&member| member == root));
        let costs = RoundCosts::of_network(topology, problem.model().ports);
        let ranks = Ranks { topology, members, root: root.unwrap_or(0), costs };
        let least = self.bound(LibraryTimes::large()).transmission_ps;
        let least = Some(least).filter(|_| algorithm.is_none());
        let times = LibraryTimes::of_library(library, &ranks, name, least).map_err(errors::problem)?;
        match algorithm {
            Some(name) => times.only(name).map_err(|error| errors::problem(format!("algorithm: {error}"))),
            None => Ok(times),
        }
    }

    /// Compares measured times with the bound and with the library.
    fn compared(&self, sizes: Vec<u64>, observed: &BTreeMap<u64, u128>, times: Option<&LibraryTimes>) -> ComparedSizes {
        let mut points = Vec::new();
        let rows = sizes.into_iter().map(|bytes| {
            let bound = self.bound(bytes);
            let plan = &self.library.plans[self.library.best(bytes)];
            let plan_ps = plan.time(self.library.timing, bytes);
            let algorithm = times.and_then(|times| times.best(bytes));
            let of_observed = observed.get(&bytes).map(|&observed_ps| {
                let algorithm = algorithm.map(|of| Prediction::of_schedule(of.latency_ps, of.transmission_ps));
                let point = SweepPoint { bytes, bound, algorithm, observed_ps };
                points.push(point);
                let comparison = point.comparison();
                (observed_ps, comparison.of_bound, comparison.to_string())
            });
            let of_library = algorithm.map(|of| (of.name.to_owned(), of.time_ps()));
            (bytes, bound.time_ps, plan_ps.number(), of_library, of_observed)
        });
        let rows = rows.collect();
        (rows, SweepVerdict::of(&points).map(|verdict| verdict.to_string()))
    }

    /// Returns a lower bound of the time for a size.
    fn bound(&self, bytes: u64) -> Prediction {
        let bound = &self.library.bound;
        let (latency, time) = (u128::from(bound.latency.picoseconds), bound.time(Timing::Synchronous, bytes).number());
        Prediction::of_bound(latency, time.saturating_sub(latency))
    }
}

/// Returns the front of its parts, all of which are checked.
fn restored(stored: Stored) -> PyResult<Front> {
    let (problem, plans, widths, chunks, sizes, (is_asynchronous, compared, is_cut_short)) = stored;
    let damaged = |why: String| errors::problem(format!("the front is damaged: {why}"));
    let read = |bytes: &[u8]| ScheduleFile::read(bytes).map_err(|error| damaged(error.to_string()));
    let file = read(&problem)?;
    let problem = Problem::of(&file);
    let mut own_plans = Vec::new();
    for (bytes, least_size, engine) in plans {
        let file = read(&bytes)?;
        verify(&file.problem(), file.schedule()).map_err(errors::invalid)?;
        if file.topology() != problem.resolve()?.topology() {
            return Err(damaged("its schedules are for different networks".to_owned()));
        }
        let steps = u32::try_from(file.schedule().step_count()).unwrap_or(u32::MAX);
        let cost = SynchronousCost::of(file.topology(), file.schedule());
        own_plans.push(FrontPlan { file, engine, steps, cost, least_size });
    }
    if own_plans.is_empty() || !own_plans.is_sorted_by(|one, next| one.least_size < next.least_size) {
        return Err(damaged("the sizes of its schedules do not ascend".to_owned()));
    }
    let unit = file.topology().unit_bytes_per_second().and_then(NonZeroU64::new);
    let unit = unit.ok_or_else(|| damaged("the network has no bandwidths".to_owned()))?;
    let chunks = NonZeroU32::new(chunks).ok_or_else(|| damaged("the bound has no chunks".to_owned()))?;
    let collective = file.collective().clone().with_chunks(chunks);
    let in_chunks = lockstep::Problem::new(file.topology(), &collective, file.model()).map_err(errors::problem)?;
    let widths = widths.map(|bytes| LowerBound::from_bytes(&bytes).map_err(|error| damaged(error.to_string())));
    let widths = widths.transpose()?;
    if let Some(bound) = &widths {
        bound.check(&in_chunks).map_err(errors::invalid)?;
    }
    let bound = FrontBound::new(&in_chunks, least_latency(&in_chunks), widths, unit);
    let timing = if is_asynchronous { Timing::Asynchronous } else { Timing::Synchronous };
    let front = LibraryFront { plans: own_plans, timing, bound, compared, is_cut_short };
    Ok(Front { library: front, problem, sizes })
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
    let (budget, own_problem) = (budget(limit)?, problem.clone());
    let result = worker::run(py, &budget, observer, move |events, budget| {
        let problem = own_problem.checked().map_err(PlanError::from)?;
        library_front(&problem, &options, budget, |event| {
            events.found();
            events.see(|| Some(Progress::of_front(event)));
        })
    });
    let found = |library| Front { library, problem: problem.clone(), sizes };
    let result = result.map_err(|stopped| stopped.keeping(py, |front| front.ok().map(&found)))?;
    result.map(found).map_err(|error| match error {
        FrontError::Plan(error) => errors::plan(error),
        error => errors::problem(error),
    })
}
