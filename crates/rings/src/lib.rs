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

mod assignment;
mod bound;
mod candidates;
mod check;
mod error;
mod exact;
mod factors;
mod file;
pub mod format;
mod formula;
mod hop_choice;
mod hops;
mod length_program;
mod lengths;
mod matching;
mod path_search;
mod permutations;
mod problem;
mod rational;
mod request;
mod ring_set;
mod rng;
mod route;
mod schedule;
mod search;
mod server;
mod servers;
mod traversal;
mod verify;
mod work;

pub use bound::{RefutationProof, RingBound, RingLengths, RingRefutation};
pub use check::{BoundViolation, check_bound};
pub use error::RingError;
pub use file::{RINGS_KIND, RingFile, RingFileError};
pub use problem::RingProblem;
pub use rational::{NotRational, Rational};
pub use request::{RingAnswer, RingCount, RingRequest, RingVerdict};
pub use ring_set::{MAX_RINGS, RingKind, RingSet};
pub use route::route_orders;
pub use schedule::{ExpandError, all_gather};
pub use search::search;
pub use verify::{HopViolation, RingLoad, RingViolation, verify};
