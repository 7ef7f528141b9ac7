//! Path diversity: the number of shortest paths.

use crate::distances::Distances;
use crate::graph::Graph;
use crate::sources::Sources;

/// The number of shortest paths between all ordered pairs of terminals.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PathDiversity {
    /// Their lengths.
    pub distances: Distances,
    /// Number of shortest paths of all ordered pairs: exact below 2^53, at most [`f64::MAX`].
    pub paths: f64,
    /// Number of terminals.
    terminals: u64,
}

impl PathDiversity {
    /// Computes the path diversity of a network, or `None` if some terminal cannot reach another. O(N M) for `M` arcs.
    ///
    /// See [`PathCounting::measure`] for many networks or known symmetries.
    ///
    /// ```
    /// use lockstep_metrics::{Graph, PathDiversity};
    /// use lockstep_topology::Topology;
    ///
    /// // One path to each node of a ring, and two to the opposite node.
    /// let ring: Topology = "ring:32".parse()?;
    /// let diversity = PathDiversity::of(&Graph::of(&ring)).expect("a ring is connected");
    /// assert_eq!(diversity.mean(), 32.0 / 31.0);
    /// # Ok::<(), lockstep_topology::SpecError>(())
    /// ```
    pub fn of(graph: &Graph) -> Option<Self> {
        PathCounting::default().measure(graph, &Sources::all(graph))
    }

    /// Returns the mean number of shortest paths per pair, or 0 if there is no pair.
    pub fn mean(&self) -> f64 {
        self.paths / self.distances.pairs.max(1) as f64
    }

    /// Returns the mean over unordered pairs, with each terminal also paired with itself by one path, or 1 without
    /// terminals.
    ///
    /// # Source
    ///
    /// Pascual et al., *Designing an exascale interconnect using multi-objective optimization*, IEEE CEC 2017, equation
    /// 4, taken literally. The figures of the paper are [means over pairs](Self::mean).
    pub fn mean_with_selves(&self) -> f64 {
        let selves = self.terminals as f64;
        if self.terminals == 0 { 1.0 } else { (self.paths / 2.0 + selves) / (selves * (selves + 1.0) / 2.0) }
    }
}

/// Breadth-first searches that count shortest paths, with reusable buffers. Takes 16 bytes per node.
#[derive(Clone, Debug, Default)]
pub struct PathCounting {
    /// Distance of each node from the source, or `NONE`.
    pub(crate) distance: Vec<u32>,
    /// Number of shortest paths from the source.
    count: Vec<f64>,
    queue: Vec<u32>,
}

/// The distance of an unreachable node.
pub(crate) const NONE: u32 = u32::MAX;

impl PathCounting {
    /// Computes distances and numbers of shortest paths by searches from these sources, or `None` if a source cannot
    /// reach a terminal.
    ///
    /// Paths are distinguished by their nodes, so parallel channels count once. They lead only through forwarding
    /// nodes. O(M) per source for `M` arcs. Allocates only if the network is larger than earlier ones.
    pub fn measure(&mut self, graph: &Graph, sources: &Sources) -> Option<PathDiversity> {
        let mut distances = Distances::default();
        let mut paths = 0.0;
        for (source, share) in sources.iter() {
            self.search(graph, source);
            let mut from_here = 0.0;
            for &terminal in graph.terminals().iter().filter(|&&terminal| terminal != source) {
                let distance = self.distance[terminal as usize];
                if distance == NONE {
                    return None;
                }
                distances.add(distance, u64::from(share));
                from_here += self.count[terminal as usize];
            }
            paths += f64::from(share) * from_here;
        }
        let terminals = graph.terminals().len() as u64;
        Some(PathDiversity { distances, paths: paths.min(f64::MAX), terminals })
    }

