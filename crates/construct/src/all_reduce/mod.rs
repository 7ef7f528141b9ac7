//! All-reduces as one problem: partial sums and results share steps.
//!
//! Every block is reduced to a root along a tree and distributed from it along another one. A block may also have two
//! neighbours as roots: they send each other their sums in the same step. [`trees`] chooses roots and trees with balanced
//! loads, and [`pipeline`] places the transfers in steps. [`two_sided`] is list scheduling from both ends of time. Then [`negotiation`](crate::negotiation) searches for trees and
//! steps at the same time. Few blocks need no root: see
//! [`doubling`] for hypercubes, and [`exchange`] for other networks. A [solver](decide) of propositional formulas plans
//! small problems.

mod doubling;
mod exchange;
mod parts;
mod pipeline;
mod trees;
mod two_sided;

use lockstep_exact::{Decision, decide};
use lockstep_model::{Routes, Slots};
use lockstep_schedule::{
    Budget, CommunicationModel, EngineRequest, FoundSchedule, Pattern, Problem, Schedule, Switching, verify,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use self::doubling::recursive_doubling;
use self::exchange::Exchange;
pub(crate) use self::parts::PARTS;
use self::parts::{
    CROSSINGS, DETOURS, EXCHANGE, FIRST_SOLVER, LAST_SOLVER, NEGOTIATED_TREES, NEIGHBOUR_SOLVER, PIPELINED_TREES,
    RECURSIVE_DOUBLING, TWO_SIDED_LISTS,
};
use self::pipeline::Pipeline;
use self::trees::AttemptChoice;
use self::two_sided::TwoSided;
use crate::kit::task::SchedulingTask;
use crate::negotiation::Negotiation;
use crate::negotiation::detours::add_detours;
use crate::negotiation::groups::Groups;
use crate::negotiation::neighbour_routes::{add_crossings, neighbour_routes};
use crate::negotiation::transfers::Transfers;

/// Maximum number of evaluations without a limit in the budget.
const MAX_EVALUATIONS: u64 = 1 << 26;

/// Maximum number of evaluations for pipelined trees.
const MAX_PIPELINE_EVALUATIONS: u64 = 1 << 18;

/// Number of attempts without a shorter schedule after which no more trees are pipelined.
const MAX_IDLE_ATTEMPTS: u32 = 48;

/// Number of placements from both ends of time, as long as many steps fewer are tried.
const FIRST_PLACEMENTS: u64 = 4;

/// Number of placements without a shorter schedule after which no more are made.
const MAX_IDLE_PLACEMENTS: u64 = 512;

/// Maximum number of terminals that exchange sums.
const MAX_EXCHANGE_TERMINALS: usize = 256;

/// There are few blocks if there are at least this number of terminals per block.
const FEW_BLOCKS: usize = 2;

/// Maximum number of steps in which sums are exchanged.
const MAX_EXCHANGE_STEPS: u32 = 512;

/// Maximum number of evaluations for exchanges, per terminal.
const MAX_EXCHANGE_EVALUATIONS: u64 = 1 << 15;

/// Maximum number of literals that the solver assigns before trees are negotiated. Tiny problems need no more.
const FIRST_SOLVER_WORK: u64 = 1 << 17;

/// Maximum number of literals that the solver assigns for schedules between neighbours.
const NEIGHBOUR_SOLVER_WORK: u64 = 1 << 20;

/// Maximum number of literals that the solver assigns at last.
const MAX_SOLVER_WORK: u64 = 1 << 22;

/// If the budget has this number of evaluations or more, its part of them is the only limit of the last run of the solver.
const PATIENT: u64 = 1 << 24;

/// The same per terminal, if a schedule exceeds the goal by [`FEW_STEPS`] at most: then the solver often plans or refutes these
/// steps.
const SOLVER_WORK_PER_TERMINAL: u64 = 1 << 20;

/// A problem with fewer terminals gets the work of this number.
const LEAST_TERMINALS: usize = 16;

/// See [`SOLVER_WORK_PER_TERMINAL`].
const FEW_STEPS: u32 = 2;

/// Literals that the solver assigns per evaluation.
const LITERALS_PER_EVALUATION: u64 = 8;

/// Routes that a negotiation considers in the time of an evaluation.
const ROUTES_PER_EVALUATION: u64 = 4;

/// While other searches follow, the solver gets one of this number of parts of the evaluations that are left.
const SOLVER_PARTS: u64 = 2;

/// The solver often applies if the product of blocks, terminals, channels and steps does not exceed this number.
const MAX_SOLVER_SIZE: u64 = 1 << 16;

/// Maximum size of the table of blocks and terminals: 1 GiB.
const MAX_TABLE_BYTES: u64 = 1 << 30;

/// Returns an all-reduce in fewer steps than the best one so far, or in any number of steps without one; `None` if none is found.
///
/// First, attempts choose a root and two trees for every block, and pipeline the blocks. A block may also have two neighbours as roots, which
/// exchange their sums in the same step. On a ring of an even number of terminals, this saves a step. Then list scheduling places
/// results from the first step on, and sums from the last step back. At last, the trees of
/// all blocks compete for the channels of fewer and fewer steps. Few blocks are also planned by recursive doubling on
/// hypercubes, and by lists of terminals that exchange their sums. Small problems are also planned by a solver of propositional formulas.
///
/// The result depends on the request only, unless time or cancellation ends the search. Without any schedule, the first one
/// may be completed [a little later](lockstep_schedule::FIRST_RESULT_GRACE). One evaluation is one transfer
/// placed, four routes considered, or 32 channels searched. There is no result if the table of blocks and terminals takes more
/// than 1 GiB.
///
/// ```
/// use lockstep_construct::all_reduce;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, EngineRequest, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let star: Topology = "star:8".parse()?;
/// let collective = Collective::all_reduce();
/// let problem = Problem::new(&star, &collective, CommunicationModel::wormhole())?;
/// let budget = Budget::evaluations(10_000);
/// let found = all_reduce(&EngineRequest::new(problem, 9, 1, &budget)).expect("a schedule");
/// // The centre sums one of 8 blocks per step, and sends each back in the next step.
/// assert_eq!(verify(&problem, &found.schedule)?.steps, 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all_reduce(request: &EngineRequest<'_>) -> Option<FoundSchedule> {
    let EngineRequest { ref problem, goal, best: start, seed, budget, .. } = *request;
    let (topology, messages) = (problem.topology(), problem.messages());
    let table_bytes = messages.len() as u64 * topology.terminal_count() as u64 * size_of::<u32>() as u64;
    if problem.collective().pattern() != Pattern::ReduceBroadcast || table_bytes > MAX_TABLE_BYTES {
        return None;
    }
    // Every receiver sends at least one sum and gets one, each over one resource or more.
    let task = SchedulingTask::new(problem).ok()?;
    let slots = task.slots();
    let least = (2 * messages.delivery_count()).div_ceil(topology.capacity_sum().max(1));
    let goal = goal.max(u32::try_from(least).unwrap_or(u32::MAX));
    let below = start.map_or(u32::MAX, |start| start.step_count() as u32);
    let first_budget = if start.is_some() { budget.clone() } else { budget.for_first_result() };
    let is_stopped = || first_budget.interruption().is_some();
    if below <= goal || is_stopped() {
        return None;
    }
    let mut search = Search {
        task: &task,
        slots: &slots,
        evaluations_left: Some(budget.evaluation_limit()).filter(|&limit| limit < u64::MAX).unwrap_or(MAX_EVALUATIONS),
        rng: ChaCha8Rng::seed_from_u64(seed),
        below,
        goal,
        budget,
        first_budget: &first_budget,
        best: None,
    };
    let mut routes = neighbour_routes(&task, &slots).unwrap_or_default();
    // Its transfers do not move: partners must send in the same step.
    let doubled =
        budget.uses(RECURSIVE_DOUBLING).then(|| recursive_doubling(problem, &routes, below, is_stopped)).flatten();
    if let Some(doubled) = &doubled {
        search.below = doubled.step_count() as u32;
    }
    let near = Groups::new(problem, &routes);
    let terminals = topology.terminal_count();
    let has_few_blocks = messages.len() <= terminals / FEW_BLOCKS;
    let far = near
        .as_ref()
        .filter(|_| budget.uses(CROSSINGS))
        .and_then(|_| add_crossings(&mut routes, &task, &slots))
        .and_then(|()| Groups::new(problem, &routes));
    let longer = near
        .as_ref()
        .filter(|_| budget.uses(DETOURS) && (has_few_blocks || far.is_none()))
        .and_then(|_| add_detours(&mut routes, &task, &slots))
        .and_then(|()| Groups::new(problem, &routes));
    let found = |method, schedule| FoundSchedule { schedule, method: Some(method) };
    // Long paths save steps if there are few blocks. Otherwise the channels are the limit: long paths come last, and those that
    // are longer than the shortest ones only if there are no others.
    let (near, far, longer) = (near.as_ref(), far.as_ref(), longer.as_ref());
    let [first, second] = if has_few_blocks { [far.or(near), longer] } else { [near, far.or(longer)] };
    if let Some(near) = near {
        if has_few_blocks && terminals <= MAX_EXCHANGE_TERMINALS && budget.uses(EXCHANGE) {
            search.exchange(&mut routes, near);
        }
        if budget.uses(PIPELINED_TREES) {
            search.run_trees(&routes, near);
        }
        if budget.uses(TWO_SIDED_LISTS) {
            search.schedule_from_both_ends(&routes, near);
        }
    }
    if budget.uses(FIRST_SOLVER)
        && let Some(shorter) = search.decide(problem, FIRST_SOLVER_WORK, SOLVER_PARTS)
    {
        return Some(found("satisfiability", shorter));
    }
    if let Some(first) = first {
        // The solver, and searches without trees or with longer paths, get one half of what is left.
        let size =
            [topology.terminal_count(), topology.channel_count(), search.goal as usize].map(|count| count as u64);
        let size = size.into_iter().fold(messages.len() as u64, u64::saturating_mul);
        let parts = if has_few_blocks || second.is_some() || size <= MAX_SOLVER_SIZE { 2 } else { 1 };
        search.negotiate(&routes, first, parts);
    }
    let work = search.last_solver_work(terminals);
    let parts = if second.is_some() { SOLVER_PARTS } else { 1 };
    let between_neighbours = budget
        .uses(NEIGHBOUR_SOLVER)
        .then(|| search.decide_between_neighbours(problem, NEIGHBOUR_SOLVER_WORK))
        .flatten();
    let last_decision = || budget.uses(LAST_SOLVER).then(|| search.decide(problem, work, parts)).flatten();
    if let Some(shorter) = between_neighbours.or_else(last_decision) {
        return Some(found("satisfiability", shorter));
    }
    if let Some(second) = second {
        search.negotiate(&routes, second, 1);
    }
    match search.best {
        Some((method, transfers)) => Some(found(method, transfers.schedule(&routes))),
        None => doubled.map(|doubled| found("recursive doubling", doubled)),
    }
}

