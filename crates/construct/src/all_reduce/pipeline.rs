//! Blocks in a pipeline: each along its own trees, as early as the blocks before it allow.

use std::cmp::Reverse;

use lockstep_model::{Routes, Slots, Timetable};
use rand::Rng;
use rand::seq::SliceRandom;

use super::trees::{AttemptChoice, BlockTrees, RootChoice, TreeGrowth};
use crate::negotiation::groups::{Group, Groups};
use crate::negotiation::transfers::{BlockTransfer, Transfers};

/// Builds schedules block by block.
pub(super) struct Pipeline<'a> {
    pub(super) slots: &'a Slots,
    pub(super) routes: &'a Routes,
    pub(super) groups: &'a Groups,
    pub(super) terminals: usize,
}

impl Pipeline<'_> {
    /// Builds a schedule: grows the trees of every block, and places its transfers in the first free steps. `None` if some
    /// terminal is unreachable.
    pub(super) fn attempt(&self, choice: AttemptChoice, rng: &mut impl Rng) -> Option<Transfers> {
        let mut blocks: Vec<u32> = (0..self.groups.block_count() as u32).collect();
        blocks.shuffle(rng);
        let trees = self.trees(&blocks, choice, rng)?;
        let mut tail = vec![0u32; self.terminals];
        // Each with the number of transfers that follow it along its trees.
        let mut planned: Vec<(u32, BlockTransfer)> = Vec::new();
        for (block, BlockTrees { exchange, in_tree, out_tree }) in blocks.into_iter().zip(trees) {
            tail.fill(0);
            for &route in out_tree.iter().rev() {
                let [near, far] = self.routes.ends(route).map(|rank| rank as usize);
                tail[near] = tail[near].max(tail[far] + 1);
            }
            let start = planned.len();
            planned.extend(
                out_tree
                    .iter()
                    .rev()
                    .map(|&route| (tail[self.routes.ends(route)[1] as usize], BlockTransfer { block, route, step: 0 })),
            );
            if let Some(routes) = exchange {
                let roots = self.routes.ends(routes[0]).map(|rank| rank as usize);
                let longest = roots.map(|root| tail[root]).into_iter().max().unwrap_or(0);
                planned.extend(routes.map(|route| (longest, BlockTransfer { block, route, step: 0 })));
                for root in roots {
                    tail[root] = longest + 1;
                }
            }
            for &route in &in_tree {
                let [far, near] = self.routes.ends(route).map(|rank| rank as usize);
                planned.push((tail[near], BlockTransfer { block, route, step: 0 }));
                tail[far] = tail[near] + 1;
            }
            // The farthest terminals send first, and receive last.
            planned[start..].reverse();
            let in_count = in_tree.len();
            planned[start + in_count..].sort_by_key(|&(tail, _)| Reverse(tail));
        }
        if !choice.is_by_block {
            planned.sort_by_key(|&(tail, _)| Reverse(tail));
        }
        Some(self.place(planned.into_iter().map(|(_, transfer)| transfer).collect()))
    }

    /// Returns the trees of the blocks; `None` if some terminal is unreachable.
    fn trees(&self, blocks: &[u32], choice: AttemptChoice, rng: &mut impl Rng) -> Option<Vec<BlockTrees>> {
        let mut growth = TreeGrowth::new(self.routes, self.slots, self.terminals);
        let [towards_root, from_root] = &self.groups.graphs;
        let mut trees = Vec::with_capacity(blocks.len());
        let mut offset = rng.next_u32() as usize;
        for &block in blocks {
            let group = self.groups.of_block(block);
            let is_central = choice.roots == RootChoice::Centres && !group.centres.is_empty();
            let candidates = if is_central { &group.centres } else { &group.members };
            offset = offset.wrapping_add(1);
            let exchange = if choice.is_exchange { self.exchange(group, candidates, offset) } else { None };
            let roots = match exchange {
                Some(routes) => {
                    for route in routes {
                        growth.add(route);
                    }
                    self.routes.ends(routes[0]).to_vec()
                }
                None => vec![candidates[offset % candidates.len()]],
            };
            trees.push(BlockTrees {
                exchange,
                in_tree: growth.grow(towards_root, &roots, &group.is_member, choice, rng)?,
                out_tree: growth.grow(from_root, &roots, &group.is_member, choice, rng)?,
            });
        }
        Some(trees)
    }

    /// Returns the routes of an exchange between two of the candidates. Blocks with successive offsets get different pairs,
    /// spread over the list of all pairs. `None` if no two candidates can exchange sums.
    fn exchange(&self, group: &Group, candidates: &[u32], offset: usize) -> Option<[u32; 2]> {
        let mut is_candidate = vec![false; self.terminals];
        for &terminal in candidates {
            is_candidate[terminal as usize] = true;
        }
        let is_between = |&route: &u32| {
            let [from, to] = self.routes.ends(route);
            from < to && is_candidate[from as usize] && is_candidate[to as usize]
        };
        let to_candidates = candidates.iter().flat_map(|&to| self.groups.graphs[0].routes_at(to));
        let between = to_candidates.copied().filter(is_between);
        let exchanges: Vec<[u32; 2]> =
            between.filter_map(|route| self.groups.routes_of_exchange(self.routes, group, route)).collect();
        let stride = (exchanges.len() / self.groups.block_count()).max(1);
        exchanges.get(offset.wrapping_mul(stride) % exchanges.len().max(1)).copied()
    }

    /// Places every transfer in the first step in which everything has arrived that an earlier one of the list brings.
    fn place(&self, mut transfers: Vec<BlockTransfer>) -> Transfers {
        let mut table = Timetable::<u128>::new(self.slots);
        let mut ready = vec![0; self.groups.block_count() * self.terminals];
        let place = |transfer: &BlockTransfer, rank: u32| transfer.block as usize * self.terminals + rank as usize;
        let ends = |transfer: &BlockTransfer| self.routes.ends(transfer.route).map(|rank| place(transfer, rank));
        // A terminal that only passes sums on may have nothing to send before it gets some.
        let is_exchange = |one: &BlockTransfer, other: &BlockTransfer| {
            let [from, to] = self.routes.ends(one.route);
            let is_member = &self.groups.of_block(one.block).is_member;
            ends(other) == [to, from].map(|rank| place(one, rank)) && is_member[from as usize] && is_member[to as usize]
        };
        for transfers in transfers.chunk_by_mut(is_exchange) {
            // What two terminals exchange does not contain what they get.
            for transfer in transfers.iter_mut() {
                let [from, _] = ends(transfer);
                let slots = self.routes.slots(transfer.route);
                transfer.step = table.first_free(slots.iter().copied(), ready[from]);
                for &slot in slots {
                    table.occupy(slot, transfer.step);
                }
            }
            for transfer in transfers {
                let [_, to] = ends(transfer);
                ready[to] = ready[to].max(transfer.step + 1);
            }
        }
        Transfers(transfers)
    }
}
