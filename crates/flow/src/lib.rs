//! Flow-level simulation of communication programs on interconnection networks.
//!
//! This crate computes the duration of communication from the sharing of link capacity, and the latencies of channels. It does
//! not model packets and buffers.
//!
//! ```
//! use std::num::NonZeroU32;
//!
//! use lockstep_flow::{Clock, Endpoints, Event, Programs, RateModel, Routing, SimulationOptions, TaskId, simulate};
//! use lockstep_topology::Topology;
//!
//! // Tasks 0 and 1 send to task 2 at the end of a line. Their flows share the last link.
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
//!     startup: 0.0,
//!     seed: 1,
//! };
//! let simulation = simulate(&line, &programs, &options)?;
//! assert_eq!(simulation.makespan, 10.0);
//! assert_eq!(simulation.busiest.map(|busiest| busiest.share), Some(1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *task* sends flows, receives flows and computes. [`Programs`] list the events of all tasks.
//! - A *flow* is a number of units on its way from one task to another. Flows on the same link share its capacity.
//! - Sizes are in *units* and times in *time units*. The capacity of a link is in units per time unit.
//!   In a network with bandwidths, a unit is a byte, and [`time_unit_ps`] is the length of a time unit.
//!
//! # Entry points
//!
//! - [`Workload::programs`] creates synthetic programs, [`Programs::of_schedule`] converts a schedule, and
//!   [`Programs::from_json`] reads a file.
//! - [`simulate`] runs programs and returns a [`Simulation`]: makespan, flow times and link use.
//! - [`SimulationOptions`] select [`Routing`], [`RateModel`], [`Clock`] and [`Endpoints`].

mod check;
mod error;
mod event_queue;
mod limits;
mod matching;
mod name;
mod options;
mod path_fault;
mod programs;
mod programs_error;
mod programs_file;
mod rates;
mod replay;
mod routed_flows;
mod routing;
mod shortest_path_search;
mod simulate;
mod simulation;
mod workload;

pub use error::{SimulationError, Waiting};
pub use limits::{MAX_AMOUNT, MAX_EVENTS, MAX_FLOWS, MAX_PATHS};
pub use name::UnknownName;
pub use options::{Clock, DEFAULT_CAPACITY, Endpoints, RateModel, SimulationOptions, StepMode};
pub use path_fault::PathFault;
pub use programs::{Event, Programs, TaskId};
pub use programs_error::ProgramsError;
pub use programs_file::ProgramsFileError;
pub use replay::ReplayError;
pub use routing::Routing;
pub use simulate::{simulate, simulate_within, time_unit_ps};
pub use simulation::{FlowSpan, FlowTimes, Link, LinkUse, Simulation, SimulationEvent};
pub use workload::{DEFAULT_FLOWS_PER_TASK, DEFAULT_SIZE, UnknownWorkload, Workload, WorkloadError, WorkloadOptions};
