//! Distances between terminals.

use crate::graph::Graph;
use crate::sources::Sources;

/// The distances between all ordered pairs of terminals, in channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Distances {
    /// Number of ordered pairs.
    pub pairs: u64,
    /// Sum of all distances.
    pub sum: u64,
    /// Greatest distance.
    pub diameter: u32,
}

impl Distances {
    /// Computes the distances of a network, or `None` if some terminal cannot reach another. O(N M) for `M` arcs.
    ///
    /// See [`DistanceSearch::measure`] for many networks or known symmetries.
    ///
    /// ```
    /// use lockstep_metrics::{Distances, Graph};
    /// use lockstep_topology::Topology;
    ///
    /// let ring: Topology = "ring:8".parse()?;
    /// let distances = Distances::of(&Graph::of(&ring)).expect("a ring is connected");
    /// assert_eq!((distances.sum, distances.diameter), (8 * 16, 4));
    /// # Ok::<(), lockstep_topology::SpecError>(())
    /// ```
    pub fn of(graph: &Graph) -> Option<Self> {
        DistanceSearch::default().measure(graph, &Sources::all(graph))
    }

    /// Returns the mean distance, or 0 if there is no pair.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.pairs.max(1) as f64
    }

    /// Adds `fresh` pairs at this distance.
    pub(crate) fn add(&mut self, distance: u32, fresh: u64) {
        self.pairs += fresh;
        self.sum += u64::from(distance) * fresh;
        self.diameter = self.diameter.max(distance);
    }

    /// Returns true if all pairs of sources and terminals are counted.
    pub(crate) fn are_complete(&self, graph: &Graph, sources: &Sources) -> bool {
        let orbit_sizes: u64 = sources.orbit_sizes.iter().copied().map(u64::from).sum();
        self.pairs == orbit_sizes * (graph.terminals().len() as u64).saturating_sub(1)
    }
}

/// Breadth-first searches from 64 sources at a time, with reusable buffers. Takes 24 bytes per node.
///
/// # Source
///
/// Then et al., *The more the merrier: efficient multi-source graph traversal*, Proc. VLDB Endowment 8, 2014.
#[derive(Clone, Debug, Default)]
pub struct DistanceSearch {
    is_terminal: Vec<bool>,
    /// Bit `s` of each node: source `s` of the batch has reached it.
    reached: Vec<u64>,
    /// Sources that reached each node in the last step.
    fresh: Vec<u64>,
    /// Sources that reach each node in this step; 0 between steps.
    next: Vec<u64>,
    /// Nodes with fresh bits.
    active: Vec<u32>,
    /// Nodes with next bits.
    touched: Vec<u32>,
}

impl DistanceSearch {
    /// Computes the distances of a network by searches from these sources, or `None` if a source cannot reach a
    /// terminal.
    ///
    /// Paths lead only through forwarding nodes. O(M) per source for `M` arcs, and down to 1/64 of that if sources
    /// reach the same nodes at the same distance. Allocates only if the network is larger than earlier ones.
    pub fn measure(&mut self, graph: &Graph, sources: &Sources) -> Option<Distances> {
        let nodes = graph.node_count();
        self.is_terminal.clear();
        self.is_terminal.resize(nodes, false);
        graph.terminals().iter().for_each(|&terminal| self.is_terminal[terminal as usize] = true);
        self.fresh.clear();
        self.fresh.resize(nodes, 0);
        self.next.clear();
        self.next.resize(nodes, 0);
        let mut distances = Distances::default();
        for (nodes, orbit_sizes) in sources.nodes.chunks(64).zip(sources.orbit_sizes.chunks(64)) {
            self.search(graph, nodes, orbit_sizes, &mut distances);
        }
        distances.are_complete(graph, sources).then_some(distances)
    }

