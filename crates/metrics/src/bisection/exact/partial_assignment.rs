//! Partial assignments of sides, with incremental bounds.

use super::node_order::NodeOrder;

/// Sides of the nodes from one position up to another. Updates take time proportional to the degree of a node.
///
/// Later nodes are unassigned. Nodes before the first position are ignored.
#[derive(Clone, Debug)]
pub(super) struct PartialAssignment<'a> {
    sequence: &'a NodeOrder,
    /// Side by position, valid before `depth`.
    pub(super) sides: Vec<bool>,
    /// The first unassigned position.
    pub(super) depth: usize,
    /// Number of terminals on the side `true`.
    pub(super) right: usize,
    /// Number of cables between assigned nodes of different sides.
    cut: i32,
    /// Number of cables to assigned nodes, by side and position.
    towards: [Vec<i32>; 2],
    /// Number of cables that are cut if all unassigned nodes go to the side `false`.
    left_cost: i32,
    /// Savings by unassigned switches that prefer the side `true`.
    switch_savings: i32,
    /// Number of unassigned terminals by their savings on the side `true`, offset by `most`.
    savers: Vec<u32>,
}

impl<'a> PartialAssignment<'a> {
    pub(super) fn new(sequence: &'a NodeOrder) -> Self {
        let length = sequence.nodes.len();
        Self {
            sequence,
            sides: vec![false; length],
            depth: 0,
            right: 0,
            cut: 0,
            towards: [vec![0; length], vec![0; length]],
            left_cost: 0,
            switch_savings: 0,
            savers: vec![0; 2 * sequence.most as usize + 1],
        }
    }

    /// Restarts with the nodes from a position on, all unassigned.
    pub(super) fn restart(&mut self, from: usize) {
        self.depth = from;
        (self.right, self.cut, self.left_cost, self.switch_savings) = (0, 0, 0, 0);
        self.towards.iter_mut().for_each(|towards| towards.fill(0));
        self.savers.fill(0);
        self.savers[self.sequence.most as usize] = self.sequence.terminals_from[from] as u32;
    }

    /// Returns the savings of a node on the side `true`, with respect to assigned nodes.
    pub(super) fn savings(&self, place: usize) -> i32 {
        self.towards[1][place] - self.towards[0][place]
    }

    /// Assigns the first unassigned node.
    pub(super) fn place(&mut self, side: bool) {
        let place = self.depth;
        self.count_savings(place, -1);
        self.left_cost -= self.towards[1][place];
        self.cut += self.towards[usize::from(!side)][place];
        self.right += usize::from(side && self.sequence.is_terminal[place]);
        self.sides[place] = side;
        self.depth += 1;
        for &(later, width) in self.sequence.later(place) {
            self.attach(later, side, width);
        }
    }

    /// Undoes the last assignment.
    pub(super) fn take_back(&mut self) {
        self.depth -= 1;
        let place = self.depth;
        let side = self.sides[place];
        for &(later, width) in self.sequence.later(place) {
            self.attach(later, side, -width);
        }
        self.right -= usize::from(side && self.sequence.is_terminal[place]);
        self.cut -= self.towards[usize::from(!side)][place];
        self.left_cost += self.towards[1][place];
        self.count_savings(place, 1);
    }

    /// Returns the smallest cut, without cables between unassigned nodes, if `right` unassigned terminals go to the
    /// side `true`. At least `right` terminals must be unassigned.
    pub(super) fn least_cut(&self, right: usize) -> u32 {
        let (mut needed, mut savings) = (right as u32, 0);
        let most = self.sequence.most.cast_signed();
        for (value, &savers) in (-most..=most).rev().zip(self.savers.iter().rev()) {
            if needed == 0 {
                break;
            }
            let taken = savers.min(needed);
            savings += taken.cast_signed() * value;
            needed -= taken;
        }
        (self.cut + self.left_cost - self.switch_savings - savings).cast_unsigned()
    }

    /// Adds or removes cables from an unassigned node to an assigned one.
    fn attach(&mut self, place: usize, side: bool, width: i32) {
        self.count_savings(place, -1);
        self.towards[usize::from(side)][place] += width;
        self.left_cost += if side { width } else { 0 };
        self.count_savings(place, 1);
    }

    /// Adds or removes an unassigned node in the counts of savings.
    fn count_savings(&mut self, place: usize, sign: i32) {
        let savings = self.savings(place);
        if self.sequence.is_terminal[place] {
            let savers = &mut self.savers[self.sequence.most.wrapping_add_signed(savings) as usize];
            *savers = savers.wrapping_add_signed(sign);
        } else {
            self.switch_savings += sign * savings.max(0);
        }
    }
}
