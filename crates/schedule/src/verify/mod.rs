//! The judge of everything: whether a schedule is valid, and why not.
//!
//! Three judges look at the schedule one after the other, each from its first to its last transfer: [`network`] at paths,
//! wires and ports, [`holdings`] at who holds what, [`minimal`] at detours. None shares code with an engine. [`relay`] spares
//! [`holdings`] the most common schedules.

mod holdings;
mod minimal;
mod network;
mod relay;

use std::fmt;
use std::ops::Range;

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::messages::{MessageId, Messages, Receivers};
use crate::pattern::Phase;
use crate::problem::Problem;
use crate::schedule::{Schedule, Transfer};
use crate::violation::{NamedChannel, NamedMessage, NamedNode, Place, Violation};

/// What a valid schedule amounts to. Only [`verify`] and [`verify_symmetric`](crate::verify_symmetric) make one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Verification {
    /// Number of steps, empty ones included.
    pub steps: usize,
    /// Number of transfers.
    pub transfers: usize,
    /// Number of channels of all paths together.
    pub channel_uses: usize,
    /// Number of channels of the longest path.
    pub longest_path: usize,
    /// The most transfers of one step.
    pub busiest_step: usize,
    /// Transfers that bring a receiver its message (in a reduction: a part to where it is needed).
    pub deliveries: u64,
    /// Transfers that bring a message for the first time to a terminal that only passes it on.
    pub relays: u64,
    /// Transfers to terminals that hold the message already; legal, but nobody needs them.
    pub redundant: u64,
    /// Number of resources of the network, each of which could be used once a step.
    pub resources: usize,
}

impl Verification {
    /// The share of resources in use, averaged over the steps, from 0 to 1; for display.
    pub fn utilisation(&self) -> f64 {
        let slots = self.steps as f64 * self.resources as f64;
        if slots == 0.0 { 0.0 } else { self.channel_uses as f64 / slots }
    }

    /// Channels a path, on average; for display.
    pub fn mean_path(&self) -> f64 {
        if self.transfers == 0 { 0.0 } else { self.channel_uses as f64 / self.transfers as f64 }
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, transfers, deliveries, relays, redundant, .. } = self;
        let percent = 100.0 * self.utilisation();
        write!(f, "{steps} steps, {transfers} transfers ({deliveries} deliveries, {relays} relays, ")?;
        write!(f, "{redundant} redundant), {percent:.1} % of the channels busy")
    }
}

/// The report of a valid schedule.
///
/// The rules, for every transfer:
///
/// 1. The path is a contiguous walk of channels from terminal to terminal, no node twice. Store-and-forward: one
///    channel. Wormhole: inner nodes [route](Topology::routes). Minimal routing: no legal path of the network is shorter.
/// 2. The sender holds the message when the step begins; what arrives in a step can be sent on from the next. A direct
///    scatter goes from source to receiver in one transfer.
/// 3. No resource carries two transfers in a step, and no transfer crosses one resource twice.
/// 4. A terminal of k ports starts at most k and finishes at most k transfers a step.
/// 5. After the last step every receiver holds its messages. A second delivery is legal, and counted.
///
/// A gather is a scatter to one receiver and is judged as such. In a reduction a terminal sends its part of a message
/// exactly once, after the last part has reached it that goes through it; that is the reverse of a broadcast in which
/// every terminal receives once. An all-reduce is a reduce-scatter and then an all-gather; the latter begins with the step
/// after the one in which every part has been sent.
///
/// Takes 20 to 100 ns a transfer, and where routing is minimal one search for each terminal that starts a path of several
/// channels, of the nodes that are nearer to it than the end of its longest path. Memory: 4 bytes a channel, up to 40 bytes
/// a node; where messages are passed on, a bit for each pair of terminal and message (past 256 MiB of them, several passes
/// over the schedule), but for a scatter without oddities 4 bytes a transfer and 12 bytes a message; where routing is
/// minimal, 12 bytes a transfer over several channels.
///
/// # Errors
///
/// The [`Violation`] that comes first in the schedule; what is missing at the end comes last. (Past 256 MiB of bits, the
/// first of the first messages that have one.)
pub fn verify(problem: &Problem<'_>, schedule: &Schedule) -> Result<Verification, Violation> {
    let (mut found, verification) = judge(problem, schedule, 1);
    match found.pop() {
        Some(violation) => Err(violation),
        None => Ok(verification),
    }
}

/// All violations in the order of the schedule, but at most `limit`; empty for a valid schedule.
///
/// A transfer between terminals that breaks a rule still counts as made, so that what follows from it is not listed too.
/// Takes time and memory as [`verify`], and up to the length of a step for each violation listed.
pub fn violations(problem: &Problem<'_>, schedule: &Schedule, limit: usize) -> Vec<Violation> {
    if limit == 0 { Vec::new() } else { judge(problem, schedule, limit).0 }
}

