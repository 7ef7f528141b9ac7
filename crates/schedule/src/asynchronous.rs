//! The asynchronous time of a schedule: the order of its transfers, which serves all speeds.

use std::collections::BTreeMap;

use lockstep_topology::NodeId;

use crate::budget::Budget;
use crate::cost::Picoseconds;
use crate::messages::{MessageId, Messages};
use crate::parallel::{map_parts, useful_threads};
use crate::pattern::Pattern;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::slots::Slots;
use crate::time::{SynchronousCost, TransferSpeed, latency};
use crate::transfer_times::TransferTimes;

/// What the asynchronous time of a valid schedule depends on, besides the speed of its transfers.
///
/// Use it to compute the times of several sizes; [`TransferSpeed::asynchronous_time`] computes one, and defines the time.
/// Takes `O(M + U)` time for `M` messages and `U` channel uses, and 12 bytes per transfer.
///
/// ```
/// use lockstep_schedule::{
///     AsynchronousCost, Budget, Collective, CommunicationModel, MessageId, Picoseconds, Problem, Schedule, TransferSpeed,
/// };
/// use lockstep_topology::Topology;
///
/// let pair = "ring:2".parse::<Topology>()?.with_times(1_000_000_000_000, 700)?;
/// let exchange = Collective::all_gather();
/// let problem = Problem::new(&pair, &exchange, CommunicationModel::wormhole())?;
/// let mut schedule = Schedule::new();
/// schedule.begin_step();
/// for (message, channel) in [0, 1].map(MessageId::new).into_iter().zip(pair.channel_numbers()) {
///     schedule.push(message, &[channel]);
/// }
/// let cost = AsynchronousCost::of(&problem, &schedule, &Budget::unlimited()).ok_or("no limit")?;
/// let speeds = [100, 200].into_iter().filter_map(|bytes| TransferSpeed::of(&pair, &exchange, bytes)).collect();
/// let times = cost.times(speeds, &Budget::unlimited());
/// assert_eq!(times, [800, 900].map(|time| Some(Picoseconds::new(time))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AsynchronousCost<'a> {
    problem: Problem<'a>,
    schedule: &'a Schedule,
    holders: Holders,
    /// The different numbers of units that a transfer takes of its slots.
    units: Vec<u32>,
    /// By transfer, in the order of the schedule: the place of its number in `units`.
    units_of: Vec<u32>,
    synchronous: SynchronousCost,
}

impl<'a> AsynchronousCost<'a> {
    /// Computes the cost of a valid schedule; `None` if the time of the budget ends first. Evaluations do not count.
    pub fn of(problem: &Problem<'a>, schedule: &'a Schedule, budget: &Budget) -> Option<Self> {
        let mut checks = Checks::new(budget);
        let holders = Holders::new(problem, schedule, &mut checks)?;
        let slots = Slots::new(problem);
        let mut users = vec![0u32; slots.count()];
        // The place of each number in `units`.
        let mut places = BTreeMap::new();
        let mut units_of = Vec::with_capacity(schedule.transfer_count());
        for (_, step) in schedule.steps() {
            let of_step = || step.iter().flat_map(|transfer| slots.of(transfer.path));
            of_step().for_each(|slot| users[slot] += 1);
            for transfer in step.iter() {
                checks.next()?;
                let shares = slots.of(transfer.path).map(|slot| slots.capacity(slot) / users[slot]);
                let next = places.len() as u32;
                units_of.push(*places.entry(shares.min().unwrap_or(1).max(1)).or_insert(next));
            }
            of_step().for_each(|slot| users[slot] = 0);
        }
        let mut units = vec![0; places.len()];
        for (number, place) in places {
            units[place as usize] = number;
        }
        let synchronous = SynchronousCost::of(problem.topology(), schedule);
        Some(Self { problem: *problem, schedule, holders, units, units_of, synchronous })
    }

    /// Computes the cost of a valid schedule, without a limit of the time.
    #[expect(clippy::missing_panics_doc, reason = "an unlimited budget never ends")]
    pub fn unlimited(problem: &Problem<'a>, schedule: &'a Schedule) -> Self {
        Self::of(problem, schedule, &Budget::unlimited()).expect("an unlimited budget never ends")
    }

    /// Returns the cost of the steps, from which the synchronous time follows.
    pub fn synchronous(&self) -> SynchronousCost {
        self.synchronous
    }

