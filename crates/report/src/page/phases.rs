//! The phases of an all-reduce, step by step.

use lockstep_schedule::{MessageId, Pattern, Problem, Schedule, Transfer};

/// The largest table of terminals and messages whose phases are computed.
const MAX_ENTRIES: usize = 1 << 24;

/// Bit of a step that moves partial sums.
const REDUCES: u8 = 1;
/// Bit of a step that moves complete sums.
const BROADCASTS: u8 = 2;

/// Returns the bits of each step of an all-reduce. Empty for other collectives and for tables above the limit.
///
/// A transfer reduces while its sender lacks contributions; after that it broadcasts. A schedule is assumed to be valid,
/// so the number of contributions at a terminal tells which of the two holds.
pub(super) fn phases(problem: &Problem<'_>, schedule: &Schedule) -> Vec<u8> {
    let (topology, messages) = (problem.topology(), problem.messages());
    let terminals = topology.terminal_count();
    let is_small = terminals.checked_mul(messages.len()).is_some_and(|entries| entries <= MAX_ENTRIES);
    if problem.collective().pattern() != Pattern::ReduceBroadcast || !is_small {
        return Vec::new();
    }
    let entry = |message: MessageId, rank: usize| message.index() * terminals + rank;
    let mut held = vec![0_u32; terminals * messages.len()];
    for message in messages.ids() {
        let members = [messages.source(message)].into_iter().chain(messages.receivers_iter(message));
        for rank in members.filter_map(|member| topology.terminal_rank(member)) {
            held[entry(message, rank)] = 1;
        }
    }
    let ends = |transfer: &Transfer<'_>| {
        let (first, last) = (*transfer.path.first()?, *transfer.path.last()?);
        let exist =
            transfer.message.index() < messages.len() && topology.is_working(first) && topology.is_working(last);
        let rank = |node| topology.terminal_rank(node);
        if exist { Some((rank(topology.tail(first))?, rank(topology.head(last))?)) } else { None }
    };
    let mut arrivals = Vec::new();
    let bits_of = |(_, step): (usize, lockstep_schedule::Step<'_>)| {
        let mut bits = 0;
        for transfer in step.iter() {
            let Some((from, to)) = ends(&transfer) else { continue };
            let message = transfer.message;
            let all = messages.receiver_count(message) as u32 + 1;
            let sum = held[entry(message, from)];
            bits |= if sum < all { REDUCES } else { BROADCASTS };
            arrivals.push((entry(message, to), sum, all));
        }
        // Arrivals count only now, so that no sum is passed on in the step in which it arrives.
        for (place, sum, all) in arrivals.drain(..) {
            held[place] = held[place].saturating_add(sum).min(all);
        }
        bits
    };
    schedule.steps().map(bits_of).collect()
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel};
    use lockstep_topology::Topology;

    use super::*;

    #[test]
    fn a_ring_reduces_and_then_broadcasts() {
        let ring: Topology = "ring:3".parse().unwrap();
        let all_reduce = Collective::all_reduce();
        let problem = Problem::new(&ring, &all_reduce, CommunicationModel::store_and_forward()).unwrap();
        let next = |node: usize| {
            let tail = ring.terminals()[node % 3];
            let heads = ring.out_channels(tail).iter();
            *heads.clone().find(|&&e| ring.head(e) == ring.terminals()[(node + 1) % 3]).unwrap()
        };
        let mut schedule = Schedule::new();
        for step in 0..4 {
            schedule.begin_step();
            for node in 0..3 {
                schedule.push(MessageId::new(((node + 6 - step) % 3) as u32), &[next(node)]);
            }
        }
        assert_eq!(phases(&problem, &schedule), [REDUCES, REDUCES, BROADCASTS, BROADCASTS]);
    }
}
