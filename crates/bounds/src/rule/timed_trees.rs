//! Trees of transfers in the time-expanded network, proved too long by lengths of resources and ports in every step.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::Problem;

use crate::demand::Demand;
use crate::multicasts::Multicasts;
use crate::request::BoundRequest;
use crate::timed_length_search::{Structure, TimedPacking, longest};
use crate::timed_tree_table::{MAX_TARGETS, TimedTreeTable};
use crate::transfer_rules::TransferRules;
use crate::transfers::Transfers;

/// The largest number of messages, before they are split into chunks.
const MAX_MESSAGES: usize = 1 << 12;

pub(crate) const BUILDS_ON: &[Rule] = &[
    Rule::Ports,
    Rule::Growth,
    Rule::TreePackets,
    Rule::TreeBroadcast,
    Rule::BroadcastLp,
    Rule::Eccentricity,
    Rule::Cut,
    Rule::Reception,
    Rule::TimedCut,
    Rule::DistanceSum,
    Rule::Volume,
    Rule::ArcForwarding,
    Rule::TreePacking,
    Rule::TimedEntries,
];

/// Computes the smallest number of steps in which a fractional packing of trees in the time-expanded network exists: for
/// each message, transfers that bring it from its source to all receivers in time.
///
/// This is the [packing of trees](super::tree_packing) with a length for every resource and port in every step. A
/// terminal forwards a message in a later step than the one in which it receives it. A
/// [linear program](crate::length_program::LengthProgram) finds lengths by which the shortest trees are longer than all
/// resources and ports in all steps together. The bound must exceed those of the rules that it builds on. Applies to two
/// or more messages that terminals may forward, to few receivers each.
///
/// Takes `O(3^K N)` time per step and evaluation for `N` terminals and each different set of `K` ends of a message, within a
/// fixed amount of work.
///
/// # Source
///
/// Lockstep. Flows over time: Ford and Fulkerson, *Flows in Networks* (1962), §III.9.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let proved = request.proved_by(BUILDS_ON);
    let is_alone = problem.messages().len() == 1;
    if is_alone || TransferRules::new(problem).is_direct() || proved >= request.enough {
        return None;
    }
    let (steps, certificate) = longest(problem, &TimedTrees::new(problem)?, proved, request)?;
    Some(LowerBound { steps, rule: Rule::TimedTrees, certificate })
}

/// The trees of all messages.
struct TimedTrees {
    terminals: usize,
    multicasts: Vec<Multicasts>,
    /// The different sets of ends of messages, ascending.
    targets: Vec<Vec<usize>>,
}

impl TimedTrees {
    /// `None` if there are too many messages, or if one has too many receivers.
    fn new(problem: &Problem<'_>) -> Option<Self> {
        let messages = problem.messages();
        let mut originals = messages.ids().step_by(messages.chunks() as usize);
        if originals.len() > MAX_MESSAGES || originals.any(|message| messages.receiver_count(message) >= MAX_TARGETS) {
            return None;
        }
        let multicasts = Multicasts::all(problem, &Demand::new(problem));
        let mut targets: Vec<Vec<usize>> = multicasts.iter().map(ends).collect();
        targets.sort_unstable();
        targets.dedup();
        Some(Self { terminals: problem.topology().terminal_count(), multicasts, targets })
    }

    /// Returns the messages of each source.
    fn by_source(&self) -> impl Iterator<Item = &[Multicasts]> {
        self.multicasts.chunk_by(|a, b| a.source == b.source)
    }
}

/// Returns the source and the receivers, ascending.
fn ends(multicasts: &Multicasts) -> Vec<usize> {
    let mut ends = multicasts.receivers.clone();
    ends.push(multicasts.source);
    ends.sort_unstable();
    ends
}

impl TimedPacking for TimedTrees {
    fn parts(&self) -> usize {
        self.by_source().count()
    }

    fn entries(&self, steps: usize) -> usize {
        let of_targets = |targets: &Vec<usize>| TimedTreeTable::entries(steps, self.terminals, targets.len());
        self.targets.iter().map(of_targets).fold(0, usize::saturating_add)
    }

    fn shortest(&self, transfers: &[Transfers], visit: &mut dyn FnMut(Structure<'_>)) {
        let transfers: Vec<Vec<f64>> = transfers.iter().map(|step| step.length.clone()).collect();
        let table = |targets: &Vec<usize>| TimedTreeTable::new(&transfers, self.terminals, targets);
        let tables: Vec<TimedTreeTable<'_>> = self.targets.iter().map(table).collect();
        let mut tree = Vec::new();
        for (part, of_source) in self.by_source().enumerate() {
            for multicasts in of_source {
                let Multicasts { source, receivers, count } = multicasts;
                let place = self.targets.binary_search(&ends(multicasts)).expect("all sets of ends are listed");
                tree.clear();
                tables[place].visit(0, *source, receivers, |step, ends| tree.push((step, ends)));
                let length = tables[place].length(0, *source, receivers);
                visit(Structure { part, length, count: *count, transfers: &tree });
            }
        }
    }
}
