//! One attempt at an all-to-all: a group, and a search among the schedules that it keeps.

use lockstep_schedule::{MessageId, Ports};
use lockstep_topology::{ChannelId, NodeId, Symmetries};
use rand::Rng;

use super::direct_paths::{DirectPlacement, PathChoices};
use super::free_action_group::FreeActionGroup;
use super::quotient::QuotientNetwork;
use super::relayed_routes::{RelayPlacement, RelayRoutes};
use super::tabu::{MAX_ITEMS, Placement, PlacementItems, UsageBoard, settle};
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The most marks of what is banned: 64 MiB.
const MAX_BANS: usize = 1 << 24;

/// The most paths kept, of one pair and of all.
const PATHS_OF_A_PAIR: usize = 64;
const MAX_PATHS: usize = 1 << 18;

/// A schedule that a random group keeps, of fewer steps than there were.
pub(super) fn exchange<'a>(
    request: &MethodRequest<'a>,
    task: &SchedulingTask<'a>,
    symmetries: &Symmetries<'a>,
    rng: &mut impl Rng,
) -> Result<TransferLog, MethodError> {
    let is_direct = task.model().is_direct();
    let has_paths = |group: &FreeActionGroup<'a>, rng: &mut _| {
        let quotient = QuotientNetwork::new(task, group);
        let mut have_paths = |pairs: &[_]| !is_direct || PathChoices::new(&quotient, pairs, 1, rng).is_some();
        request.stop_reason().is_none() && quotient.pairs().is_some_and(|pairs| have_paths(&pairs))
    };
    let fixed = usize::from(task.model().ports == Ports::All);
    let group = FreeActionGroup::random(symmetries, fixed, has_paths, rng).ok_or(MethodError::NoShorter)?;
    let quotient = QuotientNetwork::new(task, &group);
    let pairs = quotient.pairs().ok_or(MethodError::NoShorter)?;
    let chunks = task.messages().chunks() as usize;
    if pairs.len() * chunks > MAX_ITEMS {
        return Err(MethodError::NoShorter);
    }
    let exchange = SymmetricExchange { request, quotient: &quotient, pairs: &pairs, chunks };
    if is_direct { exchange.transferred(rng) } else { exchange.relayed(rng) }
}

/// The messages of an exchange, one of each orbit.
struct SymmetricExchange<'a> {
    request: &'a MethodRequest<'a>,
    quotient: &'a QuotientNetwork<'a>,
    pairs: &'a [[NodeId; 2]],
    chunks: usize,
}

impl SymmetricExchange<'_> {
    fn transferred(&self, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let most = (MAX_PATHS / self.pairs.len()).clamp(1, PATHS_OF_A_PAIR);
        let choices = PathChoices::new(self.quotient, self.pairs, most, rng).ok_or(MethodError::NoShorter)?;
        let mut aims = self.aims(choices.hops(), 1, 1);
        let placed =
            aims.find_map(|steps| self.settled(DirectPlacement::new(&choices, self.chunks, steps), steps, rng));
        let mut log = TransferLog::default();
        for (item, Placement { route: (path, step), .. }) in
            placed.ok_or(MethodError::NoShorter)?.into_iter().enumerate()
        {
            self.write(&mut log, item, step, choices.channels(path))?;
        }
        Ok(log)
    }

    fn relayed(&self, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let routes = RelayRoutes::new(self.quotient, self.pairs).ok_or(MethodError::NoShorter)?;
        let mut aims = self.aims(routes.hops(), routes.longest(), self.quotient.capacities().len());
        let placed = aims.find_map(|steps| {
            self.settled(RelayPlacement::new(self.quotient, &routes, self.chunks, steps), steps, rng)
        });
        let mut log = TransferLog::default();
        for (item, placed) in placed.ok_or(MethodError::NoShorter)?.into_iter().enumerate() {
            for (channel, step) in placed.route {
                self.write(&mut log, item, step, &[channel])?;
            }
        }
        Ok(log)
    }

    /// Numbers of steps to try: the fewest that may be enough for so many hops, the longest route and the ports, and
    /// then more and more, but fewer than there were. `bans` are the marks for each item and step.
    fn aims(&self, hops: usize, longest: usize, bans: usize) -> impl Iterator<Item = usize> {
        let task = self.quotient.task;
        let sends = task.messages().len() / task.topology().terminal_count();
        let by_ports = match task.model().ports {
            Ports::All => 1,
            Ports::Limit(limit) => sends.div_ceil(limit.get() as usize),
        };
        let by_wires = (hops * self.chunks).div_ceil(self.quotient.wire_count());
        let least = longest.max(by_ports).max(by_wires).max(self.request.goal as usize);
        let most = MAX_BANS / (self.pairs.len() * self.chunks * bans);
        let below = (self.request.below as usize).min(most + 1);
        let aims = (0..u32::BITS).map(move |doubling| least.saturating_add((1 << doubling) - 1));
        aims.take_while(move |&steps| steps < below && self.request.stop_reason().is_none())
    }

    fn settled<I: PlacementItems>(
        &self,
        mut items: I,
        steps: usize,
        rng: &mut impl Rng,
    ) -> Option<Vec<Placement<I::Route>>> {
        let mut board = UsageBoard::new(self.quotient.capacities(), steps);
        settle(&mut items, &mut board, rng, || self.request.stop_reason().is_none())
    }

    /// Writes down the transfer of an item and its translates.
    fn write(&self, log: &mut TransferLog, item: usize, step: usize, path: &[ChannelId]) -> Result<(), MethodError> {
        let (task, [from, to]) = (self.quotient.task, self.pairs[item / self.chunks]);
        let others = task.topology().terminal_count() - 1;
        self.quotient.write(log, step as u32, path, |image| {
            let [from, to] = [from, to].map(|node| task.rank(image(node)));
            MessageId::from_index((from * others + to - usize::from(to > from)) * self.chunks + item % self.chunks)
        })
    }
}
