//! What one terminal sends and receives.

use lockstep_schedule::Problem;

use crate::certificate::{LowerBound, Rule};
use crate::crossing::Crossing;
use crate::demand::Demand;

/// The steps in which the busiest terminal starts the messages it sends, or finishes those it receives, through its
/// channels and ports. The first such terminal is the certificate. Takes O(N + M) time.
///
/// Applies to everything.
///
/// Source: Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2; here for any degrees, ports and shared resources.
pub(crate) fn bound(problem: &Problem<'_>, _enough: u32) -> Option<LowerBound> {
    let demand = Demand::new(problem);
    let mut crossing = Crossing::new(problem, &demand);
    let mut best = None;
    for &terminal in problem.topology().terminals() {
        crossing.flip(terminal);
        let steps = crossing.steps().map(|(steps, _)| steps);
        if steps > best.map(|(steps, _)| steps) {
            best = steps.map(|steps| (steps, terminal));
        }
        crossing.flip(terminal);
    }
    let (_, terminal) = best?;
    crossing.flip(terminal);
    crossing.bound(Rule::Ports)
}
