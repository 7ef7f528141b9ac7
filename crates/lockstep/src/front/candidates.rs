//! The chunks, blocks and widths for which a front plans a schedule, and the widths that a schedule needs.

use std::num::NonZeroU32;

use lockstep_schedule::{
    Budget, Collective, CommunicationModel, MessageId, Ports, Problem, Schedule, Slots, Step, Transfer, verify,
};
use lockstep_topology::{NodeId, Topology};

use super::algorithms::few_blocks;
use super::front_plan::FrontBound;
use super::options::FrontOptions;
use crate::planner::EngineChoice;

/// A collective in a number of chunks or blocks, and the width for which it is planned.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) collective: Collective,
    pub(super) width: NonZeroU32,
    /// The chunks that make up the size of the collective.
    pub(super) parts: u64,
}

/// Returns the versions of a collective of one chunk, small ones first.
pub(super) fn versions(problem: &Problem<'_>, options: &FrontOptions, bound: &FrontBound) -> Vec<Version> {
    let collective = problem.collective();
    // Steps of width 1 per chunk, rounded up, and the chunks that make them whole.
    let [numerator, denominator] = bound.width_per_chunk(problem);
    let widths = numerator.div_ceil(denominator).clamp(1, u64::from(u32::MAX)) as u32;
    let divisor = u32::try_from(denominator).unwrap_or(u32::MAX);
    let parts = FrontBound::parts_of(problem);
    let in_chunks =
        candidates(options.chunks, divisor, widths).into_iter().map(|Candidate { chunks, width }| Version {
            collective: collective.clone().with_chunks(chunks),
            width,
            parts: parts.saturating_mul(u64::from(chunks.get())),
        });
    let blocks = if options.engine == EngineChoice::Auto { few_blocks(problem) } else { Vec::new() };
    let in_blocks = blocks.into_iter().map(|collective| Version {
        parts: collective.chunks().get().into(),
        collective,
        width: NonZeroU32::MIN,
    });
    in_blocks.chain(in_chunks).collect()
}

/// A number of chunks and a width for all steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Candidate {
    chunks: NonZeroU32,
    width: NonZeroU32,
}

/// Returns 1, 2, 3, 4, 6, 8, 12, 16 and so on, up to `limit`.
fn ladder(limit: u32) -> impl Iterator<Item = u32> {
    (0..32)
        .flat_map(|power| [1u64 << power, 3 << power])
        .filter(|&rung| rung != 3)
        .chain([3])
        .filter(move |&rung| rung <= u64::from(limit))
        .map(|rung| rung as u32)
}

/// Returns the candidates: at most `chunks` chunks, the multiples of `divisor` among them, and widths up to `widths` per
/// chunk; small products of both first.
fn candidates(chunks: NonZeroU32, divisor: u32, widths: u32) -> Vec<Candidate> {
    let multiples = (1..=2u32).filter_map(|factor| divisor.checked_mul(factor)).filter(|&count| count <= chunks.get());
    let mut counts: Vec<u32> = ladder(chunks.get()).chain(multiples).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut candidates: Vec<Candidate> = Vec::new();
    for chunks in counts.into_iter().filter_map(NonZeroU32::new) {
        let of_chunks = ladder(widths.saturating_mul(chunks.get())).filter_map(NonZeroU32::new);
        candidates.extend(of_chunks.map(|width| Candidate { chunks, width }));
    }
    candidates.sort_by_key(|&Candidate { chunks, width }| (u64::from(chunks.get()) * u64::from(width.get()), width));
    candidates
}

/// Returns the model in which a step of width 1 is as wide as a step of this width.
pub(super) fn widened_model(model: CommunicationModel, width: NonZeroU32) -> CommunicationModel {
    let ports = match model.ports {
        Ports::All => Ports::All,
        Ports::Limit(limit) => Ports::Limit(limit.saturating_mul(width)),
    };
    CommunicationModel { ports, ..model }
}

/// Returns the schedule with the least widths that its steps need, without empty steps. The transfers stay in their steps.
pub(super) fn with_least_widths(problem: &Problem<'_>, schedule: &Schedule) -> Schedule {
    let mut widths = StepWidths::new(problem);
    let mut least = Schedule::with_capacity(schedule.transfer_count(), schedule.channel_use_count());
    for (_, step) in schedule.steps().filter(|(_, step)| !step.is_empty()) {
        least.begin_step_of_width(widths.of(&[step]));
        step.iter().for_each(|transfer| least.push(transfer.message, transfer.path));
    }
    least
}

