//! How many shortest paths can be used at once.

use lockstep_paths::FlowNetwork;

use crate::diversity::NONE;
use crate::{Graph, PathCounting, Sources};

/// What two shortest paths of a pair may not share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disjointness {
    /// A channel. Each of several parallel channels serves a path of its own.
    Edges,
    /// An inner node. The direct way between neighbours is one path, however many channels it has.
    Nodes,
}

/// The mean, over ordered pairs of terminals, of the largest number of disjoint shortest paths; `None` if one of the sources
/// does not reach some terminal, 0 if there is no pair.
///
/// Only nodes that route are inner nodes. Takes a maximum flow a pair among the channels that lead away from its source,
/// `O(D M)` time for `D` paths in a graph of `M` entries; memory for one such flow.
///
/// **Source**: Menger, *Zur allgemeinen Kurventheorie*, Fundamenta Mathematicae 10 (1927), on the shortest paths alone.
///
/// ```
/// use lockstep_metrics::{Disjointness, Graph, Sources, disjoint_shortest_paths};
/// use lockstep_topology::Topology;
///
/// // Nodes of a hypercube at distance d have d disjoint shortest paths: 3, 3 and 1 nodes at distances 1, 2 and 3.
/// let cube: Topology = "hypercube:3".parse()?;
/// let graph = Graph::of(&cube);
/// let mean = disjoint_shortest_paths(&graph, &Sources::all(&graph), Disjointness::Nodes);
/// assert_eq!(mean, Some(12.0 / 7.0));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn disjoint_shortest_paths(graph: &Graph, sources: &Sources, disjointness: Disjointness) -> Option<f64> {
    let mut search = PathCounting::default();
    let mut network = Layers::new(graph, disjointness);
    let (mut paths, mut pairs) = (0, 0);
    for (source, share) in sources.iter() {
        search.search(graph, source);
        for &target in graph.terminals().iter().filter(|&&target| target != source) {
            if search.distance[target as usize] == NONE {
                return None;
            }
            paths += u64::from(share) * network.paths(graph, &search.distance, source, target);
            pairs += u64::from(share);
        }
    }
    Some(paths as f64 / pairs.max(1) as f64)
}

/// The flow network of a graph, of which a pair finds open what leads farther from its source.
struct Layers {
    flow: FlowNetwork,
    arcs: Vec<Arc>,
    /// Flow comes in at a node's number and leaves it at that and this.
    exit: usize,
}

/// A channel or parallel ones, or where tail and head are one, the way through that node.
#[derive(Clone, Copy)]
struct Arc {
    tail: u32,
    head: u32,
    capacity: u32,
}

impl Layers {
    fn new(graph: &Graph, disjointness: Disjointness) -> Self {
        let nodes = 0..graph.node_count() as u32;
        let channels = |most: u32| {
            nodes.clone().flat_map(move |tail| {
                graph.arcs(tail).map(move |(head, width)| Arc { tail, head, capacity: width.min(most) })
            })
        };
        let (arcs, exit): (Vec<Arc>, usize) = match disjointness {
            Disjointness::Edges => (channels(u32::MAX).collect(), 0),
            Disjointness::Nodes => {
                let through = nodes.clone().map(|node| Arc { tail: node, head: node, capacity: 1 });
                (through.chain(channels(1)).collect(), graph.node_count())
            }
        };
        let mut flow = FlowNetwork::new(graph.node_count() + exit);
        for &Arc { tail, head, .. } in &arcs {
            let [tail, head] = [tail as usize, head as usize];
            if tail == head {
                flow.arc(tail, exit + tail, 0)
            } else {
                flow.arc(exit + tail, head, 0)
            };
        }
        Self { flow, arcs, exit }
    }

    /// The number of disjoint paths to a target that `distance` from the source gives.
    fn paths(&mut self, graph: &Graph, distance: &[u32], source: u32, target: u32) -> u64 {
        let farthest = distance[target as usize];
        let arcs = &self.arcs;
        self.flow.reset(|arc| {
            let Arc { tail, head, capacity } = arcs[arc.index()];
            let [near, far] = [tail, head].map(|node| distance[node as usize]);
            let is_step = near < farthest && far == near + 1 && (tail == source || graph.routes(tail));
            if tail == head || is_step { capacity } else { 0 }
        });
        self.flow.maximise(self.exit + source as usize, target as usize)
    }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{Topology, strategy};
    use proptest::prelude::*;

