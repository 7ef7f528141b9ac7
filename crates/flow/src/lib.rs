//! How long communication takes on an interconnection network: flow-level simulation of programs.
//!
//! A task of a parallel program sends, receives and computes; [`Programs`] say what all tasks do, a [`Workload`] draws
//! them at random, and [`Programs::of_schedule`] makes them of a schedule. [`simulate`] runs them: flows that cross a link at
//! the same time share it. Not here: packets, buffers and latency, which a flow does not have.
//!
//! ```
//! use std::num::NonZeroU32;
//!
//! use lockstep_flow::{Clock, Endpoints, Event, Programs, RateModel, Routing, SimulationOptions, TaskId, simulate};
//! use lockstep_topology::Topology;
//!
//! // Tasks 0 and 1 send to task 2 at the end of a line, over one common link.
//! let line: Topology = "mesh:3".parse()?;
//! let send = || Event::Send { to: TaskId::new(2), size: 5000, tag: 0, path: [].into() };
//! let receive = |from| Event::Receive { from: TaskId::new(from), tag: 0 };
//! let programs = Programs { tasks: vec![vec![send()], vec![send()], vec![receive(0), receive(1)]] };
//! let options = SimulationOptions {
//!     tasks_per_terminal: NonZeroU32::MIN,
//!     routing: Routing::SpTree,
//!     rates: RateModel::MaxMin,
//!     clock: Clock::Real,
//!     endpoints: Endpoints::Direct,
//!     capacity: 1000.0,
//!     outstanding: None,
//!     seed: 1,
//! };
//! let simulation = simulate(&line, &programs, &options)?;
//! assert_eq!(simulation.makespan, 10.0);
//! assert_eq!(simulation.busiest.map(|busiest| busiest.share), Some(1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calendar;
mod error;
mod file;
mod matching;
mod name;
mod options;
mod path;
mod programs;
mod rates;
mod replay;
mod routing;
mod search;
mod simulate;
mod simulation;
mod traffic;
mod workload;

pub use error::{SimulationError, Waiting};
pub use file::ProgramsFileError;
pub use name::UnknownName;
pub use options::{Clock, DEFAULT_CAPACITY, Endpoints, RateModel, SimulationOptions};
pub use path::PathFault;
pub use programs::{Event, MAX_AMOUNT, MAX_EVENTS, Programs, ProgramsError, TaskId};
pub use replay::ReplayError;
pub use routing::{MAX_PATHS, Routing};
pub use simulate::simulate;
pub use simulation::{FlowSpan, FlowTimes, Link, LinkUse, Simulation};
pub use workload::{
    DEFAULT_FLOWS_PER_TASK, DEFAULT_SIZE, MAX_FLOWS, UnknownWorkload, Workload, WorkloadError, WorkloadOptions,
};
