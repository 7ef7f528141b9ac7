//! The messages that one terminal sends and receives.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::Problem;

use crate::demand::Demand;
use crate::members::Members;
use crate::moving_cut::{CrossingMessages, Crossings};
use crate::request::BoundRequest;
use crate::transfer_rules::TransferRules;

/// Computes the number of steps in which the busiest terminal starts the messages that it sends, or finishes those that
/// it receives, through its channels and ports.
///
/// Applies to every problem. The certificate is the first such terminal. Takes `O(N + M)` time.
///
/// # Source
///
/// Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2; here for any degrees, ports and shared resources.
pub(crate) fn bound(problem: &Problem<'_>, _request: &BoundRequest<'_>) -> Option<LowerBound> {
    let (demand, rules) = (Demand::new(problem), TransferRules::new(problem));
    let mut messages = CrossingMessages::new(problem, &demand);
    let mut own_messages = |terminal| {
        messages.flip(terminal, true, true);
        let crossing = messages.crossing();
        messages.flip(terminal, false, true);
        crossing
    };
    let mut best = None;
    for &terminal in problem.topology().terminals() {
        let steps = own_messages(terminal).steps(Crossings::limits(rules, terminal)).map(|(steps, _)| steps);
        if steps > best.map(|(steps, _)| steps) {
            best = steps.map(|steps| (steps, terminal));
        }
    }
    let (_, terminal) = best?;
    own_messages(terminal).bound(Crossings::limits(rules, terminal), vec![terminal], Rule::Ports)
}

/// Computes the number of steps in which the busiest terminal starts and finishes the transfers of an all-reduce: one in
/// each direction per message.
///
/// Takes `O(N + M)` time.
pub(crate) fn bound_of_all_reduce(problem: &Problem<'_>, _request: &BoundRequest<'_>) -> Option<LowerBound> {
    let (terminals, rules) = (problem.topology().terminals(), TransferRules::new(problem));
    let mut messages = vec![0; terminals.len()];
    for members in Members::all(problem) {
        members.ranks.iter().for_each(|&rank| messages[rank] += members.count);
    }
    let bounds = terminals.iter().zip(messages).filter_map(|(&terminal, messages)| {
        Crossings::of_all_reduce(messages).bound(Crossings::limits(rules, terminal), vec![terminal], Rule::Ports)
    });
    bounds.reduce(|best, next| if next.steps > best.steps { next } else { best })
}
