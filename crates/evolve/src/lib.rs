//! Evolutionary search for conflict-free schedules of a given number of steps.
//!
//! [`Umda`] is the algorithm of the multistage-network document, [`Hgsa`] that of the store-and-forward document; both
//! are an [`Evolution`] on a [`SearchState`] that counts conflicts incrementally. Not here: lower bounds, and the choice
//! of the number of steps.
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

mod chain;
mod checkpoint;
mod engine;
mod engines;
mod evolution;
mod hgsa;
mod level_search;
mod paths;
mod prediction;
mod restore;
mod routes;
mod seed;
mod space;
mod state;
#[cfg(test)]
mod strategy;
mod timing;
mod trees;
mod umda;
mod walk;

pub use checkpoint::CheckpointError;
pub use engine::{PATHS_PER_PAIR, candidate_paths, schedule, schedule_by};
pub use engines::{HgsaEngine, UmdaEngine};
pub use evolution::{Algorithm, Evolution};
pub use hgsa::{Hgsa, HgsaOptions, LastResort, Moves};
pub use prediction::Prediction;
pub use space::{Gene, MAX_DELIVERIES, SearchSpace};
pub use state::{Evaluator, SearchState};
pub use umda::{Mutation, Umda, UmdaOptions};
pub use walk::{Walk, WalkOptions};
