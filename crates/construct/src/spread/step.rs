//! One step: who fetches what over which channel.

use std::cmp::Reverse;
use std::collections::VecDeque;

use lockstep_schedule::Routing;
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use super::draft::Draft;
use super::search::{Search, Wanted};
use super::stock::Stock;
use super::{Side, Spread};
use crate::distance;
use crate::log::Log;
use crate::method::{Miss, Poll};
use crate::task::Task;

/// Terminals served between two looks at the budget.
const STRIDE: usize = 32;

/// The most that a terminal pays for what others have taken before it: so often the same channel or port changes hands
/// in a step.
const LIMIT: u32 = 4;

/// How often an attempt goes back from one step before it gives its aim up.
const PATIENCE: u32 = 16;

/// The same for a path of several channels.
const FAR_LIMIT: u32 = 8;

/// One schedule in the making.
pub(super) struct Spreader<'a, R> {
    spread: &'a Spread<'a>,
    task: &'a Task<'a>,
    stock: Stock,
    draft: Draft<'a>,
    search: Search,
    log: Log,
    rng: &'a mut R,
    step: u32,
    /// The steps that the schedule is to have.
    aim: u32,
    /// The most steps made so far, and how often it went back since then.
    furthest: u32,
    setbacks: u32,
    is_thorough: bool,
    /// Whether neighbours are asked first.
    near: bool,
    /// Terminals to be served, and which of them wait.
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
    /// How often each terminal came too late.
    grievance: Vec<u32>,
    /// Distances from what is held.
    distance: Vec<u32>,
    /// Scratch space.
    queue: Vec<NodeId>,
    options: Vec<Option_>,
    pool: Vec<u64>,
}

/// A side from which a terminal may fetch something: the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Option_ {
    price: u32,
    useful: u32,
    tie: u32,
    channel: ChannelId,
    neighbour: u32,
}