    /// Returns the time at a speed. Takes `O(U)` time, and 16 bytes per transfer.
    #[expect(clippy::missing_panics_doc, reason = "an unlimited budget never ends")]
    pub fn time(&self, speed: TransferSpeed) -> Picoseconds {
        self.time_within(speed, &Budget::unlimited()).expect("an unlimited budget never ends")
    }

    /// Returns the time at each speed, or `None` if the time of the budget ends first. Threads share the speeds.
    /// Evaluations do not count.
    pub fn times(&self, speeds: Vec<TransferSpeed>, budget: &Budget) -> Vec<Option<Picoseconds>> {
        if useful_threads(self.schedule.transfer_count()) < 2 {
            return speeds.into_iter().map(|speed| self.time_within(speed, budget)).collect();
        }
        map_parts(speeds, |speed| self.time_within(speed, budget))
    }

    fn time_within(&self, speed: TransferSpeed, budget: &Budget) -> Option<Picoseconds> {
        let in_turns = self.in_turns(speed, budget, |_| ())?;
        Some(in_turns.min(self.synchronous.time(speed)))
    }

    /// Returns the times of all transfers in the order of the schedule. The last arrival is the time of the schedule.
    pub(crate) fn transfer_times(&self, speed: TransferSpeed) -> Vec<TransferTimes> {
        let mut times = Vec::with_capacity(self.schedule.transfer_count());
        let end = self.in_turns(speed, &Budget::unlimited(), |transfer| times.push(transfer));
        if end.is_some_and(|end| end <= self.synchronous.time(speed)) {
            return times;
        }
        speed.synchronous_times(self.problem.topology(), self.schedule)
    }

    /// Returns the time if transfers that share a slot occupy their part of it one after the other, and reports the times
    /// of each transfer in the order of the schedule. Returns `None` if the time of the budget ends first.
    fn in_turns(
        &self,
        speed: TransferSpeed,
        budget: &Budget,
        mut report: impl FnMut(TransferTimes),
    ) -> Option<Picoseconds> {
        let (topology, slots) = (self.problem.topology(), Slots::new(&self.problem));
        let mut checks = Checks::new(budget);
        let transmissions: Vec<u128> = self.units.iter().map(|&units| speed.transmission(units)).collect();
        let mut queues = vec![SlotQueue::default(); slots.count()];
        let mut ready = Ready::new(&self.holders);
        let mut arrivals = Vec::new();
        let (mut place, mut end) = (0, 0);
        for (_, step) in self.schedule.steps() {
            for transfer in step.iter() {
                checks.next()?;
                let of_path = || slots.of(transfer.path);
                let class = self.units_of[place] as usize;
                let units = self.units[class];
                let free_from = |slot: usize| queues[slot].free_from(units, slots.capacity(slot));
                let begin = of_path().map(free_from).fold(ready.from(place), u128::max);
                let sent = begin + transmissions[class];
                of_path().for_each(|slot| queues[slot].take(begin, sent, units));
                let arrival = sent + u128::from(latency(topology, transfer));
                end = end.max(arrival);
                report(TransferTimes::new(begin, sent, arrival));
                arrivals.push((place, arrival));
                place += 1;
            }
            // Arrivals count only for later steps, as in the verifier.
            arrivals.drain(..).for_each(|(place, arrival)| ready.arrive(place, arrival));
        }
        Some(Picoseconds::new(end))
    }
}

impl TransferSpeed {
    /// Returns the time if every transfer begins as soon as its data is there and its channels and ports are free.
    ///
    /// The schedule gives the order: on every [slot](Slots), transfers begin in the order of the schedule. A transfer takes
    /// `k` of the `b` units of each of its slots, for `b` the capacity and `k` the least `b / n` of its slots, rounded
    /// down and at least 1, where `n` is the number of transfers of its step in the slot. It occupies them all from its
    /// begin for the transmission of a chunk at `k` units (cut-through). So the ports of a terminal with `p` ports send, and
    /// receive, `p` units at a time. The chunk can be used after the transmission and the sum of the latencies. A partial
    /// sum can be sent when everything has arrived that the schedule adds to it.
    ///
    /// The time is at most the [synchronous](Self::synchronous_time) one. If every step has width 1 or every transfer has one
    /// slot, this is so because the transfers of a step fit side by side or follow each other without a gap. In a wider
    /// step, transfers in several slots can wait for each other. Where they lose time by it, all transfers of a step
    /// share their slots instead, and the time is the synchronous one.
    ///
    /// The schedule must be valid. For several sizes, compute its [`AsynchronousCost`] once.
    pub fn asynchronous_time(self, problem: &Problem<'_>, schedule: &Schedule) -> Picoseconds {
        AsynchronousCost::unlimited(problem, schedule).time(self)
    }

