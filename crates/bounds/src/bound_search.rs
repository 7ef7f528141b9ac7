//! Rules applied one after the other.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Budget, Problem};

use crate::common_root::CommonRoot;
use crate::cost::Cost;
use crate::rule_search::{RuleSearch, keep_better};

/// The search for a bound of a distribution, or of an all-reduce as a whole: it applies the rules one after the other,
/// cheapest first.
///
/// ```
/// use lockstep_bounds::{BoundSearch, Cost};
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let all_to_all = Collective::all_to_all();
/// let problem = Problem::new(&mesh, &all_to_all, CommunicationModel::wormhole())?;
/// let mut bound_search = BoundSearch::new(&problem);
/// let budget = Budget::unlimited();
/// bound_search.raise(Cost::Linear, u32::MAX, &budget, |_, _| {});
/// assert_eq!(bound_search.best().steps, 8);
/// bound_search.raise(Cost::Expensive, 16, &budget, |rule, bound| println!("{rule}: {bound:?}"));
/// assert_eq!(bound_search.best().steps, 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BoundSearch<'a> {
    rules: RuleSearch<'a>,
    /// The parts of an all-reduce.
    common_root: Option<CommonRoot<'a>>,
    best: LowerBound,
}

impl<'a> BoundSearch<'a> {
    /// Starts with the first rule: the ports of the terminals for a distribution, the volume for an all-reduce.
    ///
    /// # Panics
    ///
    /// If the problem collects. Take its [`DistributePhase`](lockstep_schedule::DistributePhase).
    pub fn new(problem: &'a Problem<'a>) -> Self {
        Self::without(problem, &Budget::unlimited())
    }

    /// Starts as [`new`](Self::new), without the rules that a budget [leaves out](Budget::without). If no rule with a bound is
    /// left, the first rule remains, because a bound needs a certificate.
    ///
    /// # Panics
    ///
    /// As [`new`](Self::new).
    pub fn without(problem: &'a Problem<'a>, budget: &Budget) -> Self {
        let rules = RuleSearch::new(problem, budget);
        let best = rules.best.clone();
        let common_root = CommonRoot::new(problem).filter(|_| budget.uses(Rule::CommonRoot.part()));
        Self { rules, common_root, best }
    }

    /// Returns the best bound so far. Ties go to the earlier [`Rule`].
    pub fn best(&self) -> &LowerBound {
        &self.best
    }

    /// Keeps a bound of the problem that was found in another way, if it is better.
    pub fn offer(&mut self, bound: LowerBound) {
        self.rules.record(&bound);
        keep_better(&mut self.best, bound);
    }

    /// Applies the rules up to this cost, until one proves `enough` steps or the time of the budget is over.
    ///
    /// `observe` receives each rule and its bound, or `None` if the rule does not apply.
    pub fn raise(
        &mut self,
        cost: Cost,
        enough: u32,
        budget: &Budget,
        mut observe: impl FnMut(Rule, Option<&LowerBound>),
    ) {
        for cost in Cost::ALL.into_iter().filter(|level| *level <= cost) {
            if self.best.steps < enough {
                self.rules.raise(cost, enough, budget, &mut observe);
                keep_better(&mut self.best, self.rules.best.clone());
            }
            if let Some(common_root) = self.common_root.as_mut().filter(|_| self.best.steps < enough)
                && let Some(found) = common_root.raise(cost, (self.best.steps, enough), budget)
            {
                observe(found.rule, Some(&found));
                self.rules.record(&found);
                keep_better(&mut self.best, found);
            }
        }
    }

    /// Applies the rules of cost [`Exact`](Cost::Exact) again, until one proves `enough` steps or the time of the budget is over.
    /// They start from the best bound so far. `work` is the number of literals that the solver may assign for each rule: ten
    /// million take about a second.
    ///
    /// `observe` receives the rules that prove more than before, with their bounds.
    pub fn raise_exact(
        &mut self,
        work: u64,
        enough: u32,
        budget: &Budget,
        mut observe: impl FnMut(Rule, Option<&LowerBound>),
    ) {
        if self.best.steps < enough {
            self.rules.raise_exact(work, enough, budget, &mut observe);
            keep_better(&mut self.best, self.rules.best.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel};
    use lockstep_topology::Topology;

    use super::*;

    #[test]
    fn exact_rules_prove_more_with_more_work() {
        let line: Topology = "mesh:1x5".parse().unwrap();
        let all_reduce = Collective::all_reduce();
        let problem = Problem::new(&line, &all_reduce, CommunicationModel::wormhole()).unwrap();
        let budget = Budget::unlimited();
        let mut search = BoundSearch::new(&problem);
        search.raise(Cost::Expensive, u32::MAX, &budget, |_, _| {});
        assert_eq!(search.best().steps, 6);
        search.raise_exact(1 << 10, u32::MAX, &budget, |_, _| panic!("little work proves nothing"));
        search.raise_exact(1 << 20, 6, &budget, |_, _| panic!("6 steps are enough"));
        let mut observed = Vec::new();
        search.raise_exact(1 << 20, u32::MAX, &budget, |rule, bound| {
            observed.push((rule, bound.map(|bound| bound.steps)));
        });
        assert_eq!(observed, [(Rule::Satisfiability, Some(7))]);
        assert_eq!(search.best().steps, 7);
        search.best().check(&problem).unwrap();
        search.raise_exact(1 << 20, u32::MAX, &budget, |_, _| panic!("the same work proves nothing more"));
    }
}
