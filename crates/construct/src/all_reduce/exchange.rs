//! Exchanges: groups of terminals that hold the same sum exchange their sums, and become one group.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::groups::{Group, Groups};
use super::price_table::PriceTable;
use super::route_table::RouteTable;
use super::transfers::{BlockTransfer, Transfers};
use crate::kit::capacities::Capacities;

/// Builds all-reduces of few blocks. Terminals far from the centres send their contributions towards them. The others are
/// groups of one terminal. In each step, groups whose members can all receive each other's sum become one group. The last
/// group sends the result to the other terminals.
///
/// Recursive doubling is the case of pairs of groups, and direct exchange that of all groups in one step.
pub(super) struct Exchange<'a> {
    routes: &'a RouteTable,
    groups: &'a Groups,
    capacities: &'a Capacities,
    steps: u32,
    table: PriceTable<'a>,
    transfers: Vec<BlockTransfer>,
    /// Number of routes considered so far.
    considered: u64,
}

/// The terminals of one block in a step.
struct BlockState<'g> {
    block: u32,
    group: &'g Group,
    step: u32,
    /// No other block has transfers in this step or later ones.
    free_from: u32,
    /// Lists of terminals that hold the same sum.
    parts: Vec<Vec<u32>>,
    /// By terminal: whether it holds the sum of the last group.
    is_done: Vec<bool>,
}

impl<'a> Exchange<'a> {
    /// Returns a builder of schedules of at most `steps` steps.
    pub(super) fn new(routes: &'a RouteTable, groups: &'a Groups, capacities: &'a Capacities, steps: u32) -> Self {
        let table = PriceTable::new(capacities, steps);
        Self { routes, groups, capacities, steps, table, transfers: Vec::new(), considered: 0 }
    }

    /// Returns the number of routes considered so far.
    pub(super) fn considered(&self) -> u64 {
        self.considered
    }

    /// Builds a schedule of at most `steps` steps, which are not more than in the calls before; `None` if it has more, or if
    /// parts remain that cannot exchange their sums.
    pub(super) fn attempt(&mut self, steps: u32, rng: &mut impl Rng) -> Option<Transfers> {
        self.steps = steps;
        self.table = PriceTable::new(self.capacities, self.steps);
        self.transfers.clear();
        for block in 0..self.groups.block_count() as u32 {
            let group = self.groups.of_block(block);
            let parts = group.members.iter().map(|&member| vec![member]).collect();
            let is_done = vec![false; self.groups.terminal_count()];
            let free_from = self.transfers.iter().map(|transfer| transfer.step + 1).max().unwrap_or(0);
            let mut state = BlockState { block, group, step: 0, free_from, parts, is_done };
            self.gather_layers(&mut state, rng)?;
            if rng.random() {
                self.gather_some(&mut state, rng)?;
            }
            while state.parts.len() > 1 {
                self.merge_parts(&mut state, rng)?;
            }
            self.distribute(&mut state, rng)?;
        }
        Some(Transfers(self.transfers.clone()))
    }

    /// Adds a transfer in a step between a terminal and one of `others`, by the shortest free route. `end` is 0 if the
    /// terminal receives, and 1 if it sends. `None` if no route is free.
    fn transfer(
        &mut self,
        end: usize,
        block: u32,
        step: u32,
        terminal: u32,
        others: &[bool],
        rng: &mut impl Rng,
    ) -> Option<()> {
        let graph = &self.groups.graphs[end];
        let mut best = None;
        for &route in graph.routes_at(terminal) {
            let [_, other] = graph.near_and_far(self.routes, route);
            let slots = self.routes.slots(route);
            if others[other as usize] && self.table.is_free(slots, step) {
                let candidate = (slots.len(), rng.next_u32(), route);
                best = Some(best.map_or(candidate, |best: (usize, u32, u32)| best.min(candidate)));
            }
        }
        self.considered += graph.routes_at(terminal).len() as u64;
        let (_, _, route) = best?;
        self.table.add(self.routes.slots(route), step);
        self.transfers.push(BlockTransfer { block, route, step });
        Some(())
    }

    /// Takes back all transfers from this place of the list on.
    fn take_back(&mut self, start: usize) {
        for transfer in self.transfers.drain(start..) {
            self.table.remove(self.routes.slots(transfer.route), transfer.step);
        }
    }
}

