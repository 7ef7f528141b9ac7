//! Rules applied one after the other.

use std::cmp::Reverse;

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Budget, Phase, Problem};

use crate::cost::Cost;
use crate::registry::{REGISTRY, bound_by};
use crate::request::{BoundRequest, ProvedSteps};

/// The search for a bound of one distribution: it applies the rules one after the other, cheapest first.
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
    problem: &'a Problem<'a>,
    /// Number of registry entries that have been applied.
    applied: usize,
    proved: ProvedSteps,
    best: LowerBound,
}

impl<'a> BoundSearch<'a> {
    /// Starts with the first rule: the ports of the terminals.
    ///
    /// # Panics
    ///
    /// If a phase of the problem collects. Take its [`DistributePhase`](lockstep_schedule::DistributePhase).
    pub fn new(problem: &'a Problem<'a>) -> Self {
        assert!(problem.collective().phases() == [Phase::Distribute], "the problem must be a distribution");
        let best = bound_by(problem, REGISTRY[0].rule).expect("some terminal receives a message");
        let mut proved = ProvedSteps::default();
        proved.record(best.rule, Some(&best));
        Self { problem, applied: 1, proved, best }
    }

    /// Returns the best bound so far. Ties go to the earlier [`Rule`].
    pub fn best(&self) -> &LowerBound {
        &self.best
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
        let budget = budget.clone().with_evaluations(u64::MAX);
        while let Some(entry) = REGISTRY.get(self.applied).filter(|entry| entry.cost <= cost)
            && self.best.steps < enough
            && budget.stop_after(0).is_none()
        {
            self.applied += 1;
            let found = (entry.bound)(self.problem, &BoundRequest::new(enough, &self.proved, &budget));
            self.proved.record(entry.rule, found.as_ref());
            observe(entry.rule, found.as_ref());
            let key = |bound: &LowerBound| (Reverse(bound.steps), bound.rule);
            if let Some(found) = found.filter(|found| key(found) < key(&self.best)) {
                self.best = found;
            }
        }
    }
}
