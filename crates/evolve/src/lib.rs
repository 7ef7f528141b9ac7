//! Evolutionary search for collective communication schedules of a given number of steps.
//!
//! The search looks for an assignment of a path and a step to every delivery such that no two transfers of a step use
//! the same resource. This crate does not compute lower bounds.
//!
//! ```
//! use lockstep_evolve::schedule;
//! use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
//! use lockstep_topology::Topology;
//!
//! let omega: Topology = "omega:8".parse()?;
//! let all_gather = Collective::all_gather();
//! let problem = Problem::new(&omega, &all_gather, CommunicationModel::wormhole())?;
//! let schedule = schedule(&problem, 8, 1, &Budget::evaluations(1_000_000))?;
//! assert!(verify(&problem, &schedule).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *delivery* is one message reaching one receiver. Its [`Gene`] is the path and the step of the transfer.
//! - A [`SearchSpace`] holds the constants of a search: the deliveries, their candidate paths and the resources.
//! - A [`SearchState`] holds one individual and counts its conflicts incrementally. An [`Evaluator`] counts them from
//!   scratch.
//! - An [`EjectionChainSearch`] is the local search on a state.
//! - An [`Evolution`] runs an [`Algorithm`] over generations, with checkpoints.
//!
//! # Entry points
//!
//! - [`UmdaEngine`] and [`HgsaEngine`] are the engines, which search for the smallest number of steps.
//! - [`schedule`] and [`schedule_by`] search for a given number of steps with one call.
//! - [`Umda`] is the univariate marginal distribution algorithm of the multistage-network document, for all models.
//! - [`Hgsa`] is the hybrid of genetic algorithm and simulated annealing of the store-and-forward document, for
//!   broadcasts.
//!
//! To add an algorithm, follow the [checklist].
//!
//! [checklist]: https://github.com/lockstep-rs/lockstep/blob/main/docs/architecture.md#add-an-evolutionary-search

mod checkpoint;
mod engine;
mod engines;
mod evolution;
mod hgsa;
mod level_search;
mod local_search;
mod space;
mod state;
#[cfg(test)]
mod strategy;
mod umda;

pub use checkpoint::CheckpointError;
pub use engine::{PATHS_PER_PAIR, candidate_paths, schedule, schedule_by};
pub use engines::{HgsaEngine, UmdaEngine};
pub use evolution::{Algorithm, Evolution};
pub use hgsa::{Hgsa, HgsaOptions, LastResort, Moves, Prediction};
pub use level_search::LevelCheckpoint;
pub use local_search::{EjectionChainOptions, EjectionChainSearch};
pub use space::{Gene, MAX_DELIVERIES, SearchSpace};
pub use state::{Evaluator, SearchState};
pub use umda::{Mutation, Umda, UmdaOptions};
