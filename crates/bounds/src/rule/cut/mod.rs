//! Messages that cross from one part of the network to the other.

mod best_cut;
mod families;
mod flows;

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::Problem;

use self::best_cut::BestCut;
use crate::demand::Demand;
use crate::request::BoundRequest;

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports];

/// Computes the number of steps in which messages cross a cut, each over its own resource.
///
/// [Maximum flows](flows) find the best cut if the messages are copies of a broadcast, or if each has one receiver and
/// all have one source or one receiver. These cuts must prove more than the [ports](super::ports). Other messages cross
/// the best of [some promising cuts](families).
///
/// Applies to two or more messages on four or more nodes. Cuts around single nodes are a matter of the ports.
///
/// # Source
///
/// The bisection argument: Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.9.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    search(problem, request, |demand, best| {
        if !flows::are_exact(demand) {
            families::search(problem, demand, best);
        }
        best.require_more_than(request.proved_by(BUILDS_ON));
        flows::search(problem, demand, best);
    })
}

/// Computes the bound of a few promising cuts, where flows are not exact.
pub(crate) fn quick_bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    search(problem, request, |demand, best| {
        if !flows::are_exact(demand) {
            families::search_few(problem, best);
        }
    })
}

fn search(
    problem: &Problem<'_>,
    request: &BoundRequest<'_>,
    find: impl FnOnce(&Demand<'_>, &mut BestCut<'_, '_>),
) -> Option<LowerBound> {
    if problem.messages().len() == 1 {
        return None;
    }
    let demand = Demand::new(problem);
    let mut best = BestCut::new(problem, &demand, request);
    find(&demand, &mut best);
    best.into_bound()
}