    use super::*;
    use crate::{Distances, PathDiversity, picks};

    fn mean(graph: &Graph, disjointness: Disjointness) -> Option<f64> {
        disjoint_shortest_paths(graph, &Sources::all(graph), disjointness)
    }

    fn of(spec: &str, disjointness: Disjointness) -> f64 {
        mean(&Graph::of(&spec.parse::<Topology>().unwrap()), disjointness).unwrap()
    }

    #[test]
    fn closed_formulas_hold() {
        for disjointness in [Disjointness::Edges, Disjointness::Nodes] {
            let is = |spec: &str, expected: f64| (of(spec, disjointness) - expected).abs() < 1e-12;
            // Two ways to the opposite node of an even ring, one to all others.
            assert!(is("ring:16", 16.0 / 15.0) && is("ring:15", 1.0));
            // d disjoint paths at distance d, of which a hypercube has the same mean as of its distances.
            let distances = Distances::of(&Graph::of(&"hypercube:5".parse::<Topology>().unwrap())).unwrap();
            assert!(is("hypercube:5", distances.mean()));
            // A host has one channel.
            assert!(is("fat-tree:2,3", 1.0));
        }
    }

    #[test]
    fn parallel_cables_serve_a_path_each() {
        let graph = Graph::of_links(2, &[[0, 1], [0, 1], [1, 0]]);
        assert_eq!(mean(&graph, Disjointness::Edges), Some(3.0));
        assert_eq!(mean(&graph, Disjointness::Nodes), Some(1.0));
    }

    #[test]
    fn paths_may_meet_in_a_node_but_not_in_a_channel() {
        // Two rhombs in a row.
        let graph = Graph::of_links(7, &[[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [3, 5], [4, 6], [5, 6]]);
        let distance = [0, 1, 1, 2, 3, 3, 4];
        assert_eq!(Layers::new(&graph, Disjointness::Edges).paths(&graph, &distance, 0, 6), 2);
        assert_eq!(Layers::new(&graph, Disjointness::Nodes).paths(&graph, &distance, 0, 6), 1);
    }

    #[test]
    fn a_network_in_parts_has_no_mean() {
        assert_eq!(mean(&Graph::of_links(3, &[[0, 1]]), Disjointness::Edges), None);
        assert_eq!(mean(&Graph::of_links(1, &[]), Disjointness::Nodes), Some(0.0));
    }

    #[test]
    fn the_routers_of_a_chassis_stand_for_all() {
        for pick in &picks::ALL {
            let graph = picks::graph(pick);
            for disjointness in [Disjointness::Edges, Disjointness::Nodes] {
                let some = disjoint_shortest_paths(&graph, &picks::sources(), disjointness).unwrap();
                assert!((some - mean(&graph, disjointness).unwrap()).abs() < 1e-12);
            }
        }
    }

    /// Whether there are so many paths among these, as node lists, of which no two share an inner node.
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

    /// All shortest paths from the last node of `path` to `target`, in front of which is `path`.
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
        fn node_disjoint_paths_are_as_many_as_can_be_chosen(topology in strategy::any_topology(8)) {
            let graph = Graph::of(&topology);
            let mut search = PathCounting::default();
            let mut layers = Layers::new(&graph, Disjointness::Nodes);
            for &source in graph.terminals() {
                search.search(&graph, source);
                for &target in graph.terminals().iter().filter(|&&target| target != source) {
                    let mut found = Vec::new();
                    shortest(&graph, &search.distance, target, &mut vec![source], &mut found);
                    let paths = layers.paths(&graph, &search.distance, source, target) as usize;
                    prop_assert!(has_disjoint(&found, paths, &mut Vec::new()));
                    prop_assert!(paths == found.len() || !has_disjoint(&found, paths + 1, &mut Vec::new()));
                }
            }
        }

        #[test]
        fn disjoint_paths_are_not_more_than_all(topology in strategy::connected_topology(14)) {
            let graph = Graph::of(&topology);
            let all = PathDiversity::of(&graph).unwrap().mean();
            let [edges, nodes] = [Disjointness::Edges, Disjointness::Nodes].map(|kind| mean(&graph, kind).unwrap());
            prop_assert!(1.0 <= nodes && nodes <= edges && edges <= all);
        }
    }
}
