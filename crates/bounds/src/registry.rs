//! The list of all rules.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Budget, Part, Phase, Problem};

use crate::cost::Cost;
use crate::request::{BoundRequest, ProvedSteps};
use crate::rule::{
    arc_forwarding, cut, distance_sum, eccentricity, gossip, growth, ports, reception, satisfiability, timed_cut,
    timed_entries, tree_broadcast, tree_packets, tree_packing, volume,
};

/// A way to compute bounds by one rule.
#[derive(Debug)]
pub(crate) struct RuleEntry {
    pub(crate) rule: Rule,
    pub(crate) cost: Cost,
    /// The rules whose results the request must hold. They come earlier in the registry.
    pub(crate) builds_on: &'static [Rule],
    /// Returns the bound of a problem, or `None` if the rule does not apply or proves no more than the rules that
    /// it builds on.
    pub(crate) bound: fn(&Problem<'_>, &BoundRequest<'_>) -> Option<LowerBound>,
}

const fn entry(
    rule: Rule,
    cost: Cost,
    builds_on: &'static [Rule],
    bound: fn(&Problem<'_>, &BoundRequest<'_>) -> Option<LowerBound>,
) -> RuleEntry {
    RuleEntry { rule, cost, builds_on, bound }
}

/// The rules for distributions, cheapest first. `ports`, which applies to all of them, is the first. `cut` occurs twice:
/// first with a few cuts that are found at once. The last entry of a rule is the complete one.
const DISTRIBUTION: &[RuleEntry] = &[
    entry(Rule::Ports, Cost::Linear, &[], ports::bound),
    entry(Rule::Growth, Cost::Linear, &[], growth::bound),
    entry(Rule::Volume, Cost::Linear, &[], volume::bound),
    entry(Rule::TreePackets, Cost::Linear, &[], tree_packets::bound),
    entry(Rule::TreeBroadcast, Cost::Linear, tree_broadcast::BUILDS_ON, tree_broadcast::bound),
    entry(Rule::Cut, Cost::Searches, &[], cut::quick_bound),
    entry(Rule::Eccentricity, Cost::Searches, &[], eccentricity::bound),
    entry(Rule::DistanceSum, Cost::Searches, &[], distance_sum::bound),
    entry(Rule::Reception, Cost::Expensive, reception::BUILDS_ON, reception::bound),
    entry(Rule::Cut, Cost::Expensive, cut::BUILDS_ON, cut::bound),
    entry(Rule::TimedCut, Cost::Expensive, timed_cut::BUILDS_ON, timed_cut::bound),
    entry(Rule::ArcForwarding, Cost::Expensive, &[], arc_forwarding::bound),
    entry(Rule::TreePacking, Cost::Expensive, tree_packing::BUILDS_ON, tree_packing::bound),
    entry(Rule::TimedEntries, Cost::Expensive, timed_entries::BUILDS_ON, timed_entries::bound),
    entry(Rule::Satisfiability, Cost::Exact, satisfiability::BUILDS_ON, satisfiability::bound),
];

/// The rules for all-reduces as a whole, cheapest first. `volume`, which applies to all of them, is the first. It occurs twice:
/// first with the groups that are found at once. Other rules concern [parts](crate::common_root) of all-reduces.
const ALL_REDUCE: &[RuleEntry] = &[
    entry(Rule::Volume, Cost::Linear, &[], volume::quick_bound_of_all_reduce),
    entry(Rule::Ports, Cost::Linear, &[], ports::bound_of_all_reduce),
    entry(Rule::Volume, Cost::Searches, &[], volume::bound_of_all_reduce),
    entry(Rule::Cut, Cost::Expensive, cut::BUILDS_ON, cut::bound_of_all_reduce),
    entry(Rule::Gossip, Cost::Expensive, gossip::BUILDS_ON, gossip::bound),
    entry(
        Rule::TimedEntries,
        Cost::Expensive,
        timed_entries::BUILDS_ON_FOR_ALL_REDUCES,
        timed_entries::bound_of_all_reduce,
    ),
    entry(Rule::Satisfiability, Cost::Exact, satisfiability::BUILDS_ON_FOR_ALL_REDUCES, satisfiability::bound),
];

