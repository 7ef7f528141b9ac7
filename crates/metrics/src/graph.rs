//! What the measures see of a network.

use std::borrow::Cow;

use lockstep_topology::Topology;

/// Which nodes of a network are joined, and by how many channels; who counts, and who passes things on.
///
/// Nodes are numbered from 0, as in the topology. Parallel channels are one entry with a width. A row of neighbours ascends.
/// Memory: 8 bytes an entry and 9 bytes a node; [`set_links`](Self::set_links) uses it again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// Where each node's row starts, and the end of the last.
    start: Vec<u32>,
    neighbour: Vec<u32>,
    width: Vec<u32>,
    terminals: Vec<u32>,
    routes: Vec<bool>,
    is_symmetric: bool,
}

impl Graph {
    /// The graph of the working channels of a topology.
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

    /// A graph of full-duplex links between `node_count` nodes that are all terminals and all route.
    ///
    /// # Panics
    ///
    /// If a link ends at no node.
    pub fn of_links(node_count: usize, links: &[[u32; 2]]) -> Self {
        let mut graph = Self::default();
        graph.set_links(node_count, links);
        graph
    }

    /// Makes it the graph that [`of_links`](Self::of_links) returns, in the memory it has.
    ///
    /// # Panics
    ///
    /// If a link ends at no node.
    pub fn set_links(&mut self, node_count: usize, links: &[[u32; 2]]) {
        self.fill(node_count, || links.iter().flat_map(|&[a, b]| [[a, b], [b, a]]));
        self.terminals.clear();
        self.terminals.extend(0..node_count as u32);
        self.routes.clear();
        self.routes.resize(node_count, true);
        self.is_symmetric = true;
    }

    /// The same nodes, joined both ways wherever they are joined at all, as widely as the wider way.
    ///
    /// These are the cables of the network: two opposite channels share one.
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

    /// The same nodes, joined once wherever they are joined.
    pub fn simple(&self) -> Cow<'_, Self> {
        if self.width.iter().all(|&width| width == 1) {
            return Cow::Borrowed(self);
        }
        let mut graph = self.clone();
        graph.width.fill(1);
        graph.is_symmetric = graph.links_back();
        Cow::Owned(graph)
    }

    /// The same nodes with every channel turned round.
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

    /// Groups arcs by tail, ascending, and merges the parallel ones.
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
        // Every start is now the end of its row.
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

    fn links_back(&self) -> bool {
        (0..self.node_count() as u32)
            .all(|node| self.arcs(node).all(|(neighbour, width)| self.width_between(neighbour, node) == width))
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.routes.len()
    }

    /// Number of ordered pairs of nodes that are joined.
    pub fn arc_count(&self) -> usize {
        self.neighbour.len()
    }

    /// The nodes that channels of `node` lead to, ascending, each once.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbour[self.row(node)]
    }

    /// How many channels lead to each of [`neighbours`](Self::neighbours).
    pub fn widths(&self, node: u32) -> &[u32] {
        &self.width[self.row(node)]
    }

    /// The neighbours of a node with the number of channels to each.
    pub fn arcs(&self, node: u32) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone + '_ {
        self.neighbours(node).iter().copied().zip(self.widths(node).iter().copied())
    }

    /// Where the row of a node lies in a table by arc.
    pub fn row(&self, node: u32) -> std::ops::Range<usize> {
        self.start[node as usize] as usize..self.start[node as usize + 1] as usize
    }

    /// Where the channels from `tail` to `head` lie in a table by arc.
    pub fn arc_between(&self, tail: u32, head: u32) -> Option<usize> {
        self.neighbours(tail).binary_search(&head).ok().map(|place| self.row(tail).start + place)
    }

    /// Number of channels from `tail` to `head`.
    pub fn width_between(&self, tail: u32, head: u32) -> u32 {
        self.arc_between(tail, head).map_or(0, |arc| self.width[arc])
    }

    /// Number of channels that leave a node, parallel ones counted: its cables, where every channel has its opposite.
    pub fn out_degree(&self, node: u32) -> u32 {
        self.widths(node).iter().sum()
    }

    /// The most ports that a node needs: the greatest number of channels that leave it, or come to it, parallel ones counted; 0 if
    /// there are none.
    ///
    /// Terminals and switches alike. Where every channel has its opposite, these are cables. Takes `O(M)` time for `M` entries.
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

    /// The nodes that send and receive, ascending: what the measures speak of.
    pub fn terminals(&self) -> &[u32] {
        &self.terminals
    }

    /// Whether paths may lead through a node.
    pub fn routes(&self, node: u32) -> bool {
        self.routes[node as usize]
    }

    /// Whether every channel has its opposite.
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
    fn parallel_links_are_one_entry_with_a_width() {
        let graph = Graph::of_links(3, &[[0, 2], [1, 0], [2, 0]]);
        assert_eq!(graph.neighbours(0), [1, 2]);
        assert_eq!(graph.widths(0), [1, 2]);
        assert_eq!(graph.arcs(2).collect::<Vec<_>>(), [(0, 2)]);
        assert_eq!(graph.width_between(1, 2), 0);
    }

    #[test]
    fn a_simple_graph_forgets_widths() {
        let doubled = Graph::of_links(3, &[[0, 2], [1, 0], [2, 0]]);
        let simple = Graph::of_links(3, &[[0, 2], [1, 0]]);
        assert_eq!(*doubled.simple(), simple);
        assert_eq!(*simple.simple(), simple);
    }

    #[test]
    fn memory_of_another_network_leaves_no_trace() {
        let mut graph = Graph::of(&"fat-tree:2,3".parse::<Topology>().unwrap());
        graph.set_links(2, &[[0, 1]]);
        assert_eq!(graph, Graph::of_links(2, &[[0, 1]]));
    }

    #[test]
    fn a_cable_carries_both_ways_or_one() {
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
        fn no_node_needs_more_ports_than_the_greatest_degree(topology in strategy::any_topology(12)) {
            let ports = |node| topology.out_channels(node).len().max(topology.in_channels(node).len());
            let most = topology.nodes().map(ports).max().unwrap();
            prop_assert_eq!(Graph::of(&topology).greatest_degree() as usize, most);
        }

        #[test]
        fn a_reversed_graph_leads_back(topology in strategy::any_topology(12)) {
            let graph = Graph::of(&topology);
            prop_assert_eq!(graph.reversed(), Graph::of(&topology.reversed()));
            prop_assert_eq!(graph.reversed().reversed(), graph);
        }

        #[test]
        fn rows_ascend_and_hold_every_working_channel(topology in strategy::any_topology(12)) {
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
