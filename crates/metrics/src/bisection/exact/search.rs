//! Depth-first search over the sides of nodes.

use super::partial::Partial;
use super::sequence::Sequence;

/// The search, and what it has proved of the ends of the sequence.
#[derive(Clone, Debug)]
pub(super) struct Search<'a> {
    sequence: &'a Sequence,
    partial: Partial<'a>,
    /// By position and number of terminals on the side `true`: the nodes from there on have no fewer cables between their sides.
    floors: Vec<Vec<u32>>,
    /// By position: how many sides of its node have been tried.
    tried: Vec<u8>,
    /// By position: no completion of the decisions before it has a smaller cut.
    bounds: Vec<u32>,
    /// Nodes of the search tree so far.
    pub(super) visited: u64,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The least cut found, or the one to beat.
    pub(super) cut: u32,
    /// By position, if the cut to beat was beaten.
    pub(super) sides: Option<Vec<bool>>,
    /// No cut is smaller.
    pub(super) lower_bound: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(sequence: &'a Sequence) -> Self {
        let length = sequence.nodes.len();
        Self {
            sequence,
            partial: Partial::new(sequence),
            floors: sequence.terminals_from.iter().map(|&terminals| vec![0; terminals + 1]).collect(),
            tried: vec![0; length + 1],
            bounds: vec![0; length + 1],
            visited: 0,
        }
    }

    /// Proves floors as good as the budget allows, from the end of the sequence on.
    ///
    /// The first third is left to the proof itself: floors of nearly all nodes are as dear as what they are for.
    pub(super) fn fill_floors(&mut self, budget: u64) {
        let Sequence { nodes, is_terminal, terminals_from, .. } = self.sequence;
        let half = terminals_from[0] / 2;
        for from in (1..nodes.len()).rev() {
            let terminals = terminals_from[from];
            // The first node may go to either side, and then no more is known than of the others.
            for right in 0..=terminals {
                let others = &self.floors[from + 1];
                let on_left = others.get(right);
                let on_right =
                    if is_terminal[from] { right.checked_sub(1).map(|right| &others[right]) } else { on_left };
                self.floors[from][right] = on_left.into_iter().chain(on_right).copied().min().unwrap_or(0);
            }
            if from < nodes.len() / 3 {
                continue;
            }
            // The terminals before these leave at least so many for either side.
            let least = half.saturating_sub(terminals_from[0] - terminals);
            for right in least..=terminals / 2 {
                let floor = self.split(from, right, u32::MAX, None, budget).lower_bound;
                self.floors[from][right] = floor;
                self.floors[from][terminals - right] = floor;
            }
        }
    }

    /// The least cut between two halves, if it is below `cut`.
    pub(super) fn halve(&mut self, cut: u32, budget: u64) -> Found {
        self.split(0, self.sequence.terminals_from[0] / 2, cut, self.sequence.is_odd, budget)
    }

    /// The least cut of the nodes from a position on, with so many terminals on either one side, if it is below `cut`.
    ///
    /// Stops when as many nodes of the tree have been visited in all as the budget says.
    fn split(&mut self, from: usize, right: usize, mut cut: u32, is_odd: Option<bool>, budget: u64) -> Found {
        let mut sides = None;
        let length = self.sequence.nodes.len();
        if from == length {
            return Found { cut: 0, sides, lower_bound: 0 };
        }
        let goals = [right, self.sequence.terminals_from[from] - right];
        self.partial.restart(from);
        self.tried[from] = 0;
        loop {
            let depth = self.partial.depth;
            // Sides that trade names are the same.
            let choices = if depth == from { 1 } else { 2 };
            if self.tried[depth] == choices {
                if depth == from {
                    return Found { cut, sides, lower_bound: cut };
                }
                self.partial.take_back();
                continue;
            }
            let is_first = self.tried[depth] == 0;
            self.tried[depth] += 1;
            self.visited += 1;
            let side = if is_first { self.preferred(depth) } else { !self.partial.sides[depth] };
            self.partial.place(side);
            let bound = self.bound(goals, is_odd);
            if bound >= cut {
                self.partial.take_back();
            } else if depth + 1 == length {
                cut = bound;
                sides = Some(self.partial.sides.clone());
                self.partial.take_back();
            } else {
                self.bounds[depth + 1] = bound;
                self.tried[depth + 1] = 0;
                if self.visited >= budget {
                    let open = (from + 1..=depth + 1).filter(|&place| self.tried[place] < 2);
                    let lower_bound = open.map(|place| self.bounds[place]).fold(cut, u32::min);
                    return Found { cut, sides, lower_bound };
                }
            }
        }
    }

    /// The side where a node cuts less.
    fn preferred(&self, place: usize) -> bool {
        match self.partial.savings(place) {
            0 => place.is_multiple_of(2),
            savings => savings > 0,
        }
    }

    /// No completion has a smaller cut; `u32::MAX` if there is none.
    fn bound(&self, goals: [usize; 2], is_odd: Option<bool>) -> u32 {
        let waiting = &self.floors[self.partial.depth];
        let needs = goals.into_iter().filter_map(|goal| goal.checked_sub(self.partial.right));
        let bound = needs
            .filter_map(|right| Some(waiting.get(right)? + self.partial.least_cut(right)))
            .min()
            .unwrap_or(u32::MAX);
        match is_odd {
            Some(is_odd) if bound < u32::MAX && (bound % 2 == 1) != is_odd => bound + 1,
            _ => bound,
        }
    }
}
