//! Ring sets for NCCL and RCCL: the rings and chains around which these libraries send the data of a collective.
//!
//! The files of these libraries are in [`format`](mod@format).
//!
//! ```
//! use lockstep_rings::{RingCount, RingKind, RingRequest, RingVerdict, check_bound, search};
//! use lockstep_topology::Topology;
//!
//! let servers: Topology = "dgx-h100:4".parse()?;
//! let request = RingRequest {
//!     terminals: None,
//!     kind: RingKind::Ring,
//!     channels: RingCount::AtMost(16),
//!     relay: 0,
//!     gateway: None,
//!     seed: 1,
//!     work: 1_000_000,
//!     is_stopped: &|| false,
//! };
//! let answer = search(&servers, &request)?;
//! let (set, load) = answer.set.as_ref().ok_or("no rings")?;
//! // Eight rings use each of the eight network cards of a server in both directions.
//! assert_eq!((set.len(), load.bandwidth().to_string(), answer.verdict()), (8, "8".to_owned(), RingVerdict::Optimal));
//! check_bound(&request.problem(&servers)?, &answer.bound)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *ring* is a cyclic order of terminals. Each *hop* has a path whose inner nodes are switches. A *chain* is a path over all
//!   terminals that carries data in both directions.
//! - The *load* of a resource is the number of hops that use it. *rho* is the greatest load divided by the capacity, and
//!   `K / rho` is the *bandwidth* of `K` rings, in units of the capacities: the bus bandwidth of nccl-tests.
//! - A *bound* consists of lengths of resources by which every ring is long, and of proofs for single numbers of rings.
//!
//! # Methods
//!
//! | networks | method |
//! |---|---|
//! | trees, fat trees, one switch | the order of a traversal |
//! | servers with network cards | chains of each server, joined over classes of network cards |
//! | direct networks whose links are all used | merging of cycles of links |
//! | others | merging of cycles of hops, chosen by a maximum flow |
//! | up to about 16 terminals | a solver of propositional formulas, with proofs |
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | find the best rings or chains | [`search`] |
//! | verify a set, and compute its load and bandwidth | [`verify`] |
//! | check a bound | [`check_bound`] |
//! | find paths for given orders | [`route_orders`] |
//! | compute the time of a collective | [`RingCost`] |
//! | join servers by trees | [`server_trees`] |
//! | read and write a file | [`RingFile`] |
//! | expand rings to an all-gather in steps | [`all_gather`] |
//! | plan with rings | [`RingsEngine`] |

mod assignment;
mod bound;
mod candidates;
mod chains;
mod check;
mod cost;
mod engine;
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
mod merging;
mod path_search;
mod permutations;
mod problem;
mod rational;
mod request;
mod ring_count;
mod ring_set;
mod rng;
mod route;
mod schedule;
mod search;
mod server;
mod server_trees;
mod servers;
mod traversal;
mod verify;
mod work;

pub use bound::{RefutationProof, RingBound, RingLengths, RingRefutation};
pub use check::{BoundViolation, check_bound};
pub use cost::RingCost;
pub use engine::RingsEngine;
pub use error::RingError;
pub use file::{RINGS_KIND, RingFile, RingFileError};
pub use problem::RingProblem;
pub use rational::{NotRational, Rational};
pub use request::{RingAnswer, RingRequest, RingVerdict};
pub use ring_count::RingCount;
pub use ring_set::{MAX_RINGS, RingKind, RingSet};
pub use route::route_orders;
pub use schedule::{ExpandError, all_gather};
pub use search::search;
pub use server_trees::{joined_chains, server_count, server_trees};
pub use verify::{HopViolation, RingLoad, RingViolation, verify};
