//! Cycle merging on links: undirected Hamiltonian cycles, each of which is a ring in both directions.

use lockstep_topology::{ChannelId, NodeId};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::matching::perfect_matching;
use crate::problem::RingProblem;
use crate::rational::Rational;
use crate::ring_set::{RingKind, RingSet};
use crate::work::Work;

/// A move that adds `d` cycles is made with the probability `exp(-d / TEMPERATURE)`.
const TEMPERATURE: f64 = 0.3;

/// Maximum number of links of an alternating closed walk.
const MAX_WALK: usize = 8;

/// Beginnings of walks that are tried for one move.
const MAX_BEGINNINGS: u32 = 256;

/// Marks a terminal that a count of cycles has not reached.
const NONE: u32 = u32::MAX;

/// Links of a direct network, divided into *factors*: sets of links of which every terminal has two.
pub(crate) struct Factors<'a> {
    problem: &'a RingProblem<'a>,
    /// The ends of each link by rank, and its channels in that direction and the opposite one.
    links: Vec<([u32; 2], [ChannelId; 2])>,
    count: usize,
    /// The number of factors. Each is a pair of rings.
    pairs: usize,
    /// By factor and terminal: its two links.
    incident: Vec<[u32; 2]>,
    /// By link.
    factor: Vec<u32>,
    cycles: Vec<usize>,
    visited: Vec<u64>,
    counts: u64,
}

impl<'a> Factors<'a> {
    /// Divides all links of a direct network into factors. `None` unless every terminal has the same, even number of links. A link counts as
    /// often as hops may use each of its directions under `rho`.
    ///
    /// # Source
    ///
    /// Petersen, *Die Theorie der regulären graphs*, Acta Mathematica 15 (1891).
    pub(crate) fn new(
        problem: &'a RingProblem<'a>,
        rho: Rational,
        rng: &mut ChaCha8Rng,
        work: &mut Work<'_>,
    ) -> Option<Self> {
        let topology = problem.topology();
        let count = problem.terminals().len();
        if !topology.is_direct() || topology.terminal_count() != count {
            return None;
        }
        let mut links = Vec::new();
        for [there, back] in topology.links() {
            let resources = [there, back].map(|channel| topology.resource(channel));
            // A link carries a hop in each direction.
            let room = rho.floor_of(topology.capacity(there)) / if resources[0] == resources[1] { 2 } else { 1 };
            let ends = [topology.tail(there), topology.head(there)].map(|node| problem.rank(node));
            let [Some(from), Some(to)] = ends else { return None };
            for _ in 0..room.min(count as u64) {
                links.push(([from as u32, to as u32], [there, back]));
            }
        }
        let mut degree = vec![0; count];
        links.iter().flat_map(|&(ends, _)| ends).for_each(|rank| degree[rank as usize] += 1);
        let regular = degree[0];
        let factors = regular / 2;
        if regular == 0 || regular % 2 == 1 || degree.iter().any(|&other| other != regular) {
            return None;
        }
        if !work.spend(links.len() as u64 * factors as u64) {
            return None;
        }
        links.shuffle(rng);
        let mut found = Self {
            problem,
            count,
            pairs: factors,
            incident: vec![[NONE; 2]; factors * count],
            factor: divide(&links, count, factors, rng)?,
            links,
            cycles: vec![0; factors],
            visited: vec![0; count],
            counts: 0,
        };
        for link in 0..found.links.len() {
            for end in found.links[link].0 {
                let slots = &mut found.incident[found.factor[link] as usize * count + end as usize];
                *slots.iter_mut().find(|slot| **slot == NONE)? = link as u32;
            }
        }
        for factor in 0..factors {
            found.cycles[factor] = found.count_cycles(factor);
        }
        Some(found)
    }

    /// Returns the number of rings, two per factor, or of chains, one per factor.
    pub(crate) fn rings(&self) -> usize {
        match self.problem.kind() {
            RingKind::Ring => 2 * self.pairs,
            RingKind::Chain => self.pairs,
        }
    }

