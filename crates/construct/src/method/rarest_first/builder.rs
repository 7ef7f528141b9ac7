//! One attempt at a schedule: steps forwards, and back after a step that is too late.

use std::cmp::Reverse;

use lockstep_model::port_limit;
use lockstep_schedule::{Routing, Transfer};
use lockstep_topology::NodeId;
use rand::{Rng, RngExt};

use super::attempt_steps::AttemptSteps;
use super::broadcast_context::BroadcastContext;
use super::deadline::Deadline;
use super::fetcher::{Fetcher, MAX_PATH_PRICE};
use super::fixed_steps::FixedSteps;
use super::holdings::Holdings;
use super::step_plan::FIXED_PRICE;
use super::strategy::{FetchMode, Strategy};
use crate::kit::distances::fill_distances;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Number of terminals served between two checks of the budget.
const CHECK_INTERVAL: usize = 32;

/// Units of work per step and node, in addition to the searches.
const STEP_WORK: u64 = 16;

/// Units of work per channel for the searches of a step, for few messages on a large network.
const LARGE_SEARCH_WORK: u64 = 256;

/// Units of work per channel for the searches of a step, in a quick attempt.
const QUICK_SEARCH_WORK: u64 = 16;

/// The price of a fixed transfer that may move.
const MOVABLE_PRICE: u32 = 1;

/// One attempt at a schedule.
///
/// Invariant between steps: `log` has the transfers of the first `step` steps, in the order of steps, and `holdings`
/// has their messages and the promises of later fixed transfers.
pub(super) struct ScheduleBuilder<'a, R> {
    shared: &'a BroadcastContext<'a>,
    task: &'a SchedulingTask<'a>,
    rng: &'a mut R,
    holdings: Holdings,
    fetcher: Fetcher<'a>,
    log: TransferLog,
    /// Number of steps made.
    step: u32,
    deadline: Deadline,
    fixed: FixedSteps<'a>,
    strategy: Strategy,
    /// Scratch space: the distance of each node from the nearest terminal with a message.
    distance: Vec<u32>,
    /// Scratch space of the search for distances.
    queue: Vec<NodeId>,
}

impl<'a, R: Rng> ScheduleBuilder<'a, R> {
    pub(super) fn new(
        shared: &'a BroadcastContext<'a>,
        holdings: &Holdings,
        target: u32,
        reroutes_early: bool,
        rng: &'a mut R,
    ) -> Self {
        let (task, topology) = (shared.task(), shared.task().topology());
        let strategy = Strategy::draw(shared, reroutes_early, rng);
        let fixed_steps = shared.fixed().map_or(0, |fixed| {
            let steps = fixed.schedule.step_count() as u32;
            if fixed.may_move { rng.random_range(0..=steps.min(target)) } else { steps }
        });
        let mut builder = Self {
            shared,
            task,
            rng,
            holdings: holdings.clone(),
            fetcher: Fetcher::new(shared),
            log: TransferLog::default(),
            step: 0,
            deadline: Deadline::new(target, topology.terminal_count()),
            fixed: FixedSteps::new(shared.fixed(), fixed_steps, topology.terminal_count()),
            strategy,
            distance: vec![0; topology.node_count()],
            queue: Vec::new(),
        };
        builder.deadline.postpone(fixed_steps);
        (0..fixed_steps).for_each(|step| builder.promise_fixed(step));
        builder.deadline.postpone(builder.least_steps());
        builder
    }

    /// Makes the attempt quick: any number of steps will do.
    pub(super) fn quickly(mut self) -> Self {
        self.strategy.mode = FetchMode::Quick;
        self
    }

    /// Promises the messages of the fixed transfers of a step to their receivers.
    fn promise_fixed(&mut self, step: u32) {
        for Transfer { message, path } in self.fixed.in_step(step) {
            let terminal = self.task.receiver(path);
            self.holdings.promise(terminal, message.number());
            self.fixed.promise(terminal);
        }
    }

