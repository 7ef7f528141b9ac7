//! The optimum of tiny distributions, by exhaustive search.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_topology::NodeId;

use super::routes::{Resources, Route, SearchTooLong, StepRoom, legal_routes, port_limit, transfers_between};
use crate::messages::MessageId;
use crate::problem::Problem;
use crate::schedule::Schedule;

/// The terminals that hold each message: bit `message * terminals + rank`.
type Holders = u128;

/// A message that a terminal lacks and may receive in this step.
struct Delivery<'a> {
    message: usize,
    /// The bit of the message at its receiver.
    bit: Holders,
    /// The routes from holders.
    routes: Vec<&'a Route>,
    /// The resources that the deliveries after this one may use.
    later: Resources,
}

/// A function of the state after a step and its transfers: messages with their routes. It returns false to end the search.
type Visit<'v, 'a> = dyn FnMut(Holders, &[(usize, &'a Route)]) -> bool + 'v;

/// A step under construction.
struct Step<'a, 'b> {
    deliveries: &'b [Delivery<'a>],
    room: StepRoom,
    /// The state after the step.
    after: Holders,
    chosen: Vec<(usize, &'a Route)>,
    skipped: Vec<usize>,
}

impl<'a> Step<'a, '_> {
    fn take(&mut self, delivery: &Delivery<'_>, route: &'a Route) {
        self.room.take(route);
        self.after |= delivery.bit;
        self.chosen.push((delivery.message, route));
    }

    fn give_back(&mut self, delivery: &Delivery<'_>, route: &'a Route) {
        self.room.give_back(route);
        self.after &= !delivery.bit;
        self.chosen.pop();
    }
}

pub(super) struct DistributionSearch<'p> {
    terminals: usize,
    ports: u32,
    /// By message: the bits of its source and of its receivers.
    ends: Vec<(Holders, Holders)>,
    /// Lists of messages with the same ends.
    alike: Vec<Vec<usize>>,
    /// Whether only the source of a message may send it, and only to its receiver.
    is_direct: bool,
    routes: Vec<Route>,
    /// By receiver and sender: the smallest number of transfers.
    transfers: Vec<Vec<usize>>,
    problem: &'p Problem<'p>,
}

impl<'p> DistributionSearch<'p> {
    pub(super) fn new(problem: &'p Problem<'p>, effort: &mut u64) -> Result<Self, SearchTooLong> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let terminals = topology.terminal_count();
        if messages.len() * terminals > 128 || topology.resource_count() > 128 {
            return Err(SearchTooLong);
        }
        let bit = |message: MessageId, node: NodeId| {
            let rank = topology.terminal_rank(node).expect("ends of messages are terminals");
            1 << (message.index() * terminals + rank)
        };
        let ends_of = |message| {
            let receivers = messages.receivers_iter(message).fold(0, |bits, node| bits | bit(message, node));
            (bit(message, messages.source(message)), receivers)
        };
        let ends: Vec<(Holders, Holders)> = messages.ids().map(ends_of).collect();
        let mut alike: BTreeMap<(Holders, Holders), Vec<usize>> = BTreeMap::new();
        for (message, (source, receivers)) in ends.iter().enumerate() {
            let first = message * terminals;
            alike.entry((source >> first, receivers >> first)).or_default().push(message);
        }
        let routes = legal_routes(topology, problem.model(), effort)?;
        Ok(Self {
            terminals,
            ports: port_limit(problem.model()),
            ends,
            alike: alike.into_values().filter(|messages| messages.len() > 1).collect(),
            is_direct: problem.model().is_direct() && messages.is_scatter(),
            transfers: transfers_between(terminals, &routes),
            routes,
            problem,
        })
    }

    pub(super) fn run(&self, most_steps: usize, effort: &mut u64) -> Result<Option<Schedule>, SearchTooLong> {
        let start = self.normal(self.ends.iter().fold(0, |state, &(source, _)| state | source));
        let mut levels = vec![BTreeSet::from([start])];
        for steps_left in (0..=most_steps).rev() {
            let last = &levels[levels.len() - 1];
            if let Some(&end) = last.iter().find(|&&state| self.is_complete(state)) {
                return self.schedule(&levels, end, effort).map(Some);
            }
            let mut next = BTreeSet::new();
            for &state in last.iter().filter(|&&state| self.may_complete(state, steps_left)) {
                self.for_each_step(state, effort, &mut |after, _| {
                    next.insert(self.normal(after));
                    true
                })?;
            }
            let next = undominated(&next, effort)?;
            // No more deliveries are possible: some terminal has no legal path from the others.
            if next.is_empty() || next == *last {
                return Ok(None);
            }
            levels.push(next);
        }
        Ok(None)
    }

    /// Returns the schedule that leads to a state of the last level.
    fn schedule(
        &self,
        levels: &[BTreeSet<Holders>],
        end: Holders,
        effort: &mut u64,
    ) -> Result<Schedule, SearchTooLong> {
        // From the end to the start: a state of each level that leads to the one after it.
        let mut states = vec![end];
        for level in levels.iter().rev().skip(1) {
            let goal = states[states.len() - 1];
            for &state in level {
                let mut leads_to_goal = false;
                self.for_each_step(state, effort, &mut |after, _| {
                    leads_to_goal |= self.normal(after) == goal;
                    !leads_to_goal
                })?;
                if leads_to_goal {
                    states.push(state);
                    break;
                }
            }
        }
        // From the start to the end: the same states, up to exchanges of messages that are alike.
        let mut schedule = Schedule::new();
        let mut state = self.ends.iter().fold(0, |state, &(source, _)| state | source);
        for &goal in states.iter().rev().skip(1) {
            let mut next = state;
            self.for_each_step(state, effort, &mut |after, chosen| {
                if self.normal(after) != goal {
                    return true;
                }
                next = after;
                schedule.begin_step();
                for &(message, route) in chosen {
                    schedule.push(MessageId::from_index(message), &route.path);
                }
                false
            })?;
            state = next;
        }
        Ok(schedule)
    }

    /// Returns the state with all terminals as holders of complete messages, and with messages that are alike in
    /// ascending order.
    fn normal(&self, mut state: Holders) -> Holders {
        let all = (1 << self.terminals) - 1;
        for (message, &(_, receivers)) in self.ends.iter().enumerate() {
            if state & receivers == receivers {
                state |= all << (message * self.terminals);
            }
        }
        for messages in &self.alike {
            let mut holders: Vec<Holders> =
                messages.iter().map(|message| state >> (message * self.terminals) & all).collect();
            holders.sort_unstable();
            for (message, holders) in messages.iter().zip(holders) {
                state = state & !(all << (message * self.terminals)) | holders << (message * self.terminals);
            }
        }
        state
    }

    fn is_complete(&self, state: Holders) -> bool {
        self.ends.iter().all(|&(_, receivers)| state & receivers == receivers)
    }

    /// Returns false if a receiver is too far from all holders, or lacks too many messages.
    fn may_complete(&self, state: Holders, steps_left: usize) -> bool {
        let mut lacking = vec![0; self.terminals];
        for (message, &(_, receivers)) in self.ends.iter().enumerate() {
            let held = |rank: usize| state >> (message * self.terminals + rank) & 1 == 1;
            let needed = |rank: usize| receivers >> (message * self.terminals + rank) & 1 == 1;
            for receiver in (0..self.terminals).filter(|&rank| needed(rank) && !held(rank)) {
                lacking[receiver] += 1;
                let senders = (0..self.terminals).filter(|&rank| held(rank));
                if senders.map(|sender| self.transfers[receiver][sender]).min() > Some(steps_left) {
                    return false;
                }
            }
        }
        let topology = self.problem.topology();
        lacking.iter().zip(topology.terminals()).all(|(&lacking, &terminal)| {
            let in_one_step = topology.in_channels(terminal).len().min(self.ports as usize);
            lacking <= in_one_step.saturating_mul(steps_left)
        })
    }

    /// Visits all maximal steps.
    fn for_each_step<'a>(
        &'a self,
        state: Holders,
        effort: &mut u64,
        visit: &mut Visit<'_, 'a>,
    ) -> Result<(), SearchTooLong> {
        let deliveries = self.deliveries(state);
        let mut step = Step {
            deliveries: &deliveries,
            room: StepRoom::empty(self.terminals, self.ports),
            after: state,
            chosen: Vec::new(),
            skipped: Vec::new(),
        };
        self.extend(&mut step, 0, effort, visit).map(|_| ())
    }

    /// Returns the useful deliveries: of incomplete messages, to terminals without them.
    fn deliveries(&self, state: Holders) -> Vec<Delivery<'_>> {
        let mut deliveries = Vec::new();
        for (message, &(source, receivers)) in self.ends.iter().enumerate() {
            if state & receivers == receivers {
                continue;
            }
            for receiver in 0..self.terminals {
                let bit_of = |rank: usize| 1 << (message * self.terminals + rank);
                let bit: Holders = bit_of(receiver);
                if state & bit != 0 || self.is_direct && receivers & bit == 0 {
                    continue;
                }
                let senders = if self.is_direct { source } else { state };
                let from_holder = |route: &&Route| route.receiver == receiver && senders & bit_of(route.sender) != 0;
                let all: Vec<&Route> = self.routes.iter().filter(from_holder).collect();
                // Without a limit of ports, any sender will do: the routes with the fewest resources suffice.
                let is_worse = |route: &Route, other: &Route| {
                    let is_subset = other.resources & route.resources == other.resources;
                    let is_first =
                        other.resources != route.resources || std::ptr::from_ref(other) < std::ptr::from_ref(route);
                    (self.ports == u32::MAX || other.sender == route.sender) && is_subset && is_first
                };
                let best = all
                    .iter()
                    .copied()
                    .filter(|route| !all.iter().any(|other| !std::ptr::eq(*other, *route) && is_worse(route, other)));
                let routes: Vec<&Route> = best.collect();
                if !routes.is_empty() {
                    deliveries.push(Delivery { message, bit, routes, later: 0 });
                }
            }
        }
        let mut later = 0;
        for delivery in deliveries.iter_mut().rev() {
            delivery.later = later;
            later |= delivery.routes.iter().fold(0, |all, route| all | route.resources);
        }
        deliveries
    }

    /// Makes or skips the deliveries from `place` on, in every possible way. Returns false if `visit` did.
    fn extend<'a>(
        &self,
        step: &mut Step<'a, '_>,
        place: usize,
        effort: &mut u64,
        visit: &mut Visit<'_, 'a>,
    ) -> Result<bool, SearchTooLong> {
        *effort = effort.checked_sub(1).ok_or(SearchTooLong)?;
        let deliveries = step.deliveries;
        let Some(delivery) = deliveries.get(place) else {
            // A step that leaves room for a delivery is worse than the step with it.
            let leaves_room = |&skipped: &usize| deliveries[skipped].routes.iter().any(|route| step.room.fits(route));
            return Ok(step.skipped.iter().any(leaves_room) || visit(step.after, &step.chosen));
        };
        for &route in &delivery.routes {
            if step.room.fits(route) {
                step.take(delivery, route);
                let goes_on = self.extend(step, place + 1, effort, visit)?;
                step.give_back(delivery, route);
                if !goes_on {
                    return Ok(false);
                }
            }
        }
        // Without a limit of ports, no later delivery can take the place of one whose resources only it uses.
        let is_free = |route: &&Route| route.resources & (step.room.used | delivery.later) == 0;
        if self.ports == u32::MAX && delivery.routes.iter().any(is_free) {
            return Ok(true);
        }
        step.skipped.push(place);
        let goes_on = self.extend(step, place + 1, effort, visit);
        step.skipped.pop();
        goes_on
    }
}

/// Returns the states that no other state contains: more holders are never worse.
fn undominated(states: &BTreeSet<Holders>, effort: &mut u64) -> Result<BTreeSet<Holders>, SearchTooLong> {
    *effort = effort.checked_sub((states.len() as u64).pow(2) / 64).ok_or(SearchTooLong)?;
    let is_dominated = |state: Holders| states.iter().any(|&other| other != state && other & state == state);
    Ok(states.iter().copied().filter(|&state| !is_dominated(state)).collect())
}
