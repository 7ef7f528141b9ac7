//! One attempt at an all-to-all: a random group, and a search among the invariant schedules.

use lockstep_schedule::{MessageId, Ports};
use lockstep_topology::{ChannelId, NodeId, Symmetries};
use rand::Rng;

use super::direct_paths::{DirectPlacement, ItemPlacement, PathChoices};
use super::free_action_group::FreeActionGroup;
use super::quotient::QuotientNetwork;
use super::tabu::{MAX_ITEMS, settle};
use super::usage_board::UsageBoard;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The maximum number of ban entries: 64 MiB.
const MAX_BANS: usize = 1 << 24;

/// Visits of cells per unit of work: several take as long as one visit of a larger table.
const VISITS_PER_UNIT: u64 = 8;

/// The maximum number of paths per pair.
const PATHS_PER_PAIR: usize = 64;

/// The maximum number of paths of all pairs.
const MAX_PATHS: usize = 1 << 18;

/// Returns a schedule that is invariant under a random group, with fewer steps than required.
pub(super) fn attempt<'a>(
    request: &MethodRequest<'a>,
    task: &SchedulingTask<'a>,
    symmetries: &Symmetries<'a>,
    rng: &mut impl Rng,
) -> Result<TransferLog, MethodError> {
    let has_paths = |group: &FreeActionGroup<'a>, rng: &mut _| {
        request.work.add(group.work());
        let quotient = QuotientNetwork::new(task, group);
        let mut have_paths = |pairs: &[_]| PathChoices::new(&quotient, pairs, 1, rng).is_some();
        request.budget.interruption().is_none() && quotient.pairs().is_some_and(|pairs| have_paths(&pairs))
    };
    let fixed = usize::from(task.model().ports == Ports::All);
    let group = FreeActionGroup::random(symmetries, fixed, has_paths, rng).ok_or(MethodError::Unsupported)?;
    let quotient = QuotientNetwork::new(task, &group);
    let pairs = quotient.pairs().ok_or(MethodError::NoShorter)?;
    let chunks = task.messages().chunks() as usize;
    if pairs.len() * chunks > MAX_ITEMS {
        return Err(MethodError::NoShorter);
    }
    SymmetricExchange { request, quotient: &quotient, pairs: &pairs, chunks }.find(rng)
}

/// The messages of an all-to-all, one per orbit.
struct SymmetricExchange<'a> {
    request: &'a MethodRequest<'a>,
    quotient: &'a QuotientNetwork<'a>,
    pairs: &'a [[NodeId; 2]],
    chunks: usize,
}

impl SymmetricExchange<'_> {
    /// Returns a schedule of direct transfers.
    fn find(&self, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let most = (MAX_PATHS / self.pairs.len()).clamp(1, PATHS_PER_PAIR);
        let choices = PathChoices::new(self.quotient, self.pairs, most, rng).ok_or(MethodError::NoShorter)?;
        let mut step_counts = self.step_counts(choices.hops());
        let placed = step_counts.find_map(|steps| self.settled(&choices, steps, rng)).ok_or(MethodError::NoShorter)?;
        let mut log = TransferLog::default();
        for (item, ItemPlacement { path, step, .. }) in placed.into_iter().enumerate() {
            self.write(&mut log, item, step, choices.channels(path))?;
        }
        Ok(log)
    }

    /// Returns the numbers of steps to try: a lower bound by the number of hops and the ports, and then more and more, below
    /// the required number.
    fn step_counts(&self, hops: usize) -> impl Iterator<Item = usize> {
        let task = self.quotient.task;
        let sends = task.messages().len() / task.topology().terminal_count();
        let by_ports = match task.model().ports {
            Ports::All => 1,
            Ports::Limit(limit) => sends.div_ceil(limit.get() as usize),
        };
        let by_resources = (hops * self.chunks).div_ceil(self.quotient.resource_slot_count());
        let least = by_ports.max(by_resources).max(self.request.goal as usize);
        let most = MAX_BANS / (self.pairs.len() * self.chunks);
        let below = (self.request.below as usize).min(most + 1);
        let step_counts = (0..u32::BITS).map(move |doubling| least.saturating_add((1 << doubling) - 1));
        step_counts.take_while(move |&steps| steps < below && self.request.budget.interruption().is_none())
    }

    /// Runs the tabu search for a number of steps.
    fn settled(&self, choices: &PathChoices, steps: usize, rng: &mut impl Rng) -> Option<Vec<ItemPlacement>> {
        let mut items = DirectPlacement::new(choices, self.chunks, steps);
        let mut board = UsageBoard::new(self.quotient.capacities(), steps);
        settle(&mut items, &mut board, rng, |visits| {
            self.request.work.add(visits / VISITS_PER_UNIT);
            self.request.budget.interruption().is_none()
        })
    }

    /// Adds the transfer of an item and all its images to the log.
    fn write(&self, log: &mut TransferLog, item: usize, step: usize, path: &[ChannelId]) -> Result<(), MethodError> {
        let (task, [from, to]) = (self.quotient.task, self.pairs[item / self.chunks]);
        let others = task.topology().terminal_count() - 1;
        self.quotient.write(log, step as u32, path, |image| {
            let [from, to] = [from, to].map(|node| task.rank(image(node)));
            MessageId::from_index((from * others + to - usize::from(to > from)) * self.chunks + item % self.chunks)
        })
    }
}
