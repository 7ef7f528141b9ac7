//! The input of a rule besides the problem.

use std::collections::BTreeMap;

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::Budget;

/// The steps proved so far, by rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProvedSteps(BTreeMap<Rule, u32>);

impl ProvedSteps {
    /// Keeps the result of a rule instead of an earlier one.
    pub(crate) fn record(&mut self, rule: Rule, bound: Option<&LowerBound>) {
        match bound {
            Some(bound) => self.0.insert(rule, bound.steps),
            None => self.0.remove(&rule),
        };
    }

    /// Returns the largest number of steps that any rule has proved.
    pub(crate) fn most(&self) -> u32 {
        self.0.values().copied().max().unwrap_or(0)
    }

    /// Returns the steps proved by a rule.
    pub(crate) fn by(&self, rule: Rule) -> Option<u32> {
        self.0.get(&rule).copied()
    }
}

/// A request for a bound: the results of the rules that this one builds on, and the limits of its work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundRequest<'a> {
    /// A rule may stop at this number of steps.
    pub(crate) enough: u32,
    /// The steps proved by the rules that this one builds on.
    pub(crate) proved: &'a ProvedSteps,
    /// A bound must exceed this number of steps to be of use.
    least: u32,
    /// The work of an exact rule; `None` for the usual one.
    pub(crate) work: Option<u64>,
    budget: Option<&'a Budget>,
}

impl<'a> BoundRequest<'a> {
    /// Requests the best bound of a rule.
    pub(crate) fn unlimited(proved: &'a ProvedSteps) -> Self {
        Self { enough: u32::MAX, proved, least: 0, work: None, budget: None }
    }

    /// Requests a bound of at least `enough` steps, or the best one within the time of a budget.
    pub(crate) fn new(enough: u32, proved: &'a ProvedSteps, budget: &'a Budget) -> Self {
        Self { enough, proved, least: 0, work: None, budget: Some(budget) }
    }

    /// Requests only bounds of more than `least` steps.
    pub(crate) fn more_than(self, least: u32) -> Self {
        Self { least, ..self }
    }

    /// Gives an exact rule this amount of work.
    pub(crate) fn with_work(self, work: u64) -> Self {
        Self { work: Some(work), ..self }
    }

    /// Returns the largest number of steps that some of the rules have proved, or that a bound must exceed.
    pub(crate) fn proved_by(&self, rules: &[Rule]) -> u32 {
        rules.iter().filter_map(|&rule| self.proved.by(rule)).max().unwrap_or(0).max(self.least)
    }

    /// Returns true if the time is over. Expensive rules then return their best bound so far. Evaluations do not count:
    /// they limit engines.
    pub(crate) fn is_over(&self) -> bool {
        self.budget.is_some_and(|budget| budget.interruption().is_some())
    }
}
