//! Trees of transfers in the time-expanded network, proved too long by lengths of resources and ports in every step.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::Problem;

use crate::demand::Demand;
use crate::multicasts::Multicasts;
use crate::request::BoundRequest;
use crate::timed_length_search::{Structure, TimedPacking, longest};
use crate::timed_tree_table::{MAX_TERMINALS, TimedTreeTable};
use crate::transfer_rules::TransferRules;
use crate::transfers::Transfers;

pub(crate) const BUILDS_ON: &[Rule] = &[
    Rule::Ports,
    Rule::Growth,
    Rule::TreePackets,
    Rule::TreeBroadcast,
    Rule::BroadcastLp,
    Rule::Eccentricity,
    Rule::Cut,
    Rule::SourceCut,
    Rule::Reception,
    Rule::TimedCut,
    Rule::DistanceSum,
    Rule::Volume,
    Rule::ArcForwarding,
    Rule::TreePacking,
];

/// Computes the smallest number of steps in which a fractional packing of trees in the time-expanded network exists: for
/// each message, transfers that bring it from its source to all receivers in time.
///
/// This is the [packing of trees](super::tree_packing) with a length for every resource and port in every step. A
/// terminal forwards a message in a later step than the one in which it receives it. A
/// [linear program](crate::length_program::LengthProgram) finds lengths by which the shortest trees are longer than all
/// resources and ports in all steps together. The bound must exceed those of the rules that it builds on. Applies to two
/// or more messages that terminals may forward, on networks of few terminals.
///
/// Takes `O(3^N N)` time per step and evaluation for `N` terminals, within a fixed amount of work.
///
/// # Source
///
/// Lockstep. Flows over time: Ford and Fulkerson, *Flows in Networks* (1962), §III.9.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let proved = request.proved_by(BUILDS_ON);
    let terminals = problem.topology().terminal_count();
    let is_alone = problem.messages().len() == 1;
    if is_alone || TransferRules::new(problem).is_direct() || proved >= request.enough || terminals > MAX_TERMINALS {
        return None;
    }
    let packing = TimedTrees { terminals, multicasts: Multicasts::all(problem, &Demand::new(problem)) };
    let (steps, certificate) = longest(problem, &packing, proved, request)?;
    Some(LowerBound { steps, rule: Rule::TimedTrees, certificate })
}

/// The trees of all messages.
struct TimedTrees {
    terminals: usize,
    multicasts: Vec<Multicasts>,
}

impl TimedTrees {
    /// Returns the messages of each source.
    fn by_source(&self) -> impl Iterator<Item = &[Multicasts]> {
        self.multicasts.chunk_by(|a, b| a.source == b.source)
    }
}

impl TimedPacking for TimedTrees {
    fn parts(&self) -> usize {
        self.by_source().count()
    }

    fn entries(&self, steps: usize) -> usize {
        TimedTreeTable::entries(steps, self.terminals)
    }

    fn shortest(&self, transfers: &[Transfers], visit: &mut dyn FnMut(Structure<'_>)) {
        let table = TimedTreeTable::new(transfers.iter().map(|step| step.length.clone()).collect(), self.terminals);
        let mut tree = Vec::new();
        for (part, of_source) in self.by_source().enumerate() {
            for Multicasts { source, receivers, count } in of_source {
                tree.clear();
                table.visit(0, *source, receivers, |step, ends| tree.push((step, ends)));
                let length = table.length(0, *source, receivers);
                visit(Structure { part, length, count: *count, transfers: &tree });
            }
        }
    }
}
