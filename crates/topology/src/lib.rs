//! Interconnection networks: the [`Topology`] type, generators of the known families, and graph files.
//!
//! Not here: paths ([`lockstep-paths`]), faults, and anything about messages.
//!
//! ```
//! use lockstep_topology::Topology;
//!
//! let omega: Topology = "omega:8".parse()?;
//! assert_eq!((omega.terminal_count(), omega.channel_count()), (8, 32));
//! # Ok::<(), lockstep_topology::SpecError>(())
//! ```
//!
//! [`lockstep-paths`]: https://docs.rs/lockstep-paths

mod builder;
mod cayley;
mod failures;
mod family;
mod format;
mod id;
mod links;
mod order_degree;
mod spec;
mod symmetry;
mod text;
mod topology;
mod visit;

#[cfg(any(test, feature = "proptest"))]
pub mod strategy;

pub use builder::{MAX_CHANNELS, MAX_NODES, TopologyBuilder, TopologyError};
pub use cayley::{CayleyError, CayleyGraph};
pub use family::{
    Family, FamilyError, amp, amp_with_system_controller, b_tree, bound_search, butterfly, circulant, clos, complete,
    de_bruijn, dragonfly, families, fat_tree, folded_hypercube, full_b_tree, hypercube, jellyfish, k_ring, kautz, mesh,
    midimew, moore, octagon, omega, random_regular, ring, star, torus,
};
pub use format::json::{DocumentError, TopologyDocument};
pub use format::{FileFault, FilePlace, GraphFormat, ReadError, WriteError, read_graph, write_graph};
pub use id::{ChannelId, NodeId, ResourceId};
pub use order_degree::{
    MAX_LINK_ENDS, MAX_ORDER, OrderDegreeError, OrderDegreeGraph, OrderDegreeSearch, distance_sum_bound, order_degree,
};
pub use spec::SpecError;
pub use symmetry::{Automorphism, Symmetries};
pub use topology::Topology;
pub use visit::{ChannelRef, ChannelRefs, Neighbors, VisitedNodes};