/// Returns the rules that apply to a distribution or to an all-reduce.
pub(crate) fn rules_for(problem: &Problem<'_>) -> &'static [RuleEntry] {
    match problem.collective().phases() {
        [Phase::Distribute] => DISTRIBUTION,
        [Phase::Collect] => panic!("a collecting phase must be time-reversed into a distribution"),
        _ => ALL_REDUCE,
    }
}

/// Returns every rule as a part that a budget can [leave out](Budget::without), in the order of [`Rule::ALL`].
///
/// ```
/// assert_eq!(lockstep_bounds::parts().next().unwrap().to_string(), "bounds/ports");
/// ```
pub fn parts() -> impl Iterator<Item = Part> {
    Rule::ALL.into_iter().map(Rule::part)
}

/// Returns the rules that apply to a problem and that the budget does not leave out.
pub(crate) fn used_rules(problem: &Problem<'_>, budget: &Budget) -> Vec<&'static RuleEntry> {
    rules_for(problem).iter().filter(|entry| budget.uses(entry.rule.part())).collect()
}

/// Returns the complete entry of a rule.
pub(crate) fn complete_entry(
    rules: impl DoubleEndedIterator<Item = &'static RuleEntry>,
    rule: Rule,
) -> Option<&'static RuleEntry> {
    { rules }.rfind(|entry| entry.rule == rule)
}

/// Returns the complete entries of all rules that the budget does not leave out, in the order of the registry.
fn complete_entries(problem: &Problem<'_>, budget: &Budget) -> Vec<&'static RuleEntry> {
    let rules = used_rules(problem, budget);
    let last = |entry: &RuleEntry| complete_entry(rules.iter().copied(), entry.rule);
    rules.iter().copied().filter(|&entry| last(entry).is_some_and(|last| std::ptr::eq(last, entry))).collect()
}

/// Computes the bound of one rule, after those of the rules that it builds on.
pub(crate) fn bound_by(problem: &Problem<'_>, rule: Rule) -> Option<LowerBound> {
    let entry = complete_entry(rules_for(problem).iter(), rule)?;
    let mut proved = ProvedSteps::default();
    for &base in entry.builds_on {
        proved.record(base, bound_by(problem, base).as_ref());
    }
    (entry.bound)(problem, &BoundRequest::unlimited(&proved))
}

/// Returns the number of rules that [`bounds_by_all`] applies to a problem.
pub(crate) fn rule_count(problem: &Problem<'_>, budget: &Budget) -> usize {
    complete_entries(problem, budget).len()
}

/// Computes the bounds of all rules, in the order of the registry, and passes the steps of each to `observe`. Exact rules
/// begin at the best bound of the others, or at `least` steps if that is more. Once the time of the budget is over, the rules
/// after the first bound are left out, and the current one returns its best bound so far.
pub(crate) fn bounds_by_all(
    problem: &Problem<'_>,
    least: u32,
    budget: &Budget,
    observe: &mut dyn FnMut(Option<u32>),
) -> Vec<LowerBound> {
    let mut proved = ProvedSteps::default();
    let mut bounds = Vec::new();
    for entry in complete_entries(problem, budget) {
        if !bounds.is_empty() && budget.interruption().is_some() {
            break;
        }
        let request = BoundRequest::new(u32::MAX, &proved, budget);
        let request = if entry.cost == Cost::Exact { request.more_than(proved.most().max(least)) } else { request };
        let bound = (entry.bound)(problem, &request);
        proved.record(entry.rule, bound.as_ref());
        observe(bound.as_ref().map(|bound| bound.steps));
        bounds.extend(bound);
    }
    bounds
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel};
    use lockstep_topology::Topology;

    use super::*;

    #[test]
    fn a_rule_comes_after_those_it_builds_on() {
        for rules in [DISTRIBUTION, ALL_REDUCE] {
            for (place, entry) in rules.iter().enumerate() {
                for base in entry.builds_on {
                    assert!(rules[..place].iter().any(|earlier| earlier.rule == *base), "{} on {base}", entry.rule);
                }
            }
        }
    }

    /// Cheap rules take seconds on large networks.
    #[test]
    fn once_the_time_is_over_no_rule_follows_the_first_bound() {
        let torus: Topology = "torus:4x4".parse().unwrap();
        for collective in [Collective::all_to_all(), Collective::all_reduce()] {
            let problem = Problem::new(&torus, &collective, CommunicationModel::wormhole()).unwrap();
            let bounds = |budget: &Budget| bounds_by_all(&problem, 0, budget, &mut |_| {});
            let (all, some) = (bounds(&Budget::unlimited()), bounds(&Budget::seconds(0)));
            assert!(all.len() > 1);
            assert_eq!(some, all[..1]);
        }
    }

    #[test]
    fn costs_ascend() {
        assert!([DISTRIBUTION, ALL_REDUCE].iter().all(|rules| rules.is_sorted_by_key(|entry| entry.cost)));
    }
}
