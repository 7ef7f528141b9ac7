//! Passes of moves that make a cut smaller.

use rand::Rng;
use rand::seq::SliceRandom;

use super::gains::{Gains, Queue, Ties};
use crate::Graph;

/// Which moves a pass is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// Exchanges of two nodes, one of each side: Kernighan and Lin. Every node has at most one terminal.
    Exchange,
    /// Moves of one node away from the side with more terminals: Fiduccia and Mattheyses.
    Move,
}

impl Rule {
    fn ties(self) -> Ties {
        match self {
            Self::Exchange => Ties::FirstCome,
            Self::Move => Ties::LastCome,
        }
    }
}

/// What is cut into two: nodes that hold terminals, joined by cables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load<'a> {
    /// Symmetric.
    pub(super) cables: &'a Graph,
    /// By node: how many terminals it holds.
    pub(super) terminals: &'a [u32],
    /// By how many terminals the sides may differ.
    pub(super) slack: u64,
}

impl Load<'_> {
    /// With enough slack for any node to move between equal sides.
    pub(super) fn loosely(self) -> Self {
        let heaviest = self.terminals.iter().copied().max().unwrap_or(0);
        Self { slack: self.slack.max(2 * u64::from(heaviest)), ..self }
    }
}

/// Sides of nodes that passes improve, and the memory they need.
#[derive(Clone, Debug, Default)]
pub(super) struct Refiner {
    /// By node.
    pub(super) sides: Vec<bool>,
    /// The nodes, each once, in the order in which a pass meets them.
    pub(super) order: Vec<u32>,
    gains: Gains,
    /// The nodes moved in this pass, in order.
    trail: Vec<u32>,
}

impl Refiner {
    /// Puts the nodes of a network into random order.
    pub(super) fn shuffle(&mut self, load: Load<'_>, random: &mut impl Rng) {
        self.order.clear();
        self.order.extend(0..load.terminals.len() as u32);
        self.order.shuffle(random);
    }

    /// Deals the first nodes of the order anew, each to the side with fewer terminals, or with fewer of the switches.
    pub(super) fn deal(&mut self, load: Load<'_>, count: usize) {
        self.sides.resize(load.terminals.len(), false);
        let (dealt, kept) = self.order.split_at(count);
        let mut excess = [0i64; 2];
        let kind_and_weight = |node: u32| {
            let terminals = load.terminals[node as usize];
            (usize::from(terminals > 0), i64::from(terminals.max(1)))
        };
        for &node in kept {
            let (kind, weight) = kind_and_weight(node);
            excess[kind] += if self.sides[node as usize] { weight } else { -weight };
        }
        for &node in dealt {
            let (kind, weight) = kind_and_weight(node);
            let side = excess[kind] < 0;
            excess[kind] += if side { weight } else { -weight };
            self.sides[node as usize] = side;
        }
    }

    /// Passes until one is in vain, and returns the cut.
    ///
    /// If the sides differ by more than the slack, by whole passes they come as close as nodes allow, whatever is cut.
    pub(super) fn refine(&mut self, load: Load<'_>, rule: Rule) -> u32 {
        loop {
            let (cut, is_better) = self.pass(load, rule);
            if !is_better {
                return cut;
            }
        }
    }

    /// Moves every node once, the best first, and takes back what came after the best moment.
    ///
    /// Returns the cut and whether the pass was of use.
    fn pass(&mut self, load: Load<'_>, rule: Rule) -> (u32, bool) {
        let (before, mut excess) = self.begin(load, rule);
        let beyond = |excess: i64| excess.unsigned_abs().saturating_sub(load.slack);
        let (mut saved, mut best, mut kept) = (0, (beyond(excess), 0), 0);
        self.trail.clear();
        while let Some((node, other)) = self.choose(load, rule, excess) {
            for node in std::iter::once(node).chain(other) {
                let terminals = i64::from(load.terminals[node as usize]);
                excess += if self.sides[node as usize] { -2 * terminals } else { 2 * terminals };
                saved += i64::from(self.push(load.cables, node));
                let now = (beyond(excess), -saved);
                if now < best {
                    (best, kept) = (now, self.trail.len());
                }
            }
        }
        for node in &self.trail[kept..] {
            self.sides[*node as usize] ^= true;
        }
        let cut = i64::from(before) + best.1;
        (u32::try_from(cut).expect("a cut is no less than nothing and no more than all cables"), kept > 0)
    }

