//! What crosses from one part of the network to the other.

mod families;
mod flows;

use fixedbitset::FixedBitSet;
use lockstep_schedule::Problem;
use lockstep_topology::{NodeId, Topology};

use super::BoundRequest;
use crate::crossing::Crossing;
use crate::demand::Demand;
use lockstep_certificate::{LowerBound, Rule};

/// The steps in which the messages that must cross a cut do so, each over a resource of its own.
///
/// [Maximum flows](flows) find the best cut where the messages are the copies of a broadcast, or have one receiver each and
/// all one source, or all one receiver; they say something only if it is more than the [ports](super::ports) need. Other
/// messages cross the best of [some likely cuts](families).
///
/// Applies to two and more messages on four and more nodes. Single nodes are the matter of the ports.
///
/// Source: the bisection argument, Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.9.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    search(problem, request, |demand, cuts| {
        if !flows::decide(demand) {
            families::look(problem, demand, cuts);
        }
        flows::look(problem, demand, cuts);
    })
}

/// The same by a few likely cuts, where flows do not decide.
pub(crate) fn quick(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    search(problem, request, |demand, cuts| {
        if !flows::decide(demand) {
            families::look_at_few(problem, cuts);
        }
    })
}

fn search(
    problem: &Problem<'_>,
    request: &BoundRequest<'_>,
    look: impl FnOnce(&Demand<'_>, &mut Cuts<'_, '_>),
) -> Option<LowerBound> {
    if problem.messages().len() == 1 {
        return None;
    }
    let (topology, demand) = (problem.topology(), Demand::new(problem));
    let best = (0, FixedBitSet::with_capacity(topology.node_count()));
    let mut cuts = Cuts { topology, crossing: Crossing::new(problem, &demand), best, request };
    look(&demand, &mut cuts);
    cuts.finish()
}

/// The present cut, and the best so far.
struct Cuts<'a, 'p> {
    topology: &'a Topology,
    crossing: Crossing<'a, 'p>,
    /// The steps to be beaten, and one of the sides of the cut that gives them, if any.
    best: (u32, FixedBitSet),
    /// When no better cut is asked for.
    request: &'a BoundRequest<'a>,
}

impl Cuts<'_, '_> {
    fn is_done(&self) -> bool {
        self.best.0 >= self.request.enough || self.request.is_over()
    }

    /// The steps of the present cut; 0 where it says nothing new.
    fn steps(&self) -> u32 {
        let inside = self.crossing.len();
        let parts = inside >= 2 && inside + 2 <= self.topology.node_count();
        parts.then(|| self.crossing.steps()).flatten().map_or(0, |(steps, _)| steps)
    }

    /// Remembers a cut by one of its sides if it is the best so far.
    fn offer(&mut self, steps: u32, side: impl IntoIterator<Item = NodeId>) {
        if steps > self.best.0 {
            self.best.0 = steps;
            self.best.1.clear();
            self.best.1.extend(side.into_iter().map(NodeId::index));
        }
    }

    /// Makes this the present cut, and remembers it if it is the best so far.
    fn try_side(&mut self, side: &FixedBitSet) {
        self.crossing.become_set(side);
        self.offer(self.steps(), side.ones().map(NodeId::from_index));
    }

    /// The bound of the best cut, told by its smaller side, or of halves the one with the first node.
    fn finish(mut self) -> Option<LowerBound> {
        let (_, mut side) = self.best;
        let (inside, all) = (side.count_ones(..), side.len());
        if 2 * inside > all || 2 * inside == all && !side.contains(0) {
            side.toggle_range(..);
        }
        self.crossing.become_set(&side);
        self.crossing.bound(Rule::Cut)
    }
}
