//! The order of the transfers of a wide step.

use std::cmp::Reverse;

use lockstep_schedule::{Problem, Schedule, Slots, Step};
use lockstep_topology::ChannelId;

/// Returns the schedule with the transfers of each step in an order in which they can take turns: those that fit side by side
/// in a step of width 1 first, then the next ones that do. Steps of width 1, and steps whose transfers have one [slot](Slots)
/// each, stay as they are.
///
/// A transfer goes to the first turn in which its slots have capacity left; transfers in slots with many transfers
/// come first. Takes `O(u w)` time, and mostly `O(u)`, and `O(S w)` memory per step of width `w`, for `u` uses of `S` slots.
///
/// The order makes no difference to the synchronous time. Without it, transfers in several slots wait for each other.
pub(super) fn with_turns(problem: &Problem<'_>, schedule: &Schedule) -> Schedule {
    let slots = Slots::new(problem);
    let mut ordered = Schedule::with_capacity(schedule.transfer_count(), schedule.channel_use_count());
    for (_, step) in schedule.steps() {
        ordered.begin_step_of_width(step.width());
        let transfers: Vec<_> = step.iter().collect();
        let has_several = slots.has_ports() || transfers.iter().any(|transfer| transfer.path.len() > 1);
        let takes_turns = step.width().get() > 1 && has_several;
        let order = if takes_turns { turns(slots, &step) } else { (0..transfers.len()).collect() };
        for place in order {
            ordered.push(transfers[place].message, transfers[place].path);
        }
    }
    ordered
}

/// Returns the places of the transfers of a step, ordered by their turns.
fn turns(slots: Slots<'_>, step: &Step<'_>) -> Vec<usize> {
    let mut users = vec![0u32; slots.count()];
    for transfer in step.iter() {
        slots.of(transfer.path).for_each(|slot| users[slot] += 1);
    }
    // How many turns the busiest slot of a path has, in lowest terms of its capacity.
    let load =
        |path: &[ChannelId]| slots.of(path).map(|slot| users[slot].div_ceil(slots.capacity(slot))).max().unwrap_or(0);
    let mut by_load: Vec<(usize, u32, _)> =
        step.iter().enumerate().map(|(place, transfer)| (place, load(transfer.path), transfer.path)).collect();
    by_load.sort_by_key(|&(_, load, _)| Reverse(load));
    // By turn and slot: the transfers so far.
    let mut used: Vec<Vec<u32>> = Vec::new();
    // By slot: the number of first turns without capacity left.
    let mut full = vec![0; slots.count()];
    let mut turn_of: Vec<(usize, usize)> = Vec::with_capacity(by_load.len());
    for (place, _, path) in by_load {
        let fits = |used: &Vec<u32>| slots.of(path).all(|slot| used[slot] < slots.capacity(slot));
        let first = slots.of(path).map(|slot| full[slot]).max().unwrap_or(0);
        let turn = used[first..].iter().position(fits).map_or(used.len(), |after| first + after);
        if turn == used.len() {
            used.push(vec![0; slots.count()]);
        }
        for slot in slots.of(path) {
            used[turn][slot] += 1;
            let is_full = |used: &Vec<u32>| used[slot] >= slots.capacity(slot);
            full[slot] += used[full[slot]..].iter().take_while(|used| is_full(used)).count();
        }
        turn_of.push((turn, place));
    }
    turn_of.sort_unstable();
    turn_of.into_iter().map(|(_, place)| place).collect()
}
