//! Pages and pictures of schedules, and their times.

use std::num::NonZeroU64;

use lockstep::schedule::{CollectiveSize, Picoseconds, TransferSpeed};
use lockstep::{Plan, ScheduleFile, Verdict};
use lockstep_report::{DrawingLimits, PageLimits, PlanFacts, ScheduleVerdict, schedule_html, schedule_svg};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Column, column};
use crate::errors;

/// Seconds in a picosecond.
const PICOSECOND: f64 = 1e-12;

/// Writes the page of a schedule, and of its plan if there is one.
pub(crate) fn page(file: &ScheduleFile, plan: Option<&Plan>) -> String {
    let facts = plan.map(plan_facts).unwrap_or_default();
    schedule_html(&file.problem(), file.schedule(), &facts, &PageLimits::BROWSER)
}

/// Draws a schedule.
pub(crate) fn picture(file: &ScheduleFile) -> String {
    schedule_svg(&file.problem(), file.schedule(), &DrawingLimits::PAGE)
}

fn plan_facts(plan: &Plan) -> PlanFacts {
    PlanFacts {
        verdict: match plan.verdict() {
            Verdict::Optimal => ScheduleVerdict::Optimal,
            Verdict::Gap(gap) => ScheduleVerdict::Gap(gap),
        },
        bound: explanation(plan),
        details: vec![
            ["Rule of the bound".to_owned(), plan.lower_bound().rule.to_string()],
            ["Found by".to_owned(), format!("{}, seed {}", plan.engine(), plan.seed())],
        ],
    }
}

/// Returns the lower bound in words.
pub(crate) fn explanation(plan: &Plan) -> String {
    let bound = plan.lower_bound();
    let plural = if bound.steps == 1 { "" } else { "s" };
    let certificate = bound.certificate.explain(plan.topology());
    format!("Every schedule takes at least {} step{plural}: {certificate}.", bound.steps)
}

/// Returns the speed of the transfers of a schedule for a size in bytes. The default unit is that of the network.
fn speed(file: &ScheduleFile, bytes: u64, unit: Option<u64>) -> PyResult<TransferSpeed> {
    let unit_bytes_per_second = unit.or(file.topology().unit_bytes_per_second()).and_then(NonZeroU64::new);
    let missing = || {
        errors::problem(format!(
            "{}: the network has no bandwidths; give that of one unit of capacity, such as unit='25GB/s'",
            file.topology().name()
        ))
    };
    let unit_bytes_per_second = unit_bytes_per_second.ok_or_else(missing)?;
    let size = CollectiveSize::new(&file.problem(), bytes);
    Ok(TransferSpeed { chunk_bytes: file.collective().chunk_size(size.message_bytes), unit_bytes_per_second })
}

/// Returns the begin and the end of every transfer in picoseconds, for a size in bytes and a unit.
pub(crate) fn transfer_times<'py>(
    py: Python<'py>,
    file: &ScheduleFile,
    (bytes, unit): (u64, Option<u64>),
    asynchronous: bool,
) -> PyResult<(Column<'py>, Column<'py>)> {
    let speed = speed(file, bytes, unit)?;
    let times = py.detach(|| {
        if asynchronous {
            speed.asynchronous_times(&file.problem(), file.schedule())
        } else {
            speed.synchronous_times(file.topology(), file.schedule())
        }
    });
    let number = |time: Picoseconds| u64::try_from(time.number()).unwrap_or(u64::MAX);
    let begins = column(py, times.len(), times.iter().map(|time| number(time.begin)))?;
    Ok((begins, column(py, times.len(), times.iter().map(|time| number(time.arrival)))?))
}

/// Returns the times of a schedule for a size in bytes, in seconds and bytes per second.
pub(crate) fn times<'py>(
    py: Python<'py>,
    file: &ScheduleFile,
    bytes: u64,
    unit: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let (problem, speed) = (file.problem(), speed(file, bytes, unit)?);
    let size = CollectiveSize::new(&problem, bytes);
    let synchronous = speed.synchronous_time(file.topology(), file.schedule());
    let asynchronous = speed.asynchronous_time(&problem, file.schedule());
    let dict = PyDict::new(py);
    dict.set_item("bytes", bytes)?;
    dict.set_item("chunk_bytes", speed.chunk_bytes)?;
    dict.set_item("synchronous", synchronous.number() as f64 * PICOSECOND)?;
    dict.set_item("asynchronous", asynchronous.number() as f64 * PICOSECOND)?;
    dict.set_item("algorithm_bandwidth", size.algorithm_bandwidth(asynchronous))?;
    dict.set_item("bus_bandwidth", size.bus_bandwidth(asynchronous))?;
    Ok(dict)
}
