//! Interconnection networks: a compact directed multigraph, families of networks, graph files and symmetries.
//!
//! The crate describes networks only. Paths are in [`lockstep-paths`], faults in [`lockstep-faults`], and communication
//! schedules in [`lockstep-schedule`].
//!
//! ```
//! use lockstep_topology::{GraphFormat, Topology, write_graph};
//!
//! let omega: Topology = "omega:8".parse()?;
//! assert_eq!((omega.terminal_count(), omega.switch_count(), omega.channel_count()), (8, 12, 32));
//! assert!(write_graph(&omega, GraphFormat::Dot)?.starts_with("digraph \"omega:8\" {"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *node* is a *terminal*, which sends and receives messages, or a *switch*, which only routes.
//! - A *channel* leads from one node to another. A full-duplex *link* is a pair of opposite channels.
//! - A *resource* is what a transfer occupies: a channel, or several channels that share it (half duplex).
//! - A *capacity* is the number of transfers that a channel carries in a step, and a *latency* a time in picoseconds.
//! - Failed nodes and channels keep their numbers, so that numbers mean the same before and after a fault.
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | generate a network of a known family | [`str::parse`], [`families`], functions such as [`torus`] and [`fat_tree`] |
//! | read and write graph files | [`read_graph`], [`read_graph_file`], [`write_graph`], [`GraphFormat`] |
//! | read bandwidths, times and sizes such as `300GB/s` | [`Quantity`] |
//! | build a network node by node | [`TopologyBuilder`] |
//! | compute with large vertex-transitive networks | [`CayleyGraph`] |
//! | find symmetries | [`Symmetries`], [`Automorphism`] |
//! | search for graphs with small distances | [`order_degree`](order_degree()), [`OrderDegreeSearch`], [`distance_sum_bound`] |
//! | run petgraph's algorithms | [`Topology`] implements its visit traits |
//! | test with random networks | module `strategy`, feature `proptest` |
//!
//! # Features
//!
//! All are on by default. A program that only builds networks node by node, such as a verifier, needs none of them.
//!
//! | feature | items | packages |
//! |---|---|---|
//! | `families` | families, specs, symmetries, and the search for graphs of an order and degree | `rand`, `rayon` |
//! | `formats` | graph files; needs `families` | `roxmltree`, `serde_json` |
//! | `petgraph` | the visit traits of petgraph | `petgraph` |
//! | `digest` | [`Topology::digest`] | `sha2` |
//!
//! To add a family or a graph format, follow the [checklist].
//!
//! [checklist]: https://github.com/lockstep-rs/lockstep/blob/main/docs/architecture.md#add-a-network-family
//! [`lockstep-faults`]: https://docs.rs/lockstep-faults
//! [`lockstep-paths`]: https://docs.rs/lockstep-paths
//! [`lockstep-schedule`]: https://docs.rs/lockstep-schedule

mod adjacency;
mod builder;
mod buses;
mod cayley;
mod channel_rates;
mod failures;
#[cfg(feature = "families")]
mod family;
#[cfg(feature = "formats")]
mod format;
mod id;
#[cfg(feature = "families")]
mod layout;
mod links;
mod measured;
mod node_names;
#[cfg(feature = "families")]
mod order_degree;
mod quantity;
mod rate_changes;
mod relabelling;
mod sizes;
#[cfg(feature = "families")]
mod spec;
#[cfg(feature = "families")]
mod symmetry;
mod text;
mod topology;
mod topology_document;
#[cfg(feature = "petgraph")]
mod visit;

#[cfg(any(test, feature = "proptest"))]
pub mod strategy;

pub use builder::{MAX_CHANNELS, MAX_NODES, TopologyBuilder, TopologyError};
pub use cayley::{CayleyError, CayleyGraph};
pub use channel_rates::{MAX_CAPACITY, MAX_LATENCY_PS, RateError};
#[cfg(feature = "families")]
pub use family::{
    Family, FamilyError, ServerCluster, amp, amp_with_system_controller, b_tree, butterfly, cartesian_power,
    cartesian_product, circulant, circulant_digraph, clos, cluster, complete, de_bruijn, degree_expansion, dragonfly,
    dragonfly_of_links, families, family_named, fat_tree, folded_hypercube, full_b_tree, generalised_kautz, hypercube,
    jellyfish, k_ring, kautz, ladder, line_graph, mesh, metacyclic, midimew, moore, octagon, omega,
    oversubscribed_fat_tree, random_regular, ring, star, torus,
};
#[cfg(feature = "formats")]
pub use format::{
    FileFault, FilePlace, GraphFile, GraphFormat, ReadError, ReadNote, ReadOptions, WriteError, read_graph,
    read_graph_file, write_document, write_graph,
};
pub use id::{ChannelId, NodeId, ResourceId};
#[cfg(feature = "families")]
pub use layout::GridAxes;
pub use measured::{Measured, MeasuredClass, MeasuredLink, MeasuredSource};
#[cfg(feature = "families")]
pub use order_degree::{
    MAX_LINK_ENDS, MAX_ORDER, OrderDegreeError, OrderDegreeGraph, OrderDegreeSearch, distance_sum_bound, order_degree,
};
pub use quantity::{Quantity, QuantityError};
pub use sizes::{Sizes, SizesError};
#[cfg(feature = "families")]
pub use spec::SpecError;
#[cfg(feature = "families")]
pub use symmetry::{Automorphism, Symmetries};
pub use topology::Topology;
pub use topology_document::{DocumentError, TopologyDocument};
#[cfg(feature = "petgraph")]
pub use visit::{ChannelRef, ChannelRefs, Neighbors, VisitedNodes};
