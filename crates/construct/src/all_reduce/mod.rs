//! All-reduces as one problem: partial sums and results share steps.
//!
//! Every block is reduced to a root along a tree and distributed from it along another one. [`trees`] chooses roots and
//! trees with balanced loads, [`pipeline`] places the transfers in steps, and [`justification`] moves them together. Few
//! blocks on a hypercube need no root: see [`doubling`].

mod doubling;
mod justification;
mod pipeline;
mod route_table;
mod transfers;
mod trees;

use lockstep_schedule::{Budget, FoundSchedule, Pattern, Problem, Schedule, Switching};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::doubling::recursive_doubling;
use self::justification::Justification;
use self::pipeline::Pipeline;
use self::route_table::RouteTable;
use self::transfers::Transfers;
use self::trees::AttemptChoice;
use crate::kit::capacities::Capacities;
use crate::kit::task::SchedulingTask;

/// Rounds of justification per schedule.
const ROUNDS: usize = 4;

/// Maximum number of evaluations without a limit in the budget.
const MAX_EVALUATIONS: u64 = 1 << 22;

/// Number of attempts without a shorter schedule after which the search ends.
const MAX_IDLE_ATTEMPTS: u32 = 48;

/// Maximum size of the table of blocks and terminals: 1 GiB.
const MAX_TABLE_BYTES: u64 = 1 << 30;

/// Returns an all-reduce in fewer steps than `start`, or in any number of steps without one; `None` if none is found.
///
/// First, the transfers of `start` are moved together, so that partial sums and results share steps. Then attempts choose
/// a root and two trees for every block, and pipeline the blocks; on hypercubes, recursive doubling is compared with them.
/// The result depends on the arguments only, unless time or cancellation ends the search. One evaluation is one transfer
/// placed. Wormhole networks with buses get the first part only. There is no result if the table of blocks and terminals
/// takes more than 1 GiB.
///
/// ```
/// use lockstep_construct::all_reduce;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let star: Topology = "star:8".parse()?;
/// let collective = Collective::all_reduce();
/// let problem = Problem::new(&star, &collective, CommunicationModel::wormhole())?;
/// let found = all_reduce(&problem, None, 9, 1, &Budget::evaluations(10_000)).expect("a schedule");
/// // The centre sums one of 8 blocks per step, and sends each back in the next step.
/// assert_eq!(verify(&problem, &found.schedule)?.steps, 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all_reduce(
    problem: &Problem<'_>,
    start: Option<&Schedule>,
    goal: u32,
    seed: u64,
    budget: &Budget,
) -> Option<FoundSchedule> {
    let (topology, messages) = (problem.topology(), problem.messages());
    let table_bytes = messages.len() as u64 * topology.terminal_count() as u64 * size_of::<u32>() as u64;
    if problem.collective().pattern() != Pattern::ReduceBroadcast || table_bytes > MAX_TABLE_BYTES {
        return None;
    }
    // Every receiver sends at least one sum and gets one, each over one resource or more.
    let least = (2 * messages.delivery_count()).div_ceil(topology.resource_count().max(1) as u64);
    let goal = goal.max(u32::try_from(least).unwrap_or(u32::MAX));
    let below = start.map_or(u32::MAX, |start| start.step_count() as u32);
    if below <= goal {
        return None;
    }
    let task = SchedulingTask::new(problem).ok()?;
    let capacities = Capacities::new(&task);
    let mut search = Search {
        justification: Justification::new(&capacities, messages.len(), topology.terminal_count()),
        evaluations_left: budget.evaluation_limit().min(MAX_EVALUATIONS),
        rng: ChaCha8Rng::seed_from_u64(seed),
        below,
        goal,
        budget,
        best: None,
    };
    if let Some(start) = start {
        let (routes, transfers) = Transfers::of_schedule(&task, &capacities, start);
        search.justify("overlap", &routes, transfers);
    }
    if !topology.has_buses() || problem.model().switching == Switching::StoreAndForward {
        search.run_trees(problem, &task, &capacities);
    }
    search.best
}

/// A search for a shorter schedule.
struct Search<'a> {
    justification: Justification<'a>,
    evaluations_left: u64,
    rng: ChaCha8Rng,
    /// Only schedules with fewer steps are of use.
    below: u32,
    goal: u32,
    budget: &'a Budget,
    best: Option<FoundSchedule>,
}

impl Search<'_> {
    /// Builds and justifies trees until the goal is reached or the budget ends. The first attempt is always completed if
    /// there is no schedule yet.
    fn run_trees(&mut self, problem: &Problem<'_>, task: &SchedulingTask<'_>, capacities: &Capacities) {
        let Some(routes) = RouteTable::of_neighbours(task, capacities) else { return };
        if let Some(schedule) = recursive_doubling(problem, &routes)
            && (schedule.step_count() as u32) < self.below
        {
            // Its transfers do not move: partners must send in the same step.
            self.below = schedule.step_count() as u32;
            self.best = Some(FoundSchedule { schedule, method: Some("recursive doubling".to_owned()) });
        }
        let Some(mut pipeline) = Pipeline::new(problem, capacities, &routes) else { return };
        let cost = pipeline.transfer_count() * (1 + 2 * ROUNDS as u64);
        let mut idle = 0;
        for attempt in 0u32.. {
            let is_needed = self.below == u32::MAX;
            if self.is_over() && !is_needed || idle >= MAX_IDLE_ATTEMPTS {
                return;
            }
            if self.evaluations_left < cost && !is_needed {
                return;
            }
            let choice = AttemptChoice::of_attempt(attempt, &mut self.rng);
            let Some(transfers) = pipeline.attempt(choice, &mut self.rng) else { return };
            self.evaluations_left = self.evaluations_left.saturating_sub(transfers.len() as u64);
            idle = if self.justify("pipelined trees", &routes, transfers) { 0 } else { idle + 1 };
        }
    }

    fn is_over(&self) -> bool {
        self.below <= self.goal || self.budget.clone().with_evaluations(u64::MAX).stop_after(0).is_some()
    }

    /// Justifies transfers, and keeps them if they are shorter than the best so far. Returns whether they are.
    fn justify(&mut self, method: &str, routes: &RouteTable, mut transfers: Transfers) -> bool {
        let mut kept = None;
        for round in 0..=ROUNDS {
            let steps = transfers.step_count();
            if steps < self.below {
                self.below = steps;
                kept = Some(transfers.clone());
            }
            let cost = 2 * transfers.len() as u64;
            if self.is_over() || self.evaluations_left < cost || round == ROUNDS {
                break;
            }
            self.evaluations_left -= cost;
            // Transfers of the same step are tried in another order each time.
            let mut keys: Vec<u32> = (0..transfers.len() as u32).collect();
            keys.shuffle(&mut self.rng);
            let delays = self.rng.random();
            self.justification.run(routes, &mut transfers, &keys, delays);
        }
        let Some(transfers) = kept else { return false };
        self.best = Some(FoundSchedule { schedule: transfers.schedule(routes), method: Some(method.to_owned()) });
        true
    }
}

#[cfg(test)]
mod tests;
