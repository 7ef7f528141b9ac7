//! Local search for the step of each hop.

use rand::{Rng, RngExt};

use super::routes::RouteSet;
use super::terminal_graph::TerminalGraph;
use crate::kit::capacities::SlotId;
use crate::kit::request::AttemptContext;

/// Marks a cell without a hop, and a fault that is not listed.
const NONE: u32 = u32::MAX;

/// The maximum number of cells, one per slot and step.
const MAX_CELLS: usize = 1 << 26;

/// The maximum number of moves per hop.
const MOVES_PER_HOP: u64 = 32;

/// The number of moves in addition.
const EXTRA_MOVES: u64 = 1 << 10;

/// The maximum number of steps visited by all moves together.
const MAX_VISITS: u64 = 1 << 23;

/// Number of moves between two checks of the budget.
const CHECK_INTERVAL: u64 = 256;

/// The minimum tabu tenure: the number of moves for which a moved hop stays in its step. Half the number of faults is
/// added.
const MIN_TENURE: u64 = 3;

/// The random part of the tabu tenure.
const RANDOM_TENURE: u64 = 8;

/// Units of work per step and move.
const MOVE_WORK: u64 = 4;

/// Finds other steps for the hops of a schedule, so that it ends after `steps` steps. Returns `None` without success.
/// No slot may have more uses than fit into `steps` steps. Not supported: resources with a capacity above one.
///
/// Each resource carries at most one message per step throughout the search. Faults are hops that do not come after the
/// previous hop of their message, and overloaded ports. A move takes a hop of one fault to another step, where it may
/// exchange its step with another hop on the same resource. The search makes the move with the lowest cost: steps out
/// of order plus excess uses of ports. Moved hops are tabu for some moves.
///
/// Time: `O(steps)` per hop of the fault and move. Memory: 4 bytes per slot and step, and 17 bytes per hop.
///
/// # Source
///
/// Minton, Johnston, Philips and Laird, *Minimizing conflicts* (1992), with a tabu list after Glover, *Tabu search*
/// (1989). Unit hops on given routes are a job shop: Leighton, Maggs and Rao, *Packet routing and job-shop
/// scheduling in O(congestion + dilation) steps* (1994).
pub(super) fn shortened(
    graph: &TerminalGraph,
    routes: &RouteSet,
    step_of: &[u32],
    steps: u32,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Option<Vec<u32>> {
    if graph.has_wide_resources() || graph.slot_count().saturating_mul(steps as usize) > MAX_CELLS {
        return None;
    }
    let mut search = StepSearch::new(graph, routes, step_of, steps)?;
    let mut work = (search.at.len() + search.fault_index.len()) as u64;
    let max_moves = MOVES_PER_HOP * step_of.len() as u64 + EXTRA_MOVES;
    for moves in 0..max_moves.min(MAX_VISITS / u64::from(steps.max(1))) {
        if search.faults.is_empty() {
            context.count(work);
            return Some(search.step);
        }
        if moves % CHECK_INTERVAL == 0 && (context.is_best_effort() || context.check(0).is_err()) {
            break;
        }
        if let Some((hop, step)) = search.best_move(moves, rng) {
            let until =
                moves + rng.random_range(MIN_TENURE..MIN_TENURE + RANDOM_TENURE + search.faults.len() as u64 / 2);
            search.exchange(hop, step, until);
        }
        work += u64::from(steps) * MOVE_WORK;
    }
    context.count(work);
    None
}

/// The step of each hop, and the faults.
///
/// Invariants: `at` and `used` follow from `step`; `faults` lists exactly the faults, and `fault_index` their
/// positions.
struct StepSearch<'a> {
    graph: &'a TerminalGraph,
    /// The channel of each hop.
    channel: &'a [u32],
    steps: u32,
    step: Vec<u32>,
    /// Whether a hop is the last hop of its message.
    is_last: Vec<bool>,
    /// The hop on each resource in each step.
    at: Vec<u32>,
    /// Number of uses of each port in each step.
    used: Vec<u32>,
    /// The faults: numbers of hops that are not before the next hop of their message, and cells of overloaded ports,
    /// numbered after all hops.
    faults: Vec<u32>,
    /// The position of each fault in `faults`, or [`NONE`].
    fault_index: Vec<u32>,
    /// The first move in which a hop may move again.
    free_from: Vec<u64>,
    /// The channels of each port.
    by_port: Vec<Vec<u32>>,
}

impl<'a> StepSearch<'a> {
    /// Moves hops after the last step to the last free step of their resource. Returns `None` if there is none.
    fn new(graph: &'a TerminalGraph, routes: &'a RouteSet, step_of: &[u32], steps: u32) -> Option<Self> {
        let (channel, resources) = (routes.hops(), graph.resource_count());
        let ports = graph.slot_count() - resources;
        let mut is_last = vec![false; channel.len()];
        (0..routes.len()).for_each(|message| is_last[routes.hop_range(message).end - 1] = true);
        let mut by_port = vec![Vec::new(); ports];
        for channel in 0..graph.channel_count() as u32 {
            for port in graph.limited_slots(channel).skip(1) {
                by_port[port as usize - resources].push(channel);
            }
        }
        let mut search = Self {
            graph,
            channel,
            steps,
            step: step_of.to_vec(),
            is_last,
            at: vec![NONE; resources * steps as usize],
            used: vec![0; ports * steps as usize],
            faults: Vec::new(),
            fault_index: vec![NONE; channel.len() + ports * steps as usize],
            free_from: vec![0; channel.len()],
            by_port,
        };
        let (early, late): (Vec<usize>, Vec<usize>) = (0..channel.len()).partition(|&hop| step_of[hop] < steps);
        for hop in early {
            let cell = search.cell(hop, step_of[hop]);
            search.at[cell] = hop as u32;
        }
        for hop in late {
            let step = (0..steps).rev().find(|&step| search.at[search.cell(hop, step)] == NONE)?;
            let cell = search.cell(hop, step);
            search.at[cell] = hop as u32;
            search.step[hop] = step;
        }
        for hop in 0..channel.len() {
            search.add_port_uses(hop, search.step[hop]);
        }
        (0..channel.len()).for_each(|hop| search.update_order_faults(hop));
        Some(search)
    }

