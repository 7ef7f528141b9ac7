//! Programs of other tools beside the lower bound and a plan.

use std::sync::Arc;

use lockstep::{CollectiveName, Plan, PlanOptions, Planner, Problem, ScheduleFile};
use lockstep_execute::{ExecuteOptions, Format, Runtime, TableCollective, detect, execute, load, load_table, trace};
use lockstep_steps::convert;
use pyo3::prelude::*;

use super::plan::budget;
use crate::errors::{self, program as refused};
use crate::network::Network;
use crate::schedule::Schedule;
use crate::worker;

/// The result: the format and the title of the program, what is wrong with it, why it has no steps, its schedule, and a plan
/// of the same collective.
type Judgement = (String, String, Option<String>, Option<String>, Option<Schedule>, Option<Schedule>);

/// Number of orders of the threads in which a program is executed.
const ORDERS: u32 = 16;

/// Executes a program, converts it to a schedule, and plans the same collective.
#[pyfunction]
pub(crate) fn judge(
    py: Python<'_>,
    bytes: Vec<u8>,
    network: Option<&Network>,
    format: Option<&str>,
    runtime: &str,
    collective: Option<(String, u32, u32)>,
    limit: Option<&str>,
    seed: u64,
    observer: Option<&Bound<'_, PyAny>>,
) -> PyResult<Judgement> {
    let names = || Format::ALL.map(Format::name).join(", ");
    let found = match format {
        Some(name) => Format::ALL.into_iter().find(|format| format.name() == name),
        None => detect(&bytes),
    };
    let format = found.ok_or_else(|| refused(format!("the format is unknown; give one of {}", names())))?;
    let runtime = match runtime {
        "msccl" => Runtime::Msccl,
        "rccl" => Runtime::Rccl,
        other => return Err(refused(format!("runtime: found '{other}', expected 'msccl' or 'rccl'"))),
    };
    let table = match collective {
        Some((name, root, chunks)) => {
            let name: CollectiveName = name.parse().map_err(errors::problem)?;
            Some(TableCollective { name: name.word(), root, chunks })
        }
        None => None,
    };
    let (budget, network) = (budget(limit)?, network.map(|network| Arc::clone(&network.topology)));
    let found = worker::run(py, &budget, observer, move |events, budget| {
        let programs = match (format, table) {
            (Format::Csv, Some(table)) => load_table(&bytes, table),
            (Format::Csv, None) => return Err(refused("a table does not name its collective; give collective=")),
            _ => load(&bytes, format, runtime),
        };
        let programs = programs.map_err(refused)?;
        let program = programs.first().ok_or_else(|| refused("the file has no program"))?;
        let (name, title) = (format.name().to_owned(), program.title.clone());
        for program in &programs {
            if let Err(violation) = execute(program, ExecuteOptions { orders: ORDERS, seed }) {
                return Ok((name, title, Some(violation.to_string()), None, None, None));
            }
        }
        let conversion = match convert(program, &trace(program).map_err(refused)?, network.map(Arc::unwrap_or_clone)) {
            Ok(conversion) => conversion,
            Err(error) if error.is_about_steps() => {
                return Ok((name, title, None, Some(error.to_string()), None, None));
            }
            Err(error) => return Err(refused(error)),
        };
        let Some(verified) = conversion.verified else {
            let why = "the format has messages without contents".to_owned();
            return Ok((name, title, None, Some(why), None, None));
        };
        let problem = Problem::new(&conversion.topology, &verified.collective, conversion.model);
        let problem = problem.map_err(errors::problem)?;
        let schedule = ScheduleFile::new(&problem, verified.schedule);
        let planner = Planner::new(problem, PlanOptions::auto(seed));
        let plan: Plan = planner.run(budget, |event| events.see_planner(&event)).map_err(errors::plan)?;
        Ok((name, title, None, None, Some(schedule.into()), Some(plan.into())))
    });
    found.map_err(|stopped| stopped.keeping(py, |found: PyResult<Judgement>| found.ok()))?
}
