//! The loads of breadth-first broadcast.

use lockstep_topology::{NodeId, Topology};
use rayon::prelude::*;

use crate::graph::Graph;
use crate::sources::Sources;

/// The maximum number of nodes of a network, because of a table of all distances: 2 bytes per ordered pair of nodes.
pub const MAX_STAGE_NODES: usize = 1 << 14;

/// The maximum number of nodes from which channels enter one node, because of tables of all sets of them.
pub const MAX_PREDECESSORS: usize = 16;

/// The loads of an all-gather by breadth-first broadcast: in stage `t`, every node receives the messages of all nodes at
/// distance `t`, in parts from predecessors at distance `t - 1`.
///
/// The load of a stage is the greatest number of messages that a unit of capacity carries in it, if the parts are chosen
/// best. It is a fraction. A set `S` of predecessors of a node must bring it all messages that only they can bring, so the
/// load is the maximum of their number over the capacity from `S`, over all nodes and sets (Hall's theorem).
///
/// ```
/// use lockstep_metrics::StageLoads;
/// use lockstep_topology::Topology;
///
/// let cube: Topology = "hypercube:4".parse()?;
/// let loads = StageLoads::new(&cube)?;
/// assert_eq!(loads.loads(), [[1, 1], [3, 2], [1, 1], [1, 4]]);
/// assert_eq!(loads.total(), Some([15, 4]));
/// assert_eq!(loads.steps(1), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Zhao et al., *Efficient direct-connect topologies for collective communications*, NSDI (2025), with the maximum over
/// sets instead of a linear program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StageLoads {
    loads: Vec<[u64; 2]>,
}

/// The reason why a network has no breadth-first broadcast, or its loads are not computed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageLoadsError {
    /// Switches hold no messages.
    #[error(
        "breadth-first broadcast goes from terminal to terminal, but '{switch}' is a switch; choose a direct network"
    )]
    Switch {
        /// Name of a switch.
        switch: String,
    },
    /// Channels that share a resource.
    #[error("breadth-first broadcast needs full-duplex links, but channels share resources")]
    Shared,
    /// Two nodes without a path.
    #[error("no path leads from '{from}' to '{to}'; connect them")]
    Unreachable {
        /// Name of the first node.
        from: String,
        /// Name of the second node.
        to: String,
    },
    /// More nodes than [`MAX_STAGE_NODES`].
    #[error("the network has {nodes} nodes, more than {MAX_STAGE_NODES}; choose a smaller one")]
    TooManyNodes {
        /// Number of nodes.
        nodes: usize,
    },
    /// A node with more than [`MAX_PREDECESSORS`] predecessors.
    #[error(
        "channels from {predecessors} nodes enter '{node}', more than {MAX_PREDECESSORS}; choose a network of lower degree"
    )]
    TooManyPredecessors {
        /// Name of the node.
        node: String,
        /// Number of nodes.
        predecessors: usize,
    },
}

/// Marks a node that is not reached.
const UNREACHED: u16 = u16::MAX;

impl StageLoads {
    /// Computes the loads of all stages. Takes `O(N (M + D 2^d d))` time for `N` nodes with `d` predecessors each, `M`
    /// channels and diameter `D`, in parallel.
    ///
    /// # Errors
    ///
    /// [`StageLoadsError`], for the first node in the order of their numbers.
    pub fn new(topology: &Topology) -> Result<Self, StageLoadsError> {
        let nodes = topology.terminals();
        let name = |node: NodeId| topology.node_name(node).to_owned();
        if let Some(switch) = topology.nodes().find(|&node| !topology.is_terminal(node) && !topology.has_failed(node)) {
            return Err(StageLoadsError::Switch { switch: name(switch) });
        }
        if topology.resource_count() < topology.channel_count() {
            return Err(StageLoadsError::Shared);
        }
        let receivers: Vec<u32> = (0..nodes.len() as u32).collect();
        Self::at_receivers(&receivers, nodes.len(), arcs_of(topology), |rank| name(nodes[rank as usize]))
    }

