//! Sides of some nodes, and what the others cost at the least.

use super::sequence::Sequence;

/// Sides of the nodes from one position up to another, kept up to date in time proportional to a node's cables.
///
/// The nodes behind these wait. Those before the first position do not exist.
#[derive(Clone, Debug)]
pub(super) struct Partial<'a> {
    sequence: &'a Sequence,
    /// By position, valid up to `depth`.
    pub(super) sides: Vec<bool>,
    /// The first position that waits.
    pub(super) depth: usize,
    /// Terminals on the side `true`.
    pub(super) right: usize,
    /// Cables between decided nodes of different sides.
    cut: i32,
    /// By side and position: cables to decided nodes of this side.
    towards: [Vec<i32>; 2],
    /// Cables from waiting nodes to the side `true`: what is cut if all of them go to the side `false`.
    left_cost: i32,
    /// How much of it waiting switches save that prefer the other side.
    switch_savings: i32,
    /// By savings, counted from the least possible: how many waiting terminals save that much on the side `true`.
    savers: Vec<u32>,
}

impl<'a> Partial<'a> {
    pub(super) fn new(sequence: &'a Sequence) -> Self {
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

    /// Begins anew with the nodes from a position on, all of them waiting.
    pub(super) fn restart(&mut self, from: usize) {
        self.depth = from;
        (self.right, self.cut, self.left_cost, self.switch_savings) = (0, 0, 0, 0);
        self.towards.iter_mut().for_each(|towards| towards.fill(0));
        self.savers.fill(0);
        self.savers[self.sequence.most as usize] = self.sequence.terminals_from[from] as u32;
    }

    /// What the node at a position saves by going to the side `true` and not to `false`, as far as is decided.
    pub(super) fn savings(&self, place: usize) -> i32 {
        self.towards[1][place] - self.towards[0][place]
    }

    /// Decides the side of the first node that waits.
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

    /// Undoes the last decision.
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

    /// The cut when as many waiting terminals as `right` go to the side `true`, but for cables between waiting nodes: at the
    /// least, and reached. There are as many.
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

    /// Lets a waiting node know of cables to a decided one, or forget them.
    fn attach(&mut self, place: usize, side: bool, width: i32) {
        self.count_savings(place, -1);
        self.towards[usize::from(side)][place] += width;
        self.left_cost += if side { width } else { 0 };
        self.count_savings(place, 1);
    }

    /// Counts a waiting node, or counts it no more.
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
