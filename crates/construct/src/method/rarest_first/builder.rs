//! The way to one schedule, step by step and sometimes back.

use std::cmp::Reverse;
use std::collections::VecDeque;

use lockstep_schedule::{Ports, Routing, Transfer};
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use super::holdings::Holdings;
use super::sender_search::{SenderQuery, SenderSearch};
use super::step_plan::StepPlan;
use super::{IncomingChannel, RarestFirst};
use crate::kit::distances;
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Terminals served between two looks at the budget.
const STRIDE: usize = 32;

/// The most that a terminal pays for what another one has taken before it. Each change of hands raises the price by one.
const LIMIT: u32 = 4;

/// A choice of so many messages is as good as one of more.
const WIDE: u32 = 32;

/// The same for a path from afar.
const FAR_LIMIT: u32 = 8;

/// What a kept transfer costs beside others: little if it may be given up, else more than anybody pays.
const KEPT_PRICES: [u32; 2] = [1 << 16, 1];

/// How often it goes back from one step before it gives up its aim.
const MAX_SETBACKS: u32 = 32;

/// One schedule in the making.
pub(super) struct ScheduleBuilder<'a, R> {
    spread: &'a RarestFirst<'a>,
    task: &'a SchedulingTask<'a>,
    stock: Holdings,
    draft: StepPlan<'a>,
    search: SenderSearch,
    log: TransferLog,
    rng: &'a mut R,
    /// Number of steps made.
    step: u32,
    /// The steps that the schedule is to have.
    aim: u32,
    /// The most steps made in time, and how often it went back since then.
    furthest: u32,
    setbacks: u32,
    /// How often each terminal came too late.
    delays: Vec<u32>,
    /// What is kept, its number of steps that count, and what each terminal is still to receive of it.
    kept: Option<FixedTransfers<'a>>,
    kept_steps: u32,
    kept_to_come: Vec<u32>,
    /// Whether neighbours are asked first.
    near: bool,
    /// Which paths all have the choice of, one pass after the other.
    passes: &'static [Routing],
    /// Whether paths are rerouted before anything failed.
    reroutes: bool,
    /// Whether any schedule will do, as long as it is there soon.
    hurries: bool,
    /// Terminals to be served, and which of them wait.
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
    /// SourceDistances from what is held.
    distance: Vec<u32>,
    /// Scratch space.
    queue: Vec<NodeId>,
    offers: Vec<NeighbourOffer>,
    path: Vec<ChannelId>,
    pool: Vec<u64>,
}

/// What a neighbour has for a terminal; the best comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NeighbourOffer {
    price: u32,
    /// Of how many messages.
    choice: u32,
    tie: u32,
    channel: ChannelId,
    neighbour: u32,
}

impl<'a, R: Rng> ScheduleBuilder<'a, R> {
    pub(super) fn new(spread: &'a RarestFirst<'a>, stock: &Holdings, aim: u32, rng: &'a mut R) -> Self {
        let task = spread.task;
        let (topology, messages) = (task.topology(), task.messages());
        // Where messages are many, neighbours have enough of them, and take the fewest channels; but where ports are fewer
        // than channels, one neighbour may not be enough for all. One must go far. What is best between the two depends on
        // the network.
        let goes_far = if messages.len() >= topology.terminal_count() {
            task.model().ports != Ports::All && !spread.side.is_empty() && rng.random_ratio(1, 4)
        } else {
            messages.len() == 1 || !rng.random::<bool>()
        };
        let near = task.stores_and_forwards() || !goes_far;
        let passes: &[Routing] = match task.model().routing {
            Routing::Minimal => &[Routing::Minimal],
            // Some may take a detour before all have had the choice of a shortest path.
            Routing::Any if rng.random_ratio(1, 4) => &[Routing::Any],
            Routing::Any => &[Routing::Minimal, Routing::Any],
        };
        let mut walk = Self {
            spread,
            task,
            stock: stock.clone(),
            draft: StepPlan::new(task, &spread.capacities),
            search: SenderSearch::new(topology.node_count()),
            log: TransferLog::default(),
            reroutes: false,
            rng,
            step: 0,
            aim,
            furthest: 0,
            setbacks: 0,
            delays: vec![0; topology.terminal_count()],
            kept: spread.kept,
            kept_steps: 0,
            kept_to_come: vec![0; topology.terminal_count()],
            near,
            passes,
            hurries: false,
            waiting: VecDeque::new(),
            waits: vec![false; topology.terminal_count()],
            distance: vec![0; topology.node_count()],
            queue: Vec::new(),
            offers: Vec::new(),
            path: Vec::new(),
            pool: Vec::new(),
        };
        walk.keep();
        walk.aim_later();
        walk
    }

