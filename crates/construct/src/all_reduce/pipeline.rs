//! Blocks in a pipeline: each along its own trees, as early as the blocks before it allow.

use std::cmp::Reverse;

use rand::Rng;
use rand::seq::SliceRandom;

use super::trees::{AttemptChoice, TreeGrowth};
use crate::kit::capacities::Capacities;
use crate::kit::reservation_table::ReservationTable;
use crate::negotiation::groups::Groups;
use crate::negotiation::route_table::RouteTable;
use crate::negotiation::transfers::{BlockTransfer, Transfers};

/// The routes of a block to its root and from its root, each in the order of growth from the root.
struct BlockTrees {
    in_tree: Vec<u32>,
    out_tree: Vec<u32>,
}

/// Builds schedules block by block.
pub(super) struct Pipeline<'a> {
    pub(super) capacities: &'a Capacities,
    pub(super) routes: &'a RouteTable,
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
        for (block, BlockTrees { in_tree, out_tree }) in blocks.into_iter().zip(trees) {
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
        let mut growth = TreeGrowth::new(self.routes, self.capacities, self.terminals);
        let [towards_root, from_root] = &self.groups.graphs;
        let mut trees = Vec::with_capacity(blocks.len());
        let mut offset = rng.next_u32() as usize;
        for &block in blocks {
            let group = self.groups.of_block(block);
            let is_central = choice.is_central && !group.centres.is_empty();
            let roots = if is_central { &group.centres } else { &group.members };
            offset = offset.wrapping_add(1);
            let root = roots[offset % roots.len()];
            trees.push(BlockTrees {
                in_tree: growth.grow(towards_root, root, &group.is_member, choice, rng)?,
                out_tree: growth.grow(from_root, root, &group.is_member, choice, rng)?,
            });
        }
        Some(trees)
    }

    /// Places every transfer in the first step in which everything has arrived that an earlier one of the list brings.
    fn place(&self, mut transfers: Vec<BlockTransfer>) -> Transfers {
        let mut table = ReservationTable::new(self.capacities);
        let mut ready = vec![0; self.groups.block_count() * self.terminals];
        for transfer in &mut transfers {
            let slots = self.routes.slots(transfer.route);
            let place = |rank: u32| transfer.block as usize * self.terminals + rank as usize;
            let [from, to] = self.routes.ends(transfer.route).map(place);
            transfer.step = table.first_free(|| slots.iter().copied(), ready[from]);
            for &slot in slots {
                table.reserve(transfer.step, slot);
            }
            ready[to] = ready[to].max(transfer.step + 1);
        }
        Transfers(transfers)
    }
}
