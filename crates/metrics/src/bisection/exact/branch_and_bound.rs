//! Depth-first branch and bound over the sides of nodes.

use super::node_order::NodeOrder;
use super::partial_assignment::PartialAssignment;

/// The search, and proved lower bounds for the suffixes of the node order.
#[derive(Clone, Debug)]
pub(super) struct BranchAndBound<'a> {
    sequence: &'a NodeOrder,
    partial: PartialAssignment<'a>,
    /// Lower bound on the cut among the nodes from a position on, by position and number of terminals on the side
    /// `true`.
    floors: Vec<Vec<u32>>,
    /// Number of tried sides, by position.
    tried: Vec<u8>,
    /// Lower bound on all completions of the assignment before each position.
    bounds: Vec<u32>,
    /// Number of visited nodes of the search tree.
    pub(super) visited: u64,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub(super) struct SearchOutcome {
    /// The smallest cut found, or the initial one.
    pub(super) cut: u32,
    /// Sides by position, if the initial cut was improved.
    pub(super) sides: Option<Vec<bool>>,
    /// Proved lower bound.
    pub(super) lower_bound: u32,
}

impl<'a> BranchAndBound<'a> {
    pub(super) fn new(sequence: &'a NodeOrder) -> Self {
        let length = sequence.nodes.len();
        Self {
            sequence,
            partial: PartialAssignment::new(sequence),
            floors: sequence.terminals_from.iter().map(|&terminals| vec![0; terminals + 1]).collect(),
            tried: vec![0; length + 1],
            bounds: vec![0; length + 1],
            visited: 0,
        }
    }

    /// Computes the lower bounds of suffixes within the budget, from the end of the order.
    ///
    /// The first third is skipped: bounds for almost all nodes are as expensive as the main search.
    pub(super) fn fill_floors(&mut self, budget: u64) {
        let NodeOrder { nodes, is_terminal, terminals_from, .. } = self.sequence;
        let half = terminals_from[0] / 2;
        for from in (1..nodes.len()).rev() {
            let terminals = terminals_from[from];
            // The first node may be on either side; the bound of the remaining suffix holds.
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
            // The earlier terminals leave at least this number for each side.
            let least = half.saturating_sub(terminals_from[0] - terminals);
            for right in least..=terminals / 2 {
                let floor = self.split(from, right, u32::MAX, None, budget).lower_bound;
                self.floors[from][right] = floor;
                self.floors[from][terminals - right] = floor;
            }
        }
    }

    /// Searches for the smallest bisection below `cut`.
    pub(super) fn halve(&mut self, cut: u32, budget: u64) -> SearchOutcome {
        self.split(0, self.sequence.terminals_from[0] / 2, cut, self.sequence.is_odd, budget)
    }

    /// Searches for the smallest cut below `cut` of the nodes from a position on, with `right` terminals on one side.
    ///
    /// Stops when the total number of visited nodes reaches `budget`.
    fn split(&mut self, from: usize, right: usize, mut cut: u32, is_odd: Option<bool>, budget: u64) -> SearchOutcome {
        let mut sides = None;
        let length = self.sequence.nodes.len();
        if from == length {
            return SearchOutcome { cut: 0, sides, lower_bound: 0 };
        }
        let goals = [right, self.sequence.terminals_from[from] - right];
        self.partial.restart(from);
        self.tried[from] = 0;
        loop {
            let depth = self.partial.depth;
            // Swapped sides are equivalent.
            let choices = if depth == from { 1 } else { 2 };
            if self.tried[depth] == choices {
                if depth == from {
                    return SearchOutcome { cut, sides, lower_bound: cut };
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
                    return SearchOutcome { cut, sides, lower_bound };
                }
            }
        }
    }

    /// Returns the side on which a node cuts fewer cables.
    fn preferred(&self, place: usize) -> bool {
        match self.partial.savings(place) {
            0 => place.is_multiple_of(2),
            savings => savings > 0,
        }
    }

    /// Returns a lower bound on all completions, or `u32::MAX` if there is none.
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