    /// Returns the times of all transfers in the order of the schedule, if every transfer begins as soon as its data is
    /// there and its channels and ports are free, as in [`asynchronous_time`](Self::asynchronous_time). The last arrival is
    /// that time.
    ///
    /// The schedule must be valid.
    pub fn asynchronous_times(self, problem: &Problem<'_>, schedule: &Schedule) -> Vec<TransferTimes> {
        AsynchronousCost::unlimited(problem, schedule).transfer_times(self)
    }
}

/// Checks the time of a budget after every few transfers.
struct Checks<'a> {
    budget: &'a Budget,
    /// Number of transfers until the next check.
    left: usize,
}

impl<'a> Checks<'a> {
    /// Number of transfers between two checks.
    const INTERVAL: usize = 1 << 12;

    fn new(budget: &'a Budget) -> Self {
        Self { budget, left: 0 }
    }

    /// Counts a transfer; `None` if the time is over.
    fn next(&mut self) -> Option<()> {
        if self.left == 0 {
            self.left = Self::INTERVAL;
            if self.budget.interruption().is_some() {
                return None;
            }
        }
        self.left -= 1;
        Some(())
    }
}

/// The transfers that occupy a slot.
#[derive(Clone, Debug, Default)]
struct SlotQueue {
    /// The end of each transfer that may still be under way, and its units; ascending by end.
    busy: Vec<(u128, u32)>,
    /// The begin of the last transfer.
    begin: u128,
}

impl SlotQueue {
    /// Returns the first time from the begin of the last transfer on at which `units` of `capacity` units are free.
    fn free_from(&self, units: u32, capacity: u32) -> u128 {
        let mut free = capacity - self.busy.iter().map(|&(_, units)| units).sum::<u32>().min(capacity);
        let mut ends = self.busy.iter();
        let mut time = self.begin;
        while free < units {
            let &(end, released) = ends.next().expect("an idle slot has all its units");
            time = time.max(end);
            free += released;
        }
        time
    }

    /// Adds a transfer that begins when its units are free.
    fn take(&mut self, begin: u128, end: u128, units: u32) {
        self.begin = begin;
        self.busy.retain(|&(end, _)| end > begin);
        let place = self.busy.partition_point(|&(other, _)| other <= end);
        self.busy.insert(place, (end, units));
    }
}

/// The number of a pair that has none: the sender holds the message from the start, or nothing is sent to it before.
const NO_PAIR: u32 = u32::MAX;

/// The pairs of a message and a terminal at which transfers end, and those at which each transfer begins and ends.
#[derive(Clone, Debug)]
struct Holders {
    /// By transfer, in the order of the schedule: the number of the pair of message and receiver.
    receiver: Vec<u32>,
    /// By transfer: the number of the pair of message and sender, or [`NO_PAIR`].
    sender: Vec<u32>,
    /// The number of pairs.
    pairs: usize,
    /// True if a sender waits for all that has arrived, and not for the first arrival.
    adds: bool,
}

impl Holders {
    fn new(problem: &Problem<'_>, schedule: &Schedule, checks: &mut Checks<'_>) -> Option<Self> {
        let all = problem.messages().len().saturating_mul(problem.topology().terminal_count());
        // Most broadcasts and reductions move each message to or from all terminals.
        if all <= 2 * schedule.transfer_count() && all < NO_PAIR as usize {
            Self::of_all_pairs(problem, schedule, checks)
        } else {
            Self::of_used_pairs(problem, schedule, checks)
        }
    }

