//! Channel-disjoint shortest paths between given ends.

use std::collections::VecDeque;

use lockstep_schedule::{Budget, MessageId, Schedule};
use lockstep_topology::ChannelId;

use super::plane_torus::{PORTS, PlaneTorus};

/// The mean number of searches per path after which there seem to be no paths.
const MAX_SEARCHES: usize = 24;

/// The number of searches between two checks of the budget.
const SEARCHES_PER_CHECK: usize = 64;

/// No user of a channel.
const FREE: u32 = u32::MAX;

/// A transfer whose path is to be found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Send {
    /// The place of the sender.
    pub(crate) from: usize,
    /// The number of steps along each axis, negative if backwards.
    pub(crate) offset: [i64; 2],
}

/// Returns shortest paths of these transfers, as slots of channels, that share no channel; `None` if none are found.
///
/// For the method and its source see [`packed_if_possible`].
pub(crate) fn packed_paths(torus: PlaneTorus, sends: &[Send], budget: &Budget) -> Option<Vec<Vec<usize>>> {
    packed_if_possible(torus, sends, [usize::MAX, MAX_SEARCHES * sends.len()], budget)?.into_iter().collect()
}

/// Returns shortest paths of these transfers, as slots of channels, that share no channel. At most `most_of_one` searches per
/// transfer: it then has `None`. Returns `None` after `most_of_all` searches, or when the budget ends.
///
/// Each path in turn is the cheapest shortest one. It takes channels from other paths, which are searched again. A
/// channel costs more each time that it is taken.
///
/// # Source
///
/// `McMurchie` and Ebeling, *`PathFinder`: a negotiation-based performance-driven router for FPGAs*, FPGA 1995.
pub(crate) fn packed_if_possible(
    torus: PlaneTorus,
    sends: &[Send],
    [most_of_one, most_of_all]: [usize; 2],
    budget: &Budget,
) -> Option<Vec<Option<Vec<usize>>>> {
    let mut user = vec![FREE; PORTS * torus.node_count()];
    let mut changes = vec![0u32; user.len()];
    let (mut paths, mut searches_of) = (vec![None; sends.len()], vec![0; sends.len()]);
    let mut waiting: VecDeque<usize> = (0..sends.len()).collect();
    let mut search = BoxSearch::default();
    for searches in 0.. {
        let Some(path) = waiting.pop_front() else { break };
        if searches > most_of_all || searches.is_multiple_of(SEARCHES_PER_CHECK) && budget.interruption().is_some() {
            return None;
        }
        searches_of[path] += 1;
        if searches_of[path] > most_of_one {
            continue;
        }
        let Send { from, offset } = sends[path];
        let price = |slot: usize| if user[slot] == FREE { 0 } else { 1 + changes[slot] };
        let slots = search.cheapest(torus, from, offset, price);
        for &slot in &slots {
            let other = std::mem::replace(&mut user[slot], path as u32);
            if other != FREE {
                changes[slot] += 1;
                for freed in paths[other as usize].take().into_iter().flatten() {
                    if user[freed] == other {
                        user[freed] = FREE;
                    }
                }
                waiting.push_back(other as usize);
            }
        }
        paths[path] = Some(slots);
    }
    Some(paths)
}

/// Scratch space of the search for a cheapest shortest path.
#[derive(Default)]
struct BoxSearch {
    /// The least price of a path to each node of the box of shortest paths, in rows along the shorter axis.
    price: Vec<u32>,
}

