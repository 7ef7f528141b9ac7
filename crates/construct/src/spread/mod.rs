//! Messages of several receivers: step by step, every terminal fetches what it lacks.

mod search;
mod step;
mod stock;
mod usage;

use lockstep_schedule::Schedule;
use lockstep_topology::ChannelId;
use rand::Rng;

use self::step::{Side, Spreader};
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
    wire_start: Vec<u32>,
    wire_channel: Vec<ChannelId>,
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
        let mut wire_channel: Vec<ChannelId> = topology.channels().collect();
        wire_channel.sort_by_key(|&channel| topology.resource(channel));
        let mut wire_start = vec![0; topology.resource_count() + 1];
        for (place, &channel) in wire_channel.iter().enumerate() {
            wire_start[topology.resource(channel).index() + 1] = place as u32 + 1;
        }
        Self {
            task,
            capacities: Capacities::new(task),
            stock: Stock::new(task),
            side_start,
            side,
            rate,
            wire_start,
            wire_channel,
        }
    }

    fn sides(&self, terminal: usize) -> &[Side] {
        &self.side[self.side_start[terminal] as usize..self.side_start[terminal + 1] as usize]
    }

    fn on_wire(&self, wire: u32) -> &[ChannelId] {
        &self.wire_channel[self.wire_start[wire as usize] as usize..self.wire_start[wire as usize + 1] as usize]
    }

    /// One schedule: terminals that lack most for their channels first, ties at random.
    pub(crate) fn build(&self, rng: &mut impl Rng, poll: &Poll<'_>) -> Result<Log, Miss> {
        let mut spreader = Spreader::new(self, rng);
        let mut aim = poll.goal();
        let mut failures = 0u32;
        let patience = 16;
        while spreader.stock.left() > 0 {
            spreader.make_step(poll)?;
            let terminals = 0..self.task.topology().terminal_count();
            let needed = terminals.clone().map(|terminal| spreader.steps_needed(terminal)).max().unwrap_or(0);
            if spreader.step + needed <= aim {
                continue;
            }
            if failures < patience && poll.goal() > 1 {
                failures += 1;
                for terminal in terminals {
                    if spreader.step + spreader.steps_needed(terminal) > aim {
                        spreader.boost[terminal] += 1;
                    }
                }
                for _ in 0..(1 << failures.trailing_zeros()).min(spreader.step) {
                    spreader.undo_step();
                }
                continue;
            }
            aim = spreader.step + needed;
            if aim >= poll.below() {
                return Err(Miss::NoShorter);
            }
        }
        Ok(spreader.log)
    }
}
