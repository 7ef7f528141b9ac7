//! The graph that all metrics run on.

use std::borrow::Cow;

use lockstep_topology::Topology;

/// A directed graph with weighted arcs: the working channels of a network, its terminals and its forwarding nodes.
///
/// Nodes have the numbers of the topology. Parallel channels are one arc, whose width is their number. Neighbours are
/// in ascending order. Takes 8 bytes per arc and 9 bytes per node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// Index of the first arc of each node, followed by the number of arcs.
    start: Vec<u32>,
    neighbour: Vec<u32>,
    width: Vec<u32>,
    terminals: Vec<u32>,
    routes: Vec<bool>,
    is_symmetric: bool,
}

impl Graph {
    /// Creates the graph of the working channels of a topology. O(N + M log M) for `N` nodes and `M` channels.
    pub fn of(topology: &Topology) -> Self {
        let arcs: Vec<[u32; 2]> = topology
            .channels()
            .map(|channel| [topology.tail(channel), topology.head(channel)].map(|node| node.index() as u32))
            .collect();
        let mut graph = Self::default();
        graph.fill(topology.node_count(), || arcs.iter().copied());
        graph.terminals = topology.terminals().iter().map(|terminal| terminal.index() as u32).collect();
        graph.routes = topology.nodes().map(|node| topology.routes(node)).collect();
        graph.is_symmetric = graph.links_back();
        graph
    }

    /// Creates a graph of full-duplex links between `node_count` nodes. All nodes are terminals and forward.
    ///
    /// # Panics
    ///
    /// Panics if a link ends at a node that does not exist.
    pub fn of_links(node_count: usize, links: &[[u32; 2]]) -> Self {
        let mut graph = Self::default();
        graph.set_links(node_count, links);
        graph
    }

    /// Replaces the graph by that of [`of_links`](Self::of_links), and reuses the memory.
    ///
    /// # Panics
    ///
    /// Panics if a link ends at a node that does not exist.
    pub fn set_links(&mut self, node_count: usize, links: &[[u32; 2]]) {
        self.fill(node_count, || links.iter().flat_map(|&[a, b]| [[a, b], [b, a]]));
        self.terminals.clear();
        self.terminals.extend(0..node_count as u32);
        self.routes.clear();
        self.routes.resize(node_count, true);
        self.is_symmetric = true;
    }

    /// Returns the undirected graph: the cables of the network. Two opposite channels share one cable.
    ///
    /// The width between two nodes is the larger one of the two directions.
    #[must_use]
    pub fn undirected(&self) -> Self {
        if self.is_symmetric {
            return self.clone();
        }
        let arcs: Vec<[u32; 2]> = (0..self.node_count() as u32)
            .flat_map(|node| {
                self.arcs(node).flat_map(move |(neighbour, width)| {
                    let back = self.width_between(neighbour, node);
                    let more = if width > back || (width == back && node < neighbour) { width } else { 0 };
                    (0..more).flat_map(move |_| [[node, neighbour], [neighbour, node]])
                })
            })
            .collect();
        let mut graph = Self { terminals: self.terminals.clone(), routes: self.routes.clone(), ..Self::default() };
        graph.fill(self.node_count(), || arcs.iter().copied());
        graph.is_symmetric = true;
        graph
    }

