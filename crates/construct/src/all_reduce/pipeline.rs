//! Blocks in a pipeline: each along its own trees, as early as the blocks before it allow.

use std::cmp::Reverse;

use lockstep_schedule::Problem;
use rand::Rng;
use rand::seq::SliceRandom;

use super::route_table::RouteTable;
use super::transfers::{BlockTransfer, Transfers};
use super::trees::{AttemptChoice, NeighbourGraph, TreeGrowth};
use crate::kit::capacities::Capacities;
use crate::kit::reservation_table::ReservationTable;

/// Maximum number of terminals among which central roots are searched for.
const MAX_CENTRE_SEARCH: usize = 256;

/// The routes of a block to its root and from its root, each in the order of growth from the root.
struct BlockTrees {
    in_tree: Vec<u32>,
    out_tree: Vec<u32>,
}

/// Builds schedules block by block.
pub(super) struct Pipeline<'a> {
    capacities: &'a Capacities,
    routes: &'a RouteTable,
    /// Routes that lead towards a root, and away from it.
    graphs: [NeighbourGraph; 2],
    groups: Vec<Group>,
    /// The group of each block.
    group_of: Vec<u32>,
    terminals: usize,
}

/// The terminals that take part in the same blocks.
struct Group {
    is_member: Vec<bool>,
    members: Vec<u32>,
    /// The terminals with the smallest distance to and from the farthest member; some only pass sums on.
    centres: Vec<u32>,
}

impl<'a> Pipeline<'a> {
    /// Returns `None` if some terminal is unreachable over routes to neighbours.
    pub(super) fn new(problem: &Problem<'_>, capacities: &'a Capacities, routes: &'a RouteTable) -> Option<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let terminals = topology.terminal_count();
        let graphs = [true, false].map(|towards_root| NeighbourGraph::new(routes, terminals, towards_root));
        let rank = |node| topology.terminal_rank(node).expect("the ends of a message are terminals") as u32;
        let (mut groups, mut group_of, mut centre_searches) = (Vec::<Group>::new(), Vec::new(), 0);
        for message in messages.ids().step_by(messages.chunks() as usize) {
            let ends = [messages.source(message)].into_iter().chain(messages.receivers_iter(message));
            let mut members: Vec<u32> = ends.map(rank).collect();
            members.sort_unstable();
            if groups.last().is_some_and(|last| last.members == members) {
                group_of.extend(std::iter::repeat_n(groups.len() as u32 - 1, messages.chunks() as usize));
                continue;
            }
            let mut is_member = vec![false; terminals];
            for &rank in &members {
                is_member[rank as usize] = true;
            }
            let mut centres = Vec::new();
            if centre_searches < MAX_CENTRE_SEARCH {
                centre_searches += terminals;
                let eccentricity = |root: u32| {
                    let far = |graph: &NeighbourGraph| {
                        let distance = graph.distances(routes, root);
                        members.iter().map(|&rank| distance[rank as usize]).max()
                    };
                    graphs.iter().map(far).try_fold(0u64, |sum, far| Some(sum + u64::from(far?)))
                };
                let all: Vec<(u32, Option<u64>)> =
                    (0..terminals.min(MAX_CENTRE_SEARCH) as u32).map(|root| (root, eccentricity(root))).collect();
                let least = all.iter().map(|&(_, far)| far).min()?;
                centres.extend(all.iter().filter(|&&(_, far)| far == least).map(|&(root, _)| root));
            }
            groups.push(Group { is_member, members, centres });
            group_of.extend(std::iter::repeat_n(groups.len() as u32 - 1, messages.chunks() as usize));
        }
        Some(Self { capacities, routes, graphs, groups, group_of, terminals })
    }

    /// Returns an approximate number of transfers of a schedule.
    pub(super) fn transfer_count(&self) -> u64 {
        self.group_of.iter().map(|&group| 2 * self.groups[group as usize].members.len() as u64).sum()
    }

    /// Builds a schedule: grows the trees of every block, and places its transfers in the first free steps. `None` if some
    /// terminal is unreachable.
    pub(super) fn attempt(&mut self, choice: AttemptChoice, rng: &mut impl Rng) -> Option<Transfers> {
        let mut blocks: Vec<u32> = (0..self.group_of.len() as u32).collect();
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
        let [towards_root, from_root] = &self.graphs;
        let mut trees = Vec::with_capacity(blocks.len());
        let mut offset = rng.next_u32() as usize;
        for &block in blocks {
            let group = &self.groups[self.group_of[block as usize] as usize];
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
        let mut ready = vec![0; self.group_of.len() * self.terminals];
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