    /// Promises what kept transfers bring.
    fn keep(&mut self) {
        let Some(kept) = self.kept else { return };
        let steps = kept.schedule.step_count() as u32;
        self.kept_steps = if kept.may_move { self.rng.random_range(0..=steps.min(self.aim)) } else { steps };
        self.aim = self.aim.max(self.kept_steps);
        (0..self.kept_steps).for_each(|step| self.promise_kept(step));
    }

    /// The transfers that are kept in a step.
    fn kept_in(&self, step: u32) -> impl Iterator<Item = Transfer<'a>> + use<'a, R> {
        let kept = self.kept.filter(|_| step < self.kept_steps);
        kept.into_iter().flat_map(move |kept| kept.schedule.step(step as usize).iter())
    }

    fn promise_kept(&mut self, step: u32) {
        for Transfer { message, path } in self.kept_in(step) {
            let terminal = self.task.receiver(path);
            self.stock.promise(terminal, message.number());
            self.kept_to_come[terminal] += 1;
        }
    }

    /// Plans the kept transfers of the step at hand; what its sender has not received any more is lacked again.
    fn plan_kept(&mut self) {
        for Transfer { message, path } in self.kept_in(self.step) {
            let (sender, terminal) = (self.task.sender(path), self.task.receiver(path));
            self.kept_to_come[terminal] -= 1;
            if self.stock.holds(sender, message.number()) {
                let may_move = self.kept.is_some_and(|kept| kept.may_move);
                self.draft.plan_at_price(message.number(), path, KEPT_PRICES[usize::from(may_move)]);
            } else {
                self.stock.withdraw(terminal, message.number());
            }
        }
    }

    /// Reroutes what is in the way of terminals that cannot wait even before anything failed, which takes longer.
    pub(super) fn reroute_at_once(&mut self) {
        self.reroutes = true;
    }

    pub(super) fn is_done(&self) -> bool {
        self.stock.left() == 0 && self.step >= self.kept_steps
    }

    pub(super) fn into_log(self) -> TransferLog {
        self.log
    }

    /// The fewest steps that can still be reached, as far as receptions tell.
    pub(super) fn least_steps(&self) -> u32 {
        let terminals = 0..self.task.topology().terminal_count();
        terminals.map(|terminal| self.least_steps_of(terminal)).max().unwrap_or(self.step)
    }

    /// The steps after which a terminal can have all at the earliest.
    fn least_steps_of(&self, terminal: usize) -> u32 {
        let lacking = self.stock.need(terminal) + self.kept_to_come[terminal];
        self.step + lacking.div_ceil(self.spread.rate[terminal])
    }

    /// Aims at no less than can still be reached.
    pub(super) fn aim_later(&mut self) {
        self.aim = self.aim.max(self.least_steps());
    }

    /// Whether the aim can still be reached.
    pub(super) fn is_on_time(&mut self) -> bool {
        let is_on_time = self.hurries || self.least_steps() <= self.aim;
        if is_on_time && self.step > self.furthest {
            (self.furthest, self.setbacks) = (self.step, 0);
        }
        is_on_time
    }

    pub(super) fn may_go_back(&self) -> bool {
        self.setbacks < MAX_SETBACKS
    }

    /// Takes back the last step, or some more of them (1, 2, 1, 4, 1, 2, 1, 8, ...); how many. Who came too late is
    /// served first from now on.
    ///
    /// Source of the sequence: Luby, Sinclair and Zuckerman, *Optimal speedup of Las Vegas algorithms*, 1993.
    pub(super) fn go_back(&mut self) -> u32 {
        for terminal in 0..self.delays.len() {
            self.delays[terminal] += u32::from(self.least_steps_of(terminal) > self.aim);
        }
        self.setbacks += 1;
        let steps = (1 << self.setbacks.trailing_zeros()).min(self.step);
        (0..steps).for_each(|_| self.undo_step());
        steps
    }