    /// Plans the fixed transfers of the current step. If a sender no longer holds the message, its receiver lacks it
    /// again.
    fn plan_fixed(&mut self) {
        let price = if self.fixed.may_move() { MOVABLE_PRICE } else { FIXED_PRICE };
        for Transfer { message, path } in self.fixed.in_step(self.step) {
            let (sender, terminal) = (self.task.sender(path), self.task.receiver(path));
            self.fixed.release(terminal);
            if self.holdings.holds(sender, message.number()) {
                self.fetcher.plan.add_at_price(message.number(), path, price);
            } else {
                self.holdings.withdraw(terminal, message.number());
            }
        }
    }

    /// Returns the earliest step after which a terminal can hold all its messages.
    fn least_steps_of(&self, terminal: usize) -> u32 {
        let lacking = self.holdings.need(terminal) + self.fixed.pending(terminal);
        let alone = lacking.div_ceil(self.shared.reception_rate(terminal));
        let tight_set = self.shared.tight_set(terminal);
        let together = tight_set.map_or(0, |set| set.least_steps(self.holdings.lacked_by_all(terminal, &set.others)));
        self.step + alone.max(together)
    }

    fn is_late(&self, terminal: usize) -> bool {
        self.least_steps_of(terminal) > self.deadline.steps()
    }

    fn undo_step(&mut self) {
        let first = self.log.start_of_step(self.step - 1);
        for (_, message, path) in self.log.transfers(first) {
            let terminal = self.task.receiver(path);
            self.holdings.depart(terminal, message.number());
            self.holdings.withdraw(terminal, message.number());
        }
        self.log.truncate(first);
        self.step -= 1;
        self.promise_fixed(self.step);
    }

    /// Returns the terminals that lack a message, in the order of service. Terminals that were late come first.
    ///
    /// With many messages, the terminals that need the most steps come next. With few messages, these are terminals
    /// that are far from any message and can send to many others, with some noise.
    fn service_order(&mut self) -> Vec<u32> {
        if !self.strategy.is_local {
            self.find_distances();
        }
        let Self { shared, task, holdings, rng, distance, deadline, strategy, .. } = self;
        let (topology, ports) = (task.topology(), task.model().ports);
        let rank = |(terminal, &node): (usize, &NodeId)| {
            let noise = rng.random::<u32>();
            let urgency = if strategy.is_local {
                // The number of steps as a fixed-point number.
                (u64::from(holdings.need(terminal)) << u32::BITS) / u64::from(shared.reception_rate(terminal))
            } else {
                let fan_out = u64::from(port_limit(topology, ports, topology.out_channels(node)));
                u64::from(distance[node.index()]).saturating_mul(fan_out).saturating_mul(u64::from(1 + (noise >> 16)))
            };
            let key = (Reverse(deadline.delays(terminal)), Reverse(urgency), noise, terminal as u32);
            holdings.accepts_more(terminal).then_some(key)
        };
        let mut ranked: Vec<_> = topology.terminals().iter().enumerate().filter_map(rank).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, _, _, terminal)| terminal).collect()
    }

    /// Computes the distance of every node from the nearest terminal with a message.
    fn find_distances(&mut self) {
        let Self { task, holdings, distance, queue, .. } = self;
        let terminals = task.topology().terminals().iter().enumerate();
        let holders = terminals.filter(|&(terminal, _)| holdings.holds_any(terminal)).map(|(_, &node)| node);
        fill_distances(task, holders, distance, queue);
    }

    /// Serves all terminals, and again those whose transfers were cancelled.
    fn serve_all(
        &mut self,
        order: &[u32],
        context: &AttemptContext<'_>,
        serve: impl Fn(&mut Self, usize),
    ) -> Result<(), MethodError> {
        self.fetcher.queue.extend(order);
        let mut served = 0;
        while let Some(terminal) = self.fetcher.queue.pop() {
            if served % CHECK_INTERVAL == 0 {
                context.check(self.step + 1)?;
            }
            served += 1;
            serve(self, terminal);
        }
        context.count(self.fetcher.take_work());
        Ok(())
    }

    /// Returns true if the searches of a step have a limit.
    fn limits_searches(&self) -> bool {
        // Without neighbours, most searches end at once, at a channel that is not free.
        self.shared.has_neighbours() && (self.is_quick() || self.shared.searches_far())
    }

    /// Returns true if the searches of the current step have reached their limit. Every step makes one transfer or more.
    fn has_searched_enough(&self) -> bool {
        let per_channel = if self.is_quick() { QUICK_SEARCH_WORK } else { LARGE_SEARCH_WORK };
        let limit = per_channel * self.task.topology().channel_count() as u64;
        self.limits_searches() && self.fetcher.work() > limit && !self.fetcher.plan.is_empty()
    }

    fn fetch_from_neighbours(&mut self, terminal: usize) {
        let Self { fetcher, holdings, strategy, rng, .. } = self;
        fetcher.fetch_from_neighbours(holdings, terminal, strategy.mode, rng);
    }

    fn fetch_from_afar(&mut self, terminal: usize, routing: Routing) {
        if self.has_searched_enough() {
            return;
        }
        // Rerouting needs long searches, so only terminals without slack do it.
        let reroutes = (self.strategy.reroutes_early || self.deadline.retries() > 1)
            && self.strategy.mode == FetchMode::Thorough
            && routing == Routing::Minimal
            && self.least_steps_of(terminal) >= self.deadline.steps();
        let max_price = if reroutes { MAX_PATH_PRICE } else { 0 };
        let Self { fetcher, holdings, strategy, rng, .. } = self;
        fetcher.fetch_from_afar(holdings, terminal, (routing, max_price), strategy.mode, rng);
    }
}

