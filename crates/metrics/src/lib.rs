//! What an interconnection network is worth, one number each.
//!
//! Every measure runs on a [`Graph`], which any [`Topology`](lockstep_topology::Topology) has and which a search can fill again
//! and again without allocating.
//!
//! | measure | of | takes, for `N` nodes and `M` joined pairs |
//! |---|---|---|
//! | [`Graph::greatest_degree`] | the ports that the busiest node needs | `O(M)` |
//! | [`Distances`] | mean distance, diameter | `O(M)` a source, down to a 64th of that |
//! | [`PathDiversity`] | how many shortest paths there are | `O(M)` a source |
//! | [`disjoint_shortest_paths`] | how many of them share no channel, or no node | a flow a pair: microseconds each |
//! | [`EdgeConnectivity`] | the channels that can fail before something is cut off | a flow a terminal, `O(M sqrt M)` each; a pair where hosts have several cables |
//! | [`SpectralGap`] | how well loads and rumours spread | `O(N^3)` up to 512 nodes; beyond, about 10 s at most |
//! | [`Bisector`] | a small cut into halves | about five passes of `O(N M)` at worst |
//! | [`exact_bisection`] | the least cut into halves | up to 128 terminals, and a budget |
//! | [`ThroughputSearch`] | the traffic that all can send to all | a budget; up to [`MAX_FLOWS`] terminals times nodes |
//!
//! Memory is in proportion to nodes and joined pairs, but for the spectral gap (2 MiB up to 512 nodes, about 1 KiB a node beyond),
//! the exact bisection and the throughput, which have limits. On a torus of 100 by 100 nodes, distances and paths take about
//! 3 s each, the spectral gap 1.5 s and the edge connectivity 16 s. What needs all pairs (disjoint paths, throughput) is for
//! such networks when symmetries are known: [`Sources::under`] finds the terminals that stand for all.
//!
//! A measure of all terminals is `None`, or 0 where that says the same, if some terminal does not reach some other. The searches
//! (`DistanceSearch`, `PathCounting`, `SpectralSearch`, `ThroughputSearch`, `Bisector`) keep their memory from one network to the
//! next; what they return depends on the network alone, and the random stream for a `Bisector`.
//!
//! Not here: schedules and their bounds, and which networks to compare.
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
//! // Every terminal can send at the rate of 1.875 channels: 4 channels, over the mean distance of 32/15.
//! let goal = ThroughputGoal { gap: 0.01, searches: 1_000 };
//! let throughput = ThroughputSearch::default().measure(&graph, &[], goal)?;
//! assert!(throughput.lower <= 1.876 && throughput.upper >= 1.874 && throughput.gap() <= 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
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
