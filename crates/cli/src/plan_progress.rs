//! The progress of a planner.

use lockstep::schedule::SearchProgress;
use lockstep::{Budget, Event};

use crate::progress::Progress;
use crate::text::counted;

/// Shows the events of a planner in the line of a command.
pub(crate) struct PlanProgress<'a> {
    progress: &'a Progress,
    /// The evaluations of all parts together; `u64::MAX` without a limit.
    limit: u64,
    /// The number of the current pass, from 1; of its current part, from 0; and of all its parts.
    part: [usize; 3],
    /// The evaluations of the parts before, and of the current one.
    share: [u64; 2],
    /// The best bound and the best schedule of this part, in steps.
    bound: u32,
    best: Option<u32>,
    /// The evaluations of this part.
    evaluations: u64,
    /// The number of steps of the current search, and its evaluations in earlier reports.
    search: [u64; 2],
}

impl<'a> PlanProgress<'a> {
    /// Shows the events of a planner with this budget.
    pub(crate) fn new(progress: &'a Progress, budget: &Budget) -> Self {
        let limit = budget.evaluation_limit();
        let (part, share) = ([1, 0, 0], [0, limit]);
        Self { progress, limit, part, share, bound: 0, best: None, evaluations: 0, search: [0; 2] }
    }

    /// Shows an event.
    pub(crate) fn see(&mut self, event: &Event<'_>) {
        match *event {
            Event::Part { place, count, evaluations, reached } => {
                let [pass, last, of_pass] = self.part;
                let is_first = of_pass == 0;
                self.part = [pass + usize::from(!is_first && place <= last), place, count];
                self.share = [if is_first { 0 } else { self.share[0].saturating_add(self.share[1]) }, evaluations];
                (self.bound, self.best, self.evaluations, self.search) = (0, reached, 0, [0; 2]);
                self.show("lower bounds");
            }
            Event::Bound { rule, steps } => {
                self.bound = self.bound.max(steps.unwrap_or(0));
                self.show(&format!("bound {rule}"));
            }
            Event::Tried { engine, method, effort, .. } => {
                self.evaluations = self.evaluations.saturating_add(effort.evaluations);
                if effort.attempts == 0 {
                    self.search[1] = self.search[1].saturating_add(effort.evaluations);
                }
                self.show(&method.map_or(engine.to_owned(), |method| format!("{engine}: {method}")));
            }
            Event::Found { engine, steps } => {
                self.best = Some(self.best.map_or(steps, |best| best.min(steps)));
                self.show(engine);
            }
            Event::Search(search) => self.show_search(&search),
            _ => {}
        }
    }

    /// Shows a running search, whose evaluations are not yet reported as tried.
    fn show_search(&mut self, search: &SearchProgress<'_>) {
        if self.search[0] != u64::from(search.steps) {
            self.search = [u64::from(search.steps), 0];
        }
        let conflicts = search.conflicts.map(|conflicts| format!(", {}", counted(conflicts as usize, "conflict")));
        let steps = counted(search.steps as usize, "step");
        self.show(&format!("search for {steps}: generation {}{}", search.generation, conflicts.unwrap_or_default()));
        self.show_evaluations(search.evaluations.saturating_sub(self.search[1]));
    }

    /// Shows the state, and the current work.
    fn show(&self, work: &str) {
        let steps = |steps: u32| counted(steps as usize, "step");
        self.progress.set_bound((self.bound > 0).then(|| steps(self.bound)));
        self.progress.set_best(self.best.map(steps));
        self.show_evaluations(0);
        let [pass, place, count] = self.part;
        let pass = if pass > 1 { format!("pass {pass}, ") } else { String::new() };
        let part = if count > 1 { format!("part {} of {count}, ", place + 1) } else { String::new() };
        self.progress.set_work(format!("{pass}{part}{work}"));
    }

    /// Shows the share of the evaluations, with those of a running search.
    fn show_evaluations(&self, running: u64) {
        if self.limit == u64::MAX {
            return;
        }
        let [before, share] = self.share;
        let spent = self.evaluations.saturating_add(running).min(share);
        self.progress.set_done(before.saturating_add(spent).min(self.limit), self.limit);
    }
}
