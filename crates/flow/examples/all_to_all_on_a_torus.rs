//! Simulates an all-to-all on a torus with different routings, and compares the times with the bandwidth bound.
//!
//! Usage: `cargo run --example all_to_all_on_a_torus -- NETWORK` (default: `torus:4x4x4`, any network spec).

#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;
use std::num::NonZeroU32;

use lockstep_flow::{
    Clock, Endpoints, RateModel, Routing, Simulation, SimulationOptions, Workload, WorkloadOptions, simulate,
};
use lockstep_topology::Topology;

/// Size of a flow in kilobytes, and capacity of a link in kilobytes per microsecond (8 Gbit/s).
const SIZE_KB: u64 = 64;
const CAPACITY: f64 = 1.0;

fn main() -> Result<(), Box<dyn Error>> {
    let spec = std::env::args().nth(1).unwrap_or_else(|| "torus:4x4x4".to_owned());
    let network: Topology = spec.parse()?;
    let tasks = u32::try_from(network.terminal_count())?;
    let workload = WorkloadOptions { tasks, flows_per_task: 0, size: SIZE_KB, seed: 1 };
    let programs = Workload::AllToAll.programs(&workload)?;
    println!("all-to-all of {SIZE_KB} kB messages on {spec}, {tasks} tasks, {} flows", programs.flow_count());
    println!("routing           time [us]  median flow [us]  busiest link");
    for &routing in Routing::ALL {
        let options = SimulationOptions {
            tasks_per_terminal: NonZeroU32::MIN,
            routing,
            rates: RateModel::MaxMin,
            clock: Clock::Real,
            endpoints: Endpoints::Direct,
            capacity: CAPACITY,
            outstanding: None,
            startup: 0.0,
            seed: 1,
        };
        let Simulation { makespan, flow_times, busiest, .. } = simulate(&network, &programs, &options)?;
        let median = flow_times.map_or(0.0, |times| times.median);
        let share = busiest.map_or(0.0, |busiest| busiest.share);
        println!("{routing:16}  {makespan:9.1}  {median:16.1}  {:10.1} %", 100.0 * share);
    }
    Ok(())
}
