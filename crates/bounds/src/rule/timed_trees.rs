//! Trees of transfers in the time-expanded network, proved too long by lengths of resources and ports in every step.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::Problem;

use crate::demand::Demand;
use crate::multicasts::Multicasts;
use crate::request::BoundRequest;
use crate::target_sets::target_sets;
use crate::timed_length_search::{Structure, TimedPacking, longest, longest_of_sets};
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
/// or more messages that terminals may forward. If some message has many receivers, only those in [some
/// sets](crate::target_sets) count.
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
    let multicasts = multicasts(problem)?;
    let terminals = problem.topology().terminal_count();
    let of_targets = |targets: &[usize], proved: u32| {
        longest(problem, &TimedTrees::new(terminals, &multicasts, targets), (targets, proved), request)
    };
    let most = multicasts.iter().map(|multicasts| multicasts.receivers.len()).max()?;
    let sources: Vec<usize> = multicasts.iter().map(|multicasts| multicasts.source).collect();
    let mut sets = target_sets(problem, (&sources, &all_receivers(&multicasts)), most, proved);
    if most < MAX_TARGETS {
        sets.insert(0, Vec::new());
    }
    let (steps, certificate) = longest_of_sets(&sets, proved, request, of_targets)?;
    Some(LowerBound { steps, rule: Rule::TimedTrees, certificate })
}

/// Returns the messages of a problem; `None` if there are too many.
fn multicasts(problem: &Problem<'_>) -> Option<Vec<Multicasts>> {
    let messages = problem.messages();
    let originals = messages.ids().step_by(messages.chunks() as usize);
    (originals.len() <= MAX_MESSAGES).then(|| Multicasts::all(problem, &Demand::new(problem)))
}

/// Returns the terminals that receive a message, ascending.
fn all_receivers(multicasts: &[Multicasts]) -> Vec<usize> {
    let mut receivers: Vec<usize> = multicasts.iter().flat_map(|multicasts| &multicasts.receivers).copied().collect();
    receivers.sort_unstable();
    receivers.dedup();
    receivers
}

/// The trees of all messages.
struct TimedTrees {
    terminals: usize,
    /// The messages, each with the place of its table in `targets`.
    multicasts: Vec<(Multicasts, usize)>,
    /// The different sets of targets of tables, ascending.
    targets: Vec<Vec<usize>>,
}

impl TimedTrees {
    /// Only the receivers among the targets count, if there are targets.
    fn new(terminals: usize, multicasts: &[Multicasts], targets: &[usize]) -> Self {
        if targets.is_empty() {
            let mut targets: Vec<Vec<usize>> = multicasts.iter().map(ends).collect();
            targets.sort_unstable();
            targets.dedup();
            let place = |multicasts: &Multicasts| targets.binary_search(&ends(multicasts)).expect("all are listed");
            let multicasts = multicasts.iter().map(|multicasts| (multicasts.clone(), place(multicasts))).collect();
            return Self { terminals, multicasts, targets };
        }
        let among = |multicasts: &Multicasts| {
            let receivers =
                multicasts.receivers.iter().copied().filter(|receiver| targets.contains(receiver)).collect();
            (Multicasts { receivers, ..multicasts.clone() }, 0)
        };
        let multicasts = multicasts.iter().map(among).filter(|(multicasts, _)| !multicasts.receivers.is_empty());
        Self { terminals, multicasts: multicasts.collect(), targets: vec![targets.to_vec()] }
    }

    /// Returns the messages of each source.
    fn by_source(&self) -> impl Iterator<Item = &[(Multicasts, usize)]> {
        self.multicasts.chunk_by(|(a, _), (b, _)| a.source == b.source)
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
            for (Multicasts { source, receivers, count }, place) in of_source {
                let table = &tables[*place];
                tree.clear();
                table.visit(0, *source, receivers, |step, ends| tree.push((step, ends)));
                let length = table.length(0, *source, receivers);
                visit(Structure { part, length, count: *count, transfers: &tree });
            }
        }
    }
}
