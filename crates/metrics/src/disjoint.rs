//! Disjoint shortest paths.

use lockstep_paths::FlowNetwork;

use crate::diversity::{NONE, PathCounting};
use crate::graph::Graph;
use crate::sources::Sources;

/// What two disjoint paths must not share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disjointness {
    /// A channel. Parallel channels can serve different paths.
    Edges,
    /// An inner node. Parallel channels between neighbours are one path.
    Nodes,
}

/// Computes the mean, over ordered pairs of terminals, of the maximum number of disjoint shortest paths.
///
/// Returns `None` if a source cannot reach a terminal, and 0 if there is no pair. Paths lead only through forwarding
/// nodes. One maximum flow per pair: O(D M) for `D` disjoint paths among `M` channels of shortest paths.
///
/// # Source
///
/// Menger, *Zur allgemeinen Kurventheorie*, Fundamenta Mathematicae 10, 1927, applied to the shortest paths.
///
/// ```
/// use lockstep_metrics::{Disjointness, Graph, Sources, disjoint_shortest_paths};
/// use lockstep_topology::Topology;
///
/// // In a hypercube, nodes at distance d have d disjoint shortest paths.
/// let cube: Topology = "hypercube:3".parse()?;
/// let graph = Graph::of(&cube);
/// let mean = disjoint_shortest_paths(&graph, &Sources::all(&graph), Disjointness::Nodes);
/// assert_eq!(mean, Some(12.0 / 7.0));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn disjoint_shortest_paths(graph: &Graph, sources: &Sources, disjointness: Disjointness) -> Option<f64> {
    let mut search = PathCounting::default();
    let mut network = ShortestPathNetwork::new(graph, disjointness);
    let (mut paths, mut pairs) = (0, 0);
    for (source, share) in sources.iter() {
        search.search(graph, source);
        for &target in graph.terminals().iter().filter(|&&target| target != source) {
            if search.distance[target as usize] == NONE {
                return None;
            }
            paths += u64::from(share) * network.max_disjoint(&search.distance, source, target);
            pairs += u64::from(share);
        }
    }
    Some(paths as f64 / pairs.max(1) as f64)
}

/// The flow network of the shortest paths of one pair at a time.
struct ShortestPathNetwork {
    /// The reversed graph. Paths are collected from the target, because few nodes are on any shortest path.
    back: Graph,
    disjointness: Disjointness,
    /// Nodes on the shortest paths, starting with the target.
    nodes: Vec<u32>,
    /// Index of each node in `nodes`, or `NONE`.
    place: Vec<u32>,
    /// Tail and head as indices in `nodes`, and width.
    arcs: Vec<[u32; 3]>,
}

impl ShortestPathNetwork {
    fn new(graph: &Graph, disjointness: Disjointness) -> Self {
        let place = vec![NONE; graph.node_count()];
        Self { back: graph.reversed(), disjointness, nodes: Vec::new(), place, arcs: Vec::new() }
    }

    /// Returns the maximum number of disjoint shortest paths. `distance` holds the distances from the source.
    fn max_disjoint(&mut self, distance: &[u32], source: u32, target: u32) -> u64 {
        self.collect(distance, source, target);
        // Vertex splitting: flow enters a node at its index and leaves it at its index plus `exit`.
        let (exit, most) = match self.disjointness {
            Disjointness::Edges => (0, u32::MAX),
            Disjointness::Nodes => (self.nodes.len(), 1),
        };
        let mut flow = FlowNetwork::new(self.nodes.len() + exit);
        if exit > 0 {
            (0..exit).for_each(|place| _ = flow.add_arc(place, exit + place, 1));
        }
        for &[tail, head, width] in &self.arcs {
            flow.add_arc(exit + tail as usize, head as usize, width.min(most));
        }
        flow.max_flow(exit + self.place[source as usize] as usize, 0)
    }

