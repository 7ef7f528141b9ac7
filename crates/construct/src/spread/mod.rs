//! Messages of several receivers: step by step, every terminal fetches what it lacks.

mod search;
mod stock;
mod usage;

use std::cmp::Reverse;

use lockstep_schedule::{MessageId, Routing, Schedule};
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use self::search::Search;
use self::stock::Stock;
use self::usage::Usage;
use crate::distance;
use crate::log::Log;
use crate::method::{Method, Miss, Poll, Request};
use crate::slots::Capacities;
use crate::task::Task;

/// Terminals served between two looks at the budget.
const STRIDE: usize = 64;

/// Step by step every terminal fetches the rarest message it can get, from its neighbours where messages are many, else
/// from the nearest terminals that free channels lead from. Ties are broken at random.
///
/// An attempt takes time in proportion to the deliveries times the messages over 64, and to searches of the network for
/// what neighbours do not have. Memory: the transfers, and two bits for each terminal and message.
///
/// **Source**: rarest first: Cohen, *Incentives build robustness in `BitTorrent`*, 2003.
pub(crate) const RAREST_FIRST: Method = Method {
    name: "rarest-first",
    about: "broadcast of any kind: in each step every terminal fetches the rarest messages it can get",
    find,
    is_random: true,
};

/// The most bytes that say who holds what: 4 GiB, for each thread.
const MAX_STOCK_BYTES: u64 = 4 << 30;

fn find(request: &Request<'_>) -> Result<Schedule, Miss> {
    if request.problem.messages().is_scatter() {
        return Err(Miss::Unfit);
    }
    let task = Task::new(request.problem)?;
    if Stock::bytes(&task) > MAX_STOCK_BYTES {
        return Err(Miss::TooLarge);
    }
    let spread = Spread::new(&task);
    request.best_of(|rng, poll| spread.build(rng, poll)).map(|log| log.schedule())
}

/// What all schedules of a broadcast share.
#[derive(Debug)]
pub(crate) struct Spread<'a> {
    task: &'a Task<'a>,
    capacities: Capacities,
    /// Before the first step.
    stock: Stock,
}

impl<'a> Spread<'a> {
    pub(crate) fn new(task: &'a Task<'a>) -> Self {
        Self { task, capacities: Capacities::new(task), stock: Stock::new(task) }
    }

    /// One schedule: terminals that lack most for their channels first, ties at random.
    pub(crate) fn build(&self, rng: &mut impl Rng, poll: &Poll<'_>) -> Result<Log, Miss> {
        let mut spreader = Spreader::new(self, rng);
        while spreader.stock.left() > 0 {
            spreader.make_step(poll)?;
        }
        Ok(spreader.log)
    }
}

/// One schedule in the making.
struct Spreader<'a, R> {
    task: &'a Task<'a>,
    stock: Stock,
    usage: Usage<'a>,
    search: Search,
    log: Log,
    rng: &'a mut R,
    step: u32,
    /// Whether neighbours are asked first.
    near: bool,
    /// Distances from what is held, and scratch space for them.
    distance: Vec<u32>,
    queue: Vec<NodeId>,
}

/// What a terminal fetches from a neighbour.
struct Pick {
    channel: ChannelId,
    neighbour: usize,
    message: u32,
}

impl<'a, R: Rng> Spreader<'a, R> {
    fn new(spread: &'a Spread<'a>, rng: &'a mut R) -> Self {
        let Spread { task, capacities, stock } = spread;
        let (topology, messages) = (task.topology(), task.messages());
        // Where messages are many, neighbours have enough of them, and take the fewest channels. One must go far. What
        // is best between the two depends on the network.
        let near = task.stores_and_forwards()
            || messages.len() >= topology.terminal_count()
            || messages.len() > 1 && rng.random();
        Self {
            task,
            stock: stock.clone(),
            usage: Usage::new(task, capacities),
            search: Search::new(topology.node_count()),
            log: Log::default(),
            rng,
            step: 0,
            near,
            distance: vec![0; topology.node_count()],
            queue: Vec::new(),
        }
    }

