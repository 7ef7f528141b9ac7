//! Local search for the step of each hop.

use lockstep_model::SlotId;
use rand::{Rng, RngExt};

use super::routes::RouteSet;
use super::terminal_graph::TerminalGraph;
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
/// No slot may have more uses than fit into `steps` steps.
///
/// Each resource of capacity one carries at most one message per step throughout the search. Faults are hops that do not come
/// after the previous hop of their message, and overloaded ports and wide resources. A move takes a hop of one fault to another step, where it may
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
    if graph.slot_count().saturating_mul(steps as usize) > MAX_CELLS {
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
        if moves % CHECK_INTERVAL == 0 && context.check(0).is_err() {
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
    /// The hop on each resource of capacity one in each step.
    at: Vec<u32>,
    /// The position of each counted slot among the counted slots: ports, and resources of a capacity above one. [`NONE`] for
    /// other resources.
    counted: Vec<u32>,
    /// Number of uses of each counted slot in each step.
    used: Vec<u32>,
    /// The faults: numbers of hops that are not before the next hop of their message, and cells of overloaded counted slots,
    /// numbered after all hops.
    faults: Vec<u32>,
    /// The position of each fault in `faults`, or [`NONE`].
    fault_index: Vec<u32>,
    /// The first move in which a hop may move again.
    free_from: Vec<u64>,
    /// The channels of each counted slot.
    channels_of: Vec<Vec<u32>>,
    /// The hops over each channel whose resource is counted.
    hops_over: Vec<Vec<u32>>,
}

impl<'a> StepSearch<'a> {
    /// Moves hops after the last step to the last free step of their resource, or to the last step if that resource is
    /// counted. Returns `None` if there is none.
    fn new(graph: &'a TerminalGraph, routes: &'a RouteSet, step_of: &[u32], steps: u32) -> Option<Self> {
        let (channel, resources) = (routes.hops(), graph.resource_count());
        let mut count = 0;
        let position = |slot: usize| {
            let is_counted = slot >= resources || graph.capacity(slot as SlotId) > 1;
            count += u32::from(is_counted);
            if is_counted { count - 1 } else { NONE }
        };
        let counted: Vec<u32> = (0..graph.slot_count()).map(position).collect();
        let count = count as usize;
        let mut is_last = vec![false; channel.len()];
        (0..routes.len()).for_each(|message| is_last[routes.hop_range(message).end - 1] = true);
        let mut channels_of = vec![Vec::new(); count];
        for channel in 0..graph.channel_count() as u32 {
            for slot in graph.limited_slots(channel).filter(|&slot| counted[slot as usize] != NONE) {
                channels_of[counted[slot as usize] as usize].push(channel);
            }
        }
        let mut hops_over = vec![Vec::new(); graph.channel_count()];
        for (hop, &channel) in (0..).zip(channel) {
            if counted[graph.slots(channel)[0] as usize] != NONE {
                hops_over[channel as usize].push(hop);
            }
        }
        let mut search = Self {
            graph,
            channel,
            steps,
            step: step_of.to_vec(),
            is_last,
            at: vec![NONE; resources * steps as usize],
            counted,
            used: vec![0; count * steps as usize],
            faults: Vec::new(),
            fault_index: vec![NONE; channel.len() + count * steps as usize],
            free_from: vec![0; channel.len()],
            channels_of,
            hops_over,
        };
        let (early, late): (Vec<usize>, Vec<usize>) = (0..channel.len()).partition(|&hop| step_of[hop] < steps);
        for hop in early {
            search.occupy(hop, step_of[hop]);
        }
        for hop in late {
            let step = (0..steps).rev().find(|&step| search.other(hop, step) == NONE)?;
            search.occupy(hop, step);
            search.step[hop] = step;
        }
        for hop in 0..channel.len() {
            search.add_uses(hop, search.step[hop]);
        }
        (0..channel.len()).for_each(|hop| search.update_order_faults(hop));
        Some(search)
    }

    /// Returns the cell of a channel's resource in a step; `None` if the resource is counted.
    #[inline]
    fn cell(&self, channel: u32, step: u32) -> Option<usize> {
        let resource = self.graph.slots(channel)[0] as usize;
        (self.counted[resource] == NONE).then(|| resource * self.steps as usize + step as usize)
    }

    /// Returns the hop that a hop would exchange its step with, or [`NONE`].
    #[inline]
    fn other(&self, hop: usize, step: u32) -> u32 {
        self.cell(self.channel[hop], step).map_or(NONE, |cell| self.at[cell])
    }

    /// Records the step of a hop at its resource, unless that is counted.
    fn occupy(&mut self, hop: usize, step: u32) {
        if let Some(cell) = self.cell(self.channel[hop], step) {
            self.at[cell] = hop as u32;
        }
    }

    /// Returns the cell of a counted slot in a step.
    fn counted_cell(&self, slot: SlotId, step: u32) -> usize {
        self.counted[slot as usize] as usize * self.steps as usize + step as usize
    }

    /// Returns the counted slots of a hop, at most three.
    fn counted_slots(&self, hop: usize) -> impl Iterator<Item = SlotId> + '_ {
        self.graph.limited_slots(self.channel[hop]).filter(|&slot| self.counted[slot as usize] != NONE)
    }

    /// Adds the uses of counted slots by a hop in a step.
    fn add_uses(&mut self, hop: usize, step: u32) {
        self.change_uses(hop, step, 1);
    }

    /// Removes the uses of counted slots by a hop in a step.
    fn remove_uses(&mut self, hop: usize, step: u32) {
        self.change_uses(hop, step, u32::MAX);
    }

    /// Adds a number to the uses modulo 2^32.
    fn change_uses(&mut self, hop: usize, step: u32, added: u32) {
        let graph = self.graph;
        for slot in graph.limited_slots(self.channel[hop]) {
            if self.counted[slot as usize] != NONE {
                let cell = self.counted_cell(slot, step);
                self.used[cell] = self.used[cell].wrapping_add(added);
                self.set_fault(self.channel.len() + cell, self.used[cell] > graph.capacity(slot));
            }
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

    /// Returns the change in excess uses of counted slots if a hop moves to another step and `other` takes its place.
    fn crowding(&self, hop: usize, to: u32, other: u32) -> i64 {
        let from = self.step[hop];
        let stays = |slot: SlotId| other != NONE && self.counted_slots(other as usize).any(|taken| taken == slot);
        let change = |slot: SlotId| {
            let (capacity, used) = (self.graph.capacity(slot), |step| self.used[self.counted_cell(slot, step)]);
            i64::from(used(to) >= capacity) - i64::from(used(from) > capacity)
        };
        self.counted_slots(hop).filter(|&slot| !stays(slot)).map(change).sum()
    }

    /// Returns the hops of one fault.
    fn hops_of_fault(&self, fault: usize) -> Vec<usize> {
        let Some(cell) = fault.checked_sub(self.channel.len()) else { return vec![fault, fault + 1] };
        let (counted, step) = (cell / self.steps as usize, (cell % self.steps as usize) as u32);
        let mut hops = Vec::new();
        for &channel in &self.channels_of[counted] {
            if let Some(cell) = self.cell(channel, step) {
                let hop = self.at[cell];
                hops.extend((hop != NONE && self.channel[hop as usize] == channel).then_some(hop as usize));
            } else {
                let over = self.hops_over[channel as usize].iter().map(|&hop| hop as usize);
                hops.extend(over.filter(|&hop| self.step[hop] == step));
            }
        }
        hops
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
                let other = self.other(hop, to);
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
        let other = self.other(hop, to);
        if let (Some(here), Some(there)) = (self.cell(self.channel[hop], from), self.cell(self.channel[hop], to)) {
            self.at.swap(here, there);
        }
        self.move_hop(hop, to, until);
        if other != NONE {
            self.move_hop(other as usize, from, until);
        }
    }

    fn move_hop(&mut self, hop: usize, to: u32, until: u64) {
        self.remove_uses(hop, self.step[hop]);
        self.add_uses(hop, to);
        self.step[hop] = to;
        self.free_from[hop] = until;
        self.update_order_faults(hop);
    }
}
