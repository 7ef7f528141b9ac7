//! One step: who fetches what over which channel.

use std::cmp::Reverse;
use std::collections::VecDeque;

use lockstep_schedule::{MessageId, Routing};
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use super::Spread;
use super::search::Search;
use super::stock::Stock;
use super::usage::Usage;
use crate::distance;
use crate::log::Log;
use crate::method::{Miss, Poll};
use crate::task::Task;

/// Terminals served between two looks at the budget.
const STRIDE: usize = 32;

/// A channel from another terminal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) channel: ChannelId,
    pub(super) neighbour: u32,
}

/// One schedule in the making.
pub(super) struct Spreader<'a, R> {
    spread: &'a Spread<'a>,
    task: &'a Task<'a>,
    pub(super) stock: Stock,
    usage: Usage<'a>,
    search: Search,
    pub(super) log: Log,
    rng: &'a mut R,
    pub(super) step: u32,
    /// Whether neighbours are asked first.
    near: bool,
    /// The message that each channel brings from a neighbour in this step, or `NOTHING`.
    carried: Vec<u32>,
    /// Terminals to be served, and which of them wait.
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
    /// How often each slot changed hands in this step.
    price: Vec<u32>,
    pub(super) boost: Vec<u32>,
    choice: Vec<Choice>,
    pool: Vec<u64>,
    /// Distances from what is held, and scratch space for them.
    distance: Vec<u32>,
    queue: Vec<NodeId>,
}

const NOTHING: u32 = u32::MAX;

/// A side of a terminal that may be served.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    price: u32,
    useful: u32,
    tie: u32,
    channel: ChannelId,
    neighbour: u32,
}

