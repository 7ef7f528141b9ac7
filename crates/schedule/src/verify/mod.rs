//! The verifier: whether a schedule is valid, and which rules it breaks.
//!
//! Three parts read the schedule, each from the first to the last transfer and in parallel: [`network`] verifies
//! paths, resources and ports, [`holdings`] which terminal holds which message, or [`sums`] which contributions to it,
//! and [`detours`] that paths are minimal. [`relayed_scatter`] is a fast path of [`holdings`] for the most common
//! schedules. No part shares code with an engine.

mod case;
mod detours;
mod findings;
mod holdings;
mod network;
mod plain_paths;
mod relayed_scatter;
mod sums;

use std::fmt;

use self::case::ScheduleCase;
use self::findings::Findings;
use self::sums::SumLimits;
use crate::budget::{Budget, StopReason};
use crate::parallel::both;
use crate::pattern::Pattern;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::violation::Violation;

/// The figures of a valid schedule. Only [`verify`] and [`verify_symmetric`](crate::verify_symmetric) return one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Verification {
    /// Number of steps, empty ones included.
    pub steps: usize,
    /// Number of transfers.
    pub transfers: usize,
    /// Number of channel uses: the lengths of all paths together.
    pub channel_uses: usize,
    /// Number of channels of the longest path.
    pub longest_path: usize,
    /// The most transfers of one step.
    pub busiest_step: usize,
    /// Transfers that bring a receiver its message. A reduction needs one per contribution, an all-reduce two.
    pub deliveries: u64,
    /// Other transfers that are not redundant: to or from terminals that only pass the message on, and sums that are sent
    /// to several terminals.
    pub relays: u64,
    /// Transfers to terminals that already hold everything that arrives; legal, but not needed.
    pub redundant: u64,
    /// The sum of the widths of all steps, empty ones included.
    pub width_sum: u64,
    /// The sum of the capacities of all resources: the number of channel uses in a step of width 1.
    pub capacity: u64,
}

impl Verification {
    /// Returns the mean share of the capacity in use per step, from 0 to 1; for display.
    pub fn utilisation(&self) -> f64 {
        let slots = self.width_sum as f64 * self.capacity as f64;
        if slots == 0.0 { 0.0 } else { self.channel_uses as f64 / slots }
    }

    /// Returns the mean number of channels per path; for display.
    pub fn mean_path(&self) -> f64 {
        if self.transfers == 0 { 0.0 } else { self.channel_uses as f64 / self.transfers as f64 }
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, width_sum, transfers, deliveries, relays, redundant, .. } = self;
        let percent = 100.0 * self.utilisation();
        write!(f, "{steps} steps, ")?;
        if *width_sum != *steps as u64 {
            write!(f, "{width_sum} wide together, ")?;
        }
        write!(f, "{transfers} transfers ({deliveries} deliveries, {relays} relays, ")?;
        write!(f, "{redundant} redundant), {percent:.1} % of the channels busy")
    }
}

