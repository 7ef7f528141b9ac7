//! Edge connectivity of the terminals.

use lockstep_paths::{ArcId, FlowNetwork};
use serde::{Deserialize, Serialize};

use crate::distances::Distances;
use crate::graph::Graph;

/// The edge connectivity of the terminals: the size of a minimum cut between two terminals, and such a cut.
///
/// Only channels from the source side to the target side count. With full-duplex links, each is one cable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EdgeConnectivity {
    /// Number of channels of the cut; 0 if some terminal cannot reach another.
    pub channels: u64,
    /// The terminal on the source side.
    pub source: u32,
    /// The terminal on the target side.
    pub target: u32,
    /// The nodes of the source side, in ascending order.
    pub side: Vec<u32>,
}

/// Why an [`EdgeConnectivity`] is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CutError {
    /// A node of the side does not exist or is not in ascending order.
    #[error("the side names node {node}, which is not in ascending order or not in the network")]
    Side {
        /// The node.
        node: u32,
    },
    /// An end is not a terminal or is on the wrong side.
    #[error("node {node} is not a terminal on its side of the cut")]
    End {
        /// The end.
        node: u32,
    },
    /// The number of channels is wrong.
    #[error("{counted} channels leave the side, not {said}")]
    Channels {
        /// The claimed number.
        said: u64,
        /// The counted number.
        counted: u64,
    },
}

impl EdgeConnectivity {
    /// Computes the edge connectivity of a network with a minimum cut, or `None` for fewer than two terminals.
    ///
    /// One maximum flow per terminal, O(M sqrt M) each for `M` channels, and two in directed networks. One per ordered
    /// pair if a terminal that does not forward has several neighbours.
    ///
    /// # Source
    ///
    /// Even and Tarjan, *Network flow and testing graph connectivity*, SIAM Journal on Computing 4, 1975: each cut
    /// separates a fixed terminal from another.
    ///
    /// ```
    /// use lockstep_metrics::{EdgeConnectivity, Graph};
    /// use lockstep_topology::Topology;
    ///
    /// let torus: Topology = "torus:4x4".parse()?;
    /// let graph = Graph::of(&torus);
    /// let connectivity = EdgeConnectivity::of(&graph).expect("sixteen terminals");
    /// assert_eq!(connectivity.channels, 4);
    /// connectivity.check(&graph)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(graph: &Graph) -> Option<Self> {
        let &[fixed, ref others @ ..] = graph.terminals() else { return None };
        let mut search = MinCutSearch::new(graph);
        if graph.terminals().iter().all(|&terminal| search.passes(terminal)) {
            for &other in others {
                search.separate(fixed, other);
                if !graph.is_symmetric() {
                    search.separate(other, fixed);
                }
            }
        } else {
            // A terminal that does not forward connects no others, so all ordered pairs are needed.
            for &source in graph.terminals() {
                graph
                    .terminals()
                    .iter()
                    .filter(|&&target| target != source)
                    .for_each(|&target| search.separate(source, target));
            }
        }
        search.best
    }

    /// Verifies that the cut separates its two terminals, which proves that the connectivity is not greater. O(M).
    ///
    /// # Errors
    ///
    /// Returns the first [`CutError`]: the side, its ends, the number of channels.
    pub fn check(&self, graph: &Graph) -> Result<(), CutError> {
        let mut is_inside = vec![false; graph.node_count()];
        let mut next = 0;
        for &node in &self.side {
            let place = is_inside.get_mut(node as usize).filter(|_| node >= next).ok_or(CutError::Side { node })?;
            *place = true;
            next = node + 1;
        }
        for (node, is_right) in [(self.source, true), (self.target, false)] {
            if graph.terminals().binary_search(&node).is_err() || is_inside[node as usize] != is_right {
                return Err(CutError::End { node });
            }
        }
        let leaving = |&node: &u32| graph.arcs(node).filter(|&(head, _)| !is_inside[head as usize]);
        let open = self.side.iter().filter(|&&node| node == self.source || graph.routes(node));
        let counted = open.flat_map(leaving).map(|(_, width)| u64::from(width)).sum();
        if counted == self.channels { Ok(()) } else { Err(CutError::Channels { said: self.channels, counted }) }
    }
}

/// Minimum cuts between terminals, and the smallest one so far.
struct MinCutSearch<'a> {
    graph: &'a Graph,
    flow: FlowNetwork,
    /// Tail and width of each arc.
    arcs: Vec<[u32; 2]>,
    /// A lower bound on all cuts.
    least: u64,
    best: Option<EdgeConnectivity>,
}