    /// Searches from up to 64 sources.
    fn search(&mut self, graph: &Graph, sources: &[u32], orbit_sizes: &[u32], distances: &mut Distances) {
        self.reached.clear();
        self.reached.resize(graph.node_count(), 0);
        self.active.clear();
        for (bit, &source) in sources.iter().enumerate() {
            self.reached[source as usize] |= 1 << bit;
            self.fresh[source as usize] |= 1 << bit;
        }
        self.active.extend(sources);
        let common_size = orbit_sizes.iter().all(|share| *share == orbit_sizes[0]).then_some(orbit_sizes[0]);
        for distance in 1.. {
            if self.active.is_empty() {
                break;
            }
            self.step(graph);
            let mut pairs = 0;
            for &node in &self.active {
                let word = self.fresh[node as usize];
                if self.is_terminal[node as usize] {
                    pairs += common_size.map_or_else(
                        || bits(word).map(|bit| u64::from(orbit_sizes[bit])).sum(),
                        |share| u64::from(share) * u64::from(word.count_ones()),
                    );
                }
                if !graph.routes(node) {
                    self.fresh[node as usize] = 0;
                }
            }
            if pairs > 0 {
                distances.add(distance, pairs);
            }
        }
    }

    /// Advances all searches by one channel.
    fn step(&mut self, graph: &Graph) {
        self.touched.clear();
        for &node in &self.active {
            let word = std::mem::take(&mut self.fresh[node as usize]);
            for &neighbour in graph.neighbours(node) {
                let next = &mut self.next[neighbour as usize];
                if *next == 0 && word != 0 {
                    self.touched.push(neighbour);
                }
                *next |= word;
            }
        }
        self.active.clear();
        for &node in &self.touched {
            let reached = &mut self.reached[node as usize];
            let word = std::mem::take(&mut self.next[node as usize]) & !*reached;
            if word != 0 {
                *reached |= word;
                self.fresh[node as usize] = word;
                self.active.push(node);
            }
        }
    }
}

/// Returns the indices of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use lockstep_paths::ShortestPaths;
    use lockstep_topology::{Topology, strategy};
    use proptest::prelude::*;

    use super::*;

    fn of(spec: &str) -> Option<Distances> {
        Distances::of(&Graph::of(&spec.parse::<Topology>().unwrap()))
    }

    #[test]
    fn closed_formulas_hold() {
        // Ring of n = 2k: k^2 from each node. Hypercube: d/2 * 2^d. Complete: n - 1. Kautz (3, 2): diameter 2.
        assert_eq!(of("ring:100"), Some(Distances { pairs: 9_900, sum: 100 * 2_500, diameter: 50 }));
        assert_eq!(of("hypercube:7"), Some(Distances { pairs: 128 * 127, sum: 128 * 7 * 64, diameter: 7 }));
        assert_eq!(of("complete:9"), Some(Distances { pairs: 72, sum: 72, diameter: 1 }));
        assert_eq!(of("kautz:3,2").unwrap().diameter, 2);
    }

    #[test]
    fn hosts_do_not_forward() {
        // Three switch levels up, three down.
        assert_eq!(of("fat-tree:2,3").unwrap().diameter, 6);
    }

    #[test]
    fn a_disconnected_network_has_no_distances() {
        assert_eq!(Distances::of(&Graph::of_links(3, &[[0, 1]])), None);
        assert_eq!(Distances::of(&Graph::of_links(1, &[])), Some(Distances::default()));
        assert!(Distances::default().mean().abs() < f64::EPSILON);
    }

    #[test]
    fn representatives_give_the_same_distances() {
        // A star: the centre, and one leaf for all leaves.
        let graph = Graph::of_links(5, &[[0, 1], [0, 2], [0, 3], [0, 4]]);
        let sources = Sources { nodes: vec![0, 3], orbit_sizes: vec![1, 4] };
        assert_eq!(DistanceSearch::default().measure(&graph, &sources), Distances::of(&graph));
    }

    proptest! {
        #[test]
        fn distances_match_single_source_searches(
            topologies in prop::collection::vec(strategy::any_topology(80), 1..3),
        ) {
            let mut search = DistanceSearch::default();
            for topology in topologies {
                let graph = Graph::of(&topology);
                let plain = ShortestPaths::all_pairs(&topology).unwrap();
                let mut expected = Distances::default();
                for &from in topology.terminals() {
                    for &to in topology.terminals().iter().filter(|&&to| to != from) {
                        expected.add(plain.distance(from, to).unwrap(), 1);
                    }
                }
                prop_assert_eq!(search.measure(&graph, &Sources::all(&graph)), Some(expected));
            }
        }
    }
}
