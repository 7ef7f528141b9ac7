//! How many shortest paths there are: f2 of the ExaNeSt document.

use lockstep_metrics::{Disjointness, disjoint_shortest_paths};
use lockstep_pareto::{MAX_SCORE, Sense};
use rand_chacha::ChaCha8Rng;

use super::{NoScore, Objective};
use crate::Network;

/// All shortest paths.
pub(super) struct Paths;

impl Objective for Paths {
    fn name(&self) -> &'static str {
        "paths"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "shortest paths of a pair of terminals, all of them, on average"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        network.diversity().map(|diversity| diversity.mean().min(MAX_SCORE)).ok_or(NoScore::InParts)
    }
}

/// The same by the letter of the document's equation 4.
pub(super) struct PathsWithSelves;

impl Objective for PathsWithSelves {
    fn name(&self) -> &'static str {
        "paths-with-selves"
    }
    fn sense(&self) -> Sense {
        Sense::Maximise
    }
    fn about(&self) -> &'static str {
        "the same where each terminal makes a pair with itself too, which has one path"
    }
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        network.diversity().map(|diversity| diversity.mean_with_selves().min(MAX_SCORE)).ok_or(NoScore::InParts)
    }
}

/// Shortest paths that can be used at once.
pub(super) const EDGE_DISJOINT: DisjointPaths = DisjointPaths {
    disjointness: Disjointness::Edges,
    name: "edge-disjoint-paths",
    about: "shortest paths of a pair of terminals that share no cable, on average",
};

/// Shortest paths that can be used at once and do not fail together.
pub(super) const NODE_DISJOINT: DisjointPaths = DisjointPaths {
    disjointness: Disjointness::Nodes,
    name: "vertex-disjoint-paths",
    about: "shortest paths of a pair of terminals that share no node on the way, on average",
};

/// Disjoint shortest paths.
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
    fn score(&self, network: &mut Network, _: &mut ChaCha8Rng) -> Result<f64, NoScore> {
        disjoint_shortest_paths(&network.graph, &network.sources, self.disjointness).ok_or(NoScore::InParts)
    }
}