    fn undo_step(&mut self) {
        let first = self.log.start_of_step(self.step - 1);
        for (_, message, path) in self.log.transfers(first) {
            let terminal = self.task.receiver(path);
            self.stock.depart(terminal, message.number());
            self.stock.withdraw(terminal, message.number());
        }
        self.log.truncate(first);
        self.step -= 1;
        self.promise_kept(self.step);
    }

    /// Makes one more step.
    pub(super) fn make_step(&mut self, context: &AttemptContext<'_>) -> Result<(), MethodError> {
        self.plan_kept();
        let order = self.order();
        if self.near {
            self.serve_all(&order, context, Self::fetch_from_neighbours)?;
        }
        if !self.task.stores_and_forwards() {
            for &routing in self.passes {
                self.serve_all(&order, context, |walk, terminal| walk.fetch_from_afar(terminal, routing))?;
            }
        }
        let first = self.log.len();
        self.draft.write_down(self.step, &mut self.log)?;
        // Some terminal lacks a message that one transfer brings there, so only a bus can stand in the way; unless all that
        // is lacked waits for what is kept.
        if self.log.len() == first && self.step >= self.kept_steps {
            return Err(MethodError::NoLegalPath);
        }
        for (_, message, path) in self.log.transfers(first) {
            self.stock.arrive(self.task.receiver(path), message.number());
        }
        self.step += 1;
        Ok(())
    }

