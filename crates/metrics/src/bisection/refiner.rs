//! Refinement of bisections by passes of moves.

use rand::Rng;
use rand::seq::SliceRandom;

use super::gain_buckets::{GainBuckets, GainQueue, TieBreak};
use crate::Graph;

/// The moves of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveRule {
    /// Exchanges of two nodes (Kernighan–Lin). Each node has at most one terminal.
    Exchange,
    /// Moves of one node away from the side with more terminals (Fiduccia–Mattheyses).
    Move,
}

impl MoveRule {
    fn ties(self) -> TieBreak {
        match self {
            Self::Exchange => TieBreak::FirstCome,
            Self::Move => TieBreak::LastCome,
        }
    }
}

/// The input of a bisection: cables, terminals per node, and the balance.
#[derive(Clone, Copy, Debug)]
pub(super) struct BisectionInput<'a> {
    /// A symmetric graph.
    pub(super) cables: &'a Graph,
    /// Number of terminals of each node.
    pub(super) terminals: &'a [u32],
    /// Largest difference of the numbers of terminals of the two sides.
    pub(super) slack: u64,
}

impl BisectionInput<'_> {
    /// Increases the slack so that any node can move between equal sides.
    pub(super) fn loosely(self) -> Self {
        let heaviest = self.terminals.iter().copied().max().unwrap_or(0);
        Self { slack: self.slack.max(2 * u64::from(heaviest)), ..self }
    }
}

/// Sides of nodes and the buffers to refine them.
#[derive(Clone, Debug, Default)]
pub(super) struct Refiner {
    /// Side of each node.
    pub(super) sides: Vec<bool>,
    /// The nodes in the initial order of a pass.
    pub(super) order: Vec<u32>,
    gains: GainBuckets,
    /// The nodes moved in this pass, in order.
    trail: Vec<u32>,
}

impl Refiner {
    /// Shuffles the nodes of a network.
    pub(super) fn shuffle(&mut self, load: BisectionInput<'_>, random: &mut impl Rng) {
        self.order.clear();
        self.order.extend(0..load.terminals.len() as u32);
        self.order.shuffle(random);
    }

    /// Reassigns the first `count` nodes, each to the side with fewer terminals or, for a switch, fewer switches.
    pub(super) fn deal(&mut self, load: BisectionInput<'_>, count: usize) {
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

    /// Repeats passes until one does not improve the cut. Returns the cut.
    ///
    /// If the sides differ by more than the slack, balance has priority over the cut.
    pub(super) fn refine(&mut self, load: BisectionInput<'_>, rule: MoveRule) -> u32 {
        loop {
            let (cut, is_better) = self.pass(load, rule);
            if !is_better {
                return cut;
            }
        }
    }

    /// Moves each node once, best first, and undoes all moves after the best intermediate state.
    ///
    /// Returns the cut, and true if the pass improved it.
    fn pass(&mut self, load: BisectionInput<'_>, rule: MoveRule) -> (u32, bool) {
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
        (u32::try_from(cut).expect("a cut is between 0 and the number of cables"), kept > 0)
    }

    /// Fills the buckets. Returns the cut and the excess of terminals on the side `true`.
    fn begin(&mut self, load: BisectionInput<'_>, rule: MoveRule) -> (u32, i64) {
        let BisectionInput { cables, terminals, .. } = load;
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
                self.gains.insert(node, GainQueue::of(side), across - within);
            } else if within + across > 0 {
                self.gains.insert(node, GainQueue::Free, across - within);
            }
        }
        (u32::try_from(ends / 2).expect("cables are counted by channels"), excess)
    }

    /// Returns the best move or exchange.
    fn choose(&mut self, load: BisectionInput<'_>, rule: MoveRule, excess: i64) -> Option<(u32, Option<u32>)> {
        let free = self.gains.first(GainQueue::Free);
        let [left, right] = [GainQueue::Left, GainQueue::Right].map(|queue| self.gains.first(queue));
        let single = match excess {
            0 if rule == MoveRule::Exchange => None,
            0 => left.into_iter().chain(right).max_by_key(|&node| self.gains.gain(node)),
            1.. => right,
            _ => left,
        };
        // Ties go to the last: a node without terminals, which does not change the balance.
        let single = single.into_iter().chain(free).max_by_key(|&node| self.gains.gain(node));
        let pair = match (left, right) {
            (Some(left), Some(right)) if rule == MoveRule::Exchange => Some(self.best_pair(load.cables, left, right)),
            _ => None,
        };
        match (single, pair) {
            (Some(node), Some((gain, ..))) if self.gains.gain(node) >= gain => Some((node, None)),
            (_, Some((_, left, right))) => Some((left, Some(right))),
            (single, None) => single.map(|node| (node, None)),
        }
    }

    /// Returns the best exchange, given the first node of each side.
    ///
    /// Both sides are in descending order of gain, so the search ends at the first pair that cannot be better.
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

    /// Moves a node for the rest of the pass, and returns its gain.
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
