//! The steps of each phase of a schedule.

use std::ops::Range;

use crate::bit_set::BitSet;
use crate::messages::MessageId;
use crate::pattern::Phase;
use crate::problem::Problem;
use crate::schedule::Schedule;

/// The most bits in memory at a time: 256 MiB.
pub(super) const BLOCK_BITS: u64 = 1 << 31;

/// A phase and its steps.
pub(super) struct PhaseSteps {
    pub(super) phase: Phase,
    pub(super) steps: Range<usize>,
    /// Number of transfers of the last step that belong to the phase, if more transfers follow in that step.
    pub(super) overlap: Option<usize>,
}

impl PhaseSteps {
    /// Splits the steps of a schedule. A schedule that never completes its first phase has no second one.
    pub(super) fn all(problem: &Problem<'_>, schedule: &Schedule) -> Vec<Self> {
        let all = schedule.step_count();
        match *problem.collective().phases() {
            [phase] => vec![Self { phase, steps: 0..all, overlap: None }],
            [first, second] => match first_phase_end(problem, schedule) {
                None => vec![Self { phase: first, steps: 0..all, overlap: None }],
                Some((end, overlap)) => vec![
                    Self { phase: first, steps: 0..end, overlap },
                    Self { phase: second, steps: end..all, overlap: None },
                ],
            },
            _ => unreachable!("a collective has one phase or two"),
        }
    }
}

/// Returns the steps of each phase of a valid schedule, in time order.
///
/// The distribution of an all-reduce begins with the step after the one that completes the reduction. O(transfers)
/// time.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, phase_steps};
/// use lockstep_topology::{NodeId, Topology};
///
/// // Two nodes exchange their parts in the first step and the results in the second.
/// let pair: Topology = "complete:2".parse()?;
/// let all_reduce = Collective::all_reduce();
/// let problem = Problem::new(&pair, &all_reduce, CommunicationModel::wormhole())?;
/// let mut schedule = Schedule::new();
/// for message_of in [[1, 0], [0, 1]] {
///     schedule.begin_step();
///     for (node, message) in message_of.into_iter().enumerate() {
///         schedule.push(MessageId::new(message), pair.out_channels(NodeId::from_index(node)));
///     }
/// }
/// assert_eq!(phase_steps(&problem, &schedule), [0..1, 1..2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn phase_steps(problem: &Problem<'_>, schedule: &Schedule) -> Vec<Range<usize>> {
    PhaseSteps::all(problem, schedule).into_iter().map(|phase| phase.steps).collect()
}

/// Returns the number of steps of the reduction, and how many transfers of its last step belong to it if more follow.
fn first_phase_end(problem: &Problem<'_>, schedule: &Schedule) -> Option<(usize, Option<usize>)> {
    if problem.collective().listed().is_some() {
        return reduction_end(problem, schedule, BLOCK_BITS).map(|end| (end, None));
    }
    // Every terminal contributes, so a valid reduction makes one transfer per delivery.
    let mut left = problem.messages().delivery_count();
    for (step, transfers) in schedule.steps() {
        let here = transfers.len() as u64;
        if here >= left {
            return Some((step + 1, (here > left).then_some(left as usize)));
        }
        left -= here;
    }
    None
}

/// Returns the number of steps after which no terminal has a part left to send, `None` if some terminal always has one.
///
/// Terminals that pass parts on without contributing make the number of transfers unknown. Memory: one bit per message
/// and terminal, in blocks of `block_bits`.
pub(super) fn reduction_end(problem: &Problem<'_>, schedule: &Schedule, block_bits: u64) -> Option<usize> {
    let (topology, messages) = (problem.topology(), problem.messages());
    // Every contributor must send its part.
    if messages.delivery_count() > schedule.transfer_count() as u64 {
        return None;
    }
    let width = topology.terminal_count() as u64;
    let rank = |node| topology.terminal_rank(node).expect("contributors and ends of transfers are terminals") as u64;
    let block_messages = (block_bits / width).max(1) as usize;
    let mut end = 0;
    for first in (0..messages.len()).step_by(block_messages) {
        let block = first..messages.len().min(first + block_messages);
        let bit = |message: MessageId, node| (message.index() - first) as u64 * width + rank(node);
        let mut has_part = BitSet::new(block.len() as u64 * width);
        let mut parts = 0u64;
        for message in block.clone().map(MessageId::from_index) {
            for contributor in messages.receivers_iter(message) {
                parts += u64::from(has_part.insert(bit(message, contributor)));
            }
        }
        let mut arrivals = Vec::new();
        let mut block_end = None;
        for (step, transfers) in schedule.steps() {
            for transfer in transfers.iter().filter(|transfer| block.contains(&transfer.message.index())) {
                let Some((sender, receiver)) = transfer.terminal_ends(topology) else { continue };
                parts -= u64::from(has_part.remove(bit(transfer.message, sender)));
                if receiver != messages.source(transfer.message) {
                    arrivals.push(bit(transfer.message, receiver));
                }
            }
            for bit in arrivals.drain(..) {
                parts += u64::from(has_part.insert(bit));
            }
            if parts == 0 {
                block_end = Some(step + 1);
                break;
            }
        }
        end = end.max(block_end?);
    }
    Some(end)
}
