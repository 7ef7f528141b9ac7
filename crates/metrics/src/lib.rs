//! What an interconnection network is worth, one number each.
//!
//! Every measure runs on a [`Graph`], which any [`Topology`](lockstep_topology::Topology) has and which a search can fill again
//! and again without allocating.
//!
//! Not here: schedules and their bounds, and which networks to compare.
//!
//! ```
//! use lockstep_metrics::Graph;
//! use lockstep_topology::Topology;
//!
//! let torus: Topology = "torus:4x4".parse()?;
//! let graph = Graph::of(&torus);
//! assert_eq!(graph.terminals().len(), 16);
//! assert_eq!(graph.neighbours(0), [1, 3, 4, 12]);
//! # Ok::<(), lockstep_topology::SpecError>(())
//! ```

mod bisection;
mod connectivity;
mod disjoint;
mod distances;
mod diversity;
mod graph;
mod orbits;
mod sources;
mod spectral;
mod throughput;

#[cfg(test)]
mod picks;

pub use bisection::{
    Bisection, BisectionEffort, BisectionError, Bisector, ExactBisection, MAX_EXACT_TERMINALS, TooManyTerminals,
    exact_bisection,
};
pub use connectivity::{CutError, EdgeConnectivity};
pub use disjoint::{Disjointness, disjoint_shortest_paths};
pub use distances::{DistanceSearch, Distances};
pub use diversity::{PathCounting, PathDiversity};
pub use graph::Graph;
pub use orbits::SymmetryError;
pub use sources::Sources;
pub use spectral::{SpectralGap, SpectralSearch};
pub use throughput::{
    MAX_ARC_FLOWS, MAX_FLOWS, Throughput, ThroughputCertificate, ThroughputCheckError, ThroughputError, ThroughputGoal,
    ThroughputSearch,
};
