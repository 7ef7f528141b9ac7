//! Local search among the orders in which channels carry their messages.

use rand::{Rng, RngExt};

use super::routes::RouteSet;
use super::terminal_graph::TerminalGraph;
use crate::kit::capacities::SlotId;
use crate::kit::request::AttemptContext;

/// No hop.
const NONE: u32 = u32::MAX;

/// The most cells, one for each slot and step.
const MAX_CELLS: usize = 1 << 26;

/// Moves of one search for each hop and for all, and steps looked at by all of them together, at the most.
const MOVES: (u64, u64) = (32, 1 << 10);
const LOOKS: u64 = 1 << 23;

/// Moves between two looks at the budget.
const STRIDE: u64 = 256;

/// Moves for which a hop that was moved stays where it is: from this many on, up to as many more, and half the faults.
const TENURE: (u64, u64) = (3, 8);

/// Other steps for the hops of a schedule, so that it ends after `steps`; `None` if they are not found. No slot may be
/// used in more than `steps` steps.
///
/// Each wire carries at most one message a step all the time. Faults are hops that do not come after the one before them,
/// and ports used too often. Of the hops of one fault one changes its step, or changes places with another hop on its
/// wire, so that hops out of order, counted in steps, and uses of ports too many become fewer, or grow the least; what was
/// moved stays for some moves.
///
/// A move takes time in proportion to the steps. Memory: 4 bytes for each slot and step, and 17 bytes for each hop.
///
/// **Source**: Minton, Johnston, Philips and Laird, *Minimizing conflicts* (1992), with a tabu list after Glover,
/// *Tabu search* (1989); unit hops on given routes are a job shop: Leighton, Maggs and Rao, *Packet routing and job-shop
/// scheduling in O(congestion + dilation) steps* (1994).
pub(super) fn shortened(
    network: &TerminalGraph,
    routes: &RouteSet,
    step_of: &[u32],
    steps: u32,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Option<Vec<u32>> {
    if network.slot_count().saturating_mul(steps as usize) > MAX_CELLS {
        return None;
    }
    let mut timetable = StepSearch::new(network, routes, step_of, steps)?;
    let (for_each, for_all) = MOVES;
    let most = for_each * step_of.len() as u64 + for_all;
    for moves in 0..most.min(LOOKS / u64::from(steps.max(1))) {
        if timetable.faults.is_empty() {
            return Some(timetable.step);
        }
        if moves % STRIDE == 0 && (context.is_best_effort() || context.check(0).is_err()) {
            break;
        }
        if let Some((hop, step)) = timetable.best_move(moves, rng) {
            let until = moves + rng.random_range(TENURE.0..TENURE.0 + TENURE.1 + timetable.faults.len() as u64 / 2);
            timetable.exchange(hop, step, until);
        }
    }
    None
}

/// When each hop is made.
struct StepSearch<'a> {
    network: &'a TerminalGraph,
    /// The channel of each hop.
    channel: &'a [u32],
    steps: u32,
    step: Vec<u32>,
    /// Whether a hop is the last one of its message.
    is_last: Vec<bool>,
    /// The hop on each wire in each step.
    at: Vec<u32>,
    /// Uses of each port in each step.
    used: Vec<u32>,
    /// Hops that are not before the next one of their message, by number, and behind all hops cells of `used`.
    faults: Vec<u32>,
    /// The place of each fault, or [`NONE`].
    place: Vec<u32>,
    /// The move from which on a hop may be moved again.
    free_from: Vec<u64>,
    /// The channels of each port.
    by_port: Vec<Vec<u32>>,
}

impl<'a> StepSearch<'a> {
    /// Hops that come too late get the last step in which their wire is free; `None` if there is none.
    fn new(network: &'a TerminalGraph, routes: &'a RouteSet, step_of: &[u32], steps: u32) -> Option<Self> {
        let (channel, wires) = (routes.hops(), network.wire_count());
        let ports = network.slot_count() - wires;
        let mut is_last = vec![false; channel.len()];
        (0..routes.len()).for_each(|message| is_last[routes.places(message).end - 1] = true);
        let mut by_port = vec![Vec::new(); ports];
        for channel in 0..network.channel_count() as u32 {
            for port in network.limits(channel).skip(1) {
                by_port[port as usize - wires].push(channel);
            }
        }
        let mut timetable = Self {
            network,
            channel,
            steps,
            step: step_of.to_vec(),
            is_last,
            at: vec![NONE; wires * steps as usize],
            used: vec![0; ports * steps as usize],
            faults: Vec::new(),
            place: vec![NONE; channel.len() + ports * steps as usize],
            free_from: vec![0; channel.len()],
            by_port,
        };
        let (early, late): (Vec<usize>, Vec<usize>) = (0..channel.len()).partition(|&hop| step_of[hop] < steps);
        for hop in early {
            let cell = timetable.cell(hop, step_of[hop]);
            timetable.at[cell] = hop as u32;
        }
        for hop in late {
            let step = (0..steps).rev().find(|&step| timetable.at[timetable.cell(hop, step)] == NONE)?;
            let cell = timetable.cell(hop, step);
            timetable.at[cell] = hop as u32;
            timetable.step[hop] = step;
        }
        for hop in 0..channel.len() {
            timetable.enter(hop, timetable.step[hop]);
        }
        (0..channel.len()).for_each(|hop| timetable.judge(hop));
        Some(timetable)
    }

    /// The place of a hop's wire in a step.
    fn cell(&self, hop: usize, step: u32) -> usize {
        self.network.slots(self.channel[hop])[0] as usize * self.steps as usize + step as usize
    }

