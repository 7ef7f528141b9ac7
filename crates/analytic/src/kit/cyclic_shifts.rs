//! The four collectives on networks that pass every cyclic shift of their terminals in one step.

use lockstep_schedule::{Budget, CollectiveName, MessageId, Problem, Schedule, Switching};
use lockstep_topology::Topology;

use super::path_list::PathList;

/// A network of one-port terminals on which every cyclic shift is conflict-free.
///
/// Terminals have a place as senders and a place as receivers, mostly the same. For each `t`, the transfers from the
/// sender at place `i` to the receiver at place `i + t`, for all `i`, share no channel.
pub(crate) trait CyclicShifts {
    /// Returns the ranks of the terminals by their places as senders.
    fn senders(&self) -> &[u32];

    /// Returns the ranks of the terminals by their places as receivers.
    fn receivers(&self) -> &[u32];

    /// Returns the number of channels of the longest path.
    fn longest_path(&self) -> usize;

    /// Appends a shortest path for each pair of a sender's and a receiver's place. The paths of pairs of one shift
    /// share no channel.
    fn route(&self, pairs: &[(u32, u32)], paths: &mut PathList);

    /// Returns the ranks of the terminals in a cycle, and the paths from each to the next, which share no channel.
    fn ring(&self) -> Option<(Vec<u32>, PathList)> {
        let (senders, mut paths) = (self.senders(), PathList::default());
        if senders != self.receivers() {
            return None;
        }
        let count = senders.len() as u32;
        let pairs: Vec<(u32, u32)> = (0..count).map(|place| (place, (place + 1) % count)).collect();
        self.route(&pairs, &mut paths);
        Some((senders.to_vec(), paths))
    }
}

/// Returns the schedule of a wormhole problem if `recognise` recognises its network.
pub(crate) fn by_shifts<N: CyclicShifts>(
    problem: &Problem<'_>,
    budget: &Budget,
    recognise: fn(&Topology) -> Option<N>,
) -> Option<Schedule> {
    if problem.model().switching != Switching::Wormhole {
        return None;
    }
    schedule(problem, &recognise(problem.topology())?, budget)
}

/// Returns a schedule of the problem: broadcast in `ceil(log2 N)` steps, scatter and all-gather in `N - 1`, total
/// exchange in `N - 1`, or in `N` if places as senders and receivers differ.
///
/// Returns `None` for other collectives, for 2^32 channel uses and more, for a broadcast if places differ, and when the
/// budget ends. Takes time proportional to the channel uses.
fn schedule(problem: &Problem<'_>, network: &impl CyclicShifts, budget: &Budget) -> Option<Schedule> {
    let place_of = |root| {
        let rank = problem.topology().terminal_rank(root)? as u32;
        network.senders().iter().position(|&sender| sender == rank)
    };
    match (problem.collective().name()?, problem.collective().root()) {
        (CollectiveName::Broadcast, Some(root)) => broadcast(network, place_of(root)?),
        (CollectiveName::Scatter, Some(root)) => scatter(network, place_of(root)?),
        (CollectiveName::AllGather, None) => all_gather(network, budget),
        (CollectiveName::AllToAll, None) => total_exchange(network, budget),
        _ => None,
    }
}

/// In each step, all holders, which are an interval of places, send to the interval behind it.
///
/// # Source
///
/// Farley, *Minimum-time line broadcast networks*, Networks 10 (1980).
fn broadcast(network: &impl CyclicShifts, root: usize) -> Option<Schedule> {
    let count = network.senders().len();
    if network.senders() != network.receivers() {
        return None;
    }
    let (mut schedule, mut paths) = (Schedule::new(), PathList::default());
    let mut holders = 1;
    while holders < count {
        let reached = holders.min(count - holders);
        let place = |offset: usize| ((root + offset) % count) as u32;
        let pairs: Vec<(u32, u32)> = (0..reached).map(|offset| (place(offset), place(offset + holders))).collect();
        paths.clear();
        network.route(&pairs, &mut paths);
        schedule.begin_step();
        paths.iter().for_each(|path| schedule.push(MessageId::new(0), path));
        holders += reached;
    }
    Some(schedule)
}

/// Returns the root sends to one receiver per step.
fn scatter(network: &impl CyclicShifts, root: usize) -> Option<Schedule> {
    let count = network.senders().len();
    let source = network.senders()[root];
    let (mut schedule, mut paths) = (sized(count - 1, network.longest_path())?, PathList::default());
    for place in (0..count).map(|shift| (root + shift) % count) {
        let receiver = network.receivers()[place];
        if receiver == source {
            continue;
        }
        paths.clear();
        network.route(&[(root as u32, place as u32)], &mut paths);
        schedule.begin_step();
        schedule.push(MessageId::new(receiver - u32::from(receiver > source)), paths.get(0));
    }
    Some(schedule)
}

/// In each step, every terminal forwards the last message it received along the ring.
fn all_gather(network: &impl CyclicShifts, budget: &Budget) -> Option<Schedule> {
    let count = network.senders().len();
    let mut schedule = sized(count * (count - 1), network.longest_path())?;
    let (ring, paths) = network.ring()?;
    for step in 0..count - 1 {
        if budget.interruption().is_some() {
            return None;
        }
        schedule.begin_step();
        let passed_on = ring.iter().cycle().skip(count - step);
        for (&source, path) in passed_on.zip(paths.iter()) {
            schedule.push(MessageId::new(source), path);
        }
    }
    Some(schedule)
}

/// Returns all shifts, one per step. The shift in which every terminal would send to itself takes no step.
///
/// # Source
///
/// Latin squares of admissible permutations: Massini, *All-to-all personalized communication on multistage
/// interconnection networks*, Discrete Applied Mathematics 128 (2003).
fn total_exchange(network: &impl CyclicShifts, budget: &Budget) -> Option<Schedule> {
    let (senders, receivers) = (network.senders(), network.receivers());
    let count = senders.len();
    let others = count as u32 - 1;
    let mut schedule = sized(count * (count - 1), network.longest_path())?;
    let (mut pairs, mut paths) = (Vec::with_capacity(count), PathList::default());
    for shift in 0..count {
        if budget.interruption().is_some() {
            return None;
        }
        let shifted = (0..count as u32).zip((0..count as u32).cycle().skip(shift));
        pairs.clear();
        pairs.extend(shifted.filter(|&(from, to)| senders[from as usize] != receivers[to as usize]));
        if pairs.is_empty() {
            continue;
        }
        paths.clear();
        network.route(&pairs, &mut paths);
        schedule.begin_step();
        for (&(from, to), path) in pairs.iter().zip(paths.iter()) {
            let (source, receiver) = (senders[from as usize], receivers[to as usize]);
            schedule.push(MessageId::new(source * others + receiver - u32::from(receiver > source)), path);
        }
    }
    Some(schedule)
}

/// Returns an empty schedule with capacity for this number of transfers, or `None` if there are too many channel uses.
fn sized(transfers: usize, longest_path: usize) -> Option<Schedule> {
    let channel_uses = transfers.checked_mul(longest_path).filter(|&uses| u32::try_from(uses).is_ok())?;
    Some(Schedule::with_capacity(transfers, channel_uses))
}