    /// Returns the cell of a hop's resource in a step.
    fn cell(&self, hop: usize, step: u32) -> usize {
        self.graph.slots(self.channel[hop])[0] as usize * self.steps as usize + step as usize
    }

    /// Returns the cell of a port in a step.
    fn port_cell(&self, port: SlotId, step: u32) -> usize {
        (port as usize - self.graph.resource_count()) * self.steps as usize + step as usize
    }

    /// Returns the limited ports of a hop.
    fn ports(&self, hop: usize) -> impl Iterator<Item = SlotId> + use<'a> {
        self.graph.limited_slots(self.channel[hop]).skip(1)
    }

    /// Adds the uses of ports by a hop in a step.
    fn add_port_uses(&mut self, hop: usize, step: u32) {
        for port in self.ports(hop) {
            let cell = self.port_cell(port, step);
            self.used[cell] += 1;
            self.set_fault(self.channel.len() + cell, self.used[cell] > self.graph.capacity(port));
        }
    }

    /// Removes the uses of ports by a hop in a step.
    fn remove_port_uses(&mut self, hop: usize, step: u32) {
        for port in self.ports(hop) {
            let cell = self.port_cell(port, step);
            self.used[cell] -= 1;
            self.set_fault(self.channel.len() + cell, self.used[cell] > self.graph.capacity(port));
        }
    }

    /// Adds a fault to the list or removes it.
    fn set_fault(&mut self, fault: usize, is_fault: bool) {
        let index = self.fault_index[fault];
        if is_fault && index == NONE {
            self.fault_index[fault] = self.faults.len() as u32;
            self.faults.push(fault as u32);
        } else if !is_fault && index != NONE {
            self.fault_index[fault] = NONE;
            self.faults.swap_remove(index as usize);
            if let Some(&moved) = self.faults.get(index as usize) {
                self.fault_index[moved as usize] = index;
            }
        }
    }

    fn is_first(&self, hop: usize) -> bool {
        hop.checked_sub(1).is_none_or(|before| self.is_last[before])
    }

    /// Updates the faults of a hop with the previous and the next hop of its message.
    fn update_order_faults(&mut self, hop: usize) {
        if !self.is_last[hop] {
            self.set_fault(hop, self.step[hop] >= self.step[hop + 1]);
        }
        if !self.is_first(hop) {
            self.set_fault(hop - 1, self.step[hop - 1] >= self.step[hop]);
        }
    }

    /// Returns the number of steps by which a hop would be out of order in this step.
    #[inline]
    fn disorder(&self, hop: usize, step: u32) -> i64 {
        let before = if self.is_first(hop) { 0 } else { (self.step[hop - 1] + 1).saturating_sub(step) };
        let after = if self.is_last[hop] { 0 } else { (step + 1).saturating_sub(self.step[hop + 1]) };
        i64::from(before) + i64::from(after)
    }

    /// Returns the change in excess uses of ports if a hop moves to another step and `other` takes its place.
    fn crowding(&self, hop: usize, to: u32, other: u32) -> i64 {
        let from = self.step[hop];
        let stays = |port: SlotId| other != NONE && self.ports(other as usize).any(|taken| taken == port);
        let change = |port: SlotId| {
            let (capacity, used) = (self.graph.capacity(port), |step| self.used[self.port_cell(port, step)]);
            i64::from(used(to) >= capacity) - i64::from(used(from) > capacity)
        };
        self.ports(hop).filter(|&port| !stays(port)).map(change).sum()
    }

    /// Returns the hops of one fault.
    fn hops_of_fault(&self, fault: usize) -> Vec<usize> {
        let Some(cell) = fault.checked_sub(self.channel.len()) else { return vec![fault, fault + 1] };
        let (port, step) = (cell / self.steps as usize, cell % self.steps as usize);
        let on = |&channel: &u32| {
            let hop = self.at[self.graph.slots(channel)[0] as usize * self.steps as usize + step];
            (hop != NONE && self.channel[hop as usize] == channel).then_some(hop as usize)
        };
        self.by_port[port].iter().filter_map(on).collect()
    }

    /// Returns the best move of a hop of a random fault: the hop and its new step.
    fn best_move(&self, now: u64, rng: &mut impl Rng) -> Option<(usize, u32)> {
        let fault = self.faults[rng.random_range(0..self.faults.len())] as usize;
        let mut best = (i64::MAX, 0, None);
        for hop in self.hops_of_fault(fault) {
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

    /// Moves a hop to another step. A hop that is there takes its place. Both are tabu until a move number.
    fn exchange(&mut self, hop: usize, to: u32, until: u64) {
        let from = self.step[hop];
        let (here, there) = (self.cell(hop, from), self.cell(hop, to));
        self.at.swap(here, there);
        self.move_hop(hop, to, until);
        if self.at[here] != NONE {
            self.move_hop(self.at[here] as usize, from, until);
        }
    }

    fn move_hop(&mut self, hop: usize, to: u32, until: u64) {
        self.remove_port_uses(hop, self.step[hop]);
        self.add_port_uses(hop, to);
        self.step[hop] = to;
        self.free_from[hop] = until;
        self.update_order_faults(hop);
    }
}
