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
        let mut distances = vec![UNREACHED; needed.len() * nodes];
        distances
            .par_chunks_exact_mut(nodes)
            .zip(&needed)
            .for_each(|(distances, &to)| fill_distances(&predecessors, to, distances));
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

/// Sets the distance from every node to one node. All are [`UNREACHED`] before.
fn fill_distances(predecessors: &[Vec<(u32, u64)>], to: u32, distance: &mut [u16]) {
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
    messages.chunks_exact_mut(sets).map(|messages| stage_load(messages, &capacity)).collect()
}

/// Returns the load of one stage, from the number of messages that exactly the predecessors of each set can bring, and from
/// the capacity of each set.
fn stage_load(messages: &mut [u64], capacity: &[u64]) -> [u64; 2] {
    // Groups of predecessors that no message joins are independent: one of them has the greatest load.
    let mut groups: Vec<usize> = Vec::new();
    for set in (1..messages.len()).filter(|&set| messages[set] > 0) {
        let joined = groups.extract_if(.., |group| *group & set != 0).fold(set, |joined, group| joined | group);
        groups.push(joined);
    }
    let mut most = [0, 1];
    for group in groups {
        // Afterwards, the messages that only the predecessors of a set can bring.
        let mut rest = group;
        while rest > 0 {
            let place = rest & rest.wrapping_neg();
            rest ^= place;
            for set in subsets(group ^ place) {
                messages[set | place] += messages[set];
            }
        }
        for set in subsets(group) {
            let load = [messages[set], capacity[set]];
            if is_less(most, load) {
                most = load;
            }
        }
    }
    most
}

/// Returns all subsets of a set but the empty one, as bits.
fn subsets(set: usize) -> impl Iterator<Item = usize> {
    let non_empty = |subset: &usize| *subset > 0;
    std::iter::successors(Some(set).filter(non_empty), move |subset| Some((subset - 1) & set).filter(non_empty))
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
mod tests;
