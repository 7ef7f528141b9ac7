//! Number of shortest paths: objective f2 of the ExaNeSt document.

use lockstep_metrics::{Disjointness, disjoint_shortest_paths};
use lockstep_pareto::{MAX_SCORE, Sense};
use rand_chacha::ChaCha8Rng;

use crate::network::Network;
use crate::network_size::{NetworkSize, product};
use crate::objective::{NoScore, Objective};

/// Mean number of shortest paths.
pub(super) struct Paths;

impl Objective for Paths {
    fn name(&self) -> &'static str {
        "paths"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "number of shortest paths per pair of terminals, on average"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        size.searches_ns()
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        network.diversity().map(|diversity| diversity.mean().min(MAX_SCORE)).ok_or(NoScore::Disconnected)
    }
}

/// The same, as equation 4 of the document defines it literally.
pub(super) struct PathsWithSelves;

impl Objective for PathsWithSelves {
    fn name(&self) -> &'static str {
        "paths-with-selves"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "the same, with each terminal also paired with itself (one path)"
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        size.searches_ns()
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        network.diversity().map(|diversity| diversity.mean_with_selves().min(MAX_SCORE)).ok_or(NoScore::Disconnected)
    }
}

/// Edge-disjoint shortest paths.
pub(super) const EDGE_DISJOINT: DisjointPaths = DisjointPaths {
    disjointness: Disjointness::Edges,
    name: "edge-disjoint-paths",
    about: "number of edge-disjoint shortest paths per pair of terminals, on average",
};

/// Vertex-disjoint shortest paths.
pub(super) const VERTEX_DISJOINT: DisjointPaths = DisjointPaths {
    disjointness: Disjointness::Nodes,
    name: "vertex-disjoint-paths",
    about: "number of vertex-disjoint shortest paths per pair of terminals, on average",
};

/// Mean number of disjoint shortest paths.
pub(super) struct DisjointPaths {
    disjointness: Disjointness,
    name: &'static str,
    about: &'static str,
}

impl Objective for DisjointPaths {
    fn name(&self) -> &'static str {
        self.name
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        self.about
    }
    fn estimated_ns(&self, size: &NetworkSize) -> u64 {
        product(&[size.searches_ns(), size.terminals])
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        disjoint_shortest_paths(&network.graph, &network.sources, self.disjointness).ok_or(NoScore::Disconnected)
    }
}
