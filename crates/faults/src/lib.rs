//! Faults of interconnection networks: named, enumerated, sampled, counted up to symmetry, and what survives them.
//!
//! A [`Fault`] is a link, a channel or a node; [`Faults`] are several at once, and [`Faults::apply_to`] gives the network
//! that is left, with all its numbers. Not here: schedules for that network.
//!
//! ```
//! use lockstep_faults::{FaultKind, FaultSet, FaultSpace, Survivability, Transport};
//! use lockstep_topology::Topology;
//!
//! let mesh: Topology = "mesh:4x4".parse()?;
//! let broken = FaultSet::new().link("00", "01").node("22").apply_to(&mesh)?;
//! assert_eq!(broken.name(), "mesh:4x4 without link 00-01 and node 22");
//! assert_eq!((broken.terminal_count(), broken.channel_count()), (15, 48 - 2 - 8));
//! assert!(Survivability::of(&broken, Transport::Direct).is_connected());
//!
//! // Which pairs of links must not fail at once?
//! let pairs = FaultSpace::new(&mesh, FaultKind::Link, 2);
//! let mut fatal = Vec::new();
//! for faults in pairs.iter() {
//!     if !Survivability::of(&faults.apply_to(&mesh)?, Transport::Direct).is_connected() {
//!         fatal.push(faults.name(&mesh));
//!     }
//! }
//! assert_eq!(fatal, ["00-10, 00-01", "02-03, 03-13", "20-30, 30-31", "23-33, 32-33"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod combinations;
mod disjoint_sets;
mod error;
mod fault;
mod fault_classes;
mod fault_diameter;
mod fault_set;
mod fault_space;
mod faulty_region;
mod list;
mod multi_source_bfs;
#[cfg(feature = "proptest")]
pub mod strategy;
mod survivability;
mod transport;

pub use error::FaultError;
pub use fault::{Fault, Faults};
pub use fault_classes::{FaultClass, FaultClasses, MAX_CLASSIFIED};
pub use fault_diameter::{Farthest, FaultDiameter};
pub use fault_set::FaultSet;
pub use fault_space::{FaultKind, FaultSpace};
pub use faulty_region::{FaultyRegion, faulty_regions};
pub use survivability::{CutOff, Survivability, disconnected_pairs};
pub use transport::Transport;