    /// Collects the nodes and arcs of all shortest paths.
    fn collect(&mut self, distance: &[u32], source: u32, target: u32) {
        for node in self.nodes.drain(..) {
            self.place[node as usize] = NONE;
        }
        self.arcs.clear();
        self.nodes.push(target);
        self.place[target as usize] = 0;
        let mut next = 0;
        while let Some(&node) = self.nodes.get(next) {
            for (tail, width) in self.back.arcs(node) {
                let is_nearer = distance[tail as usize].checked_add(1) == Some(distance[node as usize]);
                if is_nearer && (tail == source || self.back.routes(tail)) {
                    if self.place[tail as usize] == NONE {
                        self.place[tail as usize] = self.nodes.len() as u32;
                        self.nodes.push(tail);
                    }
                    self.arcs.push([self.place[tail as usize], next as u32, width]);
                }
            }
            next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{Topology, strategy};
    use proptest::prelude::*;

    use super::*;
    use crate::{Distances, PathDiversity, published_networks};

    fn mean(graph: &Graph, disjointness: Disjointness) -> Option<f64> {
        disjoint_shortest_paths(graph, &Sources::all(graph), disjointness)
    }

    fn of(spec: &str, disjointness: Disjointness) -> f64 {
        mean(&Graph::of(&spec.parse::<Topology>().unwrap()), disjointness).unwrap()
    }

    #[test]
    fn disjoint_paths_match_closed_formulas() {
        for disjointness in [Disjointness::Edges, Disjointness::Nodes] {
            let is = |spec: &str, expected: f64| (of(spec, disjointness) - expected).abs() < 1e-12;
            // Two paths to the opposite node of an even ring, one to all others.
            assert!(is("ring:16", 16.0 / 15.0) && is("ring:15", 1.0));
            // d disjoint paths at distance d, of which a hypercube has the same mean as of its distances.
            let distances = Distances::of(&Graph::of(&"hypercube:5".parse::<Topology>().unwrap())).unwrap();
            assert!(is("hypercube:5", distances.mean()));
            // A host has one channel.
            assert!(is("fat-tree:2,3", 1.0));
        }
    }

    #[test]
    fn parallel_cables_are_edge_disjoint() {
        let graph = Graph::of_links(2, &[[0, 1], [0, 1], [1, 0]]);
        assert_eq!(mean(&graph, Disjointness::Edges), Some(3.0));
        assert_eq!(mean(&graph, Disjointness::Nodes), Some(1.0));
    }

    #[test]
    fn edge_disjoint_paths_may_share_a_node() {
        // Two diamonds in series.
        let graph = Graph::of_links(7, &[[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [3, 5], [4, 6], [5, 6]]);
        let distance = [0, 1, 1, 2, 3, 3, 4];
        assert_eq!(ShortestPathNetwork::new(&graph, Disjointness::Edges).max_disjoint(&distance, 0, 6), 2);
        assert_eq!(ShortestPathNetwork::new(&graph, Disjointness::Nodes).max_disjoint(&distance, 0, 6), 1);
    }

    #[test]
    fn a_disconnected_network_has_no_mean() {
        assert_eq!(mean(&Graph::of_links(3, &[[0, 1]]), Disjointness::Edges), None);
        assert_eq!(mean(&Graph::of_links(1, &[]), Disjointness::Nodes), Some(0.0));
    }

    #[test]
    fn the_routers_of_one_chassis_represent_all() {
        for pick in &published_networks::ALL {
            let graph = published_networks::graph(pick);
            for disjointness in [Disjointness::Edges, Disjointness::Nodes] {
                let some = disjoint_shortest_paths(&graph, &published_networks::sources(), disjointness).unwrap();
                assert!((some - mean(&graph, disjointness).unwrap()).abs() < 1e-12);
            }
        }
    }

    /// Returns true if this number of paths, given as node lists, are pairwise disjoint in inner nodes.
    fn has_disjoint(paths: &[Vec<u32>], count: usize, used: &mut Vec<u32>) -> bool {
        if count == 0 {
            return true;
        }
        let Some((first, others)) = paths.split_first() else { return false };
        let inner = &first[1..first.len() - 1];
        if !inner.iter().any(|node| used.contains(node)) {
            used.extend(inner);
            if has_disjoint(others, count - 1, used) {
                return true;
            }
            used.truncate(used.len() - inner.len());
        }
        has_disjoint(others, count, used)
    }

    /// Appends all shortest paths to `target` that start with `path`.
    fn shortest(graph: &Graph, distance: &[u32], target: u32, path: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
        let last = path[path.len() - 1];
        if last == target {
            return found.push(path.clone());
        }
        if path.len() > 1 && !graph.routes(last) {
            return;
        }
        for &next in graph.neighbours(last) {
            if distance[next as usize] == distance[last as usize] + 1 && next != path[0] {
                path.push(next);
                shortest(graph, distance, target, path, found);
                path.pop();
            }
        }
    }

    proptest! {
        #[test]
        fn node_disjoint_paths_match_brute_force(topology in strategy::any_topology(8)) {
            let graph = Graph::of(&topology);
            let mut search = PathCounting::default();
            let mut network = ShortestPathNetwork::new(&graph, Disjointness::Nodes);
            for &source in graph.terminals() {
                search.search(&graph, source);
                for &target in graph.terminals().iter().filter(|&&target| target != source) {
                    let mut found = Vec::new();
                    shortest(&graph, &search.distance, target, &mut vec![source], &mut found);
                    let paths = network.max_disjoint(&search.distance, source, target) as usize;
                    prop_assert!(has_disjoint(&found, paths, &mut Vec::new()));
                    prop_assert!(paths == found.len() || !has_disjoint(&found, paths + 1, &mut Vec::new()));
                }
            }
        }

        #[test]
        fn disjoint_paths_are_at_most_all_shortest_paths(topology in strategy::connected_topology(14)) {
            let graph = Graph::of(&topology);
            let all = PathDiversity::of(&graph).unwrap().mean();
            let [edges, nodes] = [Disjointness::Edges, Disjointness::Nodes].map(|kind| mean(&graph, kind).unwrap());
            prop_assert!(1.0 <= nodes && nodes <= edges && edges <= all);
        }
    }
}
