//! Schedules of every collective on every network: nothing has to be known of its structure.
//!
//! [`schedule`] and [`shortest()`] ask every [method](methods) that fits, in rounds of more and more attempts, until one is
//! short enough. [`repair()`] begins with what [faults leave](survivors()) of a schedule. Not here: lower bounds, and
//! constructions for networks of one structure.
//!
//! ```
//! use lockstep_construct::schedule;
//! use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
//! use lockstep_topology::Topology;
//!
//! let torus: Topology = "torus:8x8".parse()?;
//! let all_gather = Collective::all_gather();
//! let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward())?;
//! // Every node receives 63 messages over 4 channels, so 16 steps are the fewest there are.
//! let schedule = schedule(&problem, 16, 1, &Budget::evaluations(100))?;
//! assert_eq!(verify(&problem, &schedule)?.steps, 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A method is one file or folder with one function, `fn find(&MethodRequest) -> Result<Schedule, MethodError>`, and one line in
//! [`methods`].

mod construct_engine;
mod engine;
mod kit;
mod method;
mod portfolio;
mod repair;

pub use construct_engine::ConstructEngine;
pub use engine::{methods, schedule, shortest};
pub use kit::method::Method;
pub use portfolio::MethodSchedule;
pub use repair::{RepairedSchedule, Survivors, repair, survivors};
