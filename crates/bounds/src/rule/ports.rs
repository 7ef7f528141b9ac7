//! What one terminal sends and receives.

use lockstep_schedule::Problem;

use super::BoundRequest;
use crate::crossing::{Traffic, Ways};
use crate::demand::Demand;
use crate::legal::Legal;
use lockstep_certificate::{LowerBound, Rule};

/// The steps in which the busiest terminal starts the messages it sends, or finishes those it receives, through its
/// channels and ports. The first such terminal is the certificate. Takes O(N + M) time.
///
/// Applies to everything.
///
/// Source: Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2; here for any degrees, ports and shared resources.
pub(crate) fn bound(problem: &Problem<'_>, _ask: &BoundRequest<'_>) -> Option<LowerBound> {
    let (demand, legal) = (Demand::new(problem), Legal::new(problem));
    let mut traffic = Traffic::new(problem, &demand);
    let mut own_messages = |terminal| {
        traffic.flip(terminal, true, true);
        let crossing = traffic.crossing();
        traffic.flip(terminal, false, true);
        crossing
    };
    let mut best = None;
    for &terminal in problem.topology().terminals() {
        let steps = own_messages(terminal).steps(Ways::limits(legal, terminal)).map(|(steps, _)| steps);
        if steps > best.map(|(steps, _)| steps) {
            best = steps.map(|steps| (steps, terminal));
        }
    }
    let (_, terminal) = best?;
    own_messages(terminal).bound(Ways::limits(legal, terminal), vec![terminal], Rule::Ports)
}
