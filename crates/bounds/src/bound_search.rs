//! The rules one after the other.

use std::cmp::Reverse;

use lockstep_schedule::{Budget, Phase, Problem};

use crate::rule::{BY_COST, BoundRequest};
use lockstep_certificate::{LowerBound, Rule};

/// What it costs to ask a rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cost {
    /// About as much as reading the problem.
    Linear,
    /// A search of the network for each source or receiver.
    Searches,
    /// Flows, linear programmes, local search: up to seconds.
    Expensive,
}

/// The bounds of one distribution, step by step dearer and better.
///
/// ```
/// use lockstep_bounds::{Cost, BoundSearch};
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let exchange = Collective::all_to_all();
/// let problem = Problem::new(&mesh, &exchange, CommunicationModel::wormhole())?;
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
    /// Number of rules asked.
    asked: usize,
    best: LowerBound,
}

impl<'a> BoundSearch<'a> {
    /// The first step: the ports of the terminals.
    ///
    /// # Panics
    ///
    /// If a phase of the problem collects; take its [`DistributePhase`](lockstep_schedule::DistributePhase).
    pub fn new(problem: &'a Problem<'a>) -> Self {
        assert!(problem.collective().phases() == [Phase::Distribute], "a distribution");
        let (_, ports, _) = BY_COST[0];
        let best = ports(problem, &BoundRequest::ALL).expect("some terminal receives a message");
        Self { problem, asked: 1, best }
    }

    /// The best bound so far; of equal ones that of the earlier [`Rule`].
    pub fn best(&self) -> &LowerBound {
        &self.best
    }

    /// Asks the rules up to this cost, until one gives `enough` steps or the budget's time is over. `observe` sees each
    /// rule and its bound, if it applies.
    pub fn raise(
        &mut self,
        cost: Cost,
        enough: u32,
        budget: &Budget,
        mut observe: impl FnMut(Rule, Option<&LowerBound>),
    ) {
        let budget = budget.clone().with_evaluations(u64::MAX);
        while let Some((rule, bound, _)) = BY_COST.get(self.asked).filter(|(_, _, price)| *price <= cost)
            && self.best.steps < enough
            && budget.stop_after(0).is_none()
        {
            self.asked += 1;
            let found = bound(self.problem, &BoundRequest::new(enough, &budget));
            observe(*rule, found.as_ref());
            let key = |bound: &LowerBound| (Reverse(bound.steps), bound.rule);
            if let Some(found) = found.filter(|found| key(found) < key(&self.best)) {
                self.best = found;
            }
        }
    }
}