fn judge(problem: &Problem<'_>, schedule: &Schedule, limit: usize) -> (Vec<Violation>, Verification) {
    let case = Case::new(problem, schedule);
    let (mut wires, mut holders, mut detours) = (Findings::new(limit), Findings::new(limit), Findings::new(limit));
    network::judge(&case, &mut wires);
    let redundant = relay::judge(&case).unwrap_or_else(|| holdings::judge(&case, &mut holders));
    minimal::judge(&case, &mut detours);
    wires.merge(holders);
    wires.merge(detours);
    let found = wires.into_list();

    let needed = problem.messages().delivery_count();
    let deliveries = needed.saturating_mul(problem.collective().phases().len() as u64);
    let transfers = schedule.transfer_count();
    let verification = Verification {
        steps: schedule.step_count(),
        transfers,
        channel_uses: schedule.channel_use_count(),
        longest_path: longest_path(schedule),
        busiest_step: schedule.steps().map(|(_, step)| step.len()).max().unwrap_or(0),
        deliveries,
        // A valid schedule delivers all that is needed; the report of another is thrown away.
        relays: (transfers as u64).saturating_sub(deliveries).saturating_sub(redundant),
        redundant,
        resources: problem.topology().resource_count(),
    };
    (found, verification)
}

/// What the judges look at.
struct Case<'a> {
    problem: &'a Problem<'a>,
    topology: &'a Topology,
    messages: Messages<'a>,
    schedule: &'a Schedule,
    stages: Vec<Stage>,
    /// Whether every message has one receiver.
    scatter: bool,
    /// Whether every message goes there in one transfer.
    direct: bool,
}

/// A phase and the steps that belong to it.
struct Stage {
    phase: Phase,
    steps: Range<usize>,
    /// How many transfers of the last step belong to the phase, if more follow.
    overlap: Option<usize>,
}

impl Stage {
    #[inline]
    fn is_past(&self, spot: Spot<'_>) -> bool {
        self.overlap.is_some_and(|transfers| spot.step + 1 == self.steps.end && spot.transfer >= transfers)
    }
}

/// A transfer at its place.
#[derive(Clone, Copy)]
struct Spot<'a> {
    step: usize,
    transfer: usize,
    moved: Transfer<'a>,
}

/// The phases of a problem over the steps. A phase that is not the last one ends with the step in which as many transfers
/// have been made as the collective needs deliveries; the next one is left out if that never happens.
fn stages(problem: &Problem<'_>, schedule: &Schedule) -> Vec<Stage> {
    let all = schedule.step_count();
    let &[first, ref rest @ ..] = problem.collective().phases() else {
        return Vec::new();
    };
    let mut stages = vec![Stage { phase: first, steps: 0..all, overlap: None }];
    let mut left = problem.messages().delivery_count();
    if let &[second] = rest {
        for (step, transfers) in schedule.steps() {
            let here = transfers.len() as u64;
            if here >= left {
                stages[0] = Stage { phase: first, steps: 0..step + 1, overlap: (here > left).then_some(left as usize) };
                stages.push(Stage { phase: second, steps: step + 1..all, overlap: None });
                break;
            }
            left -= here;
        }
    }
    stages
}

impl<'a> Case<'a> {
    fn new(problem: &'a Problem<'a>, schedule: &'a Schedule) -> Self {
        let messages = problem.messages();
        let scatter = messages.is_scatter();
        let direct = scatter && problem.model().is_direct();
        Self {
            problem,
            topology: problem.topology(),
            messages,
            schedule,
            stages: stages(problem, schedule),
            scatter,
            direct,
        }
    }

    #[cold]
    fn place(&self, spot: Spot<'_>) -> Place {
        let stage = self.stages.iter().find(|stage| stage.steps.contains(&spot.step));
        let phase = stage.map_or(Phase::Distribute, |stage| stage.phase);
        Place { step: spot.step, transfer: spot.transfer, message: self.message(phase, spot.moved.message) }
    }

    fn message(&self, phase: Phase, message: MessageId) -> NamedMessage {
        NamedMessage::new(self.topology, &self.messages, phase, message)
    }

    fn node(&self, node: NodeId) -> NamedNode {
        NamedNode::new(self.topology, node)
    }

    fn channel(&self, channel: ChannelId) -> NamedChannel {
        NamedChannel::new(self.topology, channel)
    }

