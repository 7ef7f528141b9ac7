//! Design of interconnection networks by multi-objective evolution and by exhaustive enumeration.
//!
//! This crate contains the machines, their networks and the objectives. The evolution itself is in [`lockstep_pareto`],
//! and the measurements are in [`lockstep_metrics`].
//!
//! ```
//! use lockstep_design::{CablingCode, Machine, Network, objective};
//! use rand::SeedableRng;
//! use rand_chacha::ChaCha8Rng;
//!
//! // Sixteen chassis in a ring. Each router is connected to both routers of the neighbouring chassis.
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
//!
//! # Concepts
//!
//! - A [`Machine`] has cabinets of chassis of routers. A [`CablingCode`] defines the cables of each chassis; all
//!   chassis have the same.
//! - An [`Objective`] scores a [`Network`], which may come from a code or from any topology.
//! - A [`Design`] is a code with its scores. A [`Front`] is the set of non-dominated designs.
//!
//! # Entry points
//!
//! - [`objectives`] lists all objectives, and [`objective`] finds one by name.
//! - [`DesignProblem`] is the problem that [`lockstep_pareto::Evolution`] optimises. [`checkpoint`] and [`resume`]
//!   interrupt it.
//! - [`enumerate`] scores all networks of a small machine.
//! - [`AllGatherSearch`] finds networks of given order and degree for all-gathers, without a machine.
//! - [`Front`] reads and writes front files. [`Machine::topology`] converts a code to a topology.

mod all_gather;
mod cabling;
mod cabling_code;
mod checkpoint;
mod design;
mod design_problem;
mod design_rules;
mod enumeration;
mod front;
mod machine;
mod multisets;
mod network;
mod network_size;
mod objective;
mod objectives;
mod placement;
#[cfg(test)]
mod strategy;

pub use all_gather::{AllGatherDesign, AllGatherSearch, AllGatherSearchError, ChannelRule};
pub use cabling_code::{CablingCode, CodeError};
pub use checkpoint::{CHECKPOINT_KIND, CheckpointError, checkpoint, children, resume};
pub use design::Design;
pub use design_problem::{DesignError, DesignProblem};
pub use design_rules::{DesignRules, InitialSlots, OddLinks, PortRule, published_generations};
pub use enumeration::{Enumeration, EnumerationError, EnumerationEvent, enumerate, enumerate_observed};
pub use front::{Front, FrontError, ObjectiveName, Origin};
pub use machine::{MAX_ROUTER_SLOTS, MAX_SLOTS, Machine, MachineError};
pub use network::Network;
pub use network_size::NetworkSize;
pub use objective::{NoScore, Objective};
pub use objectives::{DEFAULT_OBJECTIVES, PUBLISHED_OBJECTIVES, UnknownObjective, objective, objectives};
pub use placement::Placement;
