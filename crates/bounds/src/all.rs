//! All bounds of a problem.

use std::cmp::Reverse;

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Budget, DistributePhase, Problem};

use crate::common_root::CommonRoot;
use crate::cost::Cost;
use crate::phases::{in_time, of_parts, of_phases};
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
/// There is at most one bound per rule. An all-reduce has the bounds of its own rules. It also has bounds that are the
/// larger one of its reduction and its broadcast: one for every rule that applies to both, and one for the best bound of
/// each.
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
/// Once the time is over, the expensive rules that are left are skipped. The cheap rules are always complete.
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
pub fn all_within(problem: &Problem<'_>, budget: &Budget, mut observe: impl FnMut(BoundEvent)) -> Vec<LowerBound> {
    let phases = DistributePhase::all(problem);
    let of_phases: usize = phases.iter().map(|phase| rule_count(&phase.problem(problem), budget)).sum();
    let total = if phases.len() == 1 { of_phases } else { of_phases + rule_count(problem, budget) };
    let mut done = 0;
    let mut see = |steps| {
        done += 1;
        observe(BoundEvent { steps, done, total });
    };
    let mut of_phase = |phase: &DistributePhase<'_>| {
        let bounds = bounds_by_all(&phase.problem(problem), 0, budget, &mut see).into_iter();
        let mut bounds: Vec<LowerBound> = bounds.map(|bound| in_time(phase, bound)).collect();
        sort(&mut bounds);
        bounds
    };
    let mut phases: Vec<Vec<LowerBound>> = phases.iter().map(&mut of_phase).collect();
    if phases.len() == 1 {
        return phases.remove(0);
    }
    let mut of_distributions: Vec<LowerBound> = common_root(problem, budget).into_iter().collect();
    if budget.uses(Rule::Phases.part()) {
        of_distributions.extend(of_parts(&phases));
    }
    let least = of_distributions.iter().map(|bound| bound.steps).max().unwrap_or(0);
    let mut bounds = bounds_by_all(problem, least, budget, &mut see);
    bounds.extend(of_distributions);
    sort(&mut bounds);
    bounds
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

fn sort(bounds: &mut [LowerBound]) {
    bounds.sort_by_key(|bound| (Reverse(bound.steps), bound.rule));
}

/// Computes the bound of one rule, or `None` if the rule does not apply or proves no more than the rules that it builds
/// on.
///
/// For an all-reduce, it is the bound of its own rule of this name, or otherwise the larger one of its reduction and its
/// broadcast. For [`Rule::Phases`], which is no rule of its own, it is `None`.
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
    let phases = DistributePhase::all(problem);
    if phases.len() > 1 {
        let own =
            if rule == Rule::CommonRoot { common_root(problem, &Budget::unlimited()) } else { bound_by(problem, rule) };
        if own.is_some() {
            return own;
        }
    }
    let bounds: Option<Vec<LowerBound>> = phases.iter().map(|phase| bound_by(&phase.problem(problem), rule)).collect();
    Some(of_phases(&phases, bounds?))
}
