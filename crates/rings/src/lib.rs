//! Ring sets for NCCL and RCCL: the rings and chains around which these libraries send the data of a collective.
//!
//! The crate computes no schedules in steps. The files of these libraries are in [`format`](mod@format).
//!
//! # Concepts
//!
//! - A *ring* is a cyclic order of terminals. Each *hop* has a path whose inner nodes are switches. A *chain* is a path over all
//!   terminals that carries data in both directions.
//! - The *load* of a resource is the number of hops that use it. `rho` is the greatest load divided by the capacity, and
//!   `K / rho` is the *bandwidth* of `K` rings, in units of the capacities: the bus bandwidth of nccl-tests.

mod error;
mod file;
pub mod format;
mod path_search;
mod problem;
mod rational;
mod ring_set;
mod route;
mod verify;

pub use error::RingError;
pub use file::{RINGS_KIND, RingFile, RingFileError};
pub use problem::RingProblem;
pub use rational::{NotRational, Rational};
pub use ring_set::{MAX_RINGS, RingKind, RingSet};
pub use route::route_orders;
pub use verify::{HopViolation, RingLoad, RingViolation, verify};
