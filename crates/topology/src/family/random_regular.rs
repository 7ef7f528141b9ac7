//! Random regular graphs.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Family, FamilyError, numbered_terminals};
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const RANDOM_REGULAR: Family = Family {
    name: "random-regular",
    parameters: "NODES,DEGREE,SEED",
    example: "random-regular:16,4,1",
    about: "connected graph drawn at random among those of this degree",
    cayley: None,
    generate: |parameters| {
        let [nodes, degree, seed] = parameters.fields()?;
        Ok(random_regular(nodes.number()?, degree.number()?, seed.number()?)?)
    },
};

/// Switches tried for every link of the graph: enough for the walk to forget where it began.
const SWITCHES_PER_LINK: usize = 10;

/// The walk takes a few seconds at this number of links.
const MAX_LINKS: u64 = 1 << 20;

/// A connected graph without parallel links, drawn nearly uniformly among those where every node has this degree.
///
/// The same three numbers give the same graph on every machine. Nodes are named by their numbers; the channels that
/// leave a node go by ascending neighbour. Takes time in proportion to `nodes * degree * min(degree, nodes - degree)`.
///
/// ```
/// let jellyfish = lockstep_topology::random_regular(64, 4, 1)?;
/// assert_eq!((jellyfish.node_count(), jellyfish.channel_count()), (64, 256));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: the switch chain of Cooper, Dyer, Greenhill, *Sampling regular graphs and a peer-to-peer network*,
/// Combinatorics, Probability and Computing 16 (2007), from a circulant graph, 10 switches a link and as many again until
/// the graph is connected. A graph of more than half of all links is drawn as its complement. Degree 2 is a cycle
/// through the nodes in random order, which is exactly uniform.
///
/// # Errors
///
/// [`FamilyError::Parameter`] if there is no connected graph: a degree of `nodes` or more, an odd `nodes * degree`, or a
/// degree that connects fewer nodes; also for more than 2^20 links.
pub fn random_regular(nodes: u32, degree: u32, seed: u64) -> Result<Topology, FamilyError> {
    let refuse = |parameter, value: u32, needs: String, nodes: u32, degree: u32| {
        let instead = format!("random-regular:{nodes},{degree},{seed}");
        FamilyError::parameter(&RANDOM_REGULAR, parameter, value, needs, instead)
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
        // An odd degree below an odd number of nodes leaves an even one above it.
        let needs = format!("an even degree for {nodes} nodes");
        return Err(refuse("degree", degree, needs, nodes, degree + 1));
    }
    let links = u64::from(nodes) * u64::from(degree) / 2;
    if links > MAX_LINKS {
        let needs = format!("{MAX_LINKS} or fewer");
        let instead = format!("random-regular:64,4,{seed}");
        return Err(FamilyError::parameter(&RANDOM_REGULAR, "number of links", links, needs, instead));
    }
    let name = format!("random-regular:{nodes},{degree},{seed}");
    let mut network = TopologyBuilder::sized(name, nodes.into(), 2 * links)?;
    numbered_terminals(&mut network, nodes);
    let rng = ChaCha8Rng::seed_from_u64(seed);
    // Of more than half of all possible links, the missing ones are drawn; such a graph is always connected.
    let dense = degree > (nodes - 1) / 2;
    let graph = match degree {
        _ if dense => Graph::circulant(nodes, nodes - 1 - degree).switched(rng, |_| true),
        2 => Graph::cycle(nodes, rng),
        _ => Graph::circulant(nodes, degree).switched(rng, Graph::is_connected),
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

/// A regular graph without parallel links: the neighbours of node `v` in places `v * degree` and on.
struct Graph {
    degree: usize,
    neighbours: Vec<u32>,
}

impl Graph {
    fn row(&self, node: u32) -> &[u32] {
        &self.neighbours[node as usize * self.degree..][..self.degree]
    }

    fn row_mut(&mut self, node: u32) -> &mut [u32] {
        &mut self.neighbours[node as usize * self.degree..][..self.degree]
    }

    /// The cycle through the nodes in random order.
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

    /// The circulant graph of chords `1, 2, …`, with the chord across if the degree is odd.
    fn circulant(nodes: u32, degree: u32) -> Self {
        let shifts = (1..=degree / 2).flat_map(|chord| [chord, nodes - chord]);
        let across = (degree % 2 == 1).then_some(nodes / 2);
        let shifts: Vec<u32> = shifts.chain(across).collect();
        let around = |node: u32| {
            shifts.iter().map(move |&shift| ((u64::from(node) + u64::from(shift)) % u64::from(nodes)) as u32)
        };
        Self { degree: degree as usize, neighbours: (0..nodes).flat_map(around).collect() }
    }

    /// The graph after a random walk that ends at one that is accepted.
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

    /// Draws two links `u - v` and `x - y` with their directions, and makes them `u - x` and `v - y` if neither these
    /// nor a loop were there.
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
        *place.expect("links stand in the rows of both ends") = new;
    }

    fn is_connected(&self) -> bool {
        let mut reached = vec![false; self.neighbours.len() / self.degree];
        let mut waiting = vec![0];
        let mut count = 1;
        reached[0] = true;
        while let Some(node) = waiting.pop() {
            for &neighbour in self.row(node) {
                if !std::mem::replace(&mut reached[neighbour as usize], true) {
                    count += 1;
                    waiting.push(neighbour);
                }
            }
        }
        count == reached.len()
    }
}
