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

pub mod cayley;
mod chain;
mod colouring;
mod construction;
mod diagonal;
mod engine;
pub mod hypercube;
mod labelling;
mod local;
mod multistage;
mod streamed;
mod symmetric;
mod tree;

pub use chain::Chain;
pub use colouring::bipartite_edge_colouring;
pub use construction::{Construction, constructions, schedule, shortest};
pub use diagonal::Diagonals;
pub use engine::AnalyticEngine;
pub use labelling::{Axes, Labelling};
pub use local::LocalProgram;
pub use multistage::{PermutationError, route_permutation};
pub use streamed::StreamedBroadcast;
pub use symmetric::{program, streamed, symmetric};
