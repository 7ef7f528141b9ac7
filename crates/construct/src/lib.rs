//! A valid schedule for every problem, fast: the planner's safety net and its first upper bound.
//!
//! [`schedule`] builds whole schedules by randomised list scheduling, for every collective, network and model. Not
//! here: lower bounds, search for fewer steps than that reaches, and constructions for networks of one structure.
//!
//! ```
//! use lockstep_construct::schedule;
//! use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
//! use lockstep_topology::Topology;
//!
//! let torus: Topology = "torus:8x8".parse()?;
//! let all_gather = Collective::all_to_all_broadcast();
//! let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward())?;
//! // Every node receives 63 messages over 4 channels, so 16 steps are the fewest there are.
//! let schedule = schedule(&problem, 16, 1, &Budget::evaluations(100))?;
//! assert_eq!(verify(&problem, &schedule)?.steps, 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod distance;
mod engine;
mod log;
mod relay;
mod scatter;
mod search;
mod shortest;
mod slots;
mod spread;
mod stock;
mod task;
mod usage;

pub use engine::schedule;
