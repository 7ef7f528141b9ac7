//! Roots and trees of all blocks that compete for resources by prices, before they have steps.
//!
//! The load of a channel depends on the roots. For example, let a channel be the only one out of one terminal and the only one
//! into another. Each block crosses it twice, once if its root is one of these terminals. So blocks get different roots, in
//! the numbers that keep the load of the busiest channel or port low.

use lockstep_model::{Routes, Slots};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use super::trees::{AttemptChoice, BlockTrees, TreeGrowth};
use crate::negotiation::groups::{Group, Groups};

/// Number of random roots from which a block chooses in a pass.
pub(super) const TRIES: usize = 4;

/// The trees of all blocks, which each pass improves.
///
/// # Source
///
/// Lockstep; prices by load as by Garg and Könemann, *Faster and simpler algorithms for multicommodity flow*, FOCS 1998.
pub(super) struct BalancedTrees<'a> {
    groups: &'a Groups,
    growth: TreeGrowth<'a>,
    /// By block, as the roots. There are no trees before the first pass.
    blocks: Vec<BlockTrees>,
    roots: Vec<u32>,
    /// The steps that the busiest slot needs after the best pass, and the roots of this pass.
    best: (u32, Vec<u32>),
}

impl<'a> BalancedTrees<'a> {
    pub(super) fn new(routes: &'a Routes, groups: &'a Groups, slots: &'a Slots) -> Self {
        let (growth, blocks) = (TreeGrowth::new(routes, slots, groups.terminal_count()), groups.block_count());
        let (roots, best) = (vec![0; blocks], (u32::MAX, Vec::new()));
        Self { groups, growth, blocks: vec![BlockTrees::default(); blocks], roots, best }
    }

    pub(super) fn trees(&self, block: u32) -> &BlockTrees {
        &self.blocks[block as usize]
    }

    /// Returns the root of each block after the best pass; nothing before the first pass.
    pub(super) fn into_roots(self) -> Vec<u32> {
        self.best.1
    }

    /// Gives every block the cheapest trees of some random roots, unless its own are cheaper. `None` if some terminal is
    /// unreachable.
    pub(super) fn improve(&mut self, choice: AttemptChoice, rng: &mut impl Rng) -> Option<()> {
        let [towards_root, from_root] = &self.groups.graphs;
        let mut order: Vec<u32> = (0..self.blocks.len() as u32).collect();
        order.shuffle(rng);
        for block in order {
            let (group, place) = (self.groups.of_block(block), block as usize);
            let most = self.growth.most_steps();
            let own = std::mem::take(&mut self.blocks[place]);
            self.growth.remove(&own.in_tree);
            self.growth.remove(&own.out_tree);
            self.growth.set_prices(most);
            let price_of_own = if own.out_tree.is_empty() { u64::MAX } else { self.price(&own) };
            let mut best = (price_of_own, self.roots[place], own);
            for _ in 0..TRIES {
                let root = random_root(group, rng);
                let mut grow = |graph| {
                    let tree = self.growth.grow(graph, &[root], &group.is_member, choice, rng)?;
                    self.growth.remove(&tree);
                    Some(tree)
                };
                let trees = BlockTrees { exchange: None, in_tree: grow(towards_root)?, out_tree: grow(from_root)? };
                let price = self.price(&trees);
                if price < best.0 {
                    best = (price, root, trees);
                }
            }
            let (_, root, trees) = best;
            trees.in_tree.iter().chain(&trees.out_tree).for_each(|&route| self.growth.add(route));
            self.blocks[place] = trees;
            self.roots[place] = root;
        }
        let most = self.growth.most_steps();
        if most < self.best.0 {
            self.best = (most, self.roots.clone());
        }
        Some(())
    }

    fn price(&self, trees: &BlockTrees) -> u64 {
        self.growth.price(&trees.in_tree) + self.growth.price(&trees.out_tree)
    }
}

/// Returns a random terminal that all members reach, and that reaches all members.
fn random_root(group: &Group, rng: &mut impl Rng) -> u32 {
    let terminals = group.eccentricity.len() as u32;
    let any = (terminals > 0).then(|| rng.random_range(0..terminals));
    let is_in_reach = |&root: &u32| !group.eccentricity[root as usize].contains(&u32::MAX);
    any.filter(is_in_reach).or_else(|| group.members.choose(rng).copied()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::TopologyBuilder;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::trees::RootChoice;
    use super::*;
    use crate::kit::task::SchedulingTask;
    use crate::negotiation::neighbour_routes::neighbour_routes;

    /// Each block crosses the channel 3 -> 4 twice unless its root is 3 or 4, and the channel 5 -> 6 twice unless its root is 5
    /// or 6. So 21 transfers of 7 blocks cross them together, and one of them needs 11 steps. With one root for all, 14.
    #[test]
    fn roots_share_two_chains() {
        let channels = [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0), (0, 3), (3, 4), (4, 1), (2, 5), (5, 6), (6, 0)];
        let mut builder = TopologyBuilder::new("chains");
        let nodes: Vec<_> = (0..7).map(|number| builder.terminal(format!("{number}"))).collect();
        for (from, to) in channels {
            builder.channel(nodes[from], nodes[to]);
        }
        let topology = builder.build().unwrap();
        let collective = Collective::all_reduce();
        let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
        let task = SchedulingTask::new(&problem).unwrap();
        let slots = task.slots();
        let routes = neighbour_routes(&task, &slots).unwrap();
        let groups = Groups::new(&problem, &routes).unwrap();
        let mut balanced = BalancedTrees::new(&routes, &groups, &slots);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let choice =
            AttemptChoice { roots: RootChoice::Balanced, is_exchange: false, is_by_block: false, depth_cost: 1 };
        for _ in 0..16 {
            balanced.improve(choice, &mut rng).unwrap();
            let mut uses = vec![0; slots.len()];
            for trees in &balanced.blocks {
                assert_eq!([trees.in_tree.len(), trees.out_tree.len()], [6, 6]);
                for &route in trees.in_tree.iter().chain(&trees.out_tree) {
                    routes.slots(route).iter().for_each(|&slot| uses[slot as usize] += 1);
                }
            }
            assert_eq!(
                balanced.growth.most_steps(),
                uses.into_iter().max().unwrap(),
                "the loads are the uses of all trees"
            );
        }
        assert_eq!(balanced.best.0, 11);
        assert_eq!(balanced.into_roots().len(), 7);
    }
}
