//! One attempt at an all-to-all: a group, and a search among the schedules that it keeps.

use lockstep_schedule::{MessageId, Ports};
use lockstep_topology::{ChannelId, NodeId, Symmetries};
use rand::Rng;

use super::direct_paths::{Choices, Transfers};
use super::free_group::FreeGroup;
use super::orbits::Orbits;
use super::relayed_routes::{Journeys, Routes};
use super::tabu::{Board, Items, MAX_ITEMS, Placed, settle};
use crate::kit::request::{Miss, Request};
use crate::kit::task::Task;
use crate::kit::transfer_log::Log;

/// The most marks of what is banned: 64 MiB.
const MAX_BANS: usize = 1 << 24;

/// The most paths kept, of one pair and of all.
const PATHS_OF_A_PAIR: usize = 64;
const MAX_PATHS: usize = 1 << 18;

/// A schedule that a random group keeps, of fewer steps than there were.
pub(super) fn exchange<'a>(
    request: &Request<'a>,
    task: &Task<'a>,
    symmetries: &Symmetries<'a>,
    rng: &mut impl Rng,
) -> Result<Log, Miss> {
    let is_direct = task.model().is_direct();
    let has_paths = |group: &FreeGroup<'a>, rng: &mut _| {
        let orbits = Orbits::new(task, group);
        let mut have_paths = |pairs: &[_]| !is_direct || Choices::new(&orbits, pairs, 1, rng).is_some();
        request.stop().is_none() && orbits.pairs().is_some_and(|pairs| have_paths(&pairs))
    };
    let fixed = usize::from(task.model().ports == Ports::All);
    let group = FreeGroup::random(symmetries, fixed, has_paths, rng).ok_or(Miss::NoShorter)?;
    let orbits = Orbits::new(task, &group);
    let pairs = orbits.pairs().ok_or(Miss::NoShorter)?;
    let chunks = task.messages().chunks() as usize;
    if pairs.len() * chunks > MAX_ITEMS {
        return Err(Miss::NoShorter);
    }
    let exchange = Exchange { request, orbits: &orbits, pairs: &pairs, chunks };
    if is_direct { exchange.transferred(rng) } else { exchange.relayed(rng) }
}

/// The messages of an exchange, one of each orbit.
struct Exchange<'a> {
    request: &'a Request<'a>,
    orbits: &'a Orbits<'a>,
    pairs: &'a [[NodeId; 2]],
    chunks: usize,
}

impl Exchange<'_> {
    fn transferred(&self, rng: &mut impl Rng) -> Result<Log, Miss> {
        let most = (MAX_PATHS / self.pairs.len()).clamp(1, PATHS_OF_A_PAIR);
        let choices = Choices::new(self.orbits, self.pairs, most, rng).ok_or(Miss::NoShorter)?;
        let mut aims = self.aims(choices.hops(), 1, 1);
        let placed = aims.find_map(|steps| self.settled(Transfers::new(&choices, self.chunks, steps), steps, rng));
        let mut log = Log::default();
        for (item, Placed { route: (path, step), .. }) in placed.ok_or(Miss::NoShorter)?.into_iter().enumerate() {
            self.write(&mut log, item, step, choices.channels(path))?;
        }
        Ok(log)
    }

    fn relayed(&self, rng: &mut impl Rng) -> Result<Log, Miss> {
        let routes = Routes::new(self.orbits, self.pairs).ok_or(Miss::NoShorter)?;
        let mut aims = self.aims(routes.hops(), routes.longest(), self.orbits.capacities().len());
        let placed =
            aims.find_map(|steps| self.settled(Journeys::new(self.orbits, &routes, self.chunks, steps), steps, rng));
        let mut log = Log::default();
        for (item, placed) in placed.ok_or(Miss::NoShorter)?.into_iter().enumerate() {
            for (channel, step) in placed.route {
                self.write(&mut log, item, step, &[channel])?;
            }
        }
        Ok(log)
    }

    /// Numbers of steps to try: the fewest that may be enough for so many hops, the longest route and the ports, and
    /// then more and more, but fewer than there were. `bans` are the marks for each item and step.
    fn aims(&self, hops: usize, longest: usize, bans: usize) -> impl Iterator<Item = usize> {
        let task = self.orbits.task;
        let sends = task.messages().len() / task.topology().terminal_count();
        let by_ports = match task.model().ports {
            Ports::All => 1,
            Ports::Limit(limit) => sends.div_ceil(limit.get() as usize),
        };
        let by_wires = (hops * self.chunks).div_ceil(self.orbits.wire_count());
        let least = longest.max(by_ports).max(by_wires).max(self.request.goal as usize);
        let most = MAX_BANS / (self.pairs.len() * self.chunks * bans);
        let below = (self.request.below as usize).min(most + 1);
        let aims = (0..u32::BITS).map(move |doubling| least.saturating_add((1 << doubling) - 1));
        aims.take_while(move |&steps| steps < below && self.request.stop().is_none())
    }

    fn settled<I: Items>(&self, mut items: I, steps: usize, rng: &mut impl Rng) -> Option<Vec<Placed<I::Route>>> {
        let mut board = Board::new(self.orbits.capacities(), steps);
        settle(&mut items, &mut board, rng, || self.request.stop().is_none())
    }

    /// Writes down the transfer of an item and its translates.
    fn write(&self, log: &mut Log, item: usize, step: usize, path: &[ChannelId]) -> Result<(), Miss> {
        let (task, [from, to]) = (self.orbits.task, self.pairs[item / self.chunks]);
        let others = task.topology().terminal_count() - 1;
        self.orbits.write(log, step as u32, path, |image| {
            let [from, to] = [from, to].map(|node| task.rank(image(node)));
            MessageId::from_index((from * others + to - usize::from(to > from)) * self.chunks + item % self.chunks)
        })
    }
}
