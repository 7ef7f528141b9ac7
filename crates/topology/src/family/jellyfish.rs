//! Jellyfish networks.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Family, FamilyError, numbered_terminals};
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const JELLYFISH: Family = Family {
    name: "jellyfish",
    parameters: "ROUTERS,PORTS,SEED",
    example: "jellyfish:32,4,1",
    about: "random graph that grows link by link, then breaks links to use the last ports",
    cayley: None,
    generate: |parameters| {
        let [routers, ports, seed] = parameters.fields()?;
        Ok(jellyfish(routers.number()?, ports.number()?, seed.number()?)?)
    },
};

/// Fewer ports seldom connect a large network.
const MIN_PORTS: u32 = 3;

/// A network of so many links takes a few seconds.
const MAX_LINKS: u64 = 1 << 20;

/// A connected network without parallel links, drawn by the rule of Jellyfish: routers with this many ports for each
/// other, all of them in use but one where their number is odd.
///
/// Every router is one terminal and routes; links are full-duplex. The same three numbers give the same network on every
/// machine. Nodes are named by their numbers; the channels that leave a node go by ascending neighbour. Takes time in
/// proportion to `routers * ports^2` or less.
///
/// ```
/// let jellyfish = lockstep_topology::jellyfish(32, 5, 1)?;
/// assert_eq!((jellyfish.node_count(), jellyfish.channel_count()), (32, 160));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Singla, Hong, Popa and Godfrey, *Jellyfish: networking data centers randomly*, NSDI 2012, section 3: pairs of
/// routers that have free ports and no link between them are drawn and linked until there is none; then links are drawn and
/// broken so that their ends take the free ports. Deviation: two routers with one free port each also break a link, not
/// only one with two; and a network that is not connected is drawn again. [`random_regular`](crate::random_regular) draws
/// from nearly the same networks more evenly.
///
/// # Errors
///
/// [`FamilyError::Parameter`] for fewer than 4 routers, fewer than 3 ports, as many ports as routers, and more than 2^20
/// links.
pub fn jellyfish(routers: u32, ports: u32, seed: u64) -> Result<Topology, FamilyError> {
    let refuse = |parameter, value: u64, needs: String, routers: u32, ports: u32| {
        let instead = format!("jellyfish:{routers},{ports},{seed}");
        FamilyError::parameter(&JELLYFISH, parameter, value, needs, instead)
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
        let graph = Draft::drawn(routers, ports as usize, &mut rng);
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

/// A network in the making.
struct Draft {
    ports: usize,
    /// Number of neighbours of each router, which stand in places `router * ports` and on.
    degree: Vec<u32>,
    neighbours: Vec<u32>,
    links: Vec<[u32; 2]>,
}

impl Draft {
    fn drawn(routers: u32, ports: usize, rng: &mut ChaCha8Rng) -> Self {
        let places = routers as usize * ports;
        let (degree, neighbours) = (vec![0; routers as usize], vec![0; places]);
        let mut draft = Self { ports, degree, neighbours, links: Vec::with_capacity(places / 2) };
        let free = draft.grow((0..routers).collect(), rng);
        draft.use_last_ports(free, rng);
        draft
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

    /// Links random pairs until all routers with free ports, which are returned, are neighbours of each other.
    fn grow(&mut self, mut free: Vec<u32>, rng: &mut ChaCha8Rng) -> Vec<u32> {
        // A router has fewer neighbours than half of these, so a pair drawn among all of them is soon one without a link.
        while free.len() > 2 * self.ports {
            let [first, second] = [(); 2].map(|()| rng.random_range(0..free.len() as u32) as usize);
            let (u, v) = (free[first], free[second]);
            if u == v || self.row(u).contains(&v) {
                continue;
            }
            self.link(u, v);
            // The higher place first: what takes it is not the other one.
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

    /// Puts links `u - x` and `v - y` in the place of random links `x - y` until fewer than two ports are free.
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
            // There is such a link. All routers without a link to `u` are full, and among the neighbours of one of
            // them there are fewer than `ports` that `v` has or is.
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
        *place.expect("links stand in the rows of both ends") = new;
    }

    fn is_connected(&self) -> bool {
        let mut reached = vec![false; self.degree.len()];
        let mut waiting = vec![0];
        let mut count = 1;
        reached[0] = true;
        while let Some(router) = waiting.pop() {
            for &neighbour in self.row(router) {
                if !std::mem::replace(&mut reached[neighbour as usize], true) {
                    count += 1;
                    waiting.push(neighbour);
                }
            }
        }
        count == reached.len()
    }
}
