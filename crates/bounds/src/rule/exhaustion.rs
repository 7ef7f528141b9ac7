//! All states that the first steps of a tiny all-reduce can reach.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_exhaustion::{Exhaustion, exhaust_all_reduce};
use lockstep_schedule::Problem;

use crate::request::BoundRequest;

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports, Rule::Volume, Rule::Cut, Rule::Gossip, Rule::TimedGossip];

/// Computes the fewest steps of a tiny all-reduce, exactly, by enumeration of all schedules.
///
/// The other rules count transfers. They do not see that two partial sums with a common contribution cannot be added.
/// Applies to all-reduces of which the terminals times the members of all messages are at most 128. Takes a fraction of a
/// second per number of steps, and gives up beyond.
///
/// # Source
///
/// Lockstep.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let mut best = None;
    let mut steps = request.proved_by(BUILDS_ON);
    while (1..request.enough).contains(&steps) && !request.is_over() {
        let Ok(Exhaustion::Infeasible { states }) = exhaust_all_reduce(problem, steps) else { break };
        let certificate = Certificate::Exhaustion { infeasible: steps, states };
        steps += 1;
        best = Some(LowerBound { steps, rule: Rule::Exhaustion, certificate });
    }
    best
}
