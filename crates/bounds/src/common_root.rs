//! The reductions of all messages of an all-reduce to one terminal, and their broadcasts from it.

use std::cmp::Reverse;

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Budget, DistributePhase, Pattern, Phase, Problem};
use lockstep_topology::NodeId;

use crate::cost::Cost;
use crate::phase::of_phase;
use crate::rule_search::RuleSearch;
use crate::transfer_rules::TransferRules;

/// The largest number of roots to try.
const MAX_ROOTS: usize = 64;

/// The largest number of arcs of the time-expanded networks of all roots: a few tenths of a second.
const ROOT_ARCS: usize = 1 << 22;

/// The search for the root of an all-reduce with the best bound.
///
/// Every terminal of a message holds its result at the end, so an all-reduce contains the reductions of all messages to
/// any one terminal, and by time reversal their broadcasts from it. Bounds of these distributions count that the last
/// contribution arrives late, and that all messages pass the channels of the root afterwards.
///
/// The cheap rules are applied for the terminals with the fewest channels or ports. The timed cut is applied for all of them
/// in small networks, because a narrow cut far from the root counts more than the root. The other expensive rules are applied
/// for the best root of each direction. Takes the time of the rules for up to 64 roots.
#[derive(Clone, Debug)]
pub(crate) struct CommonRoot<'a> {
    problem: &'a Problem<'a>,
    /// The roots and directions to try, the most promising ones first.
    candidates: Vec<(NodeId, Phase)>,
    /// The cost up to which the rules have been applied.
    done: Option<Cost>,
}

impl<'a> CommonRoot<'a> {
    /// Starts the search; `None` if the problem is no all-reduce.
    pub(crate) fn new(problem: &'a Problem<'a>) -> Option<Self> {
        if problem.collective().pattern() != Pattern::ReduceBroadcast {
            return None;
        }
        let rules = TransferRules::new(problem);
        let mut roots = problem.topology().terminals().to_vec();
        roots.sort_by_cached_key(|&root| rules.send_limit(root).min(rules.receive_limit(root)));
        roots.truncate(MAX_ROOTS);
        let candidates = roots.iter().flat_map(|&root| [(root, Phase::Collect), (root, Phase::Distribute)]).collect();
        Some(Self { problem, candidates, done: None })
    }

    /// Applies the rules up to this cost, until one proves `enough` steps or the time of the budget is over. Returns the
    /// best bound, or `None` if these rules have been applied. `least` steps are proved already. Costs must ascend from call
    /// to call.
    pub(crate) fn raise(&mut self, cost: Cost, (least, enough): (u32, u32), budget: &Budget) -> Option<LowerBound> {
        // The exact rules decide about the whole all-reduce.
        if self.done >= Some(cost) || cost > Cost::Expensive {
            return None;
        }
        self.done = Some(cost);
        let mut bounds: Vec<((NodeId, Phase), LowerBound)> = Vec::new();
        if cost == Cost::Expensive {
            bounds.extend(self.timed_cut(least, enough, budget));
            let first = |direction| self.candidates.iter().find(|(_, other)| *other == direction).copied();
            self.candidates = [Phase::Collect, Phase::Distribute].into_iter().filter_map(first).collect();
        }
        for &(root, direction) in &self.candidates {
            if bounds.iter().any(|(_, bound)| bound.steps >= enough) || budget.interruption().is_some() {
                break;
            }
            let phase = DistributePhase::rooted(self.problem, root, direction);
            let distribution = phase.problem(self.problem);
            let mut rules = RuleSearch::new(&distribution, budget);
            rules.raise(cost, enough, budget, &mut |_, _| {});
            bounds.push(((root, direction), of_phase(&phase, rules.best)));
        }
        bounds.sort_by_key(|(_, bound)| (Reverse(bound.steps), bound.rule));
        self.candidates = bounds.iter().map(|&(candidate, _)| candidate).collect();
        let ((root, _), bound) = bounds.into_iter().next()?;
        let certificate = Certificate::CommonRoot { root, bound: bound.clone().into() };
        Some(LowerBound { steps: bound.steps, rule: Rule::CommonRoot, certificate })
    }

    /// Returns the best timed cut of more than `least` steps for all roots, or for some of them in a large network. Moves the
    /// better roots to the front.
    fn timed_cut(&mut self, mut least: u32, enough: u32, budget: &Budget) -> Option<((NodeId, Phase), LowerBound)> {
        let (topology, messages) = (self.problem.topology(), self.problem.messages());
        let arcs_per_step = topology.channel_count() * topology.terminal_count();
        let mut best: Option<((NodeId, Phase), LowerBound)> = None;
        let mut arcs = 0;
        for place in 0..self.candidates.len() {
            // The messages pass the root one after the other, at the speed of all its channels.
            arcs += arcs_per_step * (least as usize).max(messages.len());
            if least >= enough || arcs > ROOT_ARCS || budget.interruption().is_some() {
                break;
            }
            let candidate = self.candidates[place];
            let phase = DistributePhase::rooted(self.problem, candidate.0, candidate.1);
            let distribution = phase.problem(self.problem);
            if let Some(bound) = RuleSearch::new(&distribution, budget).apply(Rule::TimedCut, least, enough, budget) {
                least = bound.steps;
                best = Some((candidate, of_phase(&phase, bound)));
                self.candidates[..=place].rotate_right(1);
            }
        }
        best
    }
}
