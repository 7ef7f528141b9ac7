//! The lower bounds of a problem, which all passes of a planner share.

use lockstep_bounds::{BoundSearch, Cost, of_phase};
use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Budget, DistributePhase, Pattern, Problem};

use super::all_reduce::raise_whole;
use super::event::Event;

/// The searches for the bounds of all phases, and of an all-reduce as a whole.
pub(super) struct Bounds<'p> {
    problem: &'p Problem<'p>,
    phases: &'p [DistributePhase<'p>],
    pub(super) of_phases: Vec<BoundSearch<'p>>,
    pub(super) of_whole: Option<BoundSearch<'p>>,
    /// The last bound of an all-reduce with a proof by the exact rule, after the check of its certificate.
    proved: Option<LowerBound>,
}

impl<'p> Bounds<'p> {
    /// Starts with the first rules. `problems` are those of the phases.
    pub(super) fn new(
        problem: &'p Problem<'p>,
        phases: &'p [DistributePhase<'p>],
        problems: &'p [Problem<'p>],
        budget: &Budget,
    ) -> Self {
        let is_all_reduce = problem.collective().pattern() == Pattern::ReduceBroadcast;
        Self {
            problem,
            phases,
            of_phases: problems.iter().map(|problem| BoundSearch::without(problem, budget)).collect(),
            of_whole: is_all_reduce.then(|| BoundSearch::without(problem, budget)),
            proved: None,
        }
    }

    /// Returns the best bound of the problem so far.
    pub(super) fn best(&self) -> LowerBound {
        match &self.of_whole {
            Some(whole) => whole.best().clone(),
            None => of_phase(&self.phases[0], self.of_phases[0].best().clone()),
        }
    }

    /// Returns the best bound of the problem so far, and whether the check of its certificate has accepted it.
    pub(super) fn proved_best(&self) -> (LowerBound, bool) {
        let best = self.best();
        let is_proved = self.proved.as_ref() == Some(&best);
        (best, is_proved)
    }

    /// Returns the steps of the best bound of the problem so far.
    pub(super) fn best_steps(&self) -> u32 {
        self.of_whole.as_ref().unwrap_or(&self.of_phases[0]).best().steps
    }

    /// Applies all rules to the problem, up to `enough` steps.
    pub(super) fn raise_all(&mut self, enough: u32, budget: &Budget) {
        if self.of_whole.is_none() {
            self.of_phases[0].raise(Cost::Exact, enough, budget, |_, _| {});
        }
        self.raise_whole(enough, (Cost::Exact, budget), &mut |_| {});
    }

    /// Applies the rules for an all-reduce as a whole, up to `enough` steps.
    pub(super) fn raise_whole(
        &mut self,
        enough: u32,
        (cost, budget): (Cost, &Budget),
        observe: &mut dyn FnMut(Event<'_>),
    ) {
        if let Some(search) = &mut self.of_whole {
            raise_whole(search, enough, (cost, budget), observe);
            let best = search.best();
            // The check may take seconds, which count towards the time limit.
            if best.rule == Rule::Satisfiability
                && self.proved.as_ref() != Some(best)
                && best.check(self.problem).is_ok()
            {
                self.proved = Some(best.clone());
            }
        }
    }

    /// Returns the sum of the bounds of all phases by rules that take a search at most.
    pub(super) fn of_phases_together(&mut self, enough: u32, budget: &Budget) -> u32 {
        let of_phase = |search: &mut BoundSearch<'_>| {
            search.raise(Cost::Searches, enough, budget, |_, _| {});
            search.best().steps
        };
        self.of_phases.iter_mut().map(of_phase).fold(0, u32::saturating_add)
    }
}