    /// Searches from one source.
    pub(crate) fn search(&mut self, graph: &Graph, source: u32) {
        self.distance.clear();
        self.distance.resize(graph.node_count(), NONE);
        self.count.clear();
        self.count.resize(graph.node_count(), 0.0);
        self.queue.clear();
        self.queue.push(source);
        self.distance[source as usize] = 0;
        self.count[source as usize] = 1.0;
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            if node != source && !graph.routes(node) {
                continue;
            }
            let (farther, count) = (self.distance[node as usize] + 1, self.count[node as usize]);
            for &neighbour in graph.neighbours(node) {
                let distance = &mut self.distance[neighbour as usize];
                if *distance == NONE {
                    *distance = farther;
                    self.queue.push(neighbour);
                }
                if *distance == farther {
                    self.count[neighbour as usize] += count;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{Topology, strategy};
    use proptest::prelude::*;

    use super::*;
    use crate::published_networks;

    fn mean(graph: &Graph) -> f64 {
        PathDiversity::of(graph).unwrap().mean()
    }

    /// A ring of routers, each with one pendant router.
    fn pendant_ring(routers: u32) -> Graph {
        let ring = (0..routers).map(|router| [router, (router + 1) % routers]);
        let pendants = (0..routers).map(|router| [router, routers + router]);
        Graph::of_links(2 * routers as usize, &ring.chain(pendants).collect::<Vec<_>>())
    }

    fn is_near(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance
    }

    #[test]
    fn rings_with_pendants_match_the_document() {
        // exanest: 33/31 for 32 routers, 129/127 for 128, and 560/528 where routers are paired with themselves.
        assert!(is_near(mean(&pendant_ring(16)), 33.0 / 31.0, 1e-12));
        assert!(is_near(mean(&pendant_ring(64)), 129.0 / 127.0, 1e-12));
        let with_selves = PathDiversity::of(&pendant_ring(16)).unwrap().mean_with_selves();
        assert!(is_near(with_selves, 560.0 / 528.0, 1e-12));
    }

    #[test]
    fn published_networks_have_the_published_diversity() {
        // The values that the document prints.
        for (pick, expected) in published_networks::ALL.iter().zip([2.129, 33.032, 2.65, 14.0, 5.58, 16.35]) {
            let graph = published_networks::graph(pick);
            assert!(is_near(mean(&graph), expected, 5e-3), "{} instead of {expected}", mean(&graph));
            let all = PathDiversity::of(&graph);
            assert_eq!(PathCounting::default().measure(&graph, &published_networks::sources()), all);
            assert_eq!(Distances::of(&graph), all.map(|all| all.distances));
        }
    }

    #[test]
    fn parallel_cables_count_as_one_path() {
        assert!(is_near(mean(&Graph::of_links(3, &[[0, 1], [0, 1], [1, 2], [1, 2]])), 1.0, 0.0));
    }

    #[test]
    fn path_counts_saturate_at_the_greatest_float() {
        // 1,100 diamonds in series: 2^1100 paths from end to end.
        let links: Vec<[u32; 2]> = (0..1_100)
            .flat_map(|rhomb| {
                let [west, north, south, east] = [0, 1, 2, 3].map(|corner| 3 * rhomb + corner);
                [[west, north], [west, south], [north, east], [south, east]]
            })
            .collect();
        let diversity = PathDiversity::of(&Graph::of_links(3_301, &links)).unwrap();
        assert!(is_near(diversity.paths, f64::MAX, 0.0) && diversity.mean().is_finite());
    }

    proptest! {
        #[test]
        fn path_counts_match_walk_counts(topology in strategy::any_topology(9)) {
            let graph = Graph::of(&topology);
            let diversity = PathDiversity::of(&graph).unwrap();
            let (mut paths, mut distances) = (0.0, Distances::default());
            for &from in graph.terminals() {
                // The walks that arrive first are the shortest paths.
                let mut walks = vec![0.0; graph.node_count()];
                walks[from as usize] = 1.0;
                let mut has_come = vec![false; graph.node_count()];
                has_come[from as usize] = true;
                for length in 1..=graph.node_count() as u32 {
                    let mut longer = vec![0.0; graph.node_count()];
                    for node in (0..graph.node_count() as u32).filter(|&node| length == 1 || graph.routes(node)) {
                        for &neighbour in graph.neighbours(node) {
                            longer[neighbour as usize] += walks[node as usize];
                        }
                    }
                    walks = longer;
                    for &to in graph.terminals() {
                        if walks[to as usize] > 0.0 && !has_come[to as usize] {
                            has_come[to as usize] = true;
                            paths += walks[to as usize];
                            distances.add(length, 1);
                        }
                    }
                }
            }
            prop_assert!(is_near(diversity.paths, paths, 0.0));
            prop_assert_eq!(diversity.distances, distances);
        }

        #[test]
        fn node_numbers_do_not_matter(topology in strategy::any_topology(12).prop_flat_map(|topology| {
            (Just(topology.clone()), strategy::shuffled(topology))
        })) {
            let (plain, shuffled): (Topology, Topology) = topology;
            prop_assert_eq!(PathDiversity::of(&Graph::of(&plain)), PathDiversity::of(&Graph::of(&shuffled)));
        }
    }
}