impl Exchange<'_> {
    /// Lets all terminals farther from the centres than a random distance send what they hold towards the centres, layer by
    /// layer.
    fn gather_layers(&mut self, state: &mut BlockState<'_>, rng: &mut impl Rng) -> Option<()> {
        let depth = &state.group.depth;
        let most = state.group.members.iter().map(|&member| depth[member as usize]).max()?;
        let layers = rng.random_range(0..=most);
        for layer in (most - layers + 1..=most).rev() {
            while state.parts.iter().any(|part| depth[part[0] as usize] == layer) {
                let inner = |part: &Vec<u32>| depth[part[0] as usize] < layer;
                let (receivers, senders) = state.parts.iter().cloned().partition(inner);
                self.gather(state, senders, receivers, rng)?;
            }
        }
        Some(())
    }

    /// Lets random terminals send what they hold to others, so that a power of two remains.
    fn gather_some(&mut self, state: &mut BlockState<'_>, rng: &mut impl Rng) -> Option<()> {
        let kept = 1 << state.parts.len().ilog2();
        state.parts.shuffle(rng);
        let senders = state.parts.split_off(kept);
        if senders.is_empty() {
            return Some(());
        }
        let receivers = std::mem::take(&mut state.parts);
        self.gather(state, senders, receivers, rng)
    }

    /// Lets single terminals send what they hold to others, as many as possible in the next step. `None` if no step is left.
    fn gather(
        &mut self,
        state: &mut BlockState<'_>,
        mut senders: Vec<Vec<u32>>,
        receivers: Vec<Vec<u32>>,
        rng: &mut impl Rng,
    ) -> Option<()> {
        if state.step >= self.steps {
            return None;
        }
        let mut is_receiver = vec![false; state.is_done.len()];
        receivers.iter().flatten().for_each(|&receiver| is_receiver[receiver as usize] = true);
        senders.shuffle(rng);
        state.parts = receivers;
        for sender in senders {
            if self.transfer(1, state.block, state.step, sender[0], &is_receiver, rng).is_none() {
                state.parts.push(sender);
            }
        }
        state.step += 1;
        Some(())
    }

    /// Merges as many parts as possible in the next step. `None` if no step is left.
    fn merge_parts(&mut self, state: &mut BlockState<'_>, rng: &mut impl Rng) -> Option<()> {
        if state.step >= self.steps {
            return None;
        }
        let parts = std::mem::take(&mut state.parts);
        // The parts that become one.
        let mut merged: Vec<Vec<usize>> = (0..parts.len()).map(|part| vec![part]).collect();
        let mut place: Vec<usize> = (0..parts.len()).collect();
        let mut pairs: Vec<(usize, usize)> =
            (0..parts.len()).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
        pairs.shuffle(rng);
        pairs.sort_by_key(|&(one, other)| parts[one].len().abs_diff(parts[other].len()));
        for (one, other) in pairs {
            let [one, other] = [one, other].map(|part| place[part]);
            if one == other {
                continue;
            }
            let start = self.transfers.len();
            let both = [(one, other), (other, one)].into_iter().all(|(to, from)| {
                merged[to].iter().flat_map(|&part| &parts[part]).all(|&receiver| {
                    merged[from].iter().all(|&part| {
                        let mut senders = vec![false; state.is_done.len()];
                        parts[part].iter().for_each(|&sender| senders[sender as usize] = true);
                        self.transfer(0, state.block, state.step, receiver, &senders, rng).is_some()
                    })
                })
            });
            if both {
                let moved = std::mem::take(&mut merged[other]);
                moved.iter().for_each(|&part| place[part] = one);
                merged[one].extend(moved);
            } else {
                self.take_back(start);
            }
        }
        let members = |merged: &Vec<usize>| merged.iter().flat_map(|&part| parts[part].iter().copied()).collect();
        let before = parts.len();
        state.parts = merged.iter().filter(|merged| !merged.is_empty()).map(members).collect();
        if state.parts.len() == before && state.step >= state.free_from {
            return None;
        }
        state.step += 1;
        Some(())
    }

    /// Sends the result from the last part to all members. `None` if the steps do not suffice.
    fn distribute(&mut self, state: &mut BlockState<'_>, rng: &mut impl Rng) -> Option<()> {
        state.parts[0].iter().for_each(|&holder| state.is_done[holder as usize] = true);
        let mut left: Vec<u32> =
            state.group.members.iter().copied().filter(|&member| !state.is_done[member as usize]).collect();
        while !left.is_empty() {
            if state.step >= self.steps {
                return None;
            }
            left.shuffle(rng);
            let before = std::mem::take(&mut left);
            let mut reached = Vec::new();
            for member in before {
                match self.transfer(0, state.block, state.step, member, &state.is_done, rng) {
                    Some(_) => reached.push(member),
                    None => left.push(member),
                }
            }
            reached.iter().for_each(|&member| state.is_done[member as usize] = true);
            state.step += 1;
        }
        Some(())
    }
}
