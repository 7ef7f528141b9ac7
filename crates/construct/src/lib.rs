//! Finds schedules of any collective on any network, without knowledge of the network's structure.
//!
//! [`schedule`] and [`shortest()`] run a portfolio of [`methods()`] with maximum flows, matchings, spanning trees, list
//! scheduling, path colouring, balanced routes and symmetric search. [`all_reduce()`] plans all-reduces in which partial
//! sums and results share steps. [`breadth_first()`] and [`in_steps_of()`] plan broadcasts in few wide steps. After a
//! fault, [`survivors()`] returns the transfers that are still legal, and [`repair()`] extends them to a new schedule.
//! This crate proves no lower bounds: the estimates inside its methods only limit their work. It has no constructions for
//! networks of a known structure.
//!
//! ```
//! use lockstep_construct::schedule;
//! use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
//! use lockstep_topology::Topology;
//!
//! let torus: Topology = "torus:8x8".parse()?;
//! let all_gather = Collective::all_gather();
//! let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward())?;
//! // Every node receives 63 messages over 4 channels, so 16 steps are optimal.
//! let schedule = schedule(&problem, 16, 1, &Budget::evaluations(100))?;
//! assert_eq!(verify(&problem, &schedule)?.steps, 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *method* finds schedules for one kind of problem, and does not support others.
//! - An *attempt* is one run of a method with its own random stream. Attempts run in parallel, and the number of
//!   threads does not change the result.
//! - A *round* gives each method some attempts: 1 in the first round, then 3, 12, 48 and so on, up to its share of the
//!   evaluations before the next pause.
//! - An *evaluation* is about a microsecond of work. Methods count their work.
//! - The *goal* is a number of steps that is short enough, for example a lower bound.
//! - *Fixed transfers* are the transfers that a repaired schedule begins with.
//!
//! To add a method, follow the [checklist].
//!
//! [checklist]: https://github.com/lockstep-rs/lockstep/blob/main/docs/architecture.md#add-a-method-of-construct

mod all_reduce;
mod construct_engine;
mod kit;
mod method;
mod negotiation;
mod portfolio;
mod repair;
mod schedule;
mod wide_steps;

pub use all_reduce::all_reduce;
pub use construct_engine::ConstructEngine;
pub use kit::method::Method;
pub use repair::{RepairedSchedule, Survivors, repair, survivors};
pub use schedule::{methods, parts, schedule, shortest};
pub use wide_steps::{breadth_first, in_steps_of};
