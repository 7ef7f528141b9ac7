//! Which pairs of terminals traffic is routed for.

use crate::orbits::Orbits;
use crate::{Graph, Sources};

/// The pairs, numbered by source and by target.
#[derive(Clone, Debug, Default)]
pub(super) struct Demands {
    sources: Sources,
    terminals: Vec<u32>,
    /// Whether each pair stands for its opposite too, so that only targets after the source are needed.
    is_halved: bool,
}

impl Demands {
    /// Makes them those of one source an orbit. Without symmetries but with opposite channels, one of two opposite pairs will do.
    pub(super) fn fill(&mut self, graph: &Graph, orbits: &Orbits) {
        orbits.fill_sources(graph, &mut self.sources);
        self.terminals.clear();
        self.terminals.extend(graph.terminals());
        self.is_halved = graph.is_symmetric() && self.sources.nodes.len() == self.terminals.len();
    }

    pub(super) fn source_count(&self) -> usize {
        self.sources.nodes.len()
    }

    pub(super) fn pair_count(&self) -> usize {
        let all = self.source_count() * self.terminals.len();
        if self.is_halved { (all - self.source_count()) / 2 } else { all }
    }

    pub(super) fn is_halved(&self) -> bool {
        self.is_halved
    }

    pub(super) fn source(&self, number: usize) -> u32 {
        self.sources.nodes[number]
    }

    /// How many terminals a source stands for.
    pub(super) fn share(&self, number: usize) -> f64 {
        f64::from(self.sources.shares[number])
    }

    /// The traffic of each pair of a source.
    pub(super) fn rate(&self, number: usize) -> f64 {
        if self.is_halved { 2.0 } else { self.share(number) }
    }

    /// Where the traffic of a source goes, ascending; to itself goes none.
    pub(super) fn targets(&self, number: usize) -> &[u32] {
        if self.is_halved { &self.terminals[number + 1..] } else { &self.terminals }
    }

    /// The numbers of the pairs of a source, one a target.
    pub(super) fn pairs(&self, number: usize) -> std::ops::Range<usize> {
        let terminals = self.terminals.len();
        let start = |number: usize| {
            if self.is_halved { number * (2 * terminals - 1 - number) / 2 } else { number * terminals }
        };
        start(number)..start(number + 1)
    }
}
