//! Lower bounds: numbers of steps that no schedule can beat, each with a [`Certificate`] that says why.
//!
//! Not here: schedules, and anything that finds one.
//!
//! ```
//! use lockstep_bounds::{Rule, best};
//! use lockstep_schedule::{Collective, CommunicationModel, Problem};
//! use lockstep_topology::Topology;
//!
//! let tree: Topology = "b-tree:8".parse()?;
//! let exchange = Collective::all_to_all();
//! let problem = Problem::new(&tree, &exchange, CommunicationModel::wormhole())?;
//!
//! // Four terminals send to the four in the other half, through one channel at the root.
//! let bound = best(&problem);
//! assert_eq!((bound.steps, bound.rule), (16, Rule::Cut));
//! bound.check(&problem)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A rule is one file in `rule/` with one function, `fn bound(problem: &Problem, request: &BoundRequest) -> Option<LowerBound>`, and one
//! arm in `check/`, which shares no code with the rules. Rules see only distributions: [`all()`] turns a collecting phase
//! round before it asks them. [`best_reaching`] and [`BoundSearch`] ask the cheap ones first; [`symmetric()`] asks one node of a Cayley graph.

mod all;
mod bound_search;
mod crossing;
mod demand;
mod legal;
mod needs;
mod resource_flow;
mod rule;
mod search;
mod simplex;
mod symmetric;

pub use all::{all, best, best_reaching, by_rule, of_phases};
pub use bound_search::{BoundSearch, Cost};
pub use lockstep_certificate::{LowerBound, Rule};
pub use symmetric::symmetric;
