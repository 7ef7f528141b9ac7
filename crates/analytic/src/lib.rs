//! Collective communication schedules that need no search: where the structure of a network is known, theory says how.
//!
//! Each construction recognises its networks by structure, under any numbering, and declines all others. Schedules too large to write down come as the part of one source ([`symmetric()`]),
//! as a stream ([`streamed()`]), or as what one node does ([`program()`]). Not here: search, lower bounds, and the judgement
//! whether a schedule is valid.
//!
//! ```
//! use lockstep_analytic::{Construction, constructions};
//!
//! for construction in constructions() {
//!     println!("{:20} {}", construction.name, construction.about);
//! }
//! ```

mod construction;
mod kit;
mod permutation;
mod registry;
mod symmetric;

pub use construction::diagonal::Diagonals;
pub use construction::subgroup_chain::Chain;
pub use construction::{cayley, hypercube};
pub use kit::construction::Construction;
pub use kit::edge_colouring::bipartite_edge_colouring;
pub use kit::labelling::{Axes, Labelling};
pub use kit::local_program::LocalProgram;
pub use kit::streamed_broadcast::StreamedBroadcast;
pub use permutation::{PermutationError, route_permutation};
pub use registry::{constructions, shortest};
pub use symmetric::{program, streamed, symmetric};