    fn other_end(&self, link: u32, at: usize) -> usize {
        let [one, other] = self.links[link as usize].0;
        if one as usize == at { other as usize } else { one as usize }
    }

    /// Visits the cycle of a factor through a terminal, and calls `visit` with each terminal and the link that leaves it.
    fn walk(&self, factor: usize, start: usize, mut visit: impl FnMut(usize, u32)) {
        let (mut at, mut link) = (start, self.incident[factor * self.count + start][0]);
        loop {
            visit(at, link);
            at = self.other_end(link, at);
            if at == start {
                return;
            }
            let [one, other] = self.incident[factor * self.count + at];
            link = if one == link { other } else { one };
        }
    }

    fn count_cycles(&mut self, factor: usize) -> usize {
        self.counts += 1;
        let mut visited = std::mem::take(&mut self.visited);
        let mut cycles = 0;
        for start in 0..self.count {
            if visited[start] != self.counts {
                cycles += 1;
                self.walk(factor, start, |at, _| visited[at] = self.counts);
            }
        }
        self.visited = visited;
        cycles
    }

    /// Merges cycles until each factor is one cycle. Returns false if the work is used up, or there is nothing to swap.
    ///
    /// A move exchanges the links of a closed walk whose links belong to two factors in turn.
    pub(crate) fn merge(&mut self, rng: &mut ChaCha8Rng, work: &mut Work<'_>) -> bool {
        loop {
            let open: Vec<usize> = (0..self.pairs).filter(|&factor| self.cycles[factor] > 1).collect();
            if open.is_empty() {
                return true;
            }
            if self.pairs == 1 || !work.spend(4 * self.count as u64) {
                return false;
            }
            let one = open[rng.random_range(0..open.len())];
            let other = rng.random_range(0..self.pairs - 1);
            let other = other + usize::from(other >= one);
            let Some(walk) = self.closed_walk([one, other], rng) else { continue };
            let before = self.cycles[one] + self.cycles[other];
            self.swap([one, other], &walk);
            let after = [self.count_cycles(one), self.count_cycles(other)];
            let more = (after[0] + after[1]) as f64 - before as f64;
            if more <= 0.0 || rng.random_bool((-more / TEMPERATURE).exp()) {
                [self.cycles[one], self.cycles[other]] = after;
            } else {
                self.swap([one, other], &walk);
            }
        }
    }

    /// Finds a short closed walk from a random terminal whose links belong to the two factors in turn, each link once.
    fn closed_walk(&self, factors: [usize; 2], rng: &mut ChaCha8Rng) -> Option<Vec<u32>> {
        let start = rng.random_range(0..self.count);
        let length = 4 + 2 * rng.random_range(0..=(MAX_WALK - 4) / 2);
        // One bit per link of the walk decides which of the two links of its factor comes first.
        let flips: u32 = rng.random();
        let mut walk: Vec<(u32, usize)> = Vec::new();
        // By depth: the number of choices tried.
        let mut tried = vec![0u8];
        let mut at = start;
        for _ in 0..MAX_BEGINNINGS {
            let depth = walk.len();
            if depth.is_multiple_of(2) && depth > 0 && at == start {
                return Some(walk.into_iter().map(|(link, _)| link).collect());
            }
            if depth == length || tried[depth] == 2 {
                tried.pop();
                (_, at) = walk.pop()?;
                continue;
            }
            let choice = usize::from(tried[depth]) ^ (flips >> depth & 1) as usize;
            tried[depth] += 1;
            let link = self.incident[factors[depth % 2] * self.count + at][choice];
            if walk.iter().all(|&(used, _)| used != link) {
                walk.push((link, at));
                tried.push(0);
                at = self.other_end(link, at);
            }
        }
        None
    }

