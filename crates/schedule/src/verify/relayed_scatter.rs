//! Fast path for a relayed scatter: which terminals hold each message.

use std::ops::Range;

use lockstep_topology::NodeId;

use super::case::ScheduleCase;
use crate::messages::MessageId;
use crate::parallel::map_parts;

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
    let ranges = case.message_ranges(0..case.messages.len() as u32);
    map_parts(ranges, |messages| verify_messages(case, messages)).into_iter().sum()
}

fn verify_messages(case: &ScheduleCase<'_>, messages: Range<u32>) -> Option<u64> {
    let mut trails = Trails::new(case, messages.clone())?;
    let mut redundant = 0;
    // There are no more busy steps than transfers, so fewer than 2^32.
    let busy_steps = case.steps().map(|(_, step)| step).filter(|step| !step.is_empty());
    for (stamp, transfers) in (0..).zip(busy_steps) {
        for transfer in transfers.iter().filter(|transfer| messages.contains(&transfer.message.number())) {
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
    messages.map(MessageId::new).all(arrives).then_some(redundant)
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
    /// The first of the messages.
    first: u32,
    /// The first cell of each message, then the end of the last one.
    start: Vec<u32>,
    /// Per message: the last step in which it moved, its origin, and one node per transfer.
    cells: Vec<u32>,
}

impl Trails {
    /// `None` if a message is unknown, never moves, or moves more than [`LONGEST`] times.
    fn new(case: &ScheduleCase<'_>, messages: Range<u32>) -> Option<Self> {
        let mut start = vec![0u32; messages.len() + 1];
        for (_, transfers) in case.steps() {
            for message in transfers.messages() {
                if messages.contains(&message.number()) {
                    start[(message.number() - messages.start) as usize + 1] += 1;
                } else if message.index() >= case.messages.len() {
                    return None;
                }
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
        Some(Self { first: messages.start, start, cells: vec![FREE; end as usize] })
    }

    /// Returns the last step in which a message moved, and its trail.
    #[inline]
    fn of(&mut self, message: MessageId) -> (&mut u32, &mut [u32]) {
        let row = (message.number() - self.first) as usize;
        let [start, end] = [row, row + 1].map(|row| self.start[row] as usize);
        let (last_move, trail) =
            self.cells[start..end].split_first_mut().expect("every message has three cells or more");
        (last_move, trail)
    }
}
