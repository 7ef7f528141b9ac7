//! Collective communication schedules that need no search: where the structure of a network is known, theory says how.
//!
//! Each construction recognises its networks by structure, under any numbering, and declines all others. Not here: search,
//! lower bounds, and the judgement whether a schedule is valid.
//!
//! ```
//! use lockstep_analytic::{Construction, constructions};
//!
//! for construction in constructions() {
//!     println!("{:20} {}", construction.name, construction.about);
//! }
//! ```

mod colouring;
mod construction;
mod flooding;
mod layered;
mod local;
mod scatter;
mod wires;

pub use colouring::bipartite_edge_colouring;
pub use construction::{Construction, constructions, schedule, shortest};
pub use local::{LocalProgram, LocalSend};