impl<'a> MinCutSearch<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut flow = FlowNetwork::new(graph.node_count());
        let mut arcs = Vec::with_capacity(graph.arc_count());
        for tail in 0..graph.node_count() as u32 {
            for (head, width) in graph.arcs(tail) {
                flow.add_arc(tail as usize, head as usize, 0);
                arcs.push([tail, width]);
            }
        }
        let least = u64::from(Distances::of(graph).is_some());
        Self { graph, flow, arcs, least, best: None }
    }

    /// Returns true if the terminal forwards or has only one neighbour, so that forwarding makes no difference.
    fn passes(&self, terminal: u32) -> bool {
        self.graph.routes(terminal) || (self.graph.is_symmetric() && self.graph.neighbours(terminal).len() <= 1)
    }

    /// Computes a minimum cut between a source and a target.
    fn separate(&mut self, source: u32, target: u32) {
        if self.best.as_ref().is_some_and(|best| best.channels <= self.least) {
            return;
        }
        let (graph, arcs) = (self.graph, &self.arcs);
        self.flow.reset(|arc: ArcId| {
            let [tail, width] = arcs[arc.index()];
            if tail == source || graph.routes(tail) { width } else { 0 }
        });
        let channels = self.flow.max_flow(source as usize, target as usize);
        if self.best.as_ref().is_none_or(|best| channels < best.channels) {
            let side =
                (0..graph.node_count() as u32).filter(|&node| self.flow.is_on_source_side(node as usize)).collect();
            self.best = Some(EdgeConnectivity { channels, source, target, side });
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{Topology, strategy};
    use proptest::prelude::*;

    use super::*;
    use crate::published_networks;

    fn of(spec: &str) -> u64 {
        let graph = Graph::of(&spec.parse::<Topology>().unwrap());
        let connectivity = EdgeConnectivity::of(&graph).unwrap();
        connectivity.check(&graph).unwrap();
        connectivity.channels
    }

    #[test]
    fn symmetric_networks_lose_a_node_first() {
        // An edge-transitive graph, and every vertex-transitive one, has the connectivity of its degree (Mader 1971).
        for (spec, degree) in
            [("ring:9", 2), ("torus:3x4x5", 6), ("hypercube:5", 5), ("complete:7", 6), ("kautz:3,2", 3), ("star:6", 1)]
        {
            assert_eq!(of(spec), degree, "{spec}");
        }
        assert_eq!([of("fat-tree:2,3"), of("clos:3,3,4")], [1, 1]);
    }

    #[test]
    fn parallel_cables_have_to_be_cut_all() {
        let graph = Graph::of_links(3, &[[0, 1], [0, 1], [1, 2], [1, 2], [1, 2]]);
        assert_eq!(EdgeConnectivity::of(&graph).unwrap().channels, 2);
        assert_eq!(EdgeConnectivity::of(&Graph::of_links(1, &[])), None);
    }

    #[test]
    fn two_hosts_can_lose_each_other_while_a_third_reaches_both() {
        // Two switches that only the first host is on both of.
        let mut network = lockstep_topology::TopologyBuilder::new("dual-homed");
        let hosts = ["a", "b", "c"].map(|name| network.terminal(name));
        for host in [1, 2] {
            let switch = network.switch(format!("s{host}"));
            network.link(hosts[0], switch);
            network.link(hosts[host], switch);
        }
        let graph = Graph::of(&network.build().unwrap());
        let connectivity = EdgeConnectivity::of(&graph).unwrap();
        assert_eq!((connectivity.channels, connectivity.source), (0, 1));
        connectivity.check(&graph).unwrap();
    }

    #[test]
    fn published_networks_are_connected_like_their_least_router() {
        for pick in &published_networks::ALL {
            let graph = published_networks::graph(pick);
            let least = (0..32).map(|node| graph.out_degree(node)).min().unwrap();
            assert!(EdgeConnectivity::of(&graph).unwrap().channels <= u64::from(least));
        }
    }

    /// Returns the smallest cut between two terminals by brute force over all node sets.
    fn brute_force(graph: &Graph) -> u64 {
        let nodes = graph.node_count();
        (0..1u32 << nodes)
            .flat_map(|set| graph.terminals().iter().map(move |&source| (set, source)))
            .filter(|&(set, source)| {
                set >> source & 1 == 1 && graph.terminals().iter().any(|&target| set >> target & 1 == 0)
            })
            .map(|(set, source)| {
                (0..nodes as u32)
                    .filter(|&node| set >> node & 1 == 1 && (node == source || graph.routes(node)))
                    .flat_map(|node| graph.arcs(node))
                    .filter(|&(head, _)| set >> head & 1 == 0)
                    .map(|(_, width)| u64::from(width))
                    .sum()
            })
            .min()
            .unwrap()
    }

    proptest! {
        #[test]
        fn connectivity_matches_brute_force(topology in strategy::any_topology(8)) {
            let graph = Graph::of(&topology);
            let connectivity = EdgeConnectivity::of(&graph).unwrap();
            connectivity.check(&graph).unwrap();
            prop_assert_eq!(connectivity.channels, brute_force(&graph));
        }

        #[test]
        fn invalid_cuts_are_refused(topology in strategy::any_topology(10), more in 1..9u64) {
            let graph = Graph::of(&topology);
            let right = EdgeConnectivity::of(&graph).unwrap();
            let spoiled = [
                EdgeConnectivity { channels: right.channels + more, ..right.clone() },
                EdgeConnectivity { source: right.target, ..right.clone() },
                EdgeConnectivity { target: right.source, ..right.clone() },
                EdgeConnectivity { target: graph.node_count() as u32, ..right.clone() },
                EdgeConnectivity { side: Vec::new(), ..right.clone() },
                EdgeConnectivity { side: (0..graph.node_count() as u32).collect(), ..right.clone() },
                EdgeConnectivity { side: [right.side.clone(), right.side.clone()].concat(), ..right.clone() },
                EdgeConnectivity { side: vec![u32::MAX], ..right.clone() },
            ];
            for spoiled in spoiled {
                prop_assert!(spoiled.check(&graph).is_err(), "{:?}", spoiled);
            }
        }
    }
}
