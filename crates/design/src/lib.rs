//! Interconnection networks designed by multi-objective evolution and by exhaustive search.
//!
//! A [`Machine`] is cabinets of chassis of routers; a [`CablingCode`] says how its chassis are cabled, all of them alike. An
//! [`Objective`] scores any [`Network`]; a [`DesignProblem`] is what [`lockstep_pareto`] needs to evolve codes. Of small machines,
//! [`Enumeration`] looks at all networks there are. Not here: how evolution goes, and what is sent over a network.
//!
//! ```
//! use lockstep_design::{CablingCode, Machine, Network, objective};
//! use rand::SeedableRng;
//! use rand_chacha::ChaCha8Rng;
//!
//! // Sixteen chassis in a ring, all routers of neighbours joined.
//! let machine = Machine::new(8, 16, 1)?;
//! let code: CablingCode = "138,0,0,0,0,173,0,0,0,0,0,0,179,0,212,0".parse()?;
//! let mut network = Network::of_code(&machine, &code)?;
//! let score = |name, network: &mut Network| {
//!     Ok::<_, Box<dyn std::error::Error>>(objective(name)?.score(network, &mut ChaCha8Rng::seed_from_u64(1))?)
//! };
//! assert_eq!(score("exact-bisection", &mut network)?, 8.0);
//! assert_eq!(score("links", &mut network)?, 4.0);
//! assert_eq!(machine.topology(&code)?.terminal_count(), 32);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod code;
mod exhaustive;
mod front;
mod machine;
mod network;
mod objective;
mod placement;
mod problem;
mod rules;
#[cfg(test)]
mod strategy;

pub use checkpoint::{CHECKPOINT_KIND, CheckpointError, checkpoint, resume};
pub use code::{CablingCode, CodeError};
pub use exhaustive::{Enumeration, EnumerationError, enumerate};
pub use front::{Design, Front, FrontError, ObjectiveName, Origin};
pub use machine::{MAX_ROUTER_SLOTS, MAX_SLOTS, Machine, MachineError};
pub use network::Network;
pub use objective::{NoScore, Objective, UnknownObjective, objective, objectives};
pub use placement::Placement;
pub use problem::{DesignError, DesignProblem};
pub use rules::{DesignRules, OddLinks, Ports, Start, published_generations};
