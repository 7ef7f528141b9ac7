//! Jellyfish networks.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::connectivity::is_connected;
use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const JELLYFISH: Family = Family {
    name: "jellyfish",
    aliases: &[],
    parameters: "ROUTERS,PORTS,SEED",
    example: "jellyfish:32,4,1",
    about: "random graph that grows link by link, then breaks links to use the last ports",
    cayley: None,
    generate: |parameters| {
        let [routers, ports, seed] = parameters.fields()?;
        Ok(jellyfish(routers.number()?, ports.number()?, seed.number()?)?)
    },
};

/// The smallest number of ports. Large networks with fewer ports are rarely connected.
const MIN_PORTS: u32 = 3;

/// The largest number of links, which takes a few seconds.
const MAX_LINKS: u64 = 1 << 20;

/// Samples a connected Jellyfish network of routers with `ports` ports for links to other routers.
///
/// There are no parallel links. All ports are used, except for one if `routers * ports` is odd. The same parameters
/// give the same network on every machine.
///
/// - Nodes: `routers` terminals, which all route, named by their numbers.
/// - Channels: `routers * ports`, or one less if that is odd, by tail, then by head.
/// - Degree `ports`. The diameter is random.
///
/// Takes `O(routers * ports^2)` time.
///
/// ```
/// let jellyfish = lockstep_topology::jellyfish(32, 5, 1)?;
/// assert_eq!((jellyfish.node_count(), jellyfish.channel_count()), (32, 160));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for fewer than 4 routers, fewer than 3 ports, `routers` ports or more, and more than 2^20
/// links.
///
/// # Source
///
/// Singla, Hong, Popa and Godfrey, *Jellyfish: networking data centers randomly*, NSDI 2012, section 3. The rule links
/// random pairs of routers that have free ports and no link between them until no pair is left. Then it removes random
/// links and connects their ends to the free ports. Two deviations: two routers with one free port each also replace a
/// link, not only one router with two free ports; and a network that is not connected is sampled again.
/// [`random_regular`](crate::random_regular) samples nearly the same set of networks more uniformly.
pub fn jellyfish(routers: u32, ports: u32, seed: u64) -> Result<Topology, FamilyError> {
    let refuse = |parameter, value: u64, needs: String, routers: u32, ports: u32| {
        let instead = format!("jellyfish:{routers},{ports},{seed}");
        JELLYFISH.unsupported(parameter, value, needs, instead)
    };
    if routers <= MIN_PORTS {
        let least = MIN_PORTS + 1;
        return Err(refuse("number of routers", routers.into(), format!("{least} or more"), least, MIN_PORTS));
    }
    if !(MIN_PORTS..routers).contains(&ports) {
        let needs = format!("{MIN_PORTS} to {} for {routers} routers", routers - 1);
        return Err(refuse("number of ports", ports.into(), needs, routers, ports.clamp(MIN_PORTS, routers - 1)));
    }
    let links = u64::from(routers) * u64::from(ports) / 2;
    if links > MAX_LINKS {
        return Err(refuse("number of links", links, format!("{MAX_LINKS} or fewer"), 64, 4));
    }
    let mut network = TopologyBuilder::sized(format!("jellyfish:{routers},{ports},{seed}"), routers.into(), 2 * links)?;
    numbered_terminals(&mut network, routers);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let graph = loop {
        let graph = JellyfishGraph::sample(routers, ports as usize, &mut rng);
        if graph.is_connected() {
            break graph;
        }
    };
    for router in 0..routers {
        let mut heads = graph.row(router).to_vec();
        heads.sort_unstable();
        for head in heads {
            network.channel(NodeId::new(router), NodeId::new(head));
        }
    }
    network.positions(circle(routers));
    Ok(network.build()?)
}

/// A network under construction.
struct JellyfishGraph {
    ports: usize,
    /// Number of neighbours of each router.
    degree: Vec<u32>,
    /// The neighbours of a router start at entry `router * ports`.
    neighbours: Vec<u32>,
    links: Vec<[u32; 2]>,
}

impl JellyfishGraph {
    /// Samples a graph, which may be disconnected.
    fn sample(routers: u32, ports: usize, rng: &mut ChaCha8Rng) -> Self {
        let places = routers as usize * ports;
        let (degree, neighbours) = (vec![0; routers as usize], vec![0; places]);
        let mut graph = Self { ports, degree, neighbours, links: Vec::with_capacity(places / 2) };
        let free = graph.link_random_pairs((0..routers).collect(), rng);
        graph.use_last_ports(free, rng);
        graph
    }

