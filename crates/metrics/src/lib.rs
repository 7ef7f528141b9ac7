//! Metrics of interconnection networks: bisection width, throughput, path diversity, distances, connectivity, spectral
//! gap.
//!
//! This crate measures graphs. It contains no schedules, no bounds on collectives and no design of networks.
//!
//! ```
//! use lockstep_metrics::{Distances, EdgeConnectivity, Graph, ThroughputGoal, ThroughputSearch};
//! use lockstep_topology::Topology;
//!
//! let torus: Topology = "torus:4x4".parse()?;
//! let graph = Graph::of(&torus);
//! assert_eq!(graph.greatest_degree(), 4);
//! assert_eq!(Distances::of(&graph).map(|distances| distances.diameter), Some(4));
//! assert_eq!(EdgeConnectivity::of(&graph).map(|connectivity| connectivity.channels), Some(4));
//!
//! // Each terminal can send at the rate of 1.875 channels: 4 channels divided by the mean distance of 32/15.
//! let goal = ThroughputGoal { gap: 0.01, searches: 1_000 };
//! let throughput = ThroughputSearch::default().measure(&graph, &[], goal)?;
//! assert!(throughput.lower <= 1.876 && throughput.upper >= 1.874 && throughput.gap() <= 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Entry points
//!
//! Each metric runs on a [`Graph`], which any [`Topology`](lockstep_topology::Topology) has. For `N` nodes and `M`
//! arcs:
//!
//! | metric | meaning | time |
//! |---|---|---|
//! | [`Graph::greatest_degree`] | ports that a node needs | `O(M)` |
//! | [`Distances`] | mean distance, diameter | `O(M)` per source, down to 1/64 of that |
//! | [`PathDiversity`] | number of shortest paths | `O(M)` per source |
//! | [`disjoint_shortest_paths`] | number of disjoint shortest paths | one small flow per pair |
//! | [`EdgeConnectivity`] | channel failures that separate two terminals | `O(M sqrt M)` per terminal |
//! | [`SpectralGap`] | algebraic connectivity | `O(N^3)` up to 512 nodes, at most about 10 s beyond |
//! | [`Bisector`] | small bisections, heuristically | about five passes of at most `O(N M)` |
//! | [`exact_bisection`] | bisection width, up to 128 terminals | a budget |
//! | [`ThroughputSearch`] | rate of all-to-all traffic, up to [`MAX_FLOWS`] | a budget |
//! | [`StageLoads`] | latency and bandwidth of an all-gather by breadth-first broadcast | `O(N M)` for small degrees |
//!
//! Memory is O(N + M), except for the spectral gap, the exact bisection and the throughput, which have limits.
//!
//! # Concepts
//!
//! - Metrics of all terminals are `None`, or 0, if some terminal cannot reach another.
//! - The searches ([`DistanceSearch`], [`PathCounting`], [`SpectralSearch`], [`ThroughputSearch`], [`Bisector`]) reuse
//!   their buffers for the next network. Results depend only on the network, and on the random stream of a
//!   [`Bisector`].
//! - Symmetries reduce the work: [`Sources::under`] returns one terminal per orbit.
//!
//! To add a metric, follow the [checklist].
//!
//! [checklist]: https://github.com/lockstep-rs/lockstep/blob/main/docs/architecture.md#add-a-metric-or-an-objective

mod bisection;
mod connectivity;
mod disjoint;
mod distances;
mod diversity;
mod graph;
mod orbits;
mod sources;
mod spectral;
mod stage_loads;
mod throughput;

#[cfg(test)]
mod published_networks;

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
pub use stage_loads::{MAX_PREDECESSORS, MAX_STAGE_NODES, StageLoads, StageLoadsError};
pub use throughput::{
    MAX_ARC_FLOWS, MAX_FLOWS, Throughput, ThroughputCertificate, ThroughputCheckError, ThroughputError, ThroughputGoal,
    ThroughputSearch,
};
