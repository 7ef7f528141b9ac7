//! The rules of one list applied one after the other.

use std::cmp::Reverse;

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Budget, Problem};

use crate::cost::Cost;
use crate::registry::{RuleEntry, bound_by, complete_entry, rules_for};
use crate::request::{BoundRequest, ProvedSteps};

/// The search for a bound by the rules of the registry.
#[derive(Clone, Debug)]
pub(crate) struct RuleSearch<'a> {
    problem: &'a Problem<'a>,
    rules: &'static [RuleEntry],
    /// Number of rules that have been applied.
    applied: usize,
    proved: ProvedSteps,
    pub(crate) best: LowerBound,
}

impl<'a> RuleSearch<'a> {
    /// Starts with the first rule.
    ///
    /// # Panics
    ///
    /// If the problem collects.
    pub(crate) fn new(problem: &'a Problem<'a>) -> Self {
        let rules = rules_for(problem);
        let best = bound_by(problem, rules[0].rule).expect("some terminal receives a message");
        let mut proved = ProvedSteps::default();
        proved.record(best.rule, Some(&best));
        Self { problem, rules, applied: 1, proved, best }
    }

    /// Tells the rules about a bound of the problem that was found in another way.
    pub(crate) fn record(&mut self, bound: &LowerBound) {
        self.proved.record(bound.rule, Some(bound));
    }

    /// Applies one rule out of turn. Returns a bound of more than `least` steps, if there is one.
    pub(crate) fn apply(&self, rule: Rule, least: u32, enough: u32, budget: &Budget) -> Option<LowerBound> {
        let entry = complete_entry(self.rules, rule)?;
        let request = BoundRequest::new(enough, &self.proved, budget).more_than(least);
        (entry.bound)(self.problem, &request).filter(|bound| bound.steps > least)
    }

    /// Applies the exact rules again, with this amount of work each, until one proves `enough` steps or the time of the budget
    /// is over. `observe` receives the rules that prove more than before.
    pub(crate) fn raise_exact(
        &mut self,
        work: u64,
        enough: u32,
        budget: &Budget,
        observe: &mut dyn FnMut(Rule, Option<&LowerBound>),
    ) {
        for entry in self.rules.iter().filter(|entry| entry.cost == Cost::Exact) {
            if self.best.steps >= enough || budget.interruption().is_some() {
                return;
            }
            let request = BoundRequest::new(enough, &self.proved, budget).more_than(self.proved.most()).with_work(work);
            let Some(found) = (entry.bound)(self.problem, &request) else { continue };
            self.proved.record(entry.rule, Some(&found));
            observe(entry.rule, Some(&found));
            keep_better(&mut self.best, found);
        }
    }

    /// Applies the rules up to this cost, until one proves `enough` steps or the time of the budget is over.
    ///
    /// `observe` receives each rule and its bound, or `None` if the rule does not apply.
    pub(crate) fn raise(
        &mut self,
        cost: Cost,
        enough: u32,
        budget: &Budget,
        observe: &mut dyn FnMut(Rule, Option<&LowerBound>),
    ) {
        while let Some(entry) = self.rules.get(self.applied).filter(|entry| entry.cost <= cost)
            && self.best.steps < enough
            && budget.interruption().is_none()
        {
            self.applied += 1;
            let request = BoundRequest::new(enough, &self.proved, budget);
            // An exact rule begins where all others end.
            let request = if entry.cost == Cost::Exact { request.more_than(self.proved.most()) } else { request };
            let found = (entry.bound)(self.problem, &request);
            self.proved.record(entry.rule, found.as_ref());
            observe(entry.rule, found.as_ref());
            if let Some(found) = found {
                keep_better(&mut self.best, found);
            }
        }
    }
}

/// Replaces a bound by a better one. Ties go to the earlier [`Rule`].
pub(crate) fn keep_better(best: &mut LowerBound, found: LowerBound) {
    let key = |bound: &LowerBound| (Reverse(bound.steps), bound.rule);
    if key(&found) < key(best) {
        *best = found;
    }
}
