//! Schedules of broadcasts in few steps of several widths.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use lockstep_construct::{breadth_first, in_steps_of};
use lockstep_schedule::{Budget, DistributePhase, Problem, Schedule};

/// Number of attempts with random choices per list of widths.
const ATTEMPTS: u64 = 3;

/// The maximum number of lists of widths with the same sum and number of steps that are all tried.
const MAX_COMPOSITIONS: usize = 32;

/// Number of steps above the fewest ones for which all lists of widths are tried, plus 1.
const MORE_STEPS: usize = 3;

/// Plans each phase of a collective as a broadcast, one after the other.
pub(super) struct StagePlanner<'a, 'p> {
    problem: &'p Problem<'a>,
    phases: Vec<DistributePhase<'a>>,
    budget: Budget,
}

impl<'a, 'p> StagePlanner<'a, 'p> {
    pub(super) fn new(problem: &'p Problem<'a>, budget: Budget) -> Self {
        Self { problem, phases: DistributePhase::all(problem), budget }
    }

    /// Returns the breadth-first broadcast of every phase; `None` if a phase is another problem, or if the time ends.
    pub(super) fn breadth_first(&self) -> Option<Schedule> {
        self.of_phases(|problem| breadth_first(problem, &self.budget))
    }

    /// Returns the widths that the steps of a phase need at least, [from the last step on](least_widths); `None` if the phase
    /// is another problem, or if the time ends.
    pub(super) fn least_widths(&self) -> Option<Vec<u32>> {
        // The phases of an all-reduce are the same on a symmetric network; on another one, the search may find nothing.
        let problem = self.phases.last()?.problem(self.problem);
        breadth_first(&problem, &self.budget).map(|schedule| least_widths(&problem, &schedule))
    }

    /// Returns the number of phases.
    pub(super) fn phase_count(&self) -> u64 {
        self.phases.len() as u64
    }

    /// Returns a schedule in steps of these widths, if the search finds one in time.
    pub(super) fn in_steps_of(&self, widths: &[NonZeroU32], seed: u64) -> Option<Schedule> {
        let attempt = |seed| self.of_phases(|problem| in_steps_of(problem, widths, seed, &self.budget));
        (0..ATTEMPTS).find_map(|number| attempt(seed.wrapping_add(number)))
    }

    fn of_phases(&self, plan: impl Fn(&Problem<'_>) -> Option<Schedule>) -> Option<Schedule> {
        let mut whole = Schedule::new();
        for phase in &self.phases {
            whole.append(&phase.from_distribution(plan(&phase.problem(self.problem))?));
        }
        Some(whole)
    }
}

/// Returns lists of widths with `width_sum` together for the steps of a phase, no fewer steps than the breadth-first broadcast
/// has, in the order of their numbers of steps; at least the first `limit`. `least` is the list of
/// [`least_widths`](StagePlanner::least_widths).
pub(super) fn widths(least: &[u32], width_sum: u32, limit: usize) -> Vec<Vec<NonZeroU32>> {
    let Some(surplus) = width_sum.checked_sub(least.iter().sum()) else { return Vec::new() };
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for place in surplus_places(least, surplus) {
        let mut widths = least.to_vec();
        widths[place] += surplus;
        lists.push(widths.clone());
        // One more step each time: the widest one in two parts.
        for _ in 1..limit {
            let widest = widths.iter().enumerate().max_by_key(|(_, width)| **width);
            let Some((widest, &width)) = widest.filter(|(_, width)| **width > 1) else { break };
            widths[widest] = width.div_ceil(2);
            widths.insert(widest + 1, width / 2);
            lists.push(widths.clone());
        }
    }
    for steps in least.len()..least.len() + MORE_STEPS {
        lists.extend(compositions(width_sum, steps).into_iter().filter(|widths| suffices(widths, least)));
    }
    lists.sort_by_key(Vec::len);
    let mut seen = BTreeSet::new();
    lists.retain(|widths| seen.insert(widths.clone()));
    lists.into_iter().map(|widths| widths.into_iter().filter_map(NonZeroU32::new).collect()).collect()
}

/// Returns the lists of positive widths with this sum, from even to uneven ones; none if there are many.
fn compositions(width_sum: u32, steps: usize) -> Vec<Vec<u32>> {
    let mut lists: Vec<Vec<u32>> = vec![Vec::new()];
    for step in 0..steps {
        let longer = lists.iter().flat_map(|widths| {
            let left = width_sum.saturating_sub(widths.iter().sum());
            let to_come = (steps - step - 1) as u32;
            let choices = if to_come == 0 { left.max(1)..=left } else { 1..=left.saturating_sub(to_come) };
            choices.map(move |width| [&widths[..], &[width]].concat())
        });
        lists = longer.take(MAX_COMPOSITIONS + 1).collect();
        if lists.len() > MAX_COMPOSITIONS {
            return Vec::new();
        }
    }
    lists.sort_by_key(|widths| widths.iter().max().zip(widths.iter().min()).map(|(most, least)| most - least));
    lists
}

/// Returns true if the steps from each distance on are as wide together as the messages from there need.
fn suffices(widths: &[u32], least: &[u32]) -> bool {
    (0..least.len()).all(|step| widths[step..].iter().sum::<u32>() >= least[step..].iter().sum())
}

/// Returns the places at which a surplus of width is tried: the first and the widest step.
fn surplus_places(widths: &[u32], surplus: u32) -> Vec<usize> {
    let widest = (0..widths.len()).max_by_key(|&place| (widths[place], std::cmp::Reverse(place)));
    let mut places: Vec<usize> = widest.into_iter().chain([0]).collect();
    places.dedup();
    places.truncate(if surplus == 0 { 1 } else { places.len() });
    places
}

/// Returns the least widths of the steps of a breadth-first broadcast, from the last step on: the messages that a terminal
/// receives in step `t` of it or later come from distance `t` or more, so they cannot arrive earlier.
fn least_widths(problem: &Problem<'_>, breadth_first: &Schedule) -> Vec<u32> {
    let topology = problem.topology();
    let capacity: Vec<u64> = topology
        .nodes()
        .map(|node| topology.in_channels(node).iter().map(|&channel| u64::from(topology.capacity(channel))).sum())
        .collect();
    let mut later = vec![0u64; topology.node_count()];
    let mut after = 0;
    let mut widths: Vec<u32> = Vec::new();
    for (_, step) in breadth_first.steps().rev() {
        for transfer in step.iter() {
            if let Some(&last) = transfer.path.last() {
                later[topology.head(last).index()] += 1;
            }
        }
        let needs = later.iter().zip(&capacity).map(|(later, &capacity)| later.div_ceil(capacity.max(1))).max();
        let needs = needs.and_then(|needs| u32::try_from(needs).ok()).unwrap_or(u32::MAX);
        // A step without width would be no step.
        let width = needs.saturating_sub(after).max(1);
        after += width;
        widths.push(width);
    }
    widths.reverse();
    widths
}