impl BoxSearch {
    /// Returns the slots of the cheapest shortest path from a place. Ties go to the path that begins along the longer
    /// axis.
    fn cheapest(
        &mut self,
        torus: PlaneTorus,
        from: usize,
        offset: [i64; 2],
        price: impl Fn(usize) -> u32,
    ) -> Vec<usize> {
        let long = usize::from(offset[1].abs() > offset[0].abs());
        let lengths = [offset[long].unsigned_abs() as usize, offset[1 - long].unsigned_abs() as usize];
        let ports = [long, 1 - long].map(|axis| 2 * axis + usize::from(offset[axis] < 0));
        let signs = [offset[long].signum(), offset[1 - long].signum()];
        let origin = torus.coordinates(from);
        // The slot of a channel at a node of the box.
        let slot = |node: [usize; 2], along: usize| {
            let mut coordinates = origin;
            coordinates[long] += signs[0] * (node[0] as u64).cast_signed();
            coordinates[1 - long] += signs[1] * (node[1] as u64).cast_signed();
            PORTS * torus.place(coordinates) + ports[along]
        };
        let width = lengths[1] + 1;
        self.price.clear();
        for x in 0..=lengths[0] {
            for y in 0..width {
                let by_long =
                    (x > 0).then(|| self.price[(x - 1) * width + y].saturating_add(price(slot([x - 1, y], 0))));
                let by_short =
                    (y > 0).then(|| self.price[x * width + y - 1].saturating_add(price(slot([x, y - 1], 1))));
                self.price.push(by_long.into_iter().chain(by_short).min().unwrap_or(0));
            }
        }
        let mut slots = Vec::with_capacity(lengths[0] + lengths[1]);
        let [mut x, mut y] = lengths;
        while x + y > 0 {
            let here = self.price[x * width + y];
            let is_short = y > 0 && self.price[x * width + y - 1].saturating_add(price(slot([x, y - 1], 1))) == here;
            if is_short {
                y -= 1;
            } else {
                x -= 1;
            }
            slots.push(slot([x, y], usize::from(is_short)));
        }
        slots.reverse();
        slots
    }
}

/// Returns the schedule of one message whose steps have these paths, as slots of channels. `channel` returns the channel of a
/// place and a port. `None` if there is no such channel, or if the budget ends.
pub(crate) fn schedule_of(
    steps: Vec<Vec<Vec<usize>>>,
    budget: &Budget,
    channel: impl Fn(usize, usize) -> Option<ChannelId>,
) -> Option<Schedule> {
    let mut schedule = Schedule::new();
    let mut channels: Vec<ChannelId> = Vec::new();
    for paths in steps {
        if budget.interruption().is_some() {
            return None;
        }
        schedule.begin_step();
        for slots in paths {
            channels.clear();
            for slot in slots {
                channels.push(channel(slot / PORTS, slot % PORTS)?);
            }
            schedule.push(MessageId::new(0), &channels);
        }
    }
    Some(schedule)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows a path and returns its end.
    fn end(torus: PlaneTorus, from: usize, slots: &[usize]) -> usize {
        slots.iter().fold(from, |place, &slot| {
            assert_eq!(slot / PORTS, place, "a path is connected");
            torus.neighbour(place, slot % PORTS)
        })
    }

    #[test]
    fn packed_paths_are_shortest_and_share_no_channel() {
        let torus = PlaneTorus::new([9, 12]).unwrap();
        let moves = [[2, 3], [-3, 2], [-2, -3], [3, -2], [2, 2], [0, 4]];
        let senders = (0..torus.node_count()).filter(|place| place % 12 == (place / 12) % 3 * 4);
        let sends: Vec<Send> =
            senders.enumerate().map(|(number, from)| Send { from, offset: moves[number % moves.len()] }).collect();
        let paths = packed_paths(torus, &sends, &Budget::unlimited()).unwrap();
        let mut used = vec![false; PORTS * torus.node_count()];
        for (Send { from, offset }, path) in sends.iter().zip(&paths) {
            let [x, y] = torus.coordinates(*from);
            assert_eq!(end(torus, *from, path), torus.place([x + offset[0], y + offset[1]]));
            assert_eq!(path.len() as u64, offset[0].unsigned_abs() + offset[1].unsigned_abs());
            assert!(path.iter().all(|&slot| !std::mem::replace(&mut used[slot], true)));
        }
    }

    #[test]
    fn a_transfer_that_takes_too_many_searches_leaves_the_others() {
        let torus = PlaneTorus::new([9, 12]).unwrap();
        let sends = [2, 3, -2].map(|hops| Send { from: 5, offset: [0, hops] });
        let paths = packed_if_possible(torus, &sends, [8, usize::MAX], &Budget::unlimited()).unwrap();
        let found: Vec<bool> = paths.iter().map(Option::is_some).collect();
        assert!(found[0] != found[1] && found[2], "{found:?}");
    }

    #[test]
    fn two_transfers_that_need_one_channel_have_no_paths() {
        let torus = PlaneTorus::new([9, 12]).unwrap();
        let sends = [2, 3].map(|hops| Send { from: 5, offset: [0, hops] });
        assert_eq!(packed_paths(torus, &sends, &Budget::unlimited()), None);
        let budget = Budget::unlimited();
        budget.cancel();
        assert_eq!(packed_paths(torus, &sends[..1], &budget), None);
    }
}