    /// Numbers the pairs of all messages and terminals.
    fn of_all_pairs(problem: &Problem<'_>, schedule: &Schedule, checks: &mut Checks<'_>) -> Option<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let adds = adds(problem);
        let terminals = topology.terminal_count();
        let pair = |message: MessageId, terminal: NodeId| {
            let rank = topology.terminal_rank(terminal).expect("a valid path joins terminals");
            (message.index() * terminals + rank) as u32
        };
        let mut receiver = Vec::with_capacity(schedule.transfer_count());
        let mut sender = Vec::with_capacity(schedule.transfer_count());
        for transfer in schedule.steps().flat_map(|(_, step)| step.iter()) {
            checks.next()?;
            let (from, to) = transfer.terminal_ends(topology).expect("a valid path joins terminals");
            receiver.push(pair(transfer.message, to));
            let waits = adds || !is_origin(problem, &messages, transfer.message, from);
            sender.push(if waits { pair(transfer.message, from) } else { NO_PAIR });
        }
        Some(Self { receiver, sender, pairs: messages.len() * terminals, adds })
    }

    /// Numbers the pairs at which transfers end, message by message: no map is as large as all messages times all terminals,
    /// and none is searched.
    fn of_used_pairs(problem: &Problem<'_>, schedule: &Schedule, checks: &mut Checks<'_>) -> Option<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let adds = adds(problem);
        let mut of_transfers = Vec::with_capacity(schedule.transfer_count());
        // By message: the end of its transfers in `by_message`, at first the begin.
        let mut end = vec![0u32; messages.len()];
        for transfer in schedule.steps().flat_map(|(_, step)| step.iter()) {
            checks.next()?;
            let (from, to) = transfer.terminal_ends(topology).expect("a valid path joins terminals");
            of_transfers.push((transfer.message, from, to));
            end[transfer.message.index()] += 1;
        }
        let mut transfers = 0;
        for end in &mut end {
            transfers += std::mem::replace(end, transfers);
        }
        let mut by_message = vec![0u32; of_transfers.len()];
        for (place, &(message, ..)) in of_transfers.iter().enumerate() {
            checks.next()?;
            let next = &mut end[message.index()];
            by_message[*next as usize] = place as u32;
            *next += 1;
        }

        let mut receiver = vec![0; of_transfers.len()];
        let mut sender = vec![NO_PAIR; of_transfers.len()];
        // By terminal: the last message that it receives, and the number of the pair.
        let mut pair_at: Vec<Option<(MessageId, u32)>> = vec![None; topology.node_count()];
        let mut pairs = 0;
        for places in by_message.chunk_by(|&a, &b| of_transfers[a as usize].0 == of_transfers[b as usize].0) {
            for &place in places {
                checks.next()?;
                let (message, _, to) = of_transfers[place as usize];
                let known = pair_at[to.index()].filter(|&(of, _)| of == message);
                let (_, pair) = *pair_at[to.index()].insert(known.unwrap_or((message, pairs)));
                pairs += u32::from(known.is_none());
                receiver[place as usize] = pair;
            }
            for &place in places {
                let (message, from, _) = of_transfers[place as usize];
                if adds || !is_origin(problem, &messages, message, from) {
                    let pair = pair_at[from.index()].filter(|&(of, _)| of == message);
                    sender[place as usize] = pair.map_or(NO_PAIR, |(_, pair)| pair);
                }
            }
        }
        Some(Self { receiver, sender, pairs: pairs as usize, adds })
    }
}

/// When messages can be sent.
struct Ready<'a> {
    holders: &'a Holders,
    /// By pair: the time from which on the receiver can send the message; [`Self::NEVER`] before its first arrival.
    from: Vec<u128>,
}

impl<'a> Ready<'a> {
    const NEVER: u128 = u128::MAX;

    fn new(holders: &'a Holders) -> Self {
        Self { holders, from: vec![Self::NEVER; holders.pairs] }
    }

    /// Returns the time from which on the sender of a transfer can send.
    fn from(&self, transfer: usize) -> u128 {
        // A terminal of a reduction to which nothing has been sent yet has its own contribution.
        self.from
            .get(self.holders.sender[transfer] as usize)
            .filter(|&&from| from != Self::NEVER)
            .map_or(0, |&from| from)
    }

    fn arrive(&mut self, transfer: usize, arrival: u128) {
        let from = &mut self.from[self.holders.receiver[transfer] as usize];
        *from = match *from {
            Self::NEVER => arrival,
            known if self.holders.adds => known.max(arrival),
            known => known.min(arrival),
        };
    }
}

/// Returns true if a sender waits for all that has arrived, and not for the first arrival.
fn adds(problem: &Problem<'_>) -> bool {
    matches!(problem.collective().pattern(), Pattern::Reduce | Pattern::ReduceBroadcast)
}

/// Returns true if the terminal holds the message from the start.
fn is_origin(problem: &Problem<'_>, messages: &Messages<'_>, message: MessageId, terminal: NodeId) -> bool {
    if problem.collective().pattern() == Pattern::Gather {
        return messages.receivers_iter(message).next() == Some(terminal);
    }
    messages.source(message) == terminal
}
