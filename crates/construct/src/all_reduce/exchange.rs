//! Exchanges: groups of terminals that hold the same sum exchange their sums, and become one group.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::kit::capacities::Capacities;
use crate::negotiation::groups::{Group, Groups};
use crate::negotiation::price_table::PriceTable;
use crate::negotiation::route_table::RouteTable;
use crate::negotiation::transfers::{BlockTransfer, Transfers};

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

    /// Builds a schedule of at most `steps` steps; `None` if it has more, or if parts remain that cannot exchange their
    /// sums.
    pub(super) fn attempt(&mut self, steps: u32, rng: &mut impl Rng) -> Option<Transfers> {
        self.steps = steps;
        self.table = PriceTable::new(self.capacities, steps);
        self.transfers.clear();
        for block in 0..self.groups.block_count() as u32 {
            let group = self.groups.of_block(block);
            let parts = group.members.iter().map(|&member| vec![member]).collect();
            let free_from = self.transfers.iter().map(|transfer| transfer.step + 1).max().unwrap_or(0);
            let mut state = BlockState { block, group, step: 0, free_from, parts };
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

    /// Lets all terminals farther from the centres than a random distance send what they hold towards the centres, layer by
    /// layer.
    fn gather_layers(&mut self, state: &mut BlockState<'_>, rng: &mut impl Rng) -> Option<()> {
        let depth = &state.group.depth;
        let most = state.group.members.iter().map(|&member| depth[member as usize]).max()?;
        let layers = rng.random_range(0..=most);
        for layer in (most - layers + 1..=most).rev() {
            while state.parts.iter().any(|part| depth[part[0] as usize] == layer) {
                let parts = std::mem::take(&mut state.parts);
                let (receivers, senders) = parts.into_iter().partition(|part| depth[part[0] as usize] < layer);
                self.gather(state, senders, receivers, rng)?;
            }
        }
        Some(())
    }

    /// Lets random terminals send what they hold to others, so that a power of two remains.
    fn gather_some(&mut self, state: &mut BlockState<'_>, rng: &mut impl Rng) -> Option<()> {
        let kept = 1 << state.parts.len().ilog2();
        let mut receivers = std::mem::take(&mut state.parts);
        receivers.shuffle(rng);
        let senders = receivers.split_off(kept);
        if senders.is_empty() {
            state.parts = receivers;
            return Some(());
        }
        self.gather(state, senders, receivers, rng)
    }

    /// Lets single terminals send what they hold to others, in the next step. Those without a free route stay. `None` if no step is
    /// left.
    fn gather(
        &mut self,
        state: &mut BlockState<'_>,
        mut senders: Vec<Vec<u32>>,
        receivers: Vec<Vec<u32>>,
        rng: &mut impl Rng,
    ) -> Option<()> {
        let is_receiver = self.marks(receivers.iter().flatten());
        senders.shuffle(rng);
        state.parts = receivers;
        for sender in senders {
            if !self.transfer(state, End::Sender, sender[0], &is_receiver, rng) {
                state.parts.push(sender);
            }
        }
        self.advance(state)
    }

    /// Merges as many parts as possible in the next step. `None` if no step is left, or if the remaining parts cannot be
    /// merged.
    fn merge_parts(&mut self, state: &mut BlockState<'_>, rng: &mut impl Rng) -> Option<()> {
        let parts = std::mem::take(&mut state.parts);
        let is_in: Vec<Vec<bool>> = parts.iter().map(|part| self.marks(part)).collect();
        // Lists of parts that become one, and the list of each part.
        let mut merged: Vec<Vec<usize>> = (0..parts.len()).map(|part| vec![part]).collect();
        let mut list_of: Vec<usize> = (0..parts.len()).collect();
        let mut pairs: Vec<[usize; 2]> = (0..parts.len()).flat_map(|one| (0..one).map(move |two| [one, two])).collect();
        pairs.shuffle(rng);
        pairs.sort_by_key(|&[one, two]| parts[one].len().abs_diff(parts[two].len()));
        for pair in pairs {
            let [one, two] = pair.map(|part| list_of[part]);
            if one == two {
                continue;
            }
            let start = self.transfers.len();
            // Every terminal of a list gets the sum of each part of the other one.
            let is_exchanged = [(one, two), (two, one)].into_iter().all(|(to, from)| {
                let mut receivers = merged[to].iter().flat_map(|&part| &parts[part]);
                receivers.all(|&receiver| {
                    merged[from].iter().all(|&part| self.transfer(state, End::Receiver, receiver, &is_in[part], rng))
                })
            });
            if is_exchanged {
                let moved = std::mem::take(&mut merged[two]);
                for &part in &moved {
                    list_of[part] = one;
                }
                merged[one].extend(moved);
            } else {
                self.take_back(start);
            }
        }
        merged.retain(|list| !list.is_empty());
        let members = |list: &Vec<usize>| list.iter().flat_map(|&part| parts[part].iter().copied()).collect();
        state.parts = merged.iter().map(members).collect();
        if merged.len() == parts.len() && state.step >= state.free_from {
            return None;
        }
        self.advance(state)
    }

    /// Sends the result from the last part to all members. `None` if the steps do not suffice.
    fn distribute(&mut self, state: &mut BlockState<'_>, rng: &mut impl Rng) -> Option<()> {
        let mut is_holder = self.marks(&state.parts[0]);
        let mut left = state.group.members.clone();
        loop {
            left.retain(|&member| !is_holder[member as usize]);
            if left.is_empty() {
                return Some(());
            }
            left.shuffle(rng);
            let holders = is_holder.clone();
            for &member in &left {
                is_holder[member as usize] = self.transfer(state, End::Receiver, member, &holders, rng);
            }
            self.advance(state)?;
        }
    }

    /// Goes to the next step. `None` if the block has used a step beyond the last one.
    fn advance(&self, state: &mut BlockState<'_>) -> Option<()> {
        state.step += 1;
        (state.step <= self.steps).then_some(())
    }

    /// Adds a transfer in the current step between a terminal and one of the `others`, by the shortest free route. Returns
    /// false if no route is free.
    fn transfer(
        &mut self,
        state: &BlockState<'_>,
        end: End,
        terminal: u32,
        others: &[bool],
        rng: &mut impl Rng,
    ) -> bool {
        if state.step >= self.steps {
            return false;
        }
        let graph = &self.groups.graphs[end as usize];
        let mut best: Option<(usize, u32, u32)> = None;
        self.considered += graph.routes_at(terminal).len() as u64;
        for &route in graph.routes_at(terminal) {
            let [_, other] = graph.near_and_far(self.routes, route);
            let slots = self.routes.slots(route);
            if others[other as usize] && self.table.is_free(slots, state.step) {
                let candidate = (slots.len(), rng.next_u32(), route);
                best = Some(best.map_or(candidate, |best| best.min(candidate)));
            }
        }
        let Some((_, _, route)) = best else { return false };
        self.table.add(self.routes.slots(route), state.step);
        self.transfers.push(BlockTransfer { block: state.block, route, step: state.step });
        true
    }

    /// Takes back all transfers from this place of the list on.
    fn take_back(&mut self, start: usize) {
        for transfer in self.transfers.drain(start..) {
            self.table.remove(self.routes.slots(transfer.route), transfer.step);
        }
    }

    /// Returns which terminals are in the list.
    fn marks<'t>(&self, terminals: impl IntoIterator<Item = &'t u32>) -> Vec<bool> {
        let mut marks = vec![false; self.groups.terminal_count()];
        for &terminal in terminals {
            marks[terminal as usize] = true;
        }
        marks
    }
}

/// The role of a terminal in a transfer: the index of the routes at it in [`Groups::graphs`].
#[derive(Clone, Copy)]
enum End {
    Receiver = 0,
    Sender = 1,
}