    /// Computes the loads of all stages at these receivers, one per orbit of some symmetries. Then they are the loads of the
    /// whole graph. Every channel has capacity 1. Errors name nodes by their numbers.
    ///
    /// Takes `O(R d (M + D 2^d))` time for `R` receivers, at most that of [`new`](Self::new), in parallel.
    ///
    /// ```
    /// use lockstep_metrics::{Graph, Sources, StageLoads};
    /// use lockstep_topology::Topology;
    ///
    /// let kautz: Topology = "kautz:3,2".parse()?;
    /// let graph = Graph::of(&kautz);
    /// assert_eq!(StageLoads::of_graph(&graph, &Sources::all(&graph)), StageLoads::new(&kautz));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`StageLoadsError`], for the first node in the order of their numbers.
    pub fn of_graph(graph: &Graph, receivers: &Sources) -> Result<Self, StageLoadsError> {
        let nodes = graph.node_count();
        if let Some(switch) = (0..nodes as u32).find(|node| graph.terminals().binary_search(node).is_err()) {
            return Err(StageLoadsError::Switch { switch: switch.to_string() });
        }
        let arcs = (0..nodes as u32)
            .flat_map(|tail| graph.arcs(tail).map(move |(head, width)| Arc { tail, head, capacity: width.into() }));
        Self::at_receivers(&receivers.nodes, nodes, arcs, |node| node.to_string())
    }

    /// Computes the loads of the channels into one node. If all nodes of a network are alike (vertex-transitive), they are the
    /// loads of the network.
    ///
    /// `capacities` are those of the channels from its predecessors. `sources` has an entry for each other node: its distance
    /// to the node, and the set of predecessors that shortest paths from it lead through, one bit each. Takes
    /// `O(N + D 2^d d)` time.
    ///
    /// # Panics
    ///
    /// Panics if a distance is 0 or a set has other predecessors.
    ///
    /// ```
    /// use lockstep_metrics::StageLoads;
    ///
    /// // A ring of 5 nodes: two nodes on each side.
    /// let ring = StageLoads::at_node(&[1, 1], [(1, 0b01), (2, 0b01), (1, 0b10), (2, 0b10)]);
    /// assert_eq!(ring.loads(), [[1, 1], [1, 1]]);
    /// ```
    #[must_use]
    pub fn at_node(capacities: &[u64], sources: impl IntoIterator<Item = (usize, usize)>) -> Self {
        Self { loads: node_loads(capacities, sources.into_iter()).into_iter().map(lowest_terms).collect() }
    }

