//! Messages of several receivers: step by step, every terminal fetches what it lacks.

mod draft;
mod search;
mod step;
mod stock;

use lockstep_schedule::Schedule;
use lockstep_topology::ChannelId;
use rand::{Rng, RngExt};

use self::step::Spreader;
use self::stock::Stock;
use crate::log::Log;
use crate::method::{Method, Miss, Poll, Request};
use crate::slots::Capacities;
use crate::task::Task;

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
    /// The channels from other terminals into each terminal.
    side_start: Vec<u32>,
    side: Vec<Side>,
    /// Receptions of each terminal in a step.
    rate: Vec<u32>,
}

impl<'a> Spread<'a> {
    pub(crate) fn new(task: &'a Task<'a>) -> Self {
        let topology = task.topology();
        let (mut side_start, mut side, mut rate) = (vec![0], Vec::new(), Vec::new());
        for &node in topology.terminals() {
            side.extend(topology.in_channels(node).iter().filter_map(|&channel| {
                let neighbour = topology.terminal_rank(topology.tail(channel))? as u32;
                Some(Side { channel, neighbour })
            }));
            side_start.push(side.len() as u32);
            rate.push(task.model().ports.of_degree(topology.in_channels(node).len()).max(1) as u32);
        }
        Self { task, capacities: Capacities::new(task), stock: Stock::new(task), side_start, side, rate }
    }

    fn sides(&self, terminal: usize) -> &[Side] {
        &self.side[self.side_start[terminal] as usize..self.side_start[terminal + 1] as usize]
    }

    /// The most messages that a terminal receives in a step.
    fn rate(&self, terminal: usize) -> u32 {
        self.rate[terminal]
    }

    /// One schedule: terminals that lack most for their channels first, ties at random.
    pub(crate) fn build(&self, rng: &mut impl Rng, poll: &Poll<'_>) -> Result<Log, Miss> {
        let (goal, below) = (poll.goal(), poll.below());
        // Where the goal is out of reach, less is easier to find.
        let is_first = below == u32::MAX;
        let aim = if is_first { goal } else { rng.random_range(goal..below) };
        let is_thorough = !is_first && rng.random();
        let mut spreader = Spreader::new(self, aim, is_thorough, rng);
        let mut patience = PATIENCE.saturating_add(aim);
        while !spreader.is_done() {
            spreader.make_step(poll)?;
            if spreader.is_on_time() {
                continue;
            }
            if patience > 0 && spreader.may_go_back() {
                patience = patience.saturating_sub(spreader.go_back());
                continue;
            }
            let least = spreader.least_steps();
            if least >= below {
                return Err(Miss::NoShorter);
            }
            spreader.aim_at(least);
        }
        Ok(spreader.into_log())
    }
}

/// A channel from another terminal.
#[derive(Clone, Copy, Debug)]
struct Side {
    channel: ChannelId,
    /// Rank of that terminal.
    neighbour: u32,
}

/// Steps that an attempt may take back beside as many as it aims at.
const PATIENCE: u32 = 32;