    fn make_step(&mut self, poll: &Poll<'_>) -> Result<(), Miss> {
        poll.check(self.step + 1)?;
        self.usage.clear();
        let order = self.order();
        let (task, routing) = (self.task, self.task.model().routing);
        if self.near {
            self.fetch_each(&order, poll, Self::fetch_from_neighbours)?;
        }
        if !task.stores_and_forwards() {
            self.fetch_each(&order, poll, |this, terminal| this.fetch_from_afar(terminal, Routing::Minimal))?;
            if routing == Routing::Any {
                self.fetch_each(&order, poll, |this, terminal| this.fetch_from_afar(terminal, Routing::Any))?;
            }
        }
        // Some terminal lacks a message that one transfer brings there, so only a bus can stand in the way.
        if self.stock.arrive() == 0 {
            return Err(Miss::Crossed);
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
        let Self { task, stock, rng, distance, near, .. } = self;
        let (topology, ports) = (task.topology(), task.model().ports);
        let rank = |(terminal, &node): (usize, &NodeId)| {
            let lacked = stock.lacked_count(terminal);
            let noise = rng.random::<u32>();
            let urgency = if *near {
                u64::from(lacked.div_ceil(ports.of_degree(topology.in_channels(node).len()).max(1) as u32))
            } else {
                let fan_out = ports.of_degree(topology.out_channels(node).len()) as u64;
                (u64::from(distance[node.index()]) * fan_out).saturating_mul(u64::from(1 + (noise >> 16)))
            };
            (lacked > 0).then_some((Reverse(urgency), noise, terminal as u32))
        };
        let mut ranked: Vec<_> = topology.terminals().iter().enumerate().filter_map(rank).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, _, terminal)| terminal).collect()
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

    /// Fetches a rare message over each channel from a terminal, those with the least choice first.
    fn fetch_from_neighbours(&mut self, terminal: usize) -> Result<(), Miss> {
        let Self { task, stock, usage, rng, log, step, .. } = self;
        let topology = task.topology();
        let salt = rng.random();
        let mut sides: Vec<(u32, u32, ChannelId, usize)> = topology
            .in_channels(topology.terminals()[terminal])
            .iter()
            .filter_map(|&channel| {
                let neighbour = topology.terminal_rank(topology.tail(channel))?;
                let useful = stock.useful_count(neighbour, terminal);
                (useful > 0).then(|| (useful, rng.random(), channel, neighbour))
            })
            .collect();
        sides.sort_unstable();
        let mut picks: Vec<Pick> = Vec::with_capacity(sides.len());
        for (_, _, channel, neighbour) in sides {
            if !usage.is_free(channel) || !usage.may_send(neighbour) || !usage.may_receive(terminal) {
                continue;
            }
            let message = match stock.rarest(neighbour, terminal, salt) {
                Some(message) => {
                    stock.promise(terminal, message);
                    message
                }
                None => match hand_over(stock, &mut picks, neighbour, terminal, salt) {
                    Some(message) => message,
                    None => continue,
                },
            };
            usage.take(&[channel]);
            picks.push(Pick { channel, neighbour, message });
        }
        picks.iter().try_for_each(|pick| log.push(MessageId::new(pick.message), *step, &[pick.channel]))
    }

    /// Fetches rare messages from the nearest terminals that have any, as long as paths are free.
    fn fetch_from_afar(&mut self, terminal: usize, routing: Routing) -> Result<(), Miss> {
        let Self { task, stock, usage, search, rng, log, step, .. } = self;
        let topology = task.topology();
        let node = topology.terminals()[terminal];
        while stock.lacked_count(terminal) > 0
            && usage.may_receive(terminal)
            && topology.in_channels(node).iter().any(|&channel| usage.is_free(channel))
        {
            let salt = rng.random();
            let rarest = |sender| {
                let message = stock.rarest(sender, terminal, salt)?;
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

/// The message of an earlier pick that `neighbour` can give too; that pick gets another one instead.
fn hand_over(stock: &mut Stock, picks: &mut [Pick], neighbour: usize, terminal: usize, salt: u32) -> Option<u32> {
    picks.iter_mut().find_map(|pick| {
        let other = stock.rarest(pick.neighbour, terminal, salt).filter(|_| stock.holds(neighbour, pick.message))?;
        stock.promise(terminal, other);
        Some(std::mem::replace(&mut pick.message, other))
    })
}