    /// Computes the loads of the channels into these receivers, of a graph with these arcs.
    fn at_receivers(
        receivers: &[u32],
        nodes: usize,
        arcs: impl Iterator<Item = Arc>,
        name: impl Fn(u32) -> String,
    ) -> Result<Self, StageLoadsError> {
        if nodes > MAX_STAGE_NODES {
            return Err(StageLoadsError::TooManyNodes { nodes });
        }
        let predecessors = predecessors(nodes, arcs);
        if let Some(&node) = receivers.iter().find(|&&node| predecessors[node as usize].len() > MAX_PREDECESSORS) {
            let predecessors = predecessors[node as usize].len();
            return Err(StageLoadsError::TooManyPredecessors { node: name(node), predecessors });
        }
        // The nodes to which distances are needed: receivers and their predecessors.
        let mut is_needed = vec![false; nodes];
        for &receiver in receivers {
            is_needed[receiver as usize] = true;
            for &(before, _) in &predecessors[receiver as usize] {
                is_needed[before as usize] = true;
            }
        }
        let needed: Vec<u32> = (0..nodes as u32).filter(|&node| is_needed[node as usize]).collect();
        let mut row = vec![0; nodes];
        for (place, &node) in needed.iter().enumerate() {
            row[node as usize] = place;
        }
        // By destination and source, so that the distances to one node lie together.
        let distances: Vec<u16> = needed.par_iter().flat_map_iter(|&to| distances_to(&predecessors, to)).collect();
        if let Some(place) = distances.iter().position(|&distance| distance == UNREACHED) {
            let [from, to] = [(place % nodes) as u32, needed[place / nodes]].map(name);
            return Err(StageLoadsError::Unreachable { from, to });
        }
        let row = |node: u32| &distances[row[node as usize] * nodes..][..nodes];
        let of_node = |&receiver: &u32| {
            let (via, capacities): (Vec<&[u16]>, Vec<u64>) =
                predecessors[receiver as usize].iter().map(|&(node, capacity)| (row(node), capacity)).unzip();
            let others = row(receiver).iter().enumerate().filter(|&(source, _)| source != receiver as usize);
            let sources = others.map(|(source, &distance)| {
                let leads = |(place, row): (usize, &&[u16])| usize::from(row[source] + 1 == distance) << place;
                (distance as usize, via.iter().enumerate().map(leads).sum::<usize>())
            });
            node_loads(&capacities, sources)
        };
        let larger = |mut most: Vec<[u64; 2]>, other: Vec<[u64; 2]>| {
            most.resize(most.len().max(other.len()), [0, 1]);
            for (most, other) in most.iter_mut().zip(other) {
                if is_less(*most, other) {
                    *most = other;
                }
            }
            most
        };
        let loads = receivers.par_iter().map(of_node).reduce(Vec::new, larger);
        Ok(Self { loads: loads.into_iter().map(lowest_terms).collect() })
    }

    /// Returns the load of each stage as a fraction in lowest terms. There are as many stages as the diameter.
    pub fn loads(&self) -> &[[u64; 2]] {
        &self.loads
    }

    /// Returns the sum of all loads in lowest terms: the steps per chunk, for many chunks. `None` if it does not fit.
    pub fn total(&self) -> Option<[u64; 2]> {
        self.loads.iter().try_fold([0, 1], |[sum, of], &[load, unit]| {
            let common = unit / greatest_common_divisor(of, unit);
            let sum = u64::checked_add(sum.checked_mul(common)?, load.checked_mul(of.checked_mul(common)? / unit)?)?;
            Some(lowest_terms([sum, of.checked_mul(common)?]))
        })
    }

    /// Returns the number of steps of width 1 for messages of a number of chunks: whole chunks in every stage.
    pub fn steps(&self, chunks: u32) -> u64 {
        let of_stage = |&[load, unit]: &[u64; 2]| (u128::from(load) * u128::from(chunks)).div_ceil(u128::from(unit));
        self.loads.iter().map(of_stage).sum::<u128>().try_into().unwrap_or(u64::MAX)
    }
}

/// Channels from one node to another.
struct Arc {
    tail: u32,
    head: u32,
    /// The capacity of the channels together.
    capacity: u64,
}

/// Returns the channels of a network of terminals, by the ranks of their ends.
fn arcs_of(topology: &Topology) -> impl Iterator<Item = Arc> {
    let rank = |node| topology.terminal_rank(node).expect("every working node is a terminal") as u32;
    topology.channels().map(move |channel| {
        let [tail, head] = [topology.tail(channel), topology.head(channel)].map(rank);
        Arc { tail, head, capacity: topology.capacity(channel).into() }
    })
}

/// Returns, by node, the nodes from which channels enter it, with the capacities of these channels together.
fn predecessors(nodes: usize, arcs: impl Iterator<Item = Arc>) -> Vec<Vec<(u32, u64)>> {
    let mut predecessors = vec![Vec::new(); nodes];
    for Arc { tail, head, capacity } in arcs {
        predecessors[head as usize].push((tail, capacity));
    }
    for from in &mut predecessors {
        from.sort_unstable();
        from.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            first.1 += if is_same { next.1 } else { 0 };
            is_same
        });
    }
    predecessors
}