    /// Fills the queues; returns the cut and by how much more terminals the side `true` has.
    fn begin(&mut self, load: Load<'_>, rule: Rule) -> (u32, i64) {
        let Load { cables, terminals, .. } = load;
        let degree = |node| cables.widths(node).iter().sum::<u32>();
        let most = (0..cables.node_count() as u32).map(degree).max().unwrap_or(0);
        self.gains.reset(cables.node_count(), most, rule.ties());
        let (mut ends, mut excess) = (0, 0);
        for &node in &self.order {
            let side = self.sides[node as usize];
            let (mut within, mut across) = (0, 0);
            for (neighbour, width) in cables.arcs(node) {
                *(if self.sides[neighbour as usize] == side { &mut within } else { &mut across }) +=
                    width.cast_signed();
            }
            ends += i64::from(across);
            let count = i64::from(terminals[node as usize]);
            excess += if side { count } else { -count };
            if count > 0 {
                self.gains.insert(node, Queue::of(side), across - within);
            } else if within + across > 0 {
                self.gains.insert(node, Queue::Free, across - within);
            }
        }
        (u32::try_from(ends / 2).expect("cables are counted by channels"), excess)
    }

    /// The move that saves most, or an exchange.
    fn choose(&mut self, load: Load<'_>, rule: Rule, excess: i64) -> Option<(u32, Option<u32>)> {
        let free = self.gains.first(Queue::Free);
        let [left, right] = [Queue::Left, Queue::Right].map(|queue| self.gains.first(queue));
        let single = match excess {
            0 if rule == Rule::Exchange => None,
            0 => left.into_iter().chain(right).max_by_key(|&node| self.gains.gain(node)),
            1.. => right,
            _ => left,
        };
        // Of equals the last is taken: a node without terminals leaves the others their freedom.
        let single = single.into_iter().chain(free).max_by_key(|&node| self.gains.gain(node));
        let pair = match (left, right) {
            (Some(left), Some(right)) if rule == Rule::Exchange => Some(self.best_pair(load.cables, left, right)),
            _ => None,
        };
        match (single, pair) {
            (Some(node), Some((gain, ..))) if self.gains.gain(node) >= gain => Some((node, None)),
            (_, Some((_, left, right))) => Some((left, Some(right))),
            (single, None) => single.map(|node| (node, None)),
        }
    }

    /// The exchange that saves most, given the first node of each side.
    ///
    /// Both sides descend by gain, so that a pair that cannot save more ends the search.
    fn best_pair(&self, cables: &Graph, left: u32, right: u32) -> (i32, u32, u32) {
        let gain = |node| self.gains.gain(node);
        let mut best = (i32::MIN, left, right);
        for left in self.gains.from(left) {
            if gain(left) + gain(right) <= best.0 {
                break;
            }
            for right in self.gains.from(right) {
                let apart = gain(left) + gain(right);
                if apart <= best.0 {
                    break;
                }
                let together = apart - 2 * cables.width_between(left, right).cast_signed();
                if together > best.0 {
                    best = (together, left, right);
                }
            }
        }
        best
    }

    /// Moves a node for the rest of the pass and returns what that saves.
    fn push(&mut self, cables: &Graph, node: u32) -> i32 {
        let gain = self.gains.take(node);
        let side = self.sides[node as usize];
        for (neighbour, width) in cables.arcs(node) {
            let twice = 2 * width.cast_signed();
            self.gains.change(neighbour, if self.sides[neighbour as usize] == side { twice } else { -twice });
        }
        self.sides[node as usize] = !side;
        self.trail.push(node);
        gain
    }
}
