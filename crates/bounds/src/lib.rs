//! Lower bounds on the number of steps of a collective, each with a certificate that proves it.
//!
//! [`best`] returns the best bound of a problem. The bound holds its certificate: facts that
//! [`LowerBound::check`](lockstep_certificate::LowerBound::check) verifies without any code of this crate. This crate
//! makes no schedules.
//!
//! ```
//! use lockstep_bounds::{Rule, best};
//! use lockstep_schedule::{Collective, CommunicationModel, Problem};
//! use lockstep_topology::Topology;
//!
//! let tree: Topology = "b-tree:8".parse()?;
//! let all_to_all = Collective::all_to_all();
//! let problem = Problem::new(&tree, &all_to_all, CommunicationModel::wormhole())?;
//!
//! // Four terminals send to the four terminals of the other half, through one channel at the root.
//! let bound = best(&problem);
//! assert_eq!((bound.steps, bound.rule), (16, Rule::Cut));
//! bound.check(&problem)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *rule* is an argument that proves bounds, for instance that messages cross a cut. Each rule is one file or
//!   folder in `src/rule`, and has one kind of certificate.
//! - Most rules concern distributions: phases that send messages from sources to receivers. A collecting phase is
//!   time-reversed first. An all-reduce has rules of its own, and contains distributions from any terminal.
//! - A rule has a [`Cost`]. Cheap rules run first, and expensive ones only if a better bound is still useful.
//!
//! # Entry points
//!
//! - [`best`] returns the best bound, [`best_within`] that of a limited time, [`best_reaching`] stops at a number of steps, and [`all()`] returns the bounds of
//!   all rules. [`by_rule`] returns the bound of one rule.
//! - [`parts`] lists the rules, which a budget can leave out.
//! - [`BoundSearch`] applies the rules one after the other, within a budget.
//! - [`throughput()`] returns the bound of many chunks, as steps per chunk.
//! - [`least_latency`] returns the steps and the latency that remain if every step is as wide as it wants.
//! - [`symmetric()`] returns the bound of a Cayley graph with up to 2^64 nodes, without its channels.
//!
//! To add a rule, follow the [checklist].
//!
//! [checklist]: https://github.com/lockstep-rs/lockstep/blob/main/docs/architecture.md#add-a-lower-bound

mod all;
mod best;
mod bfs;
mod bound_search;
mod bridges;
mod common_root;
mod cost;
mod demand;
mod dual_simplex;
mod groups;
mod latency;
mod length_program;
mod length_search;
mod members;
mod moving_cut;
mod multicasts;
mod need_vector;
mod partition;
mod phase;
mod pipeline;
mod registry;
mod request;
mod resource_flow;
mod rule;
mod rule_search;
mod sample;
mod symmetric;
mod throughput;
mod transfer_rules;
mod transfers;
mod trees;

pub use all::{BoundEvent, all, all_within, by_rule};
pub use best::{best, best_reaching, best_within};
pub use bound_search::BoundSearch;
pub use cost::Cost;
pub use dual_simplex::{DualSimplex, LpOutcome};
pub use latency::{LeastLatency, least_latency};
pub use lockstep_certificate::{LowerBound, Rule};
pub use phase::of_phase;
pub use registry::parts;
pub use symmetric::symmetric;
pub use throughput::throughput;