    /// Where a message of one receiver is at the start and at the end. A gather runs from receiver to source.
    #[inline]
    fn course(&self, stage: &Stage, message: MessageId) -> Option<(NodeId, NodeId)> {
        let Receivers::One(receiver) = self.messages.receivers(message) else { return None };
        let source = self.messages.source(message);
        Some(if stage.phase == Phase::Collect { (receiver, source) } else { (source, receiver) })
    }

    /// Sender and receiver of a path whose ends are channels of the network at terminals.
    #[inline]
    fn ends(&self, transfer: Transfer<'_>) -> Option<(NodeId, NodeId)> {
        let (&first, &last) = (transfer.path.first()?, transfer.path.last()?);
        if first.index().max(last.index()) >= self.topology.channel_bound() {
            return None;
        }
        let (sender, receiver) = (self.topology.tail(first), self.topology.head(last));
        (self.topology.is_terminal(sender) && self.topology.is_terminal(receiver)).then_some((sender, receiver))
    }
}

/// The first violations that a judge has found, up to a limit of each kind.
struct Findings {
    /// In the order of the schedule.
    placed: Vec<Violation>,
    /// What is missing after the last step of a reduction, then after the last step of all.
    missing: Vec<Violation>,
    limit: usize,
}

impl Findings {
    fn new(limit: usize) -> Self {
        Self { placed: Vec::new(), missing: Vec::new(), limit }
    }

    /// Whether no violation further on in the schedule counts.
    fn is_full(&self) -> bool {
        self.placed.len() >= self.limit
    }

    fn misses_enough(&self) -> bool {
        self.missing.len() >= self.limit
    }

    #[cold]
    fn add(&mut self, violation: Violation) {
        let list = if violation.place().is_some() { &mut self.placed } else { &mut self.missing };
        if list.len() < self.limit {
            list.push(violation);
        }
    }

    /// What both have found, up to the limit; about one transfer, what `self` has found comes first.
    fn merge(&mut self, other: Self) {
        self.placed.extend(other.placed);
        self.placed.sort_by_key(|violation| violation.place().map(|at| (at.step, at.transfer)));
        self.placed.truncate(self.limit);
        self.missing.extend(other.missing);
        self.missing.sort_by_key(|violation| matches!(violation, Violation::Undelivered { .. }));
        self.missing.truncate(self.limit);
    }

    fn into_list(mut self) -> Vec<Violation> {
        self.placed.append(&mut self.missing);
        self.placed.truncate(self.limit);
        self.placed
    }
}

/// Number of channels of the longest path.
fn longest_path(schedule: &Schedule) -> usize {
    schedule.steps().flat_map(|(_, step)| step.iter()).map(|transfer| transfer.path.len()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::{scheduled_instance, spoiled_instance};

    proptest! {
        /// Large networks are judged in blocks of messages; small blocks show that it makes no difference.
        #[test]
        fn blocks_make_no_difference((instance, schedule) in spoiled_instance(8), size in 1..100usize) {
            let problem = instance.problem();
            let case = Case::new(&problem, &schedule);
            let judged = |judge: &dyn Fn(&mut Findings) -> u64| {
                let mut findings = Findings::new(usize::MAX);
                let redundant = judge(&mut findings);
                (redundant, findings.into_list())
            };
            prop_assert_eq!(
                judged(&|findings| holdings::judge_in_blocks(&case, findings, size as u64)),
                judged(&|findings| holdings::judge(&case, findings))
            );
        }

        /// The short way of a relayed scatter finds nothing wrong only where the long way does, and the same else.
        #[test]
        fn trails_and_bits_say_the_same((instance, schedule) in spoiled_instance(8)) {
            let problem = instance.problem();
            let case = Case::new(&problem, &schedule);
            if let Some(redundant) = relay::judge(&case) {
                let mut findings = Findings::new(usize::MAX);
                prop_assert_eq!(holdings::judge(&case, &mut findings), redundant);
                prop_assert_eq!(findings.into_list(), []);
            }
        }

        #[test]
        fn a_relayed_scatter_without_oddities_leaves_trails((instance, schedule) in scheduled_instance(8)) {
            let problem = instance.problem();
            let case = Case::new(&problem, &schedule);
            prop_assert_eq!(relay::judge(&case).is_some(), case.scatter && !case.direct);
        }

        #[test]
        fn one_block_of_holdings_stops_at_the_limit((instance, schedule) in spoiled_instance(8), size in 1..50u64) {
            let problem = instance.problem();
            let case = Case::new(&problem, &schedule);
            let (mut one, mut all) = (Findings::new(1), Findings::new(usize::MAX));
            holdings::judge_in_blocks(&case, &mut one, size);
            holdings::judge(&case, &mut all);
            prop_assert_eq!(one.into_list().is_empty(), all.into_list().is_empty());
        }
    }
}
