//! Fast path for a relayed scatter: which terminals hold each message.

use lockstep_topology::NodeId;

use super::case::ScheduleCase;
use crate::messages::MessageId;

/// The most transfers of one message, so that a linear search of its trail is short.
const LONGEST: u32 = 32;

/// Returns the number of redundant deliveries of a relayed scatter in which every message travels from its origin to
/// its destination and moves at most once per step. `None` for every other schedule, valid or not;
/// [`holdings`](super::holdings) then finds the violations.
///
/// A scatter message visits few terminals one after the other: its trail fits in one cache line, whereas the bits of
/// all terminals take one cache line each. Memory: 4 bytes per transfer and 12 bytes per message.
pub(super) fn verify(case: &ScheduleCase<'_>) -> Option<u64> {
    let are_all_moved = case.messages.len() <= case.schedule.transfer_count();
    if !case.is_scatter || case.is_direct || !are_all_moved {
        return None;
    }
    let mut trails = Trails::new(case)?;
    let mut redundant = 0;
    // There are no more busy steps than transfers, so fewer than 2^32.
    let busy_steps = case.schedule.steps().map(|(_, step)| step).filter(|step| !step.is_empty());
    for (stamp, transfers) in (0..).zip(busy_steps) {
        for transfer in transfers.iter() {
            let (from, to) = case.ends(transfer)?;
            let (last_move, trail) = trails.of(transfer.message);
            if *last_move == stamp {
                return None;
            }
            *last_move = stamp;
            if trail[0] == FREE {
                trail[0] = case.origin_and_destination(transfer.message)?.0.number();
            }
            redundant += u64::from(extend(trail, from, to)?);
        }
    }
    let arrives = |message| {
        let destination = case.origin_and_destination(message).map(|(_, destination)| destination.number());
        trails.of(message).1.iter().any(|&node| Some(node) == destination)
    };
    case.messages.ids().all(arrives).then_some(redundant)
}

/// Adds a node to a trail; returns whether it was present before, `None` if the sender is absent.
#[inline]
fn extend(trail: &mut [u32], from: NodeId, to: NodeId) -> Option<bool> {
    let (mut is_held, mut is_redundant) = (false, false);
    for node in trail {
        if *node == FREE {
            if is_held && !is_redundant {
                *node = to.number();
            }
            return is_held.then_some(is_redundant);
        }
        is_held |= *node == from.number();
        is_redundant |= *node == to.number();
    }
    None
}

/// A free cell of a trail; no node has this number.
const FREE: u32 = u32::MAX;

/// The nodes that hold each message, in the order in which it reached them.
struct Trails {
    /// The first cell of each message, then the end of the last one.
    start: Vec<u32>,
    /// Per message: the last step in which it moved, its origin, and one node per transfer.
    cells: Vec<u32>,
}

impl Trails {
    /// `None` if a message is unknown, never moves, or moves more than [`LONGEST`] times.
    fn new(case: &ScheduleCase<'_>) -> Option<Self> {
        let mut start = vec![0u32; case.messages.len() + 1];
        for (_, transfers) in case.schedule.steps() {
            for message in transfers.messages() {
                *start.get_mut(message.index() + 1)? += 1;
            }
        }
        let mut end = 0u32;
        for count in start.iter_mut().skip(1) {
            if !(1..=LONGEST).contains(count) {
                return None;
            }
            end = end.checked_add(*count + 2)?;
            *count = end;
        }
        Some(Self { start, cells: vec![FREE; end as usize] })
    }

    /// Returns the last step in which a message moved, and its trail.
    #[inline]
    fn of(&mut self, message: MessageId) -> (&mut u32, &mut [u32]) {
        let [start, end] = [0, 1].map(|next| self.start[message.index() + next] as usize);
        let (last_move, trail) =
            self.cells[start..end].split_first_mut().expect("every message has three cells or more");
        (last_move, trail)
    }
}