/// A search for a shorter schedule.
struct Search<'a> {
    task: &'a SchedulingTask<'a>,
    slots: &'a Slots,
    evaluations_left: u64,
    rng: ChaCha8Rng,
    /// Only schedules with fewer steps are of use.
    below: u32,
    goal: u32,
    budget: &'a Budget,
    /// The budget without a schedule.
    first_budget: &'a Budget,
    best: Option<(&'static str, Transfers)>,
}

impl Search<'_> {
    /// Returns the most work of the last solver: without a limit for a patient user, and more than usual if few steps are left.
    fn last_solver_work(&self, terminals: usize) -> u64 {
        let is_near = self.below <= self.goal.saturating_add(FEW_STEPS);
        if self.budget.evaluation_limit() >= PATIENT {
            u64::MAX
        } else if is_near {
            SOLVER_WORK_PER_TERMINAL * terminals.max(LEAST_TERMINALS) as u64
        } else {
            MAX_SOLVER_WORK
        }
    }

    /// Builds trees until the goal is reached or the budget ends. If there is no schedule, the first attempt may take
    /// any number of evaluations.
    fn run_trees(&mut self, routes: &Routes, groups: &Groups) {
        let terminals = self.task.topology().terminal_count();
        let pipeline = Pipeline { slots: self.slots, routes, groups, terminals };
        let transfer_count = groups.transfer_count();
        // A number that does not depend on the budget: with a larger one, the search does the same and more.
        let (start, mut idle) = (self.evaluations_left, 0);
        for attempt in 0u32.. {
            let is_needed = self.below == u32::MAX;
            if self.is_over() || idle >= MAX_IDLE_ATTEMPTS {
                break;
            }
            let spent = start - self.evaluations_left;
            let is_too_much = spent.saturating_add(transfer_count) > MAX_PIPELINE_EVALUATIONS;
            if (self.evaluations_left < transfer_count || is_too_much) && !is_needed {
                break;
            }
            let choice = AttemptChoice::of_attempt(attempt, &mut self.rng).without_left_out(self.budget);
            let Some(transfers) = pipeline.attempt(choice, &mut self.rng) else { break };
            self.evaluations_left = self.evaluations_left.saturating_sub(transfers.len() as u64);
            idle += 1;
            if transfers.step_count() < self.below {
                (self.below, idle) = (transfers.step_count(), 0);
                self.best = Some(("pipelined trees", transfers));
            }
        }
    }

    /// Schedules from both ends of time, in fewer and fewer steps, until the goal is reached or too many placements bring
    /// nothing.
    fn schedule_from_both_ends(&mut self, routes: &Routes, groups: &Groups) {
        if self.below == u32::MAX || self.is_over() {
            return;
        }
        let Some(mut search) = TwoSided::new(routes, groups, self.slots, self.below - 1) else { return };
        let mut rng = self.independent_rng(3);
        let (limit, placement) = (self.evaluations_left / 2, groups.transfer_count());
        // Much fewer steps at first, as long as few placements are enough.
        let mut fewer = ((self.below - self.goal) / 4).max(1);
        while !self.is_over() && search.evaluations() < limit {
            let placements = if fewer > 1 { FIRST_PLACEMENTS } else { MAX_IDLE_PLACEMENTS };
            let end = search.evaluations().saturating_add(placements.saturating_mul(placement)).min(limit);
            let is_over = |evaluations| evaluations >= end || self.is_stopped();
            match search.plan((self.below - fewer).max(self.goal), is_over, &mut rng) {
                Some(transfers) => {
                    self.below = transfers.step_count();
                    self.best = Some(("two-sided lists", transfers));
                    fewer = fewer.min(self.below - self.goal).max(1);
                }
                None if fewer > 1 => fewer /= 2,
                None => break,
            }
        }
        self.evaluations_left = self.evaluations_left.saturating_sub(search.evaluations());
    }

    /// Lets lists of terminals exchange their sums, in fewer and fewer steps.
    fn exchange(&mut self, routes: &mut Routes, groups: &Groups) {
        let Some(mut exchange) = Exchange::new(self.task, groups, self.slots) else { return };
        let terminals = self.task.topology().terminal_count() as u64;
        let limit = (self.evaluations_left / 2).min(MAX_EXCHANGE_EVALUATIONS * terminals);
        let mut rng = self.independent_rng(2);
        while !self.is_over() {
            let most = self.below.min(MAX_EXCHANGE_STEPS) - 1;
            let Some(schedule) = exchange.find(most, limit, || self.is_stopped(), &mut rng) else { break };
            self.below = schedule.step_count() as u32;
            let transfers = Transfers::of_schedule(self.slots, &schedule, routes, || false);
            self.best = transfers.map(|transfers| ("exchange", transfers));
        }
        self.evaluations_left = self.evaluations_left.saturating_sub(exchange.evaluations());
    }

    /// Negotiates trees in fewer and fewer steps until the goal is reached, or this part of the remaining evaluations is
    /// used up.
    fn negotiate(&mut self, routes: &Routes, groups: &Groups, parts: u64) {
        let most = (self.evaluations_left / parts).saturating_mul(ROUTES_PER_EVALUATION);
        let budget = self.budget.clone().with_evaluations(most);
        if self.below == u32::MAX || self.is_over() || !self.budget.uses(NEGOTIATED_TREES) {
            return;
        }
        let negotiation = Negotiation::new(routes, groups, self.slots, self.below - 1, budget);
        let Some(mut negotiation) = negotiation else { return };
        while !self.is_over()
            && let Some(transfers) = negotiation.plan(self.below - 1, &mut self.rng)
        {
            self.below = transfers.step_count();
            self.best = Some(("negotiated trees", transfers));
        }
        self.evaluations_left = self.evaluations_left.saturating_sub(negotiation.evaluations() / ROUTES_PER_EVALUATION);
    }

    /// Returns a shorter schedule with wormhole switching in which every transfer goes to a neighbour. The formula is much
    /// smaller than that of [`decide`](Self::decide).
    fn decide_between_neighbours(&mut self, problem: &Problem<'_>, max_work: u64) -> Option<Schedule> {
        if problem.model().switching != Switching::Wormhole {
            return None;
        }
        let model = CommunicationModel { switching: Switching::StoreAndForward, ..problem.model() };
        let stored = Problem::new(problem.topology(), problem.collective(), model).ok()?;
        // With switches, a path to a neighbour may be longer than the shortest one.
        self.decide(&stored, max_work, SOLVER_PARTS).filter(|schedule| verify(problem, schedule).is_ok())
    }

    /// Returns a shorter schedule by a [solver](decide). It tries the goal first, and then more steps. If it refutes the goal under
    /// the rules of the whole problem, the goal becomes one step more. `max_work` and one of `parts` of the remaining
    /// evaluations limit the number of literals.
    fn decide(&mut self, problem: &Problem<'_>, max_work: u64, parts: u64) -> Option<Schedule> {
        let is_whole = problem.model() == self.task.model();
        let most = (self.evaluations_left / parts).saturating_mul(LITERALS_PER_EVALUATION);
        let mut left = most.min(max_work);
        for steps in self.goal.max(1)..self.below {
            if self.is_over() || left == 0 {
                break;
            }
            // Some work remains for larger numbers of steps.
            let limit = if steps + 1 < self.below { left.div_ceil(2) } else { left };
            let mut work = limit;
            let decision = decide(problem, steps, &mut work, &|| self.is_stopped());
            let spent = limit - work;
            left -= spent;
            self.evaluations_left = self.evaluations_left.saturating_sub(spent / LITERALS_PER_EVALUATION);
            match decision {
                Ok(Decision::Schedule(schedule)) => return Some(schedule),
                Ok(Decision::Infeasible { .. }) if is_whole && steps == self.goal.max(1) => self.goal = steps + 1,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        None
    }

    /// Returns random numbers that do not depend on the searches before and do not change those after: with a larger
    /// budget, all searches do the same and more.
    fn independent_rng(&self, stream: u64) -> ChaCha8Rng {
        let mut rng = self.rng.clone();
        rng.set_stream(stream);
        rng.set_word_pos(0);
        rng
    }

    fn is_over(&self) -> bool {
        self.below <= self.goal || self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        let budget = if self.below == u32::MAX { self.first_budget } else { self.budget };
        budget.interruption().is_some()
    }
}

#[cfg(test)]
mod tests;
