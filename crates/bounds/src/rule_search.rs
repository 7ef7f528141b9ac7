//! The rules of one list applied one after the other.

use std::cmp::Reverse;

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Budget, Problem};

use crate::cost::Cost;
use crate::registry::{RuleEntry, bound_by, complete_entry, rules_for, used_rules};
use crate::request::{BoundRequest, ProvedSteps};

/// The search for a bound by the rules of the registry.
#[derive(Clone, Debug)]
pub(crate) struct RuleSearch<'a> {
    problem: &'a Problem<'a>,
    /// The rules that the budget does not leave out.
    rules: Vec<&'static RuleEntry>,
    /// Number of rules that have been applied.
    applied: usize,
    proved: ProvedSteps,
    pub(crate) best: LowerBound,
}

impl<'a> RuleSearch<'a> {
    /// Starts with the first rule that the budget does not leave out and that has a bound. If there is none, it starts with the
    /// first rule of all, because a bound needs a certificate.
    ///
    /// # Panics
    ///
    /// If the problem collects.
    pub(crate) fn new(problem: &'a Problem<'a>, budget: &Budget) -> Self {
        let rules = used_rules(problem, budget);
        let mut proved = ProvedSteps::default();
        let mut applied = 0;
        let first = rules.iter().find_map(|entry| {
            applied += 1;
            (entry.bound)(problem, &BoundRequest::unlimited(&proved))
        });
        let best = first.unwrap_or_else(|| {
            bound_by(problem, rules_for(problem)[0].rule).expect("some terminal receives a message")
        });
        proved.record(best.rule, Some(&best));
        Self { problem, rules, applied, proved, best }
    }

    /// Tells the rules about a bound of the problem that was found in another way.
    pub(crate) fn record(&mut self, bound: &LowerBound) {
        self.proved.record(bound.rule, Some(bound));
    }

    /// Applies one rule out of turn. Returns a bound of more than `least` steps, if there is one.
    pub(crate) fn apply(&self, rule: Rule, least: u32, enough: u32, budget: &Budget) -> Option<LowerBound> {
        let entry = complete_entry(self.rules.iter().copied(), rule)?;
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