    /// The place of a port in a step.
    fn port_cell(&self, port: SlotId, step: u32) -> usize {
        (port as usize - self.network.wire_count()) * self.steps as usize + step as usize
    }

    /// The ports of a hop.
    fn ports(&self, hop: usize) -> impl Iterator<Item = SlotId> + use<'a> {
        self.network.limits(self.channel[hop]).skip(1)
    }

    /// Makes a hop in a step, as far as ports are concerned.
    fn enter(&mut self, hop: usize, step: u32) {
        for port in self.ports(hop) {
            let cell = self.port_cell(port, step);
            self.used[cell] += 1;
            self.mark(self.channel.len() + cell, self.used[cell] > self.network.capacity(port));
        }
    }

    fn leave(&mut self, hop: usize, step: u32) {
        for port in self.ports(hop) {
            let cell = self.port_cell(port, step);
            self.used[cell] -= 1;
            self.mark(self.channel.len() + cell, self.used[cell] > self.network.capacity(port));
        }
    }

    /// Says whether something is a fault.
    fn mark(&mut self, fault: usize, is_fault: bool) {
        let place = self.place[fault];
        if is_fault && place == NONE {
            self.place[fault] = self.faults.len() as u32;
            self.faults.push(fault as u32);
        } else if !is_fault && place != NONE {
            self.place[fault] = NONE;
            self.faults.swap_remove(place as usize);
            if let Some(&moved) = self.faults.get(place as usize) {
                self.place[moved as usize] = place;
            }
        }
    }

    fn is_first(&self, hop: usize) -> bool {
        hop.checked_sub(1).is_none_or(|before| self.is_last[before])
    }

    /// Looks whether a hop is after the one before it, and before the one after it.
    fn judge(&mut self, hop: usize) {
        if !self.is_last[hop] {
            self.mark(hop, self.step[hop] >= self.step[hop + 1]);
        }
        if !self.is_first(hop) {
            self.mark(hop - 1, self.step[hop - 1] >= self.step[hop]);
        }
    }

    /// Steps by which a hop would be out of order with its neighbours in this step.
    #[inline]
    fn disorder(&self, hop: usize, step: u32) -> i64 {
        let before = if self.is_first(hop) { 0 } else { (self.step[hop - 1] + 1).saturating_sub(step) };
        let after = if self.is_last[hop] { 0 } else { (step + 1).saturating_sub(self.step[hop + 1]) };
        i64::from(before) + i64::from(after)
    }

    /// How many more uses of ports would be too many, if a hop went to another step and `other` came in its place.
    fn crowding(&self, hop: usize, to: u32, other: u32) -> i64 {
        let from = self.step[hop];
        let stays = |port: SlotId| other != NONE && self.ports(other as usize).any(|taken| taken == port);
        let change = |port: SlotId| {
            let (capacity, used) = (self.network.capacity(port), |step| self.used[self.port_cell(port, step)]);
            i64::from(used(to) >= capacity) - i64::from(used(from) > capacity)
        };
        self.ports(hop).filter(|&port| !stays(port)).map(change).sum()
    }

    /// The hops of one fault.
    fn culprits(&self, fault: usize) -> Vec<usize> {
        let Some(cell) = fault.checked_sub(self.channel.len()) else { return vec![fault, fault + 1] };
        let (port, step) = (cell / self.steps as usize, cell % self.steps as usize);
        let on = |&channel: &u32| {
            let hop = self.at[self.network.slots(channel)[0] as usize * self.steps as usize + step];
            (hop != NONE && self.channel[hop as usize] == channel).then_some(hop as usize)
        };
        self.by_port[port].iter().filter_map(on).collect()
    }

    /// The best change of a hop of some fault: the hop and its new step.
    fn best_move(&self, now: u64, rng: &mut impl Rng) -> Option<(usize, u32)> {
        let fault = self.faults[rng.random_range(0..self.faults.len())] as usize;
        let mut best = (i64::MAX, 0, None);
        for hop in self.culprits(fault) {
            if self.free_from[hop] > now {
                continue;
            }
            let from = self.step[hop];
            let before = self.disorder(hop, from);
            for to in (0..self.steps).filter(|&to| to != from) {
                let other = self.at[self.cell(hop, to)];
                let mut change = self.disorder(hop, to) - before + self.crowding(hop, to, other);
                if other != NONE {
                    let other = other as usize;
                    if self.free_from[other] > now || other.abs_diff(hop) == 1 {
                        continue;
                    }
                    change += self.disorder(other, from) - self.disorder(other, to);
                    change += self.crowding(other, from, hop as u32);
                }
                if change <= best.0 {
                    let tie = rng.random::<u32>();
                    if (change, tie) < (best.0, best.1) {
                        best = (change, tie, Some((hop, to)));
                    }
                }
            }
        }
        best.2
    }

    /// Moves a hop to another step, and who is there to where it was; both stay for some moves.
    fn exchange(&mut self, hop: usize, to: u32, until: u64) {
        let from = self.step[hop];
        let (here, there) = (self.cell(hop, from), self.cell(hop, to));
        self.at.swap(here, there);
        self.change(hop, to, until);
        if self.at[here] != NONE {
            self.change(self.at[here] as usize, from, until);
        }
    }

    fn change(&mut self, hop: usize, to: u32, until: u64) {
        self.leave(hop, self.step[hop]);
        self.enter(hop, to);
        self.step[hop] = to;
        self.free_from[hop] = until;
        self.judge(hop);
    }
}