impl<'a, R: Rng> Spreader<'a, R> {
    pub(super) fn new(spread: &'a Spread<'a>, aim: u32, is_thorough: bool, rng: &'a mut R) -> Self {
        let Spread { task, capacities, stock, .. } = spread;
        let (topology, messages) = (task.topology(), task.messages());
        // Where messages are many, neighbours have enough of them, and take the fewest channels. One must go far. What
        // is best between the two depends on the network.
        let near = task.stores_and_forwards()
            || messages.len() >= topology.terminal_count()
            || messages.len() > 1 && rng.random();
        Self {
            spread,
            task,
            stock: stock.clone(),
            draft: Draft::new(task, capacities),
            search: Search::new(topology.node_count()),
            log: Log::default(),
            rng,
            step: 0,
            aim,
            furthest: 0,
            setbacks: 0,
            is_thorough,
            near,
            waiting: VecDeque::new(),
            waits: vec![false; topology.terminal_count()],
            grievance: vec![0; topology.terminal_count()],
            distance: vec![0; topology.node_count()],
            queue: Vec::new(),
            options: Vec::new(),
            pool: Vec::new(),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.stock.left() == 0
    }

    pub(super) fn into_log(self) -> Log {
        self.log
    }

    /// The fewest steps that can still be reached.
    pub(super) fn least_steps(&self) -> u32 {
        let terminals = 0..self.task.topology().terminal_count();
        terminals.map(|terminal| self.least_steps_of(terminal)).max().unwrap_or(self.step)
    }

    /// The step after which a terminal can have all at the earliest.
    fn least_steps_of(&self, terminal: usize) -> u32 {
        self.step + self.stock.lacked_count(terminal).div_ceil(self.spread.rate(terminal))
    }

    /// Whether the aim can still be reached; what cannot is to be taken back.
    pub(super) fn is_on_time(&mut self) -> bool {
        let is_on_time = self.least_steps() <= self.aim;
        if is_on_time && self.step > self.furthest {
            (self.furthest, self.setbacks) = (self.step, 0);
        }
        is_on_time
    }

    pub(super) fn may_go_back(&self) -> bool {
        self.setbacks < PATIENCE
    }

    /// Looks for a longer schedule from here on.
    pub(super) fn aim_at(&mut self, steps: u32) {
        self.aim = steps;
    }

    /// Takes a step back, more of them each time, and serves first from now on who came too late; the number of steps.
    pub(super) fn go_back(&mut self) -> u32 {
        for terminal in 0..self.grievance.len() {
            self.grievance[terminal] += u32::from(self.least_steps_of(terminal) > self.aim);
        }
        self.setbacks += 1;
        let steps = (1 << self.setbacks.trailing_zeros()).min(self.step);
        (0..steps).for_each(|_| self.undo_step());
        steps
    }

    fn undo_step(&mut self) {
        let first = self.log.start_of_last_step();
        for (message, path) in self.log.transfers_from(first) {
            let terminal = self.task.receiver(path);
            self.stock.depart(terminal, message.number());
            self.stock.withdraw(terminal, message.number());
        }
        self.log.truncate(first);
        self.step -= 1;
    }

    /// Makes one more step.
    pub(super) fn make_step(&mut self, poll: &Poll<'_>) -> Result<(), Miss> {
        poll.check(self.step + 1)?;
        let order = self.order();
        let routing = self.task.model().routing;
        if self.near {
            self.serve_all(&order, poll, Self::fetch_from_neighbours)?;
        }
        if !self.task.stores_and_forwards() {
            self.serve_all(&order, poll, |this, terminal| this.fetch_from_afar(terminal, Routing::Minimal))?;
            if routing == Routing::Any {
                self.serve_all(&order, poll, |this, terminal| this.fetch_from_afar(terminal, Routing::Any))?;
            }
        }
        let first = self.log.len();
        self.draft.flush(self.step, &mut self.log)?;
        // Some terminal lacks a message that one transfer brings there, so only a bus can stand in the way.
        if self.log.len() == first {
            return Err(Miss::Crossed);
        }
        for (message, path) in self.log.transfers_from(first) {
            self.stock.arrive(self.task.receiver(path), message.number());
        }
        self.step += 1;
        Ok(())
    }

    /// The terminals that lack anything, in the order in which they are served.
    ///
    /// Where messages are many, those first that need the most steps. Where they are few, those first that are far from
    /// any message and can send it on to many, more or less.
    fn order(&mut self) -> Vec<u32> {
        if !self.near {
            self.find_distances();
        }
        let Self { spread, task, stock, rng, distance, near, grievance, .. } = self;
        let (topology, ports) = (task.topology(), task.model().ports);
        let rank = |(terminal, &node): (usize, &NodeId)| {
            let lacked = stock.lacked_count(terminal);
            let noise = rng.random::<u32>();
            let urgency = if *near {
                (u64::from(lacked) << 8) / u64::from(spread.rate(terminal))
            } else {
                let fan_out = ports.of_degree(topology.out_channels(node).len()) as u64;
                (u64::from(distance[node.index()]) * fan_out).saturating_mul(u64::from(1 + (noise >> 16)))
            };
            (lacked > 0).then_some((Reverse(grievance[terminal]), Reverse(urgency), noise, terminal as u32))
        };
        let mut ranked: Vec<_> = topology.terminals().iter().enumerate().filter_map(rank).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, _, _, terminal)| terminal).collect()
    }

    /// The distances from the terminals that hold anything.
    fn find_distances(&mut self) {
        let Self { task, stock, distance: distances, queue, .. } = self;
        let terminals = task.topology().terminals().iter().enumerate();
        let holders = terminals.filter(|&(terminal, _)| stock.holds_any(terminal)).map(|(_, &node)| node);
        distance::search(task, holders, distances, queue);
    }

    /// Serves all terminals, and once more those that something was taken from.
    fn serve_all(&mut self, order: &[u32], poll: &Poll<'_>, serve: impl Fn(&mut Self, usize)) -> Result<(), Miss> {
        self.waiting.extend(order);
        order.iter().for_each(|&terminal| self.waits[terminal as usize] = true);
        let mut served = 0usize;
        while let Some(terminal) = self.waiting.pop_front() {
            served += 1;
            if served.is_multiple_of(STRIDE) {
                poll.check(self.step + 1)?;
            }
            self.waits[terminal as usize] = false;
            serve(self, terminal as usize);
        }
        Ok(())
    }

    /// Fetches a rare message over each channel from a neighbour, those with the least choice first.
    fn fetch_from_neighbours(&mut self, terminal: usize) {
        let salt = self.rng.random();
        let mut options = std::mem::take(&mut self.options);
        options.clear();
        options.extend(self.spread.sides(terminal).iter().filter_map(|side| self.option(side, terminal)));
        options.sort_unstable();
        for option in &options {
            if self.stock.lacked_count(terminal) == 0 || !self.draft.may_receive(terminal) {
                break;
            }
            let neighbour = option.neighbour as usize;
            let free = self.stock.rarest(neighbour, terminal, salt, &mut self.pool);
            if let Some(message) = free.or_else(|| self.hand_over(neighbour, terminal, salt)) {
                self.transfer(message, terminal, &[option.channel]);
            }
        }
        self.options = options;
    }

    fn option(&mut self, side: &Side, terminal: usize) -> Option<Option_> {
        let neighbour = side.neighbour as usize;
        let useful = self.stock.useful_count(neighbour, terminal);
        if useful == 0 || self.draft.message_over(side.channel).is_some() {
            return None;
        }
        let price = self.draft.channel_price(side.channel) + self.draft.port_price(neighbour);
        let tie = self.rng.random();
        let option = Option_ { price, useful, tie, channel: side.channel, neighbour: side.neighbour };
        (price <= LIMIT).then_some(option)
    }

    /// The message of another side that `neighbour` can give too; that side gives another one instead.
    fn hand_over(&mut self, neighbour: usize, terminal: usize, salt: u32) -> Option<u32> {
        let Self { spread, stock, draft, pool, .. } = self;
        spread.sides(terminal).iter().find_map(|side| {
            let given = draft.message_over(side.channel).filter(|given| stock.holds(neighbour, **given))?;
            let other = stock.rarest(side.neighbour as usize, terminal, salt, pool)?;
            stock.withdraw(terminal, *given);
            stock.promise(terminal, other);
            Some(std::mem::replace(given, other))
        })
    }

    /// Fetches rare messages from the nearest terminals that have any, as long as there are paths.
    fn fetch_from_afar(&mut self, terminal: usize, routing: Routing) {
        let target = self.task.topology().terminals()[terminal];
        // Rerouting takes long searches: only where all else failed, and for those who cannot wait.
        let reroutes = (self.is_thorough || self.setbacks > 1) && routing == Routing::Minimal && self.least_steps_of(terminal) >= self.aim;
        let wanted = Wanted { target, routing, limit: if reroutes { FAR_LIMIT } else { 0 } };
        while self.stock.lacked_count(terminal) > 0 && self.draft.may_receive(terminal) {
            let Self { stock, draft, search, rng, pool, .. } = self;
            let salt = rng.random();
            let rarest = |sender| {
                let message = stock.rarest(sender, terminal, salt, pool)?;
                Some((stock.holder_count(message), message))
            };
            let Some(message) = search.nearest(draft, wanted, rng, rarest) else { break };
            let path = self.search.path().to_vec();
            self.transfer(message, terminal, &path);
        }
    }

    /// Plans a transfer; whatever is in its way is called off, and who loses it waits again.
    fn transfer(&mut self, message: u32, terminal: usize, path: &[ChannelId]) {
        let Self { stock, draft, rng, waiting, waits, .. } = self;
        let lose = |terminal: usize, message| {
            stock.withdraw(terminal, message);
            if !std::mem::replace(&mut waits[terminal], true) {
                waiting.push_back(terminal as u32);
            }
        };
        draft.clear_the_way(path, |count| rng.random_range(0..count), lose);
        draft.plan(message, path);
        stock.promise(terminal, message);
    }
}
