//! All bounds of a problem.

use std::cmp::Reverse;

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Budget, DistributePhase, Problem};

use crate::common_root::CommonRoot;
use crate::cost::Cost;
use crate::phase::of_phase;
use crate::registry::{bound_by, bounds_by_all, rule_count};

/// A report about the work on all bounds: one more rule is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BoundEvent {
    /// The lower bound in steps; `None` if the rule does not apply.
    pub steps: Option<u32>,
    /// The number of rules that are done.
    pub done: usize,
    /// The number of rules.
    pub total: usize,
}

/// Computes every bound that applies to the problem, best first; ties go to the earlier [`Rule`].
///
/// There is at most one bound per rule.
///
/// Takes `O(NM)` time for `N` nodes and `M` channels. The searches for good cuts and lengths stop after a fixed amount
/// of work, up to seconds.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let omega: Topology = "omega:8".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&omega, &all_gather, CommunicationModel::wormhole())?;
/// for bound in lockstep_bounds::all(&problem) {
///     println!("{bound}");
///     assert!(bound.steps <= 7);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all(problem: &Problem<'_>) -> Vec<LowerBound> {
    all_within(problem, &Budget::unlimited(), |_| {})
}

/// Computes the bounds as [`all`], within the time of a budget and without the rules that it
/// [leaves out](Budget::without). Evaluations do not count. `observe` receives a report after every rule.
///
/// Once the time is over, no further rule begins. There is always at least one bound.
///
/// ```
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let omega: Topology = "omega:8".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&omega, &all_gather, CommunicationModel::wormhole())?;
/// let (quick, all) = (lockstep_bounds::all_within(&problem, &Budget::seconds(0), |_| {}), lockstep_bounds::all(&problem));
/// assert!(!quick.is_empty() && quick.iter().all(|bound| all.contains(bound)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all_within(problem: &Problem<'_>, budget: &Budget, observe: impl FnMut(BoundEvent)) -> Vec<LowerBound> {
    let phases = DistributePhase::all(problem);
    let mut bounds: Vec<LowerBound> = if let [phase] = phases.as_slice() {
        let bounds = of_rules(&phase.problem(problem), 0, budget, observe).into_iter();
        bounds.map(|bound| of_phase(phase, bound)).collect()
    } else {
        let of_root = common_root(problem, budget);
        let least = of_root.as_ref().map_or(0, |bound| bound.steps);
        let mut bounds = of_rules(problem, least, budget, observe);
        bounds.extend(of_root);
        bounds
    };
    bounds.sort_by_key(|bound| (Reverse(bound.steps), bound.rule));
    bounds
}

/// Returns the bounds of all rules of the registry. `observe` receives a report after every rule.
fn of_rules(
    problem: &Problem<'_>,
    least: u32,
    budget: &Budget,
    mut observe: impl FnMut(BoundEvent),
) -> Vec<LowerBound> {
    let (mut done, total) = (0, rule_count(problem, budget));
    bounds_by_all(problem, least, budget, &mut |steps| {
        done += 1;
        observe(BoundEvent { steps, done, total });
    })
}

/// Returns the best bound of an all-reduce by one root.
fn common_root(problem: &Problem<'_>, budget: &Budget) -> Option<LowerBound> {
    let mut search = CommonRoot::new(problem).filter(|_| budget.uses(Rule::CommonRoot.part()))?;
    let mut best: Option<LowerBound> = None;
    for cost in Cost::ALL {
        let least = best.as_ref().map_or(0, |best| best.steps);
        let found = search.raise(cost, (least, u32::MAX), budget);
        best = found.filter(|found| found.steps > least).or(best);
    }
    best
}

/// Computes the bound of one rule, or `None` if the rule does not apply or proves no more than the rules that it builds
/// on.
///
/// ```
/// use lockstep_bounds::{Rule, by_rule};
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:8".parse()?;
/// let all_to_all = Collective::all_to_all();
/// let problem = Problem::new(&ring, &all_to_all, CommunicationModel::wormhole())?;
/// assert_eq!(by_rule(&problem, Rule::DistanceSum).map(|bound| bound.steps), Some(8));
/// assert_eq!(by_rule(&problem, Rule::Growth), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn by_rule(problem: &Problem<'_>, rule: Rule) -> Option<LowerBound> {
    if rule == Rule::Satisfiability {
        // It builds on all others.
        return all(problem).into_iter().find(|bound| bound.rule == rule);
    }
    match DistributePhase::all(problem).as_slice() {
        [phase] => bound_by(&phase.problem(problem), rule).map(|bound| of_phase(phase, bound)),
        _ if rule == Rule::CommonRoot => common_root(problem, &Budget::unlimited()),
        _ => bound_by(problem, rule),
    }
}
