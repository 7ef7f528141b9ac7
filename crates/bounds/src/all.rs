//! Every bound of a problem, and the best of them.

use std::cmp::Reverse;

use lockstep_schedule::{Budget, DistributePhase, Problem};

use crate::bound_search::{BoundSearch, Cost};
use crate::rule::{BoundRequest, RULES};
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// Every bound that applies to the problem, best first; ties in the order of [`Rule`].
///
/// At most one bound a rule. A collective of two phases is bounded by the sum of both phases, once for every rule that
/// applies to both and once for the best of each.
///
/// Takes O(NM) time for `N` nodes and `M` channels; the searches for good cuts and lengths stop at a fixed amount of work,
/// up to seconds.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let omega: Topology = "omega:8".parse()?;
/// let gather = Collective::all_gather();
/// let problem = Problem::new(&omega, &gather, CommunicationModel::wormhole())?;
/// for bound in lockstep_bounds::all(&problem) {
///     println!("{bound}");
///     assert!(bound.steps <= 7);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all(problem: &Problem<'_>) -> Vec<LowerBound> {
    let of_phase = |phase: &DistributePhase<'_>| {
        let problem = phase.problem(problem);
        let bounds = RULES.iter().filter_map(|bound| bound(&problem, &BoundRequest::ALL));
        let mut bounds: Vec<LowerBound> = bounds.map(|bound| in_time(phase, bound)).collect();
        sort(&mut bounds);
        bounds
    };
    let mut phases: Vec<Vec<LowerBound>> = DistributePhase::all(problem).iter().map(of_phase).collect();
    if phases.len() == 1 {
        return phases.remove(0);
    }
    let mut sums = in_sequence(&phases);
    sort(&mut sums);
    sums
}

fn sort(bounds: &mut [LowerBound]) {
    bounds.sort_by_key(|bound| (Reverse(bound.steps), bound.rule));
}

/// The best lower bound of the problem, at least 1 step.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let exchange = Collective::all_to_all();
/// let problem = Problem::new(&mesh, &exchange, CommunicationModel::wormhole())?;
/// assert_eq!(lockstep_bounds::best(&problem).steps, 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best(problem: &Problem<'_>) -> LowerBound {
    best_reaching(problem, u32::MAX)
}

/// The first lower bound found of at least `enough` steps, the cheap rules asked first; else the best one.
///
/// With the length of a schedule in hand this says as much as [`best`], often after the rules that take O(N + M) time.
/// Among the bounds looked at the better one counts, and among equal ones that of the earlier [`Rule`].
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let cube: Topology = "hypercube:8".parse()?;
/// let gather = Collective::all_gather();
/// let problem = Problem::new(&cube, &gather, CommunicationModel::store_and_forward())?;
/// assert_eq!(lockstep_bounds::best_reaching(&problem, 32).steps, 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best_reaching(problem: &Problem<'_>, enough: u32) -> LowerBound {
    let phases = DistributePhase::all(problem);
    let problems: Vec<Problem<'_>> = phases.iter().map(|phase| phase.problem(problem)).collect();
    let mut searches: Vec<BoundSearch<'_>> = problems.iter().map(BoundSearch::new).collect();
    let budget = Budget::unlimited();
    for cost in [Cost::Linear, Cost::Searches, Cost::Expensive] {
        for place in 0..searches.len() {
            // What the other phases do not give, this one must.
            let others =
                searches.iter().fold(0, |sum: u32, bound_search| sum.saturating_add(bound_search.best().steps))
                    - searches[place].best().steps;
            searches[place].raise(cost, enough.saturating_sub(others), &budget, |_, _| {});
        }
    }
    of_phases(&phases, searches.iter().map(|bound_search| bound_search.best().clone()).collect())
}

/// The bound of a problem from one bound for each of its phases, taken as distributions.
///
/// # Panics
///
/// If there are not as many bounds as phases.
pub fn of_phases(phases: &[DistributePhase<'_>], bounds: Vec<LowerBound>) -> LowerBound {
    assert_eq!(phases.len(), bounds.len(), "a bound for each phase");
    let mut bounds: Vec<LowerBound> = phases.iter().zip(bounds).map(|(phase, bound)| in_time(phase, bound)).collect();
    if bounds.len() == 1 { bounds.remove(0) } else { sum_of(bounds) }
}

/// A bound of a phase's distribution as one of the phase.
fn in_time(phase: &DistributePhase<'_>, bound: LowerBound) -> LowerBound {
    if !phase.is_reversed() {
        return bound;
    }
    LowerBound { certificate: Certificate::Reversed { certificate: bound.certificate.into() }, ..bound }
}

/// The bound of one rule, or `None` where it says nothing; of phases that follow each other, the sum.
pub fn by_rule(problem: &Problem<'_>, rule: Rule) -> Option<LowerBound> {
    let phases = DistributePhase::all(problem);
    let rule = RULES.get(rule as usize)?;
    let bounds: Option<Vec<LowerBound>> =
        phases.iter().map(|phase| rule(&phase.problem(problem), &BoundRequest::ALL)).collect();
    Some(of_phases(&phases, bounds?))
}

/// The sums of the bounds of phases that follow each other.
fn in_sequence(phases: &[Vec<LowerBound>]) -> Vec<LowerBound> {
    let best: Option<Vec<LowerBound>> = phases.iter().map(|bounds| bounds.first().cloned()).collect();
    let of_rule = |rule: Rule| -> Option<Vec<LowerBound>> {
        phases.iter().map(|bounds| bounds.iter().find(|bound| bound.rule == rule).cloned()).collect()
    };
    let rules = phases.first().into_iter().flatten().map(|bound| bound.rule);
    let mut sums: Vec<LowerBound> = Vec::new();
    for bounds in best.into_iter().chain(rules.filter_map(of_rule)) {
        let sum = sum_of(bounds);
        if !sums.contains(&sum) {
            sums.push(sum);
        }
    }
    sums
}

fn sum_of(phases: Vec<LowerBound>) -> LowerBound {
    let steps = phases.iter().fold(0, |sum: u32, bound| sum.saturating_add(bound.steps));
    LowerBound { steps, rule: Rule::Phases, certificate: Certificate::Phases { phases } }
}