    /// Returns the graph with all widths 1.
    pub fn simple(&self) -> Cow<'_, Self> {
        if self.width.iter().all(|&width| width == 1) {
            return Cow::Borrowed(self);
        }
        let mut graph = self.clone();
        graph.width.fill(1);
        graph.is_symmetric = graph.links_back();
        Cow::Owned(graph)
    }

    /// Returns the graph with all arcs reversed.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut graph = self.clone();
        if !self.is_symmetric {
            let back =
                |node| self.arcs(node).flat_map(move |(neighbour, width)| (0..width).map(move |_| [neighbour, node]));
            graph.fill(self.node_count(), || (0..self.node_count() as u32).flat_map(back));
        }
        graph
    }

    /// Sorts arcs by tail and head, and merges parallel arcs.
    fn fill<Arcs: Iterator<Item = [u32; 2]>>(&mut self, node_count: usize, arcs: impl Fn() -> Arcs) {
        // Twice a stable bucket sort: by head into `neighbour`, whose tails are in `width`, then by tail.
        self.start.clear();
        self.start.resize(node_count + 1, 0);
        for [tail, _] in arcs() {
            self.start[tail as usize + 1] += 1;
        }
        for node in 0..node_count {
            self.start[node + 1] += self.start[node];
        }
        self.neighbour.clear();
        self.neighbour.resize(self.start[node_count] as usize, 0);
        for [tail, head] in arcs() {
            assert!((head as usize) < node_count, "an arc ends at node {head} of {node_count}");
            let place = &mut self.start[tail as usize];
            self.neighbour[*place as usize] = head;
            *place += 1;
        }
        // Each start is now the end of its row.
        self.width.clear();
        let (mut kept, mut row_start) = (0, 0);
        for node in 0..node_count {
            let row_end = self.start[node] as usize;
            self.start[node] = kept as u32;
            self.neighbour[row_start..row_end].sort_unstable();
            let row = kept;
            for place in row_start..row_end {
                let neighbour = self.neighbour[place];
                if kept > row && self.neighbour[kept - 1] == neighbour {
                    self.width[kept - 1] += 1;
                } else {
                    self.neighbour[kept] = neighbour;
                    self.width.push(1);
                    kept += 1;
                }
            }
            row_start = row_end;
        }
        self.start[node_count] = kept as u32;
        self.neighbour.truncate(kept);
    }

    /// Returns true if each arc has an opposite arc of the same width.
    fn links_back(&self) -> bool {
        (0..self.node_count() as u32)
            .all(|node| self.arcs(node).all(|(neighbour, width)| self.width_between(neighbour, node) == width))
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.routes.len()
    }

    /// Returns the number of arcs: ordered pairs of adjacent nodes.
    pub fn arc_count(&self) -> usize {
        self.neighbour.len()
    }

    /// Returns the heads of the arcs of `node`, in ascending order.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbour[self.row(node)]
    }

    /// Returns the number of channels to each of the [`neighbours`](Self::neighbours).
    pub fn widths(&self, node: u32) -> &[u32] {
        &self.width[self.row(node)]
    }

    /// Returns the neighbours of a node with the number of channels to each.
    pub fn arcs(&self, node: u32) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone + '_ {
        self.neighbours(node).iter().copied().zip(self.widths(node).iter().copied())
    }

    /// Returns the indices of the arcs of a node.
    pub fn row(&self, node: u32) -> std::ops::Range<usize> {
        self.start[node as usize] as usize..self.start[node as usize + 1] as usize
    }

    /// Returns the index of the arc from `tail` to `head`. O(log degree).
    pub fn arc_between(&self, tail: u32, head: u32) -> Option<usize> {
        self.neighbours(tail).binary_search(&head).ok().map(|place| self.row(tail).start + place)
    }

    /// Returns the number of channels from `tail` to `head`. O(log degree).
    pub fn width_between(&self, tail: u32, head: u32) -> u32 {
        self.arc_between(tail, head).map_or(0, |arc| self.width[arc])
    }

    /// Returns the number of outgoing channels of a node, including parallel ones.
    pub fn out_degree(&self, node: u32) -> u32 {
        self.widths(node).iter().sum()
    }

    /// Returns the greatest in- or out-degree, including parallel channels: the ports that a node needs. O(M) for `M`
    /// arcs.
    ///
    /// ```
    /// use lockstep_metrics::Graph;
    ///
    /// let graph = Graph::of_links(3, &[[0, 1], [0, 1], [1, 2]]);
    /// assert_eq!((graph.out_degree(0), graph.greatest_degree()), (2, 3));
    /// ```
    pub fn greatest_degree(&self) -> u32 {
        let out = self.greatest_out_degree();
        if self.is_symmetric { out } else { out.max(self.reversed().greatest_out_degree()) }
    }

    fn greatest_out_degree(&self) -> u32 {
        (0..self.node_count() as u32).map(|node| self.out_degree(node)).max().unwrap_or(0)
    }

    /// Returns the terminals, in ascending order.
    pub fn terminals(&self) -> &[u32] {
        &self.terminals
    }

    /// Returns true if the node forwards, so that paths may lead through it.
    pub fn routes(&self, node: u32) -> bool {
        self.routes[node as usize]
    }

    /// Returns true if each arc has an opposite arc of the same width.
    pub fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{Topology, strategy};
    use proptest::prelude::*;

    use super::Graph;

    #[test]
    fn parallel_links_are_one_arc_with_a_width() {
        let graph = Graph::of_links(3, &[[0, 2], [1, 0], [2, 0]]);
        assert_eq!(graph.neighbours(0), [1, 2]);
        assert_eq!(graph.widths(0), [1, 2]);
        assert_eq!(graph.arcs(2).collect::<Vec<_>>(), [(0, 2)]);
        assert_eq!(graph.width_between(1, 2), 0);
    }

    #[test]
    fn a_simple_graph_has_no_widths() {
        let doubled = Graph::of_links(3, &[[0, 2], [1, 0], [2, 0]]);
        let simple = Graph::of_links(3, &[[0, 2], [1, 0]]);
        assert_eq!(*doubled.simple(), simple);
        assert_eq!(*simple.simple(), simple);
    }

    #[test]
    fn an_earlier_network_does_not_affect_a_graph() {
        let mut graph = Graph::of(&"fat-tree:2,3".parse::<Topology>().unwrap());
        graph.set_links(2, &[[0, 1]]);
        assert_eq!(graph, Graph::of_links(2, &[[0, 1]]));
    }

    #[test]
    fn opposite_channels_share_a_cable() {
        let kautz: Topology = "kautz:2,2".parse().unwrap();
        let graph = Graph::of(&kautz);
        assert!(!graph.is_symmetric());
        let cables = graph.undirected();
        assert!(cables.is_symmetric() && cables == cables.undirected());
        for a in 0..6 {
            for b in 0..6 {
                let both = graph.width_between(a, b).max(graph.width_between(b, a));
                assert_eq!(cables.width_between(a, b), both);
            }
        }
    }

    proptest! {
        #[test]
        fn greatest_degree_bounds_all_nodes(topology in strategy::any_topology(12)) {
            let ports = |node| topology.out_channels(node).len().max(topology.in_channels(node).len());
            let most = topology.nodes().map(ports).max().unwrap();
            prop_assert_eq!(Graph::of(&topology).greatest_degree() as usize, most);
        }

        #[test]
        fn a_reversed_graph_has_the_opposite_arcs(topology in strategy::any_topology(12)) {
            let graph = Graph::of(&topology);
            prop_assert_eq!(graph.reversed(), Graph::of(&topology.reversed()));
            prop_assert_eq!(graph.reversed().reversed(), graph);
        }

        #[test]
        fn rows_are_sorted_and_contain_all_working_channels(topology in strategy::any_topology(12)) {
            let graph = Graph::of(&topology);
            prop_assert_eq!(graph.node_count(), topology.node_count());
            for node in topology.nodes() {
                let row = graph.neighbours(node.index() as u32);
                prop_assert!(row.is_sorted_by(|a, b| a < b));
                prop_assert_eq!(graph.routes(node.index() as u32), topology.routes(node));
                for &neighbour in row {
                    let leads = |&&channel: &&_| topology.head(channel).index() as u32 == neighbour;
                    let count = topology.out_channels(node).iter().filter(leads).count();
                    prop_assert_eq!(count as u32, graph.width_between(node.index() as u32, neighbour));
                }
            }
            let total: u32 = topology.nodes().map(|node| graph.out_degree(node.index() as u32)).sum();
            prop_assert_eq!(total as usize, topology.channel_count());
        }
    }
}