/// Returns the distance from every node to one node.
fn distances_to(predecessors: &[Vec<(u32, u64)>], to: u32) -> Vec<u16> {
    let mut distance = vec![UNREACHED; predecessors.len()];
    let mut queue = vec![to];
    distance[to as usize] = 0;
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for &(before, _) in &predecessors[node as usize] {
            if distance[before as usize] == UNREACHED {
                distance[before as usize] = distance[node as usize] + 1;
                queue.push(before);
            }
        }
    }
    distance
}

/// Returns the loads of the channels into one node, from stage 1 on: see [`StageLoads::at_node`].
fn node_loads(capacities: &[u64], sources: impl Iterator<Item = (usize, usize)>) -> Vec<[u64; 2]> {
    let sets = 1 << capacities.len();
    // By stage and set of predecessors: the messages that exactly these can bring.
    let mut messages: Vec<u64> = Vec::new();
    for (distance, set) in sources {
        if messages.len() < distance * sets {
            messages.resize(distance * sets, 0);
        }
        messages[(distance - 1) * sets..][..sets][set] += 1;
    }
    let mut capacity = vec![0; sets];
    for set in 1..sets {
        let first = set.trailing_zeros() as usize;
        capacity[set] = capacity[set & (set - 1)] + capacities[first];
    }
    messages
        .chunks_exact_mut(sets)
        .map(|messages| {
            // Afterwards, the messages that only these predecessors can bring.
            for place in 0..capacities.len() {
                for set in (0..sets).filter(|set| set >> place & 1 == 1) {
                    messages[set] += messages[set ^ (1 << place)];
                }
            }
            let loads = messages.iter().zip(&capacity).skip(1).map(|(&messages, &capacity)| [messages, capacity]);
            loads.fold([0, 1], |most, load| if is_less(most, load) { load } else { most })
        })
        .collect()
}

/// Returns true if the first fraction is less than the second one.
fn is_less([a, b]: [u64; 2], [c, d]: [u64; 2]) -> bool {
    u128::from(a) * u128::from(d) < u128::from(c) * u128::from(b)
}