/// Returns the schedule with neighbouring steps joined where this makes no transfer invalid and no sum of widths larger.
///
/// Verifies the schedule once per pair of neighbours, unless the second step sends on what the first one brings. When the time of the budget ends, the other steps stay as they are.
pub(super) fn with_joined_steps(problem: &Problem<'_>, schedule: &Schedule, budget: &Budget) -> Schedule {
    let mut widths = StepWidths::new(problem);
    let mut joined = schedule.clone();
    let mut place = 0;
    while place + 1 < joined.step_count() && budget.interruption().is_none() {
        let pair = [joined.step(place), joined.step(place + 1)];
        let width = widths.of(&pair);
        let is_narrow = u64::from(width.get()) <= pair.iter().map(|step| u64::from(step.width().get())).sum();
        if is_narrow && !sends_on(problem.topology(), &pair) {
            let mut shorter = Schedule::with_capacity(joined.transfer_count(), joined.channel_use_count());
            for (number, step) in joined.steps() {
                if number != place + 1 {
                    shorter.begin_step_of_width(if number == place { width } else { step.width() });
                }
                step.iter().for_each(|transfer| shorter.push(transfer.message, transfer.path));
            }
            if verify(problem, &shorter).is_ok() {
                joined = shorter;
                continue;
            }
        }
        place += 1;
    }
    joined
}

/// Returns true if a terminal sends in the second step what it receives in the first one, unless it sends it back: two terminals may
/// exchange their sums in one step.
fn sends_on(topology: &Topology, [first, second]: &[Step<'_>; 2]) -> bool {
    let ends = |transfer: &Transfer<'_>| {
        let (&first, &last) = transfer.path.first().zip(transfer.path.last())?;
        Some((transfer.message, topology.tail(first), topology.head(last)))
    };
    let arrivals = first.iter().filter_map(|transfer| ends(&transfer)).map(|(message, from, to)| (message, to, from));
    let mut arrivals: Vec<(MessageId, NodeId, NodeId)> = arrivals.collect();
    arrivals.sort_unstable();
    second.iter().filter_map(|transfer| ends(&transfer)).any(|(message, from, to)| {
        let first = arrivals.partition_point(|&(other, node, _)| (other, node) < (message, from));
        let of_sender = arrivals[first..].iter().take_while(|&&(other, node, _)| (other, node) == (message, from));
        of_sender.into_iter().any(|&(.., source)| source != to)
    })
}

/// Counts how wide a step must be for its transfers.
struct StepWidths<'a> {
    slots: Slots<'a>,
    /// Number of uses of each slot.
    uses: Vec<u32>,
}

impl<'a> StepWidths<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        let slots = Slots::new(problem);
        Self { slots, uses: vec![0; slots.count()] }
    }

    /// Returns the least width of one step with the transfers of these steps.
    fn of(&mut self, steps: &[Step<'_>]) -> NonZeroU32 {
        let (slots, uses) = (self.slots, &mut self.uses);
        let mut width = 1;
        let occupied = || steps.iter().flat_map(Step::iter).flat_map(|transfer| slots.of(transfer.path));
        for slot in occupied() {
            uses[slot] += 1;
            width = width.max(uses[slot].div_ceil(slots.capacity(slot)));
        }
        occupied().for_each(|slot| uses[slot] = 0);
        NonZeroU32::new(width).unwrap_or(NonZeroU32::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_products_come_first() {
        let [two, six] = [2, 6].map(|count| NonZeroU32::new(count).unwrap());
        let pairs = |candidates: Vec<Candidate>| {
            let pair = |candidate: &Candidate| [candidate.chunks.get(), candidate.width.get()];
            candidates.iter().map(pair).collect::<Vec<_>>()
        };
        assert_eq!(pairs(candidates(two, 1, 2)), [[1, 1], [2, 1], [1, 2], [2, 2], [2, 3], [2, 4]]);
        let counts: Vec<u32> = candidates(six, 5, 1).iter().map(|candidate| candidate.chunks.get()).collect();
        assert!(counts.contains(&5) && counts.contains(&6) && !counts.contains(&10));
    }
}