    /// Moves the links of a closed walk to the other one of two factors.
    fn swap(&mut self, [one, other]: [usize; 2], walk: &[u32]) {
        let target = |factor: usize| if factor == one { other } else { one };
        // All links leave their factors before they enter the others.
        for &link in walk {
            let factor = self.factor[link as usize] as usize;
            for end in self.links[link as usize].0 {
                let slots = &mut self.incident[factor * self.count + end as usize];
                let place = usize::from(slots[0] != link);
                slots[place] = NONE;
            }
            self.factor[link as usize] = target(factor) as u32;
        }
        for &link in walk {
            let factor = self.factor[link as usize] as usize;
            for end in self.links[link as usize].0 {
                let slots = &mut self.incident[factor * self.count + end as usize];
                let place = usize::from(slots[0] != NONE);
                slots[place] = link;
            }
        }
    }

    /// Returns the first `rings` rings of factors that are one cycle each. A chain leaves out a link of its factor.
    pub(crate) fn into_set(self, rings: usize) -> RingSet {
        let terminals = self.problem.terminals();
        let topology = self.problem.topology();
        let kind = self.problem.kind();
        let mut set = RingSet::new(kind, terminals.to_vec(), self.problem.relay());
        for factor in 0..self.pairs {
            let mut hops = Vec::with_capacity(self.count);
            // Chains begin at different terminals, so that their ends are spread.
            let start = if kind == RingKind::Chain { factor * self.count / self.pairs } else { 0 };
            self.walk(factor, start, |at, link| hops.push((terminals[at], self.links[link as usize].1)));
            let channel = |from: NodeId, channels: [ChannelId; 2]| {
                if topology.tail(channels[0]) == from { channels } else { [channels[1], channels[0]] }
            };
            let nodes: Vec<NodeId> = hops.iter().map(|&(node, _)| node).collect();
            let there: Vec<ChannelId> = hops.iter().map(|&(node, channels)| channel(node, channels)[0]).collect();
            let back: Vec<ChannelId> = hops.iter().map(|&(node, channels)| channel(node, channels)[1]).collect();
            if set.len() < rings {
                set.push(&nodes, there[..kind.hop_count(self.count)].iter().map(|&channel| [channel]));
            }
            if set.len() < rings && kind == RingKind::Ring {
                // The hop to the first terminal comes last in both directions.
                let mut reversed: Vec<NodeId> = nodes[1..].iter().rev().copied().collect();
                reversed.insert(0, nodes[0]);
                set.push(&reversed, back.iter().rev().map(|&channel| [channel]));
            }
        }
        set
    }
}

/// Returns the factor of each link: directs all links along closed walks, and divides the hops from tails to heads into perfect matchings.
fn divide(
    links: &[([u32; 2], [ChannelId; 2])],
    count: usize,
    factors: usize,
    rng: &mut ChaCha8Rng,
) -> Option<Vec<u32>> {
    let mut incident: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (link, &(ends, _)) in links.iter().enumerate() {
        for end in ends {
            incident[end as usize].push(link as u32);
        }
    }
    let mut tail = vec![NONE; links.len()];
    for start in 0..count {
        let mut at = start;
        // All degrees are even, so a walk ends only where it began.
        while let Some(link) = incident[at].pop() {
            if tail[link as usize] == NONE {
                tail[link as usize] = at as u32;
                let [one, other] = links[link as usize].0;
                at = if one as usize == at { other } else { one } as usize;
            }
        }
    }
    let mut unused: Vec<Vec<u32>> = vec![Vec::new(); count];
    (0..links.len()).for_each(|link| unused[tail[link] as usize].push(link as u32));
    for links in &mut unused {
        links.shuffle(rng);
    }
    let head = |link: u32| {
        let [one, other] = links[link as usize].0;
        if one == tail[link as usize] { other as usize } else { one as usize }
    };
    let mut factor = vec![NONE; links.len()];
    for of_factor in 0..factors {
        for link in perfect_matching(&unused, &tail, head, count)?.0 {
            factor[link as usize] = of_factor as u32;
            unused[tail[link as usize] as usize].retain(|&other| other != link);
        }
    }
    Some(factor)
}
