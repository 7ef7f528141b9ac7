//! The order of the transfers of a wide step.

use std::cmp::Reverse;

use lockstep_schedule::{Problem, Schedule, Step};
use lockstep_topology::Topology;

/// Returns the schedule with the transfers of each step in an order in which they can take turns: those that fit side by side
/// in a step of width 1 first, then the next ones that do. Steps of width 1, and steps whose paths have one channel each, stay
/// as they are.
///
/// A transfer goes to the first turn in which its resources have capacity left; transfers over resources with many transfers
/// come first. Takes `O(u w)` time and `O(R w)` memory per step of width `w`, for `u` uses of `R` resources.
///
/// The order makes no difference to the synchronous time. Without it, transfers over several channels wait for each other.
pub(super) fn with_turns(problem: &Problem<'_>, schedule: &Schedule) -> Schedule {
    let topology = problem.topology();
    let mut ordered = Schedule::with_capacity(schedule.transfer_count(), schedule.channel_use_count());
    for (_, step) in schedule.steps() {
        ordered.begin_step_of_width(step.width());
        let transfers: Vec<_> = step.iter().collect();
        let takes_turns = step.width().get() > 1 && transfers.iter().any(|transfer| transfer.path.len() > 1);
        let order = if takes_turns { turns(topology, &step) } else { (0..transfers.len()).collect() };
        for place in order {
            ordered.push(transfers[place].message, transfers[place].path);
        }
    }
    ordered
}

/// Returns the places of the transfers of a step, ordered by their turns.
fn turns(topology: &Topology, step: &Step<'_>) -> Vec<usize> {
    let mut users = vec![0u32; topology.resource_count()];
    for transfer in step.iter() {
        transfer.path.iter().for_each(|&channel| users[topology.resource(channel).index()] += 1);
    }
    // How many turns the busiest resource of a path has, in lowest terms of its capacity.
    let load = |path: &[lockstep_topology::ChannelId]| {
        let of = |&channel: &_| users[topology.resource(channel).index()].div_ceil(topology.capacity(channel));
        path.iter().map(of).max().unwrap_or(0)
    };
    let mut by_load: Vec<(usize, u32, _)> =
        step.iter().enumerate().map(|(place, transfer)| (place, load(transfer.path), transfer.path)).collect();
    by_load.sort_by_key(|&(_, load, _)| Reverse(load));
    // By turn and resource: the transfers so far.
    let mut used: Vec<Vec<u32>> = Vec::new();
    let mut turn_of: Vec<(usize, usize)> = Vec::with_capacity(by_load.len());
    for (place, _, path) in by_load {
        let fits = |used: &Vec<u32>| {
            path.iter().all(|&channel| used[topology.resource(channel).index()] < topology.capacity(channel))
        };
        let turn = used.iter().position(fits).unwrap_or_else(|| {
            used.push(vec![0; topology.resource_count()]);
            used.len() - 1
        });
        for &channel in path {
            used[turn][topology.resource(channel).index()] += 1;
        }
        turn_of.push((turn, place));
    }
    turn_of.sort_unstable();
    turn_of.into_iter().map(|(_, place)| place).collect()
}
