//! Faults of interconnection networks: by name, enumerated, sampled, classified by symmetry, and their effect on
//! connectivity and diameter.
//!
//! The crate does not compute schedules for the network after faults.
//!
//! ```
//! use lockstep_faults::{FaultKind, FaultSet, FaultSpace, Survivability};
//! use lockstep_schedule::Transport;
//! use lockstep_topology::Topology;
//!
//! let mesh: Topology = "mesh:4x4".parse()?;
//! let broken = FaultSet::new().link("00", "01").node("22").apply_to(&mesh)?;
//! assert_eq!(broken.name(), "mesh:4x4 without link 00-01 and node 22");
//! assert_eq!((broken.terminal_count(), broken.channel_count()), (15, 48 - 2 - 8));
//! assert!(Survivability::of(&broken, Transport::Direct).is_connected());
//!
//! // Find the pairs of links whose simultaneous failure disconnects the mesh.
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
//!
//! # Concepts
//!
//! - A [`Fault`] is a failed link, channel or node of one network. [`Faults`] is a set of simultaneous faults.
//!   [`Faults::apply_to`] returns the network after the faults; all node and channel numbers stay the same.
//! - A [`FaultSet`] names faults by nodes, independent of a network, as on a command line.
//! - A [`FaultSpace`] is the set of all combinations of a number of faults of one [`FaultKind`]. It is enumerated,
//!   sampled, or reduced to [`FaultClasses`] under the symmetries of the network.
//! - [`Transport`](lockstep_schedule::Transport) says which nodes messages can cross. It decides whether terminals are
//!   connected.
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | apply named faults | [`FaultSet`] |
//! | enumerate, resume or sample fault sets | [`FaultSpace`] |
//! | examine one fault set per symmetry class | [`FaultClasses`] |
//! | test connectivity after faults | [`Survivability`], [`disconnected_pairs`] |
//! | compute the fault diameter | [`FaultDiameter`] |
//! | find connected regions of faults | [`faulty_regions`] |
//!
//! To add a kind of fault, follow the [checklist].
//!
//! [checklist]: https://github.com/lockstep-rs/lockstep/blob/main/docs/architecture.md#add-a-kind-of-fault

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
mod neighbours;
#[cfg(feature = "proptest")]
pub mod strategy;
mod survivability;

pub use error::FaultError;
pub use fault::{Fault, Faults};
pub use fault_classes::{FaultClass, FaultClasses, MAX_CLASSIFIED};
pub use fault_diameter::{Farthest, FaultDiameter};
pub use fault_set::FaultSet;
pub use fault_space::{FaultKind, FaultSpace};
pub use faulty_region::{FaultyRegion, faulty_regions};
pub use survivability::{CutOff, Survivability, disconnected_pairs};
