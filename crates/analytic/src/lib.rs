//! Collective communication schedules by construction, for networks of known structure.
//!
//! Each construction recognises its networks from their channels alone, under any numbering of the nodes. It then
//! writes down a schedule, mostly with the fewest steps possible. This crate has no search on arbitrary networks, no
//! lower bounds and no verifier.
//!
//! ```
//! use lockstep_analytic::shortest;
//! use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
//! use lockstep_topology::Topology;
//!
//! let torus: Topology = "torus:4x4".parse()?;
//! let all_gather = Collective::all_gather();
//! let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward())?;
//! let (construction, schedule) = shortest(&problem, 0, &Budget::unlimited(), |_, _| {}).expect("a known structure");
//! assert_eq!((construction.name, schedule.step_count()), ("hypercube", 4));
//! assert!(verify(&problem, &schedule).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A [`Construction`] supports the problems on networks of one structure, and returns no schedule for all others.
//! - A [`GroupLabelling`] shows that a network is a Cayley graph of an abelian group. [`TorusAxes`] are its
//!   coordinates, if it is a torus.
//! - A schedule that is too large to store has three other forms: the part of one source ([`symmetric()`]), a stream of
//!   transfers ([`streamed()`], [`StreamedBroadcast`]), and the program of one node ([`program()`], [`LocalProgram`]).
//!
//! # Entry points
//!
//! - [`AnalyticEngine`] is the engine that runs all constructions.
//! - [`shortest`] returns the shortest schedule that a construction finds for a problem; [`constructions`] lists them
//!   all.
//! - [`symmetric()`], [`streamed()`] and [`program()`] work on the specification of a Cayley graph. They never build
//!   the network.
//! - [`hypercube`] and [`cayley`] have the schedules of one source, as functions.
//! - [`combining::schedules`] returns schedules for small messages, whose steps have widths.
//! - [`route_permutation`] routes a permutation in one step; [`bipartite_edge_colouring`] is the tool behind it.
//!
//! To add a construction, follow the [checklist].
//!
//! [checklist]: https://github.com/lockstep-rs/lockstep/blob/main/docs/architecture.md#add-a-construction-of-analytic

pub mod combining;
mod construction;
mod engine;
mod kit;
mod permutation;
mod registry;
mod symmetric;

pub use construction::diagonal::DiagonalBroadcast;
pub use construction::subgroup_chain::SubgroupChainBroadcast;
pub use construction::{cayley, hypercube};
pub use engine::AnalyticEngine;
pub use kit::construction::Construction;
pub use kit::edge_colouring::bipartite_edge_colouring;
pub use kit::labelling::{GroupLabelling, TorusAxes};
pub use kit::local_program::LocalProgram;
pub use kit::streamed_broadcast::StreamedBroadcast;
pub use permutation::{PermutationError, route_permutation};
pub use registry::{constructions, parts, shortest};
pub use symmetric::{program, streamed, symmetric};