impl<R: Rng> AttemptSteps for ScheduleBuilder<'_, R> {
    fn is_done(&self) -> bool {
        self.holdings.left() == 0 && self.step >= self.fixed.steps()
    }

    fn into_log(self) -> TransferLog {
        self.log
    }

    fn least_steps(&self) -> u32 {
        let terminals = 0..self.task.topology().terminal_count();
        terminals.map(|terminal| self.least_steps_of(terminal)).max().unwrap_or(self.step)
    }

    fn postpone_deadline(&mut self) -> Result<(), MethodError> {
        self.deadline.postpone(self.least_steps());
        Ok(())
    }

    fn step(&self) -> u32 {
        self.step
    }

    fn deadline(&mut self) -> &mut Deadline {
        &mut self.deadline
    }

    fn is_quick(&self) -> bool {
        self.strategy.mode == FetchMode::Quick
    }

    fn backtrack(&mut self) -> u32 {
        // Late terminals are served first from now on.
        let late: Vec<bool> =
            (0..self.task.topology().terminal_count()).map(|terminal| self.is_late(terminal)).collect();
        let steps = self.deadline.retry(self.step, |terminal| late[terminal]);
        (0..steps).for_each(|_| self.undo_step());
        steps
    }

    fn make_step(&mut self, context: &AttemptContext<'_>) -> Result<(), MethodError> {
        self.holdings.begin_step(self.step);
        self.plan_fixed();
        let order = self.service_order();
        context.count(STEP_WORK * self.distance.len() as u64);
        if self.strategy.is_local || self.limits_searches() {
            self.serve_all(&order, context, Self::fetch_from_neighbours)?;
        }
        if !self.task.stores_and_forwards() {
            for &routing in self.strategy.passes {
                self.serve_all(&order, context, |builder, terminal| builder.fetch_from_afar(terminal, routing))?;
            }
        }
        let first = self.log.len();
        self.fetcher.plan.commit(self.step, &mut self.log)?;
        // Some terminal lacks a message that one transfer can bring, unless all lacking messages come from later fixed
        // transfers. An attempt that makes no transfer all the same would not end.
        if self.log.len() == first && self.step >= self.fixed.steps() {
            return Err(MethodError::NoShorter);
        }
        for (_, message, path) in self.log.transfers(first) {
            self.holdings.arrive(self.task.receiver(path), message.number());
        }
        self.step += 1;
        Ok(())
    }
}
