//! Flow-level simulation.

use std::num::NonZeroU32;
use std::sync::Arc;

use lockstep::Budget;
use lockstep::flow::{
    Clock, DEFAULT_CAPACITY, Endpoints, Programs, RateModel, Routing, SimulationOptions, StepMode, Workload,
    WorkloadOptions, simulate as library_simulate, time_unit_ps,
};
use pyo3::prelude::*;

use crate::errors::simulation as failed;
use crate::network::Network;
use crate::schedule::Schedule;
use crate::worker;

/// The result: the makespan in time units, the picoseconds of a time unit, the number of flows, and the smallest, mean,
/// median and largest time of a flow.
type Result6 = (f64, Option<f64>, usize, Option<[f64; 4]>);

/// Simulates a workload on a network.
#[pyfunction]
pub(crate) fn simulate_workload(
    py: Python<'_>,
    network: &Network,
    workload: &str,
    flows: u32,
    size: u64,
    routing: &str,
    rates: &str,
    capacity: Option<f64>,
    startup: f64,
    seed: u64,
) -> PyResult<Result6> {
    let workload: Workload = workload.parse().map_err(failed)?;
    let tasks = network.topology.terminal_count() as u32;
    let programs = workload.programs(&WorkloadOptions { tasks, flows_per_task: flows, size, seed }).map_err(failed)?;
    simulate(py, network, programs, [routing, rates], (capacity, startup), seed)
}

/// Simulates a schedule, with free or synchronous steps.
#[pyfunction]
pub(crate) fn simulate_schedule(
    py: Python<'_>,
    schedule: &Schedule,
    steps: &str,
    size: u64,
    rates: &str,
    capacity: Option<f64>,
    startup: f64,
) -> PyResult<Result6> {
    let file = schedule.file();
    let steps: StepMode = steps.parse().map_err(failed)?;
    let programs = Programs::of_schedule(&file.problem(), file.schedule(), size, steps).map_err(failed)?;
    simulate(py, &file.topology().clone().into(), programs, ["ecmp-split", rates], (capacity, startup), 1)
}

fn simulate(
    py: Python<'_>,
    network: &Network,
    programs: Programs,
    [routing, rates]: [&str; 2],
    (capacity, startup): (Option<f64>, f64),
    seed: u64,
) -> PyResult<Result6> {
    let topology = Arc::clone(&network.topology);
    let of_network = topology.unit_bytes_per_second().map_or(DEFAULT_CAPACITY, |unit| unit as f64 / 1e6);
    let options = SimulationOptions {
        tasks_per_terminal: NonZeroU32::MIN,
        routing: routing.parse::<Routing>().map_err(failed)?,
        rates: rates.parse::<RateModel>().map_err(failed)?,
        clock: Clock::Real,
        endpoints: Endpoints::Direct,
        capacity: capacity.unwrap_or(of_network),
        outstanding: None,
        startup,
        seed,
    };
    worker::run(py, &Budget::unlimited(), None, move |_, _| {
        let simulation = library_simulate(&topology, &programs, &options).map_err(failed)?;
        let times = simulation.flow_times.map(|times| [times.least, times.mean, times.median, times.greatest]);
        Ok((simulation.makespan, time_unit_ps(&topology, &options), simulation.flows.len(), times))
    })?
}
