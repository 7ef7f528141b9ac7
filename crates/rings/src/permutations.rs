//! Cycle merging: permutations of the terminals that become one cycle each.

use lockstep_topology::NodeId;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::hop_choice::{Hop, exchanged};
use crate::matching::perfect_matching;
use crate::problem::RingProblem;
use crate::ring_set::{RingKind, RingSet};
use crate::work::Work;

/// Marks a terminal without a hop.
const NONE: u32 = u32::MAX;

/// A move that adds `d` cycles is made with the probability `exp(-d / TEMPERATURE)`.
const TEMPERATURE: f64 = 0.3;

/// Numbers of divisions into permutations until the parity of the cycles allows one cycle each.
const MAX_DIVISIONS: usize = 16;

/// Partners that are tried for an exchange at a switch.
const PARTNERS: usize = 8;

/// Permutations of the terminals, one per ring, as hops.
pub(crate) struct Permutations<'a> {
    problem: &'a RingProblem<'a>,
    hops: Vec<Hop>,
    rings: usize,
    count: usize,
    /// By ring and terminal: the hop that leaves it, and the terminal before it.
    leaving: Vec<u32>,
    before: Vec<u32>,
    cycles: Vec<usize>,
    /// By terminal: the last count of cycles that visited it.
    visited: Vec<u64>,
    counts: u64,
}

impl<'a> Permutations<'a> {
    /// Divides hops into permutations. Each terminal is left by `rings` hops, and entered by `rings` hops.
    ///
    /// # Source
    ///
    /// König, *Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre*, Mathematische Annalen 77 (1916).
    pub(crate) fn new(
        problem: &'a RingProblem<'a>,
        hops: Vec<Hop>,
        rings: usize,
        random: &mut ChaCha8Rng,
        work: &mut Work<'_>,
    ) -> Option<Self> {
        let count = problem.terminals().len();
        let mut found = Self {
            problem,
            hops,
            rings,
            count,
            leaving: Vec::new(),
            before: vec![NONE; rings * count],
            cycles: vec![0; rings],
            visited: vec![0; count],
            counts: 0,
        };
        for _ in 0..MAX_DIVISIONS {
            found.leaving = divide(&found.hops, rings, count, random, work)?;
            for ring in 0..rings {
                for terminal in 0..count {
                    let to = found.head(ring, terminal);
                    found.before[ring * count + to] = terminal as u32;
                }
                found.cycles[ring] = found.count_cycles(ring);
            }
            // A move of two permutations keeps the product of the signs. Only an exchange at a switch changes it.
            let surplus: usize = found.cycles.iter().map(|cycles| cycles - 1).sum();
            let is_switched = found.hops.iter().any(|hop| hop.path.len() > 1);
            if surplus.is_multiple_of(2) || is_switched {
                return Some(found);
            }
        }
        None
    }

    fn head(&self, ring: usize, terminal: usize) -> usize {
        self.hops[self.leaving[ring * self.count + terminal] as usize].to as usize
    }

    fn count_cycles(&mut self, ring: usize) -> usize {
        self.counts += 1;
        let mut cycles = 0;
        for start in 0..self.count {
            let mut at = start;
            if self.visited[at] != self.counts {
                cycles += 1;
            }
            while std::mem::replace(&mut self.visited[at], self.counts) != self.counts {
                at = self.head(ring, at);
            }
        }
        cycles
    }

    /// Merges cycles until `goal` permutations are one cycle each. Returns false if the work is used up, or nothing can be merged.
    ///
    /// A move swaps two permutations on an alternating component: tails whose hops lead to the same heads in both. So the loads stay the
    /// same. In one permutation, two hops over one switch exchange their ends, which merges their cycles.
    pub(crate) fn merge(&mut self, goal: usize, random: &mut ChaCha8Rng, work: &mut Work<'_>) -> bool {
        let mut component = Vec::new();
        let is_switched = self.hops.iter().any(|hop| hop.path.len() > 1);
        loop {
            let open: Vec<usize> = (0..self.rings).filter(|&ring| self.cycles[ring] > 1).collect();
            if open.len() + goal <= self.rings {
                return true;
            }
            if !work.spend(4 * self.count as u64) {
                return false;
            }
            let ring = open[random.random_range(0..open.len())];
            if is_switched && self.exchange(ring, random, work) {
                continue;
            }
            if self.rings == 1 {
                if is_switched {
                    continue;
                }
                return false;
            }
            let other = random.random_range(0..self.rings - 1);
            let other = other + usize::from(other >= ring);
            self.find_component([ring, other], random.random_range(0..self.count), &mut component);
            if component.len() == self.count {
                continue;
            }
            let before = [self.cycles[ring], self.cycles[other]];
            self.swap([ring, other], &component);
            let after = [self.count_cycles(ring), self.count_cycles(other)];
            let more = (after[0] + after[1]) as f64 - (before[0] + before[1]) as f64;
            if more <= 0.0 || random.random_bool((-more / TEMPERATURE).exp()) {
                [self.cycles[ring], self.cycles[other]] = after;
            } else {
                self.swap([ring, other], &component);
            }
        }
    }