/// Verifies a schedule and returns the figures of a valid one.
///
/// The rules for every transfer:
///
/// 1. The path is a contiguous sequence of channels from terminal to terminal that visits no node twice.
///    Store-and-forward: the path is one channel. Wormhole: inner nodes [route](lockstep_topology::Topology::routes).
///    Minimal routing: no legal path of the network is shorter.
/// 2. The sender holds the message when the step begins. A message that arrives in a step can be sent from the next
///    step on. A direct scatter sends each message from source to receiver in one transfer.
/// 3. No resource carries two transfers in a step, and no transfer uses one resource twice.
/// 4. A terminal with k ports sends at most k and receives at most k transfers per step.
/// 5. After the last step every receiver holds its messages. A second delivery is legal, and counted.
///
/// A gather is verified as a scatter to one receiver.
///
/// # Reductions
///
/// In a reduction a message is a block: its source and its receivers each have a contribution to it, and the
/// contributions are summed. For every block, a terminal holds a set of contributions, at first its own if it has one.
/// Rules 2 and 5 become:
///
/// - A transfer carries the set that its sender held when the step began. It must not be empty.
/// - At the end of the step, a terminal looks at its own set and at all sets of the block that arrived in the step. If no
///   two of them share a contribution, it adds them. Otherwise one of the arriving sets must contain all the others and
///   its own, and replaces its own. Anything else counts a contribution twice, which is a violation. In both legal cases,
///   the terminal holds the union afterwards, and the order of the arrivals does not matter.
/// - After the last step, the source of a reduction holds all contributions. After an all-reduce, the source and all
///   receivers do, so it makes no difference which of them is the source.
///
/// A time-reversed broadcast without redundant transfers is such a reduction: every terminal sends once, after everything
/// that it adds has arrived. Conversely, in a valid reduction every contribution travels to the source. Backwards in
/// time, a message of the source reaches every contributor over the same transfers. So a reduction needs as many steps as
/// the broadcast on the reversed network. In an all-reduce, the contributions of one terminal spread as a broadcast, and
/// the sums at one terminal are a reduction; both may share steps.
///
/// # Cost
///
/// Takes 20 to 100 ns per transfer on one thread, or about 10 ns if every path is one channel and nothing is reduced; all
/// threads of `rayon` share the work. Minimal routing adds one search per terminal that starts a path of several channels;
/// the search stops at the length of the longest of these paths. Memory: 16 bytes per channel, and up to 20 bytes per channel, 40 bytes per node and
/// 8 bytes per transfer of a step, for each thread. If messages are passed on, one bit per pair of terminal and message;
/// past 256 MiB of bits the verifier reads the schedule several times. A scatter without redundant moves needs 4 bytes per
/// transfer and 12 bytes per message instead. Minimal routing needs 12 bytes per transfer over several channels.
///
/// A reduction takes 16 bytes per transfer; past 256 MiB the verifier reads the schedule several times. A block in which
/// a terminal sends twice before it holds all contributions takes one bit per pair of terminals, and `N / 64` operations
/// per transfer for `N` contributions; past 256 MiB it is read several times.
///
/// # Errors
///
/// The [`Violation`] that comes first in the schedule. Missing deliveries come last. (Past 256 MiB of bits: the first
/// violation of the first messages that have one.)
///
/// # Examples
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, Violation, verify};
/// use lockstep_topology::Topology;
///
/// // A broadcast from the centre of a star, one transfer per channel.
/// let star: Topology = "star:3".parse()?;
/// let centre = star.terminals()[0];
/// let broadcast = Collective::broadcast(centre);
/// let problem = Problem::new(&star, &broadcast, CommunicationModel::wormhole())?;
/// let mut schedule = Schedule::new();
/// schedule.begin_step();
/// let out = star.out_channels(centre);
/// schedule.push(MessageId::new(0), &[out[0]]);
/// assert!(matches!(verify(&problem, &schedule), Err(Violation::Undelivered { .. })));
///
/// schedule.push(MessageId::new(0), &[out[1]]);
/// assert_eq!(verify(&problem, &schedule)?.deliveries, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(problem: &Problem<'_>, schedule: &Schedule) -> Result<Verification, Violation> {
    let Some((found, verification)) = review(problem, schedule, 1, None) else {
        unreachable!("nothing ends a review without a budget")
    };
    found.into_iter().next().map_or(Ok(verification), Err)
}

/// Does the same as [`verify`] within the time of a budget. Evaluations do not count.
///
/// # Errors
///
/// [`Unverified`].
pub fn verify_within(problem: &Problem<'_>, schedule: &Schedule, budget: &Budget) -> Result<Verification, Unverified> {
    match review(problem, schedule, 1, Some(budget)) {
        Some((found, verification)) => {
            found.into_iter().next().map_or(Ok(verification), |violation| Err(violation.into()))
        }
        None => Err(Unverified::Stopped(budget.interruption().unwrap_or(StopReason::Deadline))),
    }
}

/// Why [`verify_within`] has not accepted a schedule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unverified {
    /// The schedule breaks a rule.
    #[error(transparent)]
    Invalid(#[from] Violation),
    /// The budget ended the verification.
    #[error("the schedule is not verified: {0}")]
    Stopped(StopReason),
}

/// Returns all violations in the order of the schedule, at most `limit`; empty for a valid schedule.
///
/// A transfer between terminals that breaks a rule still counts as made, so its consequences are not listed. Takes time
/// and memory as [`verify`], and up to the length of a step per listed violation.
pub fn violations(problem: &Problem<'_>, schedule: &Schedule, limit: usize) -> Vec<Violation> {
    if limit == 0 {
        return Vec::new();
    }
    review(problem, schedule, limit, None).map_or_else(Vec::new, |(found, _)| found)
}

