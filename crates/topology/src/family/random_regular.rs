//! Random regular graphs.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::connectivity::is_connected;
use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const RANDOM_REGULAR: Family = Family {
    name: "random-regular",
    aliases: &[],
    parameters: "NODES,DEGREE,SEED",
    example: "random-regular:16,4,1",
    about: "connected graph drawn at random among those of this degree",
    cayley: None,
    generate: |parameters| {
        let [nodes, degree, seed] = parameters.fields()?;
        Ok(random_regular(nodes.number()?, degree.number()?, seed.number()?)?)
    },
};

/// Number of switches per link: enough for the Markov chain to be independent of its start.
const SWITCHES_PER_LINK: usize = 10;

/// The largest number of links, for which the Markov chain takes a few seconds.
const MAX_LINKS: u64 = 1 << 20;

/// Samples a connected simple graph of this degree, nearly uniformly.
///
/// The same parameters give the same graph on every machine.
///
/// - Nodes: `nodes` terminals, named by their numbers.
/// - Channels: `nodes * degree`, by tail, then by head.
/// - Degree `degree`. The diameter is random.
///
/// Takes `O(nodes * degree * min(degree, nodes - degree))` time.
///
/// ```
/// let graph = lockstep_topology::random_regular(64, 4, 1)?;
/// assert_eq!((graph.node_count(), graph.channel_count()), (64, 256));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] if no such graph exists: a degree of `nodes` or more, an odd `nodes * degree`, or a
/// degree too small for a connected graph. The same error for more than 2^20 links.
///
/// # Source
///
/// The switch Markov chain of Cooper, Dyer, Greenhill, *Sampling regular graphs and a peer-to-peer network*,
/// Combinatorics, Probability and Computing 16 (2007). It starts at a circulant graph, makes 10 switches per link, and
/// repeats them until the graph is connected. A graph with more than half of all possible links is sampled as its
/// complement. Degree 2 is a cycle through the nodes in random order, which is exactly uniform.
pub fn random_regular(nodes: u32, degree: u32, seed: u64) -> Result<Topology, FamilyError> {
    let refuse = |parameter, value: u32, needs: String, nodes: u32, degree: u32| {
        let instead = format!("random-regular:{nodes},{degree},{seed}");
        RANDOM_REGULAR.unsupported(parameter, value, needs, instead)
    };
    if nodes < 2 {
        return Err(refuse("number of nodes", nodes, "2 or more".into(), 2, 1));
    }
    let least = if nodes == 2 { 1 } else { 2 };
    if degree < least || degree >= nodes {
        let needs = format!("{least} to {} for {nodes} nodes", nodes - 1);
        return Err(refuse("degree", degree, needs, nodes, degree.clamp(least, nodes - 1)));
    }
    if nodes % 2 == 1 && degree % 2 == 1 {
        // Both are odd, so the next degree is even and still less than the number of nodes.
        let needs = format!("an even degree for {nodes} nodes");
        return Err(refuse("degree", degree, needs, nodes, degree + 1));
    }
    let links = u64::from(nodes) * u64::from(degree) / 2;
    if links > MAX_LINKS {
        let needs = format!("{MAX_LINKS} or fewer");
        let instead = format!("random-regular:64,4,{seed}");
        return Err(RANDOM_REGULAR.unsupported("number of links", links, needs, instead));
    }
    let name = format!("random-regular:{nodes},{degree},{seed}");
    let mut network = TopologyBuilder::sized(name, nodes.into(), 2 * links)?;
    numbered_terminals(&mut network, nodes);
    let rng = ChaCha8Rng::seed_from_u64(seed);
    // A graph with more than half of all possible links is sampled as its complement, and is always connected.
    let dense = degree > (nodes - 1) / 2;
    let graph = match degree {
        _ if dense => RegularGraph::circulant(nodes, nodes - 1 - degree).switched(rng, |_| true),
        2 => RegularGraph::cycle(nodes, rng),
        _ => RegularGraph::circulant(nodes, degree).switched(rng, RegularGraph::is_connected),
    };
    for node in 0..nodes {
        let mut heads = graph.row(node).to_vec();
        if dense {
            heads = (0..nodes).filter(|head| *head != node && !graph.row(node).contains(head)).collect();
        }
        heads.sort_unstable();
        for head in heads {
            network.channel(NodeId::new(node), NodeId::new(head));
        }
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}

/// A simple regular graph.
struct RegularGraph {
    degree: usize,
    /// The neighbours of node `v` are the entries `v * degree..(v + 1) * degree`.
    neighbours: Vec<u32>,
}

impl RegularGraph {
    fn row(&self, node: u32) -> &[u32] {
        &self.neighbours[node as usize * self.degree..][..self.degree]
    }

    fn row_mut(&mut self, node: u32) -> &mut [u32] {
        &mut self.neighbours[node as usize * self.degree..][..self.degree]
    }

    /// Returns the cycle through the nodes in random order.
    fn cycle(nodes: u32, mut rng: ChaCha8Rng) -> Self {
        let mut order: Vec<u32> = (0..nodes).collect();
        for last in (1..nodes).rev() {
            order.swap(last as usize, rng.random_range(0..=last) as usize);
        }
        let mut neighbours = vec![0; 2 * order.len()];
        for (place, &node) in order.iter().enumerate() {
            let next = order[(place + 1) % order.len()];
            neighbours[2 * node as usize] = next;
            neighbours[2 * next as usize + 1] = node;
        }
        Self { degree: 2, neighbours }
    }

    /// Returns the circulant graph of chords `1, 2, …`. An odd degree adds the chord `nodes / 2`.
    fn circulant(nodes: u32, degree: u32) -> Self {
        let shifts = (1..=degree / 2).flat_map(|chord| [chord, nodes - chord]);
        let across = (degree % 2 == 1).then_some(nodes / 2);
        let shifts: Vec<u32> = shifts.chain(across).collect();
        let around = |node: u32| {
            shifts.iter().map(move |&shift| ((u64::from(node) + u64::from(shift)) % u64::from(nodes)) as u32)
        };
        Self { degree: degree as usize, neighbours: (0..nodes).flat_map(around).collect() }
    }

    /// Runs the Markov chain until `accepted` returns true.
    fn switched(mut self, mut rng: ChaCha8Rng, accepted: impl Fn(&Self) -> bool) -> Self {
        let switches = SWITCHES_PER_LINK * self.neighbours.len() / 2;
        loop {
            for _ in 0..switches {
                self.switch(&mut rng);
            }
            if accepted(&self) {
                return self;
            }
        }
    }

    /// Draws two directed links `u - v` and `x - y` and replaces them by `u - x` and `v - y`. Does nothing if that
    /// makes a loop or a parallel link.
    fn switch(&mut self, rng: &mut ChaCha8Rng) {
        let places = self.neighbours.len() as u32;
        let [first, second] = [(); 2].map(|()| rng.random_range(0..places) as usize);
        let (u, x) = ((first / self.degree) as u32, (second / self.degree) as u32);
        let (v, y) = (self.neighbours[first], self.neighbours[second]);
        if u == x || v == y || self.row(u).contains(&x) || self.row(v).contains(&y) {
            return;
        }
        self.replace(v, u, y);
        self.replace(y, x, v);
        self.neighbours[first] = x;
        self.neighbours[second] = u;
    }

    fn replace(&mut self, node: u32, old: u32, new: u32) {
        let place = self.row_mut(node).iter_mut().find(|neighbour| **neighbour == old);
        *place.expect("a link is in the rows of both of its ends") = new;
    }

    fn is_connected(&self) -> bool {
        is_connected(self.neighbours.len() / self.degree, |node| self.row(node))
    }
}
