//! Who holds what in a relayed scatter where nothing is odd.

use lockstep_topology::NodeId;

use super::Case;
use crate::messages::MessageId;

/// The most transfers of one message, so that no search along its trail takes long.
const LONGEST: u32 = 32;

/// Number of redundant deliveries of a relayed scatter in which every message goes from its origin to its goal, at most one
/// transfer a step. `None` where anything is odd, be it a violation or not, for [`holdings`](super::holdings) to say what.
///
/// A scatter message is with few terminals, one after the other: its trail is one line of the cache, where the bits of all
/// terminals are another line for each. Memory: 4 bytes a transfer and 12 bytes a message, of which there are no more.
pub(super) fn judge(case: &Case<'_>) -> Option<u64> {
    let [stage] = &case.stages[..] else { return None };
    let are_all_moved = case.messages.len() <= case.schedule.transfer_count();
    if !case.scatter || case.direct || !are_all_moved {
        return None;
    }
    let mut trails = Trails::new(case)?;
    let mut redundant = 0;
    // No more steps than transfers, of which there are fewer than 2^32.
    let busy_steps = case.schedule.steps().map(|(_, step)| step).filter(|step| !step.is_empty());
    for (stamp, transfers) in (0..).zip(busy_steps) {
        for moved in transfers.iter() {
            let (from, to) = case.ends(moved)?;
            let (last_move, trail) = trails.of(moved.message);
            if *last_move == stamp {
                return None;
            }
            *last_move = stamp;
            if trail[0] == FREE {
                trail[0] = case.course(stage, moved.message)?.0.number();
            }
            redundant += u64::from(walk(trail, from, to)?);
        }
    }
    let arrives = |message| {
        let goal = case.course(stage, message).map(|(_, goal)| goal.number());
        trails.of(message).1.iter().any(|&node| Some(node) == goal)
    };
    case.messages.ids().all(arrives).then_some(redundant)
}

/// Adds a node to a trail; `true` if it was there before, `None` if the sender was not.
#[inline]
fn walk(trail: &mut [u32], from: NodeId, to: NodeId) -> Option<bool> {
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

/// A part of a trail that no node has taken yet; no node has this number.
const FREE: u32 = u32::MAX;

/// The nodes that each message has reached, one after the other.
struct Trails {
    /// Where the cells of each message begin, and where the last ones end.
    start: Vec<u32>,
    /// Of each message the last step in which it moved, its origin, and as many nodes as it has transfers.
    cells: Vec<u32>,
}

impl Trails {
    /// `None` if a message does not exist, does not move, or moves often.
    fn new(case: &Case<'_>) -> Option<Self> {
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

    /// The last step in which a message moved, and its trail.
    #[inline]
    fn of(&mut self, message: MessageId) -> (&mut u32, &mut [u32]) {
        let [start, end] = [0, 1].map(|next| self.start[message.index() + next] as usize);
        let (last_move, trail) = self.cells[start..end].split_first_mut().expect("three cells or more a message");
        (last_move, trail)
    }
}