/// Returns the violations and the figures; `None` if the budget ended the review.
fn review(
    problem: &Problem<'_>,
    schedule: &Schedule,
    limit: usize,
    budget: Option<&Budget>,
) -> Option<(Vec<Violation>, Verification)> {
    let case = ScheduleCase::new(problem, schedule, budget);
    let [mut findings, mut holdings, mut detours] = [limit; 3].map(Findings::new);
    let verify_holdings = || match problem.collective().pattern() {
        Pattern::Reduce | Pattern::ReduceBroadcast => sums::verify(&case, &mut holdings, SumLimits::STANDARD),
        Pattern::Broadcast | Pattern::Scatter | Pattern::Gather => {
            relayed_scatter::verify(&case).unwrap_or_else(|| holdings::verify(&case, &mut holdings))
        }
    };
    let verify_paths = || {
        network::verify(&case, &mut findings);
        detours::verify(&case, &mut detours);
    };
    let (redundant, ()) = both(schedule.transfer_count(), verify_holdings, verify_paths);
    if case.is_stopped() {
        return None;
    }
    findings.merge(holdings);
    findings.merge(detours);

    let needed = problem.messages().delivery_count();
    let deliveries = needed.saturating_mul(problem.collective().phases().len() as u64);
    let transfers = schedule.transfer_count();
    let verification = Verification {
        steps: schedule.step_count(),
        transfers,
        channel_uses: schedule.channel_use_count(),
        longest_path: schedule.longest_path(),
        busiest_step: schedule.steps().map(|(_, step)| step.len()).max().unwrap_or(0),
        deliveries,
        // A valid schedule makes all deliveries; the figures of an invalid one are discarded.
        relays: (transfers as u64).saturating_sub(deliveries).saturating_sub(redundant),
        redundant,
        width_sum: schedule.width_sum(),
        capacity: problem.topology().capacity_sum(),
    };
    Some((findings.into_list(), verification))
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{NodeId, Topology};
    use proptest::prelude::*;

    use super::*;
    use crate::collective::Collective;
    use crate::messages::MessageId;
    use crate::model::CommunicationModel;
    use crate::strategy::{scheduled_instance, spoiled_instance};

    #[test]
    fn the_figures_of_nothing_are_zero() {
        let some = Verification {
            steps: 2,
            transfers: 4,
            channel_uses: 6,
            longest_path: 2,
            busiest_step: 3,
            deliveries: 4,
            relays: 0,
            redundant: 0,
            width_sum: 3,
            capacity: 4,
        };
        let percent =
            |verified: &Verification| [verified.utilisation(), verified.mean_path()].map(|share| 100.0 * share);
        assert_eq!(percent(&some).map(f64::round).map(|number| number as i64), [50, 150]);
        let none = Verification { transfers: 0, channel_uses: 0, width_sum: 0, ..some };
        assert_eq!(percent(&none).map(|number| number as i64), [0, 0]);
    }

    /// Of ten messages, three move: only they have rows in the table of holdings.
    #[test]
    fn a_terminal_that_holds_another_message_is_no_holder() {
        let path: Topology = "mesh:1x3".parse().unwrap();
        let collective = Collective::broadcast(NodeId::new(0)).with_chunks(10.try_into().unwrap());
        let problem = Problem::new(&path, &collective, CommunicationModel::wormhole()).unwrap();
        let from = |tail: u32, head: u32| {
            let channels = path.out_channels(NodeId::new(tail)).iter().copied();
            channels.filter(|&channel| path.head(channel) == NodeId::new(head)).collect::<Vec<_>>()
        };
        let mut schedule = Schedule::new();
        for (message, tail, head) in [(3, 0, 1), (7, 1, 2), (3, 1, 2), (9, 0, 1), (7, 0, 1), (9, 1, 2)] {
            schedule.begin_step();
            schedule.push(MessageId::new(message), &from(tail, head));
        }
        let all = violations(&problem, &schedule, usize::MAX);
        let misplaced: Vec<_> = all.iter().filter_map(Violation::place).map(|at| at.step).collect();
        assert_eq!(misplaced, [1]);
        assert!(matches!(all[0], Violation::NotHeld { .. }));
        // A transfer that breaks a rule counts as made. Seven messages do not move.
        assert_eq!(all.len(), 1 + 2 * 7);
    }

    proptest! {
        /// The verifier reads large networks in blocks of messages.
        #[test]
        fn the_size_of_blocks_makes_no_difference((instance, schedule) in spoiled_instance(8), size in 1..100u64) {
            let problem = instance.problem();
            let case = ScheduleCase::new(&problem, &schedule, None);
            let result = |verify: &dyn Fn(&mut Findings) -> u64| {
                let mut findings = Findings::new(usize::MAX);
                let redundant = verify(&mut findings);
                (redundant, findings.into_list())
            };
            prop_assert_eq!(
                result(&|findings| holdings::verify_in_blocks(&case, findings, size)),
                result(&|findings| holdings::verify(&case, findings))
            );
        }

        /// Neither the number of transfers that are sorted at a time nor the size of the sets matters, and blocks that are
        /// forests need no sets.
        #[test]
        fn the_memory_of_sums_makes_no_difference(
            (instance, schedule) in spoiled_instance(8), transfers in 1..20usize, words in 1..4usize,
        ) {
            let problem = instance.problem();
            prop_assume!(matches!(instance.collective.pattern(), Pattern::Reduce | Pattern::ReduceBroadcast));
            let case = ScheduleCase::new(&problem, &schedule, None);
            let [mut standard, mut small, mut sets] = [usize::MAX; 3].map(Findings::new);
            let limits = SumLimits { transfers, words };
            let redundant = [
                sums::verify(&case, &mut standard, SumLimits::STANDARD),
                sums::verify(&case, &mut small, limits),
                sums::verify_sets(&case, &mut sets, limits),
            ];
            let [standard, small, sets] = [standard, small, sets].map(Findings::into_list);
            prop_assert_eq!(&standard, &small);
            prop_assert_eq!(&standard, &sets);
            prop_assert!(!standard.is_empty() || redundant.iter().all(|&count| count == redundant[0]));
        }

        /// Schedules whose paths are one channel each have fast paths.
        #[test]
        fn the_layout_of_the_schedule_makes_no_difference((instance, spoiled) in spoiled_instance(8), limit in 1..6usize) {
            let problem = instance.problem();
            let mut hops = Schedule::new();
            for (_, step) in spoiled.steps() {
                hops.begin_step_of_width(step.width());
                step.iter().for_each(|transfer| hops.push(transfer.message, &transfer.path[..transfer.path.len().min(1)]));
            }
            for schedule in [spoiled, hops] {
                let mut general = schedule.clone();
                general.store_path_ends();
                for limit in [limit, usize::MAX] {
                    let (found, verification) = review(&problem, &schedule, limit, None).unwrap();
                    let (expected, expected_verification) = review(&problem, &general, limit, None).unwrap();
                    prop_assert!(!found.is_empty() || verification == expected_verification);
                    prop_assert_eq!(found, expected);
                }
            }
        }

        /// The fast path accepts a relayed scatter only if the general one does, with the same figures.
        #[test]
        fn trails_and_bits_agree((instance, schedule) in spoiled_instance(8)) {
            let problem = instance.problem();
            let case = ScheduleCase::new(&problem, &schedule, None);
            if let Some(redundant) = relayed_scatter::verify(&case) {
                let mut findings = Findings::new(usize::MAX);
                prop_assert_eq!(holdings::verify(&case, &mut findings), redundant);
                prop_assert_eq!(findings.into_list(), []);
            }
        }

        #[test]
        fn a_relayed_scatter_without_waste_takes_the_fast_path((instance, schedule) in scheduled_instance(8)) {
            let problem = instance.problem();
            let case = ScheduleCase::new(&problem, &schedule, None);
            prop_assert_eq!(relayed_scatter::verify(&case).is_some(), case.is_scatter && !case.is_direct);
        }

        #[test]
        fn blocks_stop_at_the_limit((instance, schedule) in spoiled_instance(8), size in 1..50u64) {
            let problem = instance.problem();
            let case = ScheduleCase::new(&problem, &schedule, None);
            let (mut one, mut all) = (Findings::new(1), Findings::new(usize::MAX));
            holdings::verify_in_blocks(&case, &mut one, size);
            holdings::verify(&case, &mut all);
            prop_assert_eq!(one.into_list().is_empty(), all.into_list().is_empty());
        }
    }
}