    /// The terminals that lack anything, in the order in which they are served: those first that came too late before.
    ///
    /// Where messages are many, then those that need the most steps. Where they are few, then those that are far from
    /// any message and can send it on to many, more or less.
    fn order(&mut self) -> Vec<u32> {
        if !self.near {
            self.find_distances();
        }
        let Self { spread, task, stock, rng, distance, near, delays, .. } = self;
        let (topology, ports) = (task.topology(), task.model().ports);
        let rank = |(terminal, &node): (usize, &NodeId)| {
            let noise = rng.random::<u32>();
            let urgency = if *near {
                // StepMask in fixed point.
                (u64::from(stock.need(terminal)) << u32::BITS) / u64::from(spread.rate[terminal])
            } else {
                let fan_out = ports.of_degree(topology.out_channels(node).len()) as u64;
                (u64::from(distance[node.index()]) * fan_out).saturating_mul(u64::from(1 + (noise >> 16)))
            };
            let key = (Reverse(delays[terminal]), Reverse(urgency), noise, terminal as u32);
            stock.takes_more(terminal).then_some(key)
        };
        let mut ranked: Vec<_> = topology.terminals().iter().enumerate().filter_map(rank).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, _, _, terminal)| terminal).collect()
    }

    /// The distances from the terminals that hold anything.
    fn find_distances(&mut self) {
        let Self { task, stock, distance: distances, queue, .. } = self;
        let terminals = task.topology().terminals().iter().enumerate();
        let holders = terminals.filter(|&(terminal, _)| stock.holds_any(terminal)).map(|(_, &node)| node);
        distances::search(task, holders, distances, queue);
    }

    /// Serves all terminals, and once more those from which something was taken.
    fn serve_all(
        &mut self,
        order: &[u32],
        context: &AttemptContext<'_>,
        serve: impl Fn(&mut Self, usize),
    ) -> Result<(), MethodError> {
        for &terminal in order {
            self.waiting.push_back(terminal);
            self.waits[terminal as usize] = true;
        }
        let mut served = 0;
        while let Some(terminal) = self.waiting.pop_front() {
            if served % STRIDE == 0 {
                context.check(self.step + 1)?;
                self.hurries = self.hurries || context.is_best_effort();
            }
            served += 1;
            self.waits[terminal as usize] = false;
            serve(self, terminal as usize);
        }
        Ok(())
    }

    /// Fetches a rare message over each channel from a neighbour, those with the least choice first.
    fn fetch_from_neighbours(&mut self, terminal: usize) {
        let salt = self.rng.random();
        let mut offers = std::mem::take(&mut self.offers);
        offers.clear();
        offers.extend(self.spread.sides(terminal).iter().filter_map(|&side| self.offer(side, terminal)));
        offers.sort_unstable();
        for offer in &offers {
            if !self.stock.takes_more(terminal) || !self.draft.may_receive(terminal) {
                break;
            }
            let neighbour = offer.neighbour as usize;
            let message = self.choose(neighbour, terminal, salt).or_else(|| self.exchange(neighbour, terminal, salt));
            if let Some(message) = message {
                self.transfer(message, terminal, &[offer.channel]);
            }
        }
        self.offers = offers;
    }

    fn offer(&mut self, side: IncomingChannel, terminal: usize) -> Option<NeighbourOffer> {
        let neighbour = side.neighbour as usize;
        // What is not wanted is fetched over free channels only.
        let limit = if self.hurries || self.stock.need(terminal) == 0 { 0 } else { LIMIT };
        let price = self.draft.channel_price(side.channel) + self.draft.port_price(neighbour);
        if price > limit || self.draft.message_over(side.channel).is_some() {
            return None;
        }
        let enough = if self.hurries { 1 } else { WIDE };
        let choice = self.stock.useful_count(neighbour, terminal, enough).min(enough);
        let tie = self.rng.random();
        (choice > 0).then_some(NeighbourOffer { price, choice, tie, channel: side.channel, neighbour: side.neighbour })
    }

    fn choose(&mut self, sender: usize, terminal: usize, salt: u32) -> Option<u32> {
        let Self { stock, pool, hurries, .. } = self;
        let choose = if *hurries { Holdings::any } else { Holdings::rarest };
        choose(stock, sender, terminal, salt, pool)
    }

    /// A message that comes over another channel but `neighbour` has, too; that channel brings something else instead.
    fn exchange(&mut self, neighbour: usize, terminal: usize, salt: u32) -> Option<u32> {
        let Self { spread, stock, draft, pool, hurries, .. } = self;
        if *hurries {
            return None;
        }
        spread.sides(terminal).iter().find_map(|side| {
            if draft.channel_price(side.channel) > KEPT_PRICES[0] {
                return None;
            }
            let given = draft.message_over(side.channel).filter(|given| stock.holds(neighbour, **given))?;
            let other = stock.rarest(side.neighbour as usize, terminal, salt, pool)?;
            stock.withdraw(terminal, *given);
            stock.promise(terminal, other);
            Some(std::mem::replace(given, other))
        })
    }

    /// Fetches rare messages from the nearest terminals that have any, as long as there are paths.
    fn fetch_from_afar(&mut self, terminal: usize, routing: Routing) {
        let target = self.task.topology().terminals()[terminal];
        // To reroute takes long searches, so it is for those who cannot wait.
        let reroutes = (self.reroutes || self.setbacks > 1)
            && !self.hurries
            && routing == Routing::Minimal
            && self.least_steps_of(terminal) >= self.aim;
        let wanted = SenderQuery { target, routing, limit: if reroutes { FAR_LIMIT } else { 0 } };
        let mut path = std::mem::take(&mut self.path);
        while self.stock.need(terminal) > 0 && self.draft.may_receive(terminal) {
            let Self { stock, draft, search, rng, pool, hurries, .. } = self;
            let salt = rng.random();
            let value = |sender| {
                let choose = if *hurries { Holdings::any } else { Holdings::rarest };
                let message = choose(stock, sender, terminal, salt, pool)?;
                Some((stock.served_count(message), message))
            };
            let Some(message) = search.nearest(draft, wanted, rng, value) else { break };
            path.clear();
            path.extend_from_slice(search.path());
            self.transfer(message, terminal, &path);
        }
        self.path = path;
    }

    /// Plans a transfer. What is in its way is called off, and who loses it waits again.
    fn transfer(&mut self, message: u32, terminal: usize, path: &[ChannelId]) {
        let Self { stock, draft, rng, waiting, waits, .. } = self;
        let lose = |terminal: usize, message| {
            stock.withdraw(terminal, message);
            if !std::mem::replace(&mut waits[terminal], true) {
                waiting.push_back(terminal as u32);
            }
        };
        draft.clear_the_way(path, |count| rng.random_range(0..count), lose);
        draft.plan(message, path);
        stock.promise(terminal, message);
    }
}
