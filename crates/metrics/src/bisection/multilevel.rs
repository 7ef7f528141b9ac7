//! Multilevel partitioning.

use rand::Rng;

use super::refiner::{BisectionInput, MoveRule, Refiner};
use crate::Graph;

/// Number of nodes at which coarsening stops.
const COARSEST: usize = 48;

/// Number of random starts on the coarsest network.
const COARSE_STARTS: u32 = 4;

/// Largest number of nodes that are contracted to one.
const LARGEST_GROUP: u32 = 5;

/// A sequence of coarser networks, with reusable buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Multilevel {
    /// The levels; only the first ones are in use.
    levels: Vec<Level>,
    /// Index of each node in the order of visits.
    rank: Vec<u32>,
    /// Number of nodes that each coarse node represents.
    members: Vec<u32>,
    /// Links of the coarse network.
    links: Vec<[u32; 2]>,
    best: Vec<bool>,
}

/// A coarse network, whose nodes are groups of nodes of a finer network.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Group of each node of the finer network.
    group: Vec<u32>,
    cables: Graph,
    /// Number of terminals of each group.
    terminals: Vec<u32>,
}

impl Level {
    fn load(&self) -> BisectionInput<'_> {
        BisectionInput { cables: &self.cables, terminals: &self.terminals, slack: 0 }
    }
}

impl Multilevel {
    /// Partitions the coarsest network, and refines the sides on each finer network. The result is in `refiner.sides`,
    /// nearly balanced.
    pub(super) fn deal(&mut self, refiner: &mut Refiner, load: BisectionInput<'_>, random: &mut impl Rng) {
        let depth = self.coarsen(refiner, load, random);
        let Self { levels, best, .. } = self;
        let at = |depth: usize| depth.checked_sub(1).map_or(load, |place| levels[place].load()).loosely();
        let mut least = u32::MAX;
        for _ in 0..COARSE_STARTS {
            let coarsest = at(depth);
            refiner.shuffle(coarsest, random);
            refiner.deal(coarsest, coarsest.terminals.len());
            let cut = refiner.refine(coarsest, MoveRule::Move);
            if cut < least {
                least = cut;
                std::mem::swap(&mut refiner.sides, best);
            }
        }
        std::mem::swap(&mut refiner.sides, best);
        for depth in (0..depth).rev() {
            best.clear();
            best.extend(levels[depth].group.iter().map(|&group| refiner.sides[group as usize]));
            std::mem::swap(&mut refiner.sides, best);
            refiner.shuffle(at(depth), random);
            refiner.refine(at(depth), MoveRule::Move);
        }
    }

    /// Computes the levels, and returns their number.
    fn coarsen(&mut self, refiner: &mut Refiner, load: BisectionInput<'_>, random: &mut impl Rng) -> usize {
        let mut levels = std::mem::take(&mut self.levels);
        let mut depth = 0;
        // Groups must be small enough for nearly balanced sides.
        let heaviest = load.terminals.iter().sum::<u32>().div_ceil(COARSEST as u32 / 2).max(2);
        loop {
            if levels.len() == depth {
                levels.push(Level::default());
            }
            let (finer, coarser) = levels.split_at_mut(depth);
            let finer = finer.last().map_or(load, Level::load);
            let node_count = finer.terminals.len();
            if node_count <= COARSEST {
                break;
            }
            refiner.shuffle(finer, random);
            self.group(finer, &refiner.order, heaviest, &mut coarser[0]);
            // Networks with many components or hubs stop shrinking.
            if coarser[0].terminals.len() > node_count - node_count / 16 {
                break;
            }
            depth += 1;
        }
        self.levels = levels;
        depth
    }

    /// Contracts each node, in order, with the neighbour, or its group, to which it has the most cables.
    fn group(&mut self, finer: BisectionInput<'_>, order: &[u32], heaviest: u32, coarser: &mut Level) {
        const NONE: u32 = u32::MAX;
        let Self { rank, members, links, .. } = self;
        let Level { group, terminals, cables } = coarser;
        rank.resize(order.len(), 0);
        for (place, &node) in (0..).zip(order) {
            rank[node as usize] = place;
        }
        group.clear();
        group.resize(order.len(), NONE);
        terminals.clear();
        members.clear();
        for &node in order {
            if group[node as usize] != NONE {
                continue;
            }
            let weight = finer.terminals[node as usize];
            let has_room = |&(neighbour, _): &(u32, u32)| {
                let (weight_there, members) = match group[neighbour as usize] {
                    NONE => (finer.terminals[neighbour as usize], 1),
                    group => (terminals[group as usize], members[group as usize]),
                };
                weight + weight_there <= heaviest && members < LARGEST_GROUP
            };
            let partner = finer
                .cables
                .arcs(node)
                .filter(has_room)
                .max_by_key(|&(neighbour, width)| (width, rank[neighbour as usize]))
                .map(|(neighbour, _)| neighbour);
            // A node without a partner starts a group.
            let home = partner.unwrap_or(node);
            if group[home as usize] == NONE {
                group[home as usize] = terminals.len() as u32;
                terminals.push(finer.terminals[home as usize]);
                members.push(1);
            }
            if home != node {
                let joined = group[home as usize];
                group[node as usize] = joined;
                terminals[joined as usize] += weight;
                members[joined as usize] += 1;
            }
        }
        links.clear();
        for node in 0..order.len() as u32 {
            let here = group[node as usize];
            for (neighbour, width) in finer.cables.arcs(node) {
                let there = group[neighbour as usize];
                if node < neighbour && here != there {
                    links.extend((0..width).map(|_| [here, there]));
                }
            }
        }
        cables.set_links(terminals.len(), links);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::{BisectionInput, Graph, LARGEST_GROUP, Multilevel};
    use crate::bisection::refiner::Refiner;

    fn cut(cables: &Graph, sides: impl Fn(u32) -> bool) -> u32 {
        let nodes = 0..cables.node_count() as u32;
        let ends = nodes.flat_map(|node| cables.arcs(node).map(move |(neighbour, width)| (node, neighbour, width)));
        ends.filter(|&(a, b, _)| sides(a) && !sides(b)).map(|(_, _, width)| width).sum()
    }

    proptest! {
        #[test]
        fn coarse_networks_preserve_terminals_and_cuts(
            links in prop::collection::vec((0..150u32, 0..150u32), 0..400), terminals in prop::collection::vec(0..2u32, 150),
        ) {
            let links: Vec<[u32; 2]> = links.into_iter().filter(|(a, b)| a != b).map(|(a, b)| [a, b]).collect();
            let cables = Graph::of_links(150, &links);
            let load = BisectionInput { cables: &cables, terminals: &terminals, slack: 0 };
            let (mut multilevel, mut refiner) = (Multilevel::default(), Refiner::default());
            let depth = multilevel.coarsen(&mut refiner, load, &mut ChaCha8Rng::seed_from_u64(1));
            let mut finer = load;
            for level in &multilevel.levels[..depth] {
                let coarser = level.load();
                for group in 0..coarser.terminals.len() {
                    let members = (0..level.group.len()).filter(|&node| level.group[node] as usize == group);
                    prop_assert!((1..=LARGEST_GROUP as usize).contains(&members.clone().count()));
                    let terminals: u32 = members.map(|node| finer.terminals[node]).sum();
                    prop_assert_eq!(terminals, coarser.terminals[group]);
                }
                let is_right = |group: u32| group % 3 == 1;
                prop_assert_eq!(cut(finer.cables, |node| is_right(level.group[node as usize])), cut(coarser.cables, is_right));
                finer = coarser;
            }
        }
    }
}
