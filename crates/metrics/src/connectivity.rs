//! How many cables a network can lose before it falls apart.

use lockstep_paths::{ArcId, FlowNetwork};
use serde::{Deserialize, Serialize};

use crate::{Distances, Graph};

/// The fewest channels whose loss keeps some terminal from reaching some other, and which these are.
///
/// Channels that lead from one side to the other are counted. Where all cables are full-duplex these are as many cables.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EdgeConnectivity {
    /// Number of channels; 0 if some terminal does not reach some other as it is.
    pub channels: u64,
    /// The terminal on the one side.
    pub source: u32,
    /// The terminal on the other side.
    pub target: u32,
    /// The nodes that the source still reaches, ascending.
    pub side: Vec<u32>,
}

/// Why a set of channels is not what [`EdgeConnectivity`] says.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CutError {
    /// A number that is no node of the network, or not in ascending order.
    #[error("the side names node {node}, which is not in ascending order or not in the network")]
    Side {
        /// The number.
        node: u32,
    },
    /// An end that is no terminal, or on the wrong side.
    #[error("node {node} is no terminal on its side of the cut")]
    End {
        /// The end.
        node: u32,
    },
    /// Another number of channels.
    #[error("{counted} channels lead out of the side, not {said}")]
    Channels {
        /// As the cut says.
        said: u64,
        /// As the network has it.
        counted: u64,
    },
}

impl EdgeConnectivity {
    /// The edge connectivity of a network, with a least cut; `None` if it has fewer than two terminals.
    ///
    /// Takes a maximum flow a terminal, `O(M sqrt M)` each for `M` channels, and two in directed networks; one an ordered pair
    /// where terminals that do not route have channels to several nodes.
    ///
    /// **Source**: Even and Tarjan, *Network flow and testing graph connectivity*, SIAM J. Comput. 4 (1975): whatever falls
    /// apart, a fixed terminal loses some other.
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
        let mut search = Search::new(graph);
        if graph.terminals().iter().all(|&terminal| search.passes(terminal)) {
            for &other in others {
                search.separate(fixed, other);
                if !graph.is_symmetric() {
                    search.separate(other, fixed);
                }
            }
        } else {
            // Nobody goes on from a terminal that does not route: each can lose another while a third reaches both.
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

    /// Confirms that the loss of these channels parts the two terminals, so that the connectivity is no greater.
    ///
    /// Counts anew, without any flow.
    ///
    /// # Errors
    ///
    /// What is wrong first: the side, its ends, the number.
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

/// Flows between terminals, and the least so far.
struct Search<'a> {
    graph: &'a Graph,
    flow: FlowNetwork,
    /// The node that each arc leaves, and how many channels it stands for.
    arcs: Vec<[u32; 2]>,
    /// No cut is smaller.
    least: u64,
    best: Option<EdgeConnectivity>,
}

impl<'a> Search<'a> {
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

    /// Whether it is no matter that a terminal does not route: what comes to it could only go back.
    fn passes(&self, terminal: u32) -> bool {
        self.graph.routes(terminal) || (self.graph.is_symmetric() && self.graph.neighbours(terminal).len() <= 1)
    }

    /// Cuts a source off a target.
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
    use crate::picks;

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
    fn no_pick_is_more_connected_than_its_least_router() {
        for pick in &picks::ALL {
            let graph = picks::graph(pick);
            let least = (0..32).map(|node| graph.out_degree(node)).min().unwrap();
            assert!(EdgeConnectivity::of(&graph).unwrap().channels <= u64::from(least));
        }
    }

    /// The fewest channels out of any set that holds some terminal and misses another; what is in the set and does not
    /// route, but for that terminal, passes nothing on.
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
        fn no_set_of_nodes_has_fewer_channels_out(topology in strategy::any_topology(8)) {
            let graph = Graph::of(&topology);
            let connectivity = EdgeConnectivity::of(&graph).unwrap();
            connectivity.check(&graph).unwrap();
            prop_assert_eq!(connectivity.channels, brute_force(&graph));
        }

        #[test]
        fn what_is_spoiled_is_refused(topology in strategy::any_topology(10), more in 1..9u64) {
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
