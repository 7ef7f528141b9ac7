//! The best cut found so far.

use fixedbitset::FixedBitSet;
use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::Problem;
use lockstep_topology::{NodeId, Topology};

use crate::demand::Demand;
use crate::moving_cut::MovingCut;
use crate::request::BoundRequest;

/// The best cut found so far, and the present one.
pub(super) struct BestCut<'a, 'p> {
    pub(super) topology: &'a Topology,
    /// The present cut.
    pub(super) cut: MovingCut<'a, 'p>,
    pub(super) request: &'a BoundRequest<'a>,
    /// The number of steps to exceed.
    steps: u32,
    /// One side of the cut that proves these steps, or empty.
    side: FixedBitSet,
}

impl<'a, 'p> BestCut<'a, 'p> {
    pub(super) fn new(problem: &Problem<'a>, demand: &'p Demand<'a>, request: &'a BoundRequest<'a>) -> Self {
        let topology = problem.topology();
        let side = FixedBitSet::with_capacity(topology.node_count());
        Self { topology, cut: MovingCut::new(problem, demand), request, steps: 0, side }
    }

    /// Returns the number of steps that a cut must exceed.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// Requires that a cut exceed this number of steps.
    pub(super) fn require_more_than(&mut self, steps: u32) {
        if steps > self.steps {
            self.steps = steps;
            self.side.clear();
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.steps >= self.request.enough || self.request.is_over()
    }

    /// Returns the number of steps that the present cut proves, if it is more than `least`. A cut with fewer than two nodes
    /// on a side proves nothing: this is a matter of the ports.
    pub(super) fn present_steps_above(&self, least: u32) -> Option<u32> {
        let inside = self.cut.len();
        let has_two_sides = inside >= 2 && inside + 2 <= self.topology.node_count();
        let steps = (has_two_sides && self.cut.exceeds(least)).then(|| self.cut.steps()).flatten();
        steps.map(|(steps, _)| steps).filter(|&steps| steps > least)
    }

    /// Keeps a cut, given by one of its sides, if it proves the most steps.
    pub(super) fn offer(&mut self, steps: u32, side: impl IntoIterator<Item = NodeId>) {
        if steps > self.steps {
            self.steps = steps;
            self.side.clear();
            self.side.extend(side.into_iter().map(NodeId::index));
        }
    }

    /// Makes a cut the present one, and keeps it if it proves the most steps.
    pub(super) fn try_side(&mut self, side: &FixedBitSet) {
        self.cut.become_set(side);
        self.try_present();
    }

    /// Keeps the present cut if it proves the most steps.
    pub(super) fn try_present(&mut self) {
        if let Some(steps) = self.present_steps_above(self.steps) {
            self.steps = steps;
            self.side.clone_from(self.cut.inside());
        }
    }

    /// Returns the bound of the best cut, stated by its smaller side; of equal halves, by the one with the first node.
    pub(super) fn into_bound(mut self) -> Option<LowerBound> {
        let (inside, all) = (self.side.count_ones(..), self.side.len());
        if 2 * inside > all || 2 * inside == all && !self.side.contains(0) {
            self.side.toggle_range(..);
        }
        self.cut.become_set(&self.side);
        self.cut.bound(Rule::Cut)
    }
}
