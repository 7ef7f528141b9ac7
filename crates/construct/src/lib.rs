//! Finds schedules of any collective on any network, without knowledge of the network's structure.
//!
//! [`schedule`] and [`shortest()`] run a portfolio of [`methods()`] with maximum flows, matchings, spanning trees, list
//! scheduling, path colouring, balanced routes and symmetric search. After a fault, [`survivors()`] returns the
//! transfers that are still legal, and [`repair()`] extends them to a new schedule. This crate has no lower bounds, and
//! no constructions for networks of a known structure.
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
//! - A *round* gives each method some attempts: 1 in the first round, then 3, 12, 48 and so on.
//! - The *goal* is a number of steps that is short enough, for example a lower bound.
//! - *Fixed transfers* are the transfers that a repaired schedule begins with.
//!
//! # How to add a method
//!
//! 1. Add a file or folder `src/method/NAME` with a constant of type [`Method`] and its function `find`. It returns
//!    `MethodError::Unsupported` for other problems. The tools in `src/kit` read problems and search paths.
//! 2. Add the constant to the list in `src/method/mod.rs`, where cheap and promising methods come first.
//! 3. If the method can begin with fixed transfers, add it to a stage in `src/repair/mod.rs`.
//! 4. Test that [`verify`](lockstep_schedule::verify) accepts every schedule, and that small cases meet their bounds.

mod construct_engine;
mod kit;
mod method;
mod portfolio;
mod repair;
mod schedule;

pub use construct_engine::ConstructEngine;
pub use kit::method::Method;
pub use portfolio::MethodSchedule;
pub use repair::{RepairedSchedule, Survivors, repair, survivors};
pub use schedule::{methods, schedule, shortest};
