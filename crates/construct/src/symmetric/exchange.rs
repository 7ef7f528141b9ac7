//! One attempt at an all-to-all: a group, and a search among the schedules that it keeps.

use lockstep_schedule::Ports;
use lockstep_topology::NodeId;
use rand::Rng;

use super::automorphism::Symmetries;
use super::direct::{Choices, Transfers};
use super::group::FreeGroup;
use super::orbits::Orbits;
use super::relayed::{Journeys, Routes};
use super::tabu::{Board, Items, MAX_ITEMS, Placed, settle};
use crate::log::Log;
use crate::method::{Miss, Request};
use crate::task::Task;

/// The most marks of what is banned: 64 MiB.
const MAX_BANS: usize = 1 << 24;

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
        let mut has_path = |pairs: &[_]| !is_direct || Choices::new(&orbits, pairs, rng).is_some();
        request.stop().is_none() && orbits.pairs().is_some_and(|pairs| has_path(&pairs))
    };
    let fixed = usize::from(task.model().ports == Ports::All);
    let group = symmetries.random_group(fixed, has_paths, rng).ok_or(Miss::NoShorter)?;
    let orbits = Orbits::new(task, &group);
    let pairs = orbits.pairs().ok_or(Miss::NoShorter)?;
    let messages = Exchange { request, orbits: &orbits, pairs: &pairs, chunks: task.messages().chunks() };
    if is_direct { messages.transferred(rng) } else { messages.relayed(rng) }
}

/// The messages of an exchange, one of each orbit.
struct Exchange<'a> {
    request: &'a Request<'a>,
    orbits: &'a Orbits<'a>,
    pairs: &'a [[NodeId; 2]],
    chunks: u32,
}

impl Exchange<'_> {
    fn transferred(&self, rng: &mut impl Rng) -> Result<Log, Miss> {
        let choices = Choices::new(self.orbits, self.pairs, rng).ok_or(Miss::NoShorter)?;
        let (steps, placed) = self
            .aims(choices.hops(), 1, 1)
            .find_map(|steps| {
                Some((steps, self.settled(Transfers::new(&choices, self.chunks as usize, steps), steps, rng)?))
            })
            .ok_or(Miss::NoShorter)?;
        let mut log = Log::default();
        for (item, placed) in (0..).zip(placed) {
            let step = placed.cells.first().map_or(0, |cell| *cell as usize % steps);
            self.write(&mut log, item, step, choices.channels(placed.route))?;
        }
        Ok(log)
    }

    fn relayed(&self, rng: &mut impl Rng) -> Result<Log, Miss> {
        let routes = Routes::new(self.orbits, self.pairs).ok_or(Miss::NoShorter)?;
        let (hops, longest) = (routes.lengths().iter().sum::<u32>() as usize, routes.lengths().iter().max());
        let placed = self
            .aims(hops, longest.map_or(1, |&length| length), self.orbits.capacities().len())
            .find_map(|steps| {
                self.settled(Journeys::new(self.orbits, &routes, self.chunks as usize, steps), steps, rng)
            })
            .ok_or(Miss::NoShorter)?;
        let mut log = Log::default();
        for (item, placed) in (0..).zip(placed) {
            for (channel, step) in placed.route {
                self.write(&mut log, item, step, &[channel])?;
            }
        }
        Ok(log)
    }

    /// Numbers of steps to try: the fewest that may be enough, and then more and more, but fewer than there were.
    fn aims(&self, hops: usize, longest: u32, slots: usize) -> impl Iterator<Item = usize> {
        let items = self.pairs.len() * self.chunks as usize;
        let wires = (hops * self.chunks as usize).div_ceil(self.orbits.wire_count().max(1));
        let sends = self.orbits.task.messages().len() / self.orbits.task.topology().terminal_count();
        let by_ports = match self.orbits.task.model().ports {
            Ports::All => 0,
            Ports::Limit(limit) => sends.div_ceil(limit.get() as usize),
        };
        let least = (self.request.goal.max(longest) as usize).max(by_ports).max(wires);
        let below = (self.request.below as usize).min(MAX_BANS / (items * slots) + 1);
        let below = if items > MAX_ITEMS { 0 } else { below };
        let aims = (0..u32::BITS).map(move |doubling| least + (1 << doubling) - 1);
        aims.take_while(move |&steps| steps < below && self.request.stop().is_none())
    }

    fn settled<I: Items>(&self, mut items: I, steps: usize, rng: &mut impl Rng) -> Option<Vec<Placed<I::Route>>> {
        let mut board = Board::new(self.orbits.capacities(), steps);
        settle(&mut items, &mut board, rng, || self.request.stop().is_none())
    }

    /// Writes down the transfer of an item and its translates.
    fn write(&self, log: &mut Log, item: u32, step: usize, path: &[lockstep_topology::ChannelId]) -> Result<(), Miss> {
        let (task, [from, to]) = (self.orbits.task, self.pairs[(item / self.chunks) as usize]);
        let others = task.topology().terminal_count() as u32 - 1;
        self.orbits.write(log, step as u32, path, |image| {
            let [from, to] = [from, to].map(|node| task.rank(image(node)) as u32);
            (from * others + to - u32::from(to > from)) * self.chunks + item % self.chunks
        })
    }
}