fn lowest_terms([numerator, denominator]: [u64; 2]) -> [u64; 2] {
    let common = greatest_common_divisor(numerator, denominator);
    [numerator / common, denominator / common]
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{TopologyBuilder, strategy};
    use proptest::prelude::*;

    use super::*;

    fn network(nodes: u32, channels: impl IntoIterator<Item = (u32, u32)>) -> Topology {
        let mut network = TopologyBuilder::new("network");
        for node in 0..nodes {
            network.terminal(node.to_string());
        }
        for (tail, head) in channels.into_iter().filter(|(tail, head)| tail != head) {
            network.channel(NodeId::new(tail), NodeId::new(head));
        }
        network.build().unwrap()
    }

    fn both_ways(nodes: u32, links: impl IntoIterator<Item = (u32, u32)>) -> Topology {
        network(nodes, links.into_iter().flat_map(|(u, v)| [(u, v), (v, u)]))
    }

    fn hoffman_singleton() -> Topology {
        let pentagons = (0..25).map(|node| (node, node / 5 * 5 + (node + 1) % 5));
        let pentagrams = (0..25).map(|node| (25 + node, 25 + node / 5 * 5 + (node + 2) % 5));
        let between = (0..5)
            .flat_map(|h| (0..5).flat_map(move |i| (0..5).map(move |j| (5 * h + j, 25 + 5 * i + (h * i + j) % 5))));
        both_ways(50, pentagons.chain(pentagrams).chain(between))
    }

    /// The sums of loads of the literature, recomputed by the linear program of the source.
    #[test]
    fn loads_are_those_of_the_literature() {
        let spec = |spec: &str| spec.parse::<Topology>().unwrap();
        let heawood =
            both_ways(14, (0..14).map(|node| (node, (node + 1) % 14)).chain((0..7).map(|k| (2 * k, (2 * k + 5) % 14))));
        let cases = [
            (spec("hypercube:3"), 3, [7, 3]),
            (spec("hypercube:4"), 4, [15, 4]),
            (spec("hypercube:6"), 6, [21, 2]),
            (spec("hypercube:10"), 10, [1023, 10]),
            (spec("ring:8"), 4, [7, 2]),
            (spec("torus:4x4"), 4, [15, 4]),
            (spec("torus:4x6"), 5, [23, 4]),
            (spec("torus:3x5"), 3, [7, 2]),
            (spec("torus:8x8"), 8, [63, 4]),
            (spec("torus:32x32"), 32, [1023, 4]),
            (spec("torus:3x3x3"), 3, [13, 3]),
            (spec("torus:3x3x2"), 3, [17, 5]),
            (spec("mesh:4x4"), 6, [15, 2]),
            (spec("complete:4"), 1, [1, 1]),
            (spec("expand:3,complete:2"), 2, [5, 3]),
            (spec("expand:4,complete:2"), 2, [7, 4]),
            (strategy::petersen(), 2, [3, 1]),
            (heawood, 3, [13, 3]),
            (hoffman_singleton(), 2, [7, 1]),
            (spec("circulant:11,2,3"), 2, [5, 2]),
            (spec("circulant:16,3,4"), 3, [15, 4]),
            (spec("line:1,complete:3"), 2, [3, 1]),
            (spec("line:2,complete:3"), 3, [7, 1]),
            (spec("line:1,complete:4"), 2, [4, 1]),
            (spec("line:1,circulant:16,3,4"), 4, [16, 1]),
            (spec("line:3,circulant:16,3,4"), 6, [261, 1]),
            (spec("generalised-kautz:2,8"), 3, [7, 1]),
            (spec("generalised-kautz:3,10"), 3, [9, 2]),
            (spec("generalised-kautz:4,12"), 2, [5, 1]),
            (spec("generalised-kautz:4,1024"), 5, [341, 1]),
            (spec("power:2,product:circulant-digraph:4,1*circulant-digraph:8,1"), 20, [1023, 4]),
            (spec("line:2,power:2,circulant-digraph:8,1,3"), 8, [256, 1]),
            (spec("power:2,metacyclic:16,2,7,2,3"), 12, [1023, 4]),
            (spec("line:3,metacyclic:8,2,7,3,4,9,14"), 5, [277, 1]),
        ];
        for (topology, stages, total) in cases {
            let loads = StageLoads::new(&topology).unwrap();
            assert_eq!((loads.loads().len(), loads.total()), (stages, Some(total)), "{}", topology.name());
        }
        let of = |topology: &Topology| StageLoads::new(topology).unwrap().loads().to_vec();
        assert_eq!(of(&spec("generalised-kautz:4,1024")), [[1, 1], [4, 1], [16, 1], [64, 1], [256, 1]]);
        assert_eq!(of(&spec("torus:8x8")), [[1, 1], [2, 1], [3, 1], [7, 2], [3, 1], [2, 1], [1, 1], [1, 4]]);
    }

    /// The literature states the number of stages and the sum of the loads after an expansion. Its figures are upper bounds,
    /// which full-duplex networks of optimal bandwidth attain.
    #[test]
    fn expansions_have_the_loads_of_the_literature_or_less() {
        let measured = |spec: &str| {
            let loads = StageLoads::new(&spec.parse().unwrap()).unwrap();
            (loads.loads().len(), loads.total().unwrap())
        };
        let exact = "complete:3 complete:5 ring:5 ring:8 circulant:11,2,3 circulant:16,3,4 hypercube:3 torus:4x3
            expand:3,complete:2";
        let others = "circulant-digraph:5,1 circulant-digraph:8,1,3 kautz:2,2 kautz:3,2 generalised-kautz:2,6
            metacyclic:8,2,3,3,6 metacyclic:8,2,7,3,4,9,14";
        let bases = exact
            .split_whitespace()
            .map(|base| (base, true))
            .chain(others.split_whitespace().map(|base| (base, false)));
        for (base, is_exact) in bases {
            let network: Topology = base.parse().unwrap();
            let [order, degree] =
                [network.node_count(), network.channel_count() / network.node_count()].map(|n| n as u64);
            let (stages, [sum, unit]) = measured(base);
            let check = |expansion: &str, most_stages: usize, most: [u64; 2]| {
                let spec = format!("{expansion},{base}");
                let (stages, total) = measured(&spec);
                if is_exact {
                    assert_eq!((stages, total), (most_stages, lowest_terms(most)), "{spec}");
                }
                assert!(stages <= most_stages && !is_less(most, total), "{spec}: {stages} stages, {total:?}");
            };
            // A one-way ring is its own line graph.
            if degree > 1 {
                check("line:1", stages + 1, [degree * sum + unit, unit]);
            }
            // The copies of a node are two channels apart if links are full duplex.
            let most_stages = if is_exact { stages.max(2) } else { stages + 1 };
            check("expand:3", most_stages, [sum * 3 * degree + 2 * unit, 3 * degree * unit]);
            for exponent in [2, 3].into_iter().filter(|&exponent| order.pow(exponent) <= 1100) {
                let most = [sum * (order.pow(exponent) - 1), unit * u64::from(exponent) * (order - 1)];
                check(&format!("power:{exponent}"), stages * exponent as usize, most);
            }
        }
        // Some are less: the power of a network that is not of optimal bandwidth is.
        assert_eq!(measured("metacyclic:8,2,7,3,4,9,14"), (2, [4, 1]));
        assert_eq!(measured("power:2,metacyclic:8,2,7,3,4,9,14"), (4, [255, 8]));
        // Products of networks of optimal bandwidth have optimal bandwidth.
        for (product, stages, total) in [
            ("product:ring:8*circulant:11,2,3", 6, [29, 2]),
            ("product:circulant-digraph:4,1*complete:4", 4, [15, 4]),
            ("product:expand:3,complete:2*ring:5*circulant-digraph:8,1,3", 7, [239, 7]),
        ] {
            assert_eq!(measured(product), (stages, total), "{product}");
        }
    }

    #[test]
    fn networks_without_a_breadth_first_broadcast_are_refused() {
        let message = |spec: &str| StageLoads::new(&spec.parse().unwrap()).unwrap_err().to_string();
        assert!(message("omega:8").contains("'s0.0' is a switch"));
        assert!(message("complete:18").contains("channels from 17 nodes enter '0'"));
        let one_way = StageLoads::new(&network(3, [(0, 1), (1, 2)])).unwrap_err().to_string();
        assert_eq!(one_way, "no path leads from '1' to '0'; connect them");
        let half_duplex = StageLoads::new(&"ring:4".parse::<Topology>().unwrap().half_duplex());
        assert_eq!(half_duplex, Err(StageLoadsError::Shared));
    }

    proptest! {
        #[test]
        fn capacities_count_like_parallel_channels(topology in strategy::connected_topology(8).prop_flat_map(|topology| strategy::with_capacities(topology, 4))) {
            let (parallel, _) = strategy::with_parallel_channels(&topology);
            prop_assert_eq!(StageLoads::new(&topology), StageLoads::new(&parallel));
        }

        #[test]
        fn no_node_receives_faster_than_its_channels(topology in strategy::connected_topology(9)) {
            let loads = StageLoads::new(&topology).unwrap();
            let graph = Graph::of(&topology);
            prop_assert_eq!(StageLoads::of_graph(&graph, &Sources::all(&graph)), Ok(loads.clone()));
            let least = topology.terminals().iter().map(|&node| topology.in_channels(node).len()).min().unwrap();
            let [sum, of] = loads.total().unwrap();
            prop_assert!(sum * least as u64 >= of * (topology.terminal_count() as u64 - 1));
            prop_assert!(loads.steps(1) >= loads.loads().len() as u64);
        }
    }
}