impl<'a, R: Rng> Spreader<'a, R> {
    pub(super) fn new(spread: &'a Spread<'a>, rng: &'a mut R) -> Self {
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
            usage: Usage::new(task, capacities),
            search: Search::new(topology.node_count()),
            log: Log::default(),
            rng,
            step: 0,
            near,
            carried: vec![NOTHING; topology.channel_count()],
            waiting: VecDeque::new(),
            waits: vec![false; topology.terminal_count()],
            price: vec![0; capacities.len()],
            boost: vec![0; topology.terminal_count()],
            choice: Vec::new(),
            pool: Vec::new(),
            distance: vec![0; topology.node_count()],
            queue: Vec::new(),
        }
    }

    pub(super) fn make_step(&mut self, poll: &Poll<'_>) -> Result<(), Miss> {
        poll.check(self.step + 1)?;
        self.usage.clear();
        let order = self.order();
        let first = self.log.len();
        let (task, routing) = (self.task, self.task.model().routing);
        if self.near {
            self.fetch_from_neighbours(&order, poll)?;
        }
        if !task.stores_and_forwards() {
            self.fetch_each(&order, poll, |this, terminal| this.fetch_from_afar(terminal, Routing::Minimal))?;
            if routing == Routing::Any {
                self.fetch_each(&order, poll, |this, terminal| this.fetch_from_afar(terminal, Routing::Any))?;
            }
        }
        // Some terminal lacks a message that one transfer brings there, so only a bus can stand in the way.
        if self.log.len() == first {
            return Err(Miss::Crossed);
        }
        for (message, path) in self.log.transfers_from(first) {
            self.stock.arrive(task.receiver(path), message.number());
        }
        self.step += 1;
        Ok(())
    }

    /// Takes the last step back.
    pub(super) fn undo_step(&mut self) {
        let first = self.log.start_of_last_step();
        for (message, path) in self.log.transfers_from(first) {
            let terminal = self.task.receiver(path);
            self.stock.depart(terminal, message.number());
            self.stock.withdraw(terminal, message.number());
        }
        self.log.truncate(first);
        self.step -= 1;
    }

    /// The fewest steps after this one that a terminal needs for what it lacks.
    pub(super) fn steps_needed(&self, terminal: usize) -> u32 {
        self.stock.lacked_count(terminal).div_ceil(self.spread.rate[terminal])
    }

    /// The terminals that lack anything, in the order in which they are served.
    ///
    /// Where messages are many, those first that need the most steps. Where they are few, those first that are far from
    /// any message and can send it on to many, more or less.
    fn order(&mut self) -> Vec<u32> {
        if !self.near {
            self.find_distances();
        }
        let Self { spread, task, stock, rng, distance, near, boost, .. } = self;
        let (topology, ports) = (task.topology(), task.model().ports);
        let rank = |(terminal, &node): (usize, &NodeId)| {
            let lacked = stock.lacked_count(terminal);
            let noise = rng.random::<u32>();
            let urgency = if *near {
                (u64::from(lacked) << 8) / u64::from(spread.rate[terminal])
            } else {
                let fan_out = ports.of_degree(topology.out_channels(node).len()) as u64;
                (u64::from(distance[node.index()]) * fan_out).saturating_mul(u64::from(1 + (noise >> 16)))
            };
            (lacked > 0).then_some((Reverse(boost[terminal]), Reverse(urgency), noise, terminal as u32))
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

    fn fetch_each(
        &mut self,
        order: &[u32],
        poll: &Poll<'_>,
        mut fetch: impl FnMut(&mut Self, usize) -> Result<(), Miss>,
    ) -> Result<(), Miss> {
        for terminals in order.chunks(STRIDE) {
            poll.check(self.step + 1)?;
            for &terminal in terminals {
                fetch(self, terminal as usize)?;
            }
        }
        Ok(())
    }

    /// Serves all terminals from their neighbours, again those from which something was taken.
    fn fetch_from_neighbours(&mut self, order: &[u32], poll: &Poll<'_>) -> Result<(), Miss> {
        self.waiting.extend(order);
        order.iter().for_each(|&terminal| self.waits[terminal as usize] = true);
        self.price.fill(0);
        let mut served = 0usize;
        while let Some(terminal) = self.waiting.pop_front() {
            served += 1;
            if served.is_multiple_of(STRIDE) {
                poll.check(self.step + 1)?;
            }
            self.waits[terminal as usize] = false;
            self.serve(terminal as usize);
        }
        let Self { spread, carried, log, step, .. } = self;
        for &terminal in order {
            for side in spread.sides(terminal as usize) {
                let message = std::mem::replace(&mut carried[side.channel.index()], NOTHING);
                if message != NOTHING {
                    log.push(MessageId::new(message), *step, &[side.channel])?;
                }
            }
        }
        Ok(())
    }

    /// Fetches a rare message over each channel from a neighbour, those with the least choice first.
    fn serve(&mut self, terminal: usize) {
        let salt = self.rng.random();
        let mut choice = std::mem::take(&mut self.choice);
        choice.clear();
        for side in self.spread.sides(terminal) {
            if self.carried[side.channel.index()] != NOTHING {
                continue;
            }
            let useful = self.stock.useful_count(side.neighbour as usize, terminal);
            if useful > 0 {
                let tie = self.rng.random();
                let price = self.price(side);
                choice.push(Choice { price, useful, tie, channel: side.channel, neighbour: side.neighbour });
            }
        }
        choice.sort_unstable();
        for side in &choice {
            if self.stock.lacked_count(terminal) == 0 || !self.usage.may_receive(terminal) {
                break;
            }
            if side.price > LIMIT {
                continue;
            }
            let neighbour = side.neighbour as usize;
            let message = match self.stock.rarest(neighbour, terminal, salt, &mut self.pool) {
                Some(message) => {
                    self.stock.promise(terminal, message);
                    message
                }
                None => match self.hand_over(neighbour, terminal, salt) {
                    Some(message) => message,
                    None => continue,
                },
            };
            self.clear_the_way(side.channel, neighbour);
            self.carried[side.channel.index()] = message;
            self.usage.take(&[side.channel]);
        }
        self.choice = choice;
    }

    /// What others paid for what a transfer needs; 0 if it is free.
    fn price(&self, side: &Side) -> u32 {
        let wire = self.usage.wire(side.channel);
        let mut price = 0;
        if !self.usage.is_free(side.channel) {
            price += 1 + self.price[wire as usize];
        }
        if let Some(port) = self.usage.send_port(side.neighbour as usize)
            && !self.usage.may_send(side.neighbour as usize)
        {
            price += 1 + self.price[port as usize];
        }
        price
    }

    /// Takes a wire and a port from others if they are not free.
    fn clear_the_way(&mut self, channel: ChannelId, sender: usize) {
        if !self.usage.is_free(channel) {
            let wire = self.usage.wire(channel);
            self.price[wire as usize] += 1;
            let spread = self.spread;
            let other = spread.on_wire(wire).iter().copied().find(|other| self.carried[other.index()] != NOTHING);
            self.evict(other.expect("a taken wire carries something"));
        }
        if let Some(port) = self.usage.send_port(sender)
            && !self.usage.may_send(sender)
        {
            self.price[port as usize] += 1;
            let topology = self.task.topology();
            let channels = topology.out_channels(topology.terminals()[sender]);
            let (before, after) = channels.split_at(self.rng.random_range(0..channels.len()));
            let other = after.iter().chain(before).copied().find(|other| self.carried[other.index()] != NOTHING);
            self.evict(other.expect("a taken port sends something"));
        }
    }

    fn evict(&mut self, channel: ChannelId) {
        let message = std::mem::replace(&mut self.carried[channel.index()], NOTHING);
        let terminal = self.task.receiver(&[channel]);
        self.stock.withdraw(terminal, message);
        self.usage.release(channel);
        if !std::mem::replace(&mut self.waits[terminal], true) {
            self.waiting.push_back(terminal as u32);
        }
    }

    /// The message of an earlier pick that `neighbour` can give too; that pick gets another one instead.
    fn hand_over(&mut self, neighbour: usize, terminal: usize, salt: u32) -> Option<u32> {
        let Self { spread, stock, carried, pool, .. } = self;
        spread.sides(terminal).iter().find_map(|side| {
            let message = carried[side.channel.index()];
            if message == NOTHING || !stock.holds(neighbour, message) {
                return None;
            }
            let other = stock.rarest(side.neighbour as usize, terminal, salt, pool)?;
            stock.promise(terminal, other);
            Some(std::mem::replace(&mut carried[side.channel.index()], other))
        })
    }

    /// Fetches rare messages from the nearest terminals that have any, as long as paths are free.
    fn fetch_from_afar(&mut self, terminal: usize, routing: Routing) -> Result<(), Miss> {
        let Self { task, stock, usage, search, rng, log, step, pool, .. } = self;
        let topology = task.topology();
        let node = topology.terminals()[terminal];
        while stock.lacked_count(terminal) > 0
            && usage.may_receive(terminal)
            && topology.in_channels(node).iter().any(|&channel| usage.is_free(channel))
        {
            let salt = rng.random();
            let rarest = |sender| {
                let message = stock.rarest(sender, terminal, salt, pool)?;
                Some((stock.holder_count(message), message))
            };
            let Some(message) = search.nearest(usage, node, routing, rng, rarest) else { break };
            stock.promise(terminal, message);
            usage.take(search.path());
            log.push(MessageId::new(message), *step, search.path())?;
        }
        Ok(())
    }
}

const LIMIT: u32 = 4;
