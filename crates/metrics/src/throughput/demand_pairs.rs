//! The pairs of terminals whose traffic is routed.

use crate::graph::Graph;
use crate::orbits::Orbits;
use crate::sources::Sources;

/// Pairs of terminals, numbered by source and target.
#[derive(Clone, Debug, Default)]
pub(super) struct DemandPairs {
    sources: Sources,
    terminals: Vec<u32>,
    /// True if each pair represents its opposite too, so that only targets after the source are needed.
    is_halved: bool,
}

impl DemandPairs {
    /// Sets the pairs: one source per orbit. A symmetric graph without symmetries needs only one of two opposite pairs.
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

    /// Returns the number of terminals that a source represents.
    pub(super) fn share(&self, number: usize) -> f64 {
        f64::from(self.sources.orbit_sizes[number])
    }

    /// Returns the traffic of each pair of a source.
    pub(super) fn rate(&self, number: usize) -> f64 {
        if self.is_halved { 2.0 } else { self.share(number) }
    }

    /// Returns the targets of a source, in ascending order. The source itself receives no traffic.
    pub(super) fn targets(&self, number: usize) -> &[u32] {
        if self.is_halved { &self.terminals[number + 1..] } else { &self.terminals }
    }

    /// Returns the numbers of the pairs of a source, one per target.
    pub(super) fn pairs(&self, number: usize) -> std::ops::Range<usize> {
        let terminals = self.terminals.len();
        let start = |number: usize| {
            if self.is_halved { number * (2 * terminals - 1 - number) / 2 } else { number * terminals }
        };
        start(number)..start(number + 1)
    }
}