    fn row(&self, router: u32) -> &[u32] {
        &self.neighbours[router as usize * self.ports..][..self.degree[router as usize] as usize]
    }

    fn is_full(&self, router: u32) -> bool {
        self.degree[router as usize] as usize == self.ports
    }

    fn join(&mut self, router: u32, neighbour: u32) {
        let degree = &mut self.degree[router as usize];
        self.neighbours[router as usize * self.ports + *degree as usize] = neighbour;
        *degree += 1;
    }

    fn link(&mut self, u: u32, v: u32) {
        self.join(u, v);
        self.join(v, u);
        self.links.push([u, v]);
    }

    /// Links random pairs until all routers with free ports are neighbours of each other. Returns these routers.
    fn link_random_pairs(&mut self, mut free: Vec<u32>, rng: &mut ChaCha8Rng) -> Vec<u32> {
        // A router has fewer neighbours than half of `free`, so a random pair is unlinked with probability 1/2 or more.
        while free.len() > 2 * self.ports {
            let [first, second] = [(); 2].map(|()| rng.random_range(0..free.len() as u32) as usize);
            let (u, v) = (free[first], free[second]);
            if u == v || self.row(u).contains(&v) {
                continue;
            }
            self.link(u, v);
            // Remove the higher place first, so that the lower one stays valid.
            for place in [first.max(second), first.min(second)] {
                if self.is_full(free[place]) {
                    free.swap_remove(place);
                }
            }
        }
        free.sort_unstable();
        let mut pairs = Vec::new();
        let mut marks = vec![u32::MAX; self.degree.len()];
        for (place, &u) in free.iter().enumerate() {
            self.row(u).iter().for_each(|&neighbour| marks[neighbour as usize] = u);
            pairs.extend(free[place + 1..].iter().filter(|&&v| marks[v as usize] != u).map(|&v| [u, v]));
        }
        while !pairs.is_empty() {
            let [u, v] = pairs.swap_remove(rng.random_range(0..pairs.len() as u32) as usize);
            if !self.is_full(u) && !self.is_full(v) {
                self.link(u, v);
            }
        }
        free.retain(|&router| !self.is_full(router));
        free
    }

    /// Replaces random links `x - y` by links `u - x` and `v - y` until fewer than two ports are free.
    fn use_last_ports(&mut self, mut free: Vec<u32>, rng: &mut ChaCha8Rng) {
        let mut marks = vec![[false; 2]; self.degree.len()];
        while let [u, ..] = free[..] {
            let missing = self.ports - self.degree[u as usize] as usize;
            let v = match free[..] {
                _ if missing > 1 => u,
                [_, v, ..] => v,
                _ => return,
            };
            for (side, router) in [u, v].into_iter().enumerate() {
                marks[router as usize][side] = true;
                self.row(router).iter().for_each(|&neighbour| marks[neighbour as usize][side] = true);
            }
            // Such a link exists: all routers without a link to `u` are full, and each of them has `ports` neighbours, of
            // which fewer than `ports` are `v` or its neighbours.
            let (place, x, y) = loop {
                let place = rng.random_range(0..2 * self.links.len() as u32) as usize;
                let [mut x, mut y] = self.links[place / 2];
                if place % 2 == 1 {
                    (x, y) = (y, x);
                }
                if !marks[x as usize][0] && !marks[y as usize][1] {
                    break (place / 2, x, y);
                }
            };
            for (side, router) in [u, v].into_iter().enumerate() {
                marks[router as usize][side] = false;
                self.row(router).iter().for_each(|&neighbour| marks[neighbour as usize][side] = false);
            }
            self.replace(x, y, u);
            self.replace(y, x, v);
            self.join(u, x);
            self.join(v, y);
            self.links[place] = [u, x];
            self.links.push([v, y]);
            free.retain(|&router| !self.is_full(router));
        }
    }

    fn replace(&mut self, router: u32, old: u32, new: u32) {
        let row = &mut self.neighbours[router as usize * self.ports..][..self.degree[router as usize] as usize];
        let place = row.iter_mut().find(|neighbour| **neighbour == old);
        *place.expect("a link is in the rows of both of its ends") = new;
    }

    fn is_connected(&self) -> bool {
        is_connected(self.degree.len(), |router| self.row(router))
    }
}
