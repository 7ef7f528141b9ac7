//! Plans, plans after faults, and lower bounds.

use std::sync::Arc;
use std::time::Duration;

use lockstep::files::{name_advice, one_line};
use lockstep::topology::Quantity;
use lockstep::{
    Budget, DEFAULT_EVALUATIONS, EngineChoice, PlanError, PlanOptions, Planner, Replan, ReplanError,
    replan as library_replan,
};
use pyo3::prelude::*;

use crate::network::Network;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::{errors, worker};

/// Reads a budget: a number of evaluations, a time such as `30s`, `unlimited`, or the default.
pub(crate) fn budget(text: Option<&str>) -> PyResult<Budget> {
    let Some(text) = text else { return Ok(Budget::evaluations(DEFAULT_EVALUATIONS)) };
    if text == "unlimited" {
        return Ok(Budget::unlimited());
    }
    if let Some(evaluations) = text.parse().ok().filter(|&evaluations: &u64| evaluations > 0) {
        return Ok(Budget::evaluations(evaluations));
    }
    let expected = || {
        errors::problem(format!(
            "budget: found '{text}', expected a time (seconds or '30s'), 'unlimited' or evaluations ('4000000')"
        ))
    };
    if !text.starts_with(|first: char| first.is_ascii_digit()) || text.ends_with(|last: char| last.is_ascii_digit()) {
        return Err(expected());
    }
    let picoseconds = Quantity::Time.parse(text).map_err(|_| expected())?;
    Ok(Budget::time(Duration::from_nanos(picoseconds / 1_000)))
}

/// Returns the options of a planner.
fn options(engine: Option<&str>, steps: Option<u32>, seed: u64) -> PyResult<PlanOptions<'static>> {
    let standard = PlanOptions::auto(seed);
    let engine = match engine {
        None | Some("auto") => EngineChoice::Auto,
        Some(name) => {
            let names = standard.engines.choices().map(EngineChoice::name);
            let unknown =
                || errors::problem(format!("engine: there is no '{}'; {}", one_line(name), name_advice(name, names)));
            standard.engines.choices().find(|choice| choice.name() == name).ok_or_else(unknown)?
        }
    };
    Ok(PlanOptions { engine, steps, ..standard })
}

/// Plans a problem.
#[pyfunction]
pub(crate) fn plan(
    py: Python<'_>,
    problem: &Problem,
    engine: Option<&str>,
    steps: Option<u32>,
    budget: Option<&str>,
    seed: u64,
    observer: Option<&Bound<'_, PyAny>>,
) -> PyResult<Schedule> {
    let (options, budget, problem) = (options(engine, steps, seed)?, self::budget(budget)?, problem.clone());
    let plan = worker::run(py, &budget, observer, move |events, budget| {
        let problem = problem.checked().map_err(PlanError::from)?;
        Planner::new(problem, options).run(budget, |event| events.see_planner(&event))
    });
    let plan = plan.map_err(|stopped| stopped.keeping(py, |plan| plan.ok().map(Schedule::from)))?;
    Ok(plan.map_err(errors::plan)?.into())
}

/// Plans again after faults: repairs the plan, or plans afresh. Returns the plan, and whether it is repaired.
#[pyfunction]
pub(crate) fn replan(
    py: Python<'_>,
    plan: &Schedule,
    network: &Network,
    budget: Option<&str>,
    seed: u64,
    observer: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Schedule, bool)> {
    let (options, budget) = (options(None, None, seed)?, self::budget(budget)?);
    let (before, faulty) = (plan.plan()?.clone(), Arc::clone(&network.topology));
    let result = worker::run(py, &budget, observer, move |events, budget| {
        let result = library_replan(&before, &faulty, options, budget, |event| events.see_planner(&event));
        result.map_err(|error| match error {
            ReplanError::Plan(error) => errors::plan(error),
            error => errors::fault(error),
        })
    });
    let kept = |result: PyResult<Replan>| Some((Schedule::from(result.ok()?.plan), false));
    let result = result.map_err(|stopped| stopped.keeping(py, kept))??;
    let is_repaired = result.is_repaired();
    Ok((result.plan.into(), is_repaired))
}

/// A lower bound: steps, rule and explanation.
type Bound3 = (u32, String, String);

/// Computes the lower bounds of all rules.
#[pyfunction]
pub(crate) fn bounds(py: Python<'_>, problem: &Problem, budget: Option<&str>) -> PyResult<Vec<Bound3>> {
    let (budget, problem) = (self::budget(budget)?, problem.clone());
    worker::run(py, &budget, None, move |_, budget| {
        let problem = problem.checked().map_err(errors::problem)?;
        let explained = |bound: lockstep::LowerBound| {
            bound.check(&problem).map_err(errors::invalid)?;
            let why = bound.certificate.explain(problem.topology()).to_string();
            Ok((bound.steps, bound.rule.to_string(), why))
        };
        lockstep::bounds::all_within(&problem, budget, |_| {}).into_iter().map(explained).collect()
    })?
}