    /// Finds the terminals that are joined to `start` by hops of two rings in turn.
    fn find_component(&self, [ring, other]: [usize; 2], start: usize, component: &mut Vec<u32>) {
        component.clear();
        let mut at = start;
        loop {
            component.push(at as u32);
            at = self.before[other * self.count + self.head(ring, at)] as usize;
            if at == start {
                return;
            }
        }
    }

    /// Swaps the hops of two rings that leave some terminals.
    fn swap(&mut self, rings: [usize; 2], terminals: &[u32]) {
        let [one, other] = rings.map(|ring| ring * self.count);
        for &terminal in terminals {
            self.leaving.swap(one + terminal as usize, other + terminal as usize);
        }
        for ring in rings {
            for &terminal in terminals {
                let to = self.head(ring, terminal as usize);
                self.before[ring * self.count + to] = terminal;
            }
        }
    }

    /// Exchanges the ends of two hops of different cycles of a ring at a switch. Returns false if the random choice finds none.
    fn exchange(&mut self, ring: usize, random: &mut ChaCha8Rng, work: &mut Work<'_>) -> bool {
        // The cycle of one terminal is marked.
        let start = random.random_range(0..self.count);
        self.counts += 1;
        let mut at = start;
        let mut inside = Vec::new();
        while std::mem::replace(&mut self.visited[at], self.counts) != self.counts {
            inside.push(at);
            at = self.head(ring, at);
        }
        let outside: Vec<usize> = (0..self.count).filter(|&other| self.visited[other] != self.counts).collect();
        if outside.is_empty() {
            return false;
        }
        work.spend(self.count as u64);
        let hop_at = |terminal: usize| self.leaving[ring * self.count + terminal] as usize;
        for _ in 0..PARTNERS.min(inside.len()) {
            let one = hop_at(inside[random.random_range(0..inside.len())]);
            let offset = random.random_range(0..outside.len());
            work.spend(outside.len() as u64 * 4);
            for place in 0..outside.len() {
                let two = hop_at(outside[(place + offset) % outside.len()]);
                if let Some(new) = exchanged(self.problem, &self.hops[one], &self.hops[two]) {
                    [self.hops[one], self.hops[two]] = new;
                    for hop in [one, two] {
                        let Hop { from, to, .. } = self.hops[hop];
                        self.before[ring * self.count + to as usize] = from;
                    }
                    self.cycles[ring] -= 1;
                    return true;
                }
            }
        }
        false
    }

    /// Returns the first `count` rings that are one cycle each. A chain leaves out the hop into its first terminal.
    pub(crate) fn into_set(self, count: usize) -> RingSet {
        let terminals = self.problem.terminals();
        let kind = self.problem.kind();
        let mut set = RingSet::new(kind, terminals.to_vec(), self.problem.relay());
        let whole = (0..self.rings).filter(|&ring| self.cycles[ring] == 1).take(count);
        for (place, ring) in whole.enumerate() {
            let mut order: Vec<usize> = Vec::with_capacity(self.count);
            // Chains begin at different terminals, so that their ends are spread.
            let mut at = if kind == RingKind::Chain { place * self.count / count } else { 0 };
            for _ in 0..self.count {
                order.push(at);
                at = self.head(ring, at);
            }
            let nodes: Vec<NodeId> = order.iter().map(|&rank| terminals[rank]).collect();
            let hops = order[..kind.hop_count(self.count)].iter();
            set.push(
                &nodes,
                hops.map(|&rank| self.hops[self.leaving[ring * self.count + rank] as usize].path.iter().copied()),
            );
        }
        set
    }
}

/// Returns the hop that leaves each terminal in each of `rings` perfect matchings of the hops, by augmenting paths.
fn divide(hops: &[Hop], rings: usize, count: usize, random: &mut ChaCha8Rng, work: &mut Work<'_>) -> Option<Vec<u32>> {
    let mut unused: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut order: Vec<u32> = (0..hops.len() as u32).collect();
    order.shuffle(random);
    for hop in order {
        unused[hops[hop as usize].from as usize].push(hop);
    }
    let mut leaving = Vec::with_capacity(rings * count);
    let tails: Vec<u32> = hops.iter().map(|hop| hop.from).collect();
    for _ in 0..rings {
        let (matching, visits) = perfect_matching(&unused, &tails, |hop| hops[hop as usize].to as usize, count)?;
        if !work.spend(visits) {
            return None;
        }
        let mut of_ring = vec![NONE; count];
        for hop in matching {
            let from = hops[hop as usize].from as usize;
            of_ring[from] = hop;
            unused[from].retain(|&other| other != hop);
        }
        leaving.extend(of_ring);
    }
    Some(leaving)
}
