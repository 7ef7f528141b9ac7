//! Fat trees: k-ary n-trees, and others of full bisection.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::Construction;
use crate::kit::block_tree::BlockTree;
use crate::kit::cyclic_shifts::{CyclicShifts, by_shifts};
use crate::kit::edge_colouring::bipartite_edge_colouring;
use crate::kit::path_list::PathList;

/// Cyclic shifts on k-ary n-trees and other fat trees of full bisection, under any numbering.
///
/// Takes `ceil(log2 N)` steps for a broadcast, and `N - 1` for a scatter, all-gather or all-to-all. See
/// [`FatTreeNetwork`] for the idea and the source.
pub(crate) const FAT_TREE: Construction = Construction {
    name: "fat-tree",
    about: "fat trees with as many up as down links: broadcast, scatter, all-gather and all-to-all",
    construct: |problem, _, budget| by_shifts(problem, budget, FatTreeNetwork::recognise),
};

/// Levels of switches above the terminals, in which the *subtree* and the *colour* of a switch identify it.
///
/// The subtree is the set of terminals below the switch, the colour is the set of top switches above it. On each level,
/// the subtrees partition the terminals, the colours partition the top switches, and every subtree and colour share one
/// switch. Links are full duplex. No switch below the top has fewer links up than down.
///
/// A path goes up to the lowest level where one subtree holds both ends, through any colours, and down through the same
/// colours. The digits of a terminal's place are the branches down to it, the first one lowest. In a cyclic shift, each
/// path goes up by the last digits of the receiver's place. No other sender of the subtree uses them: the places of its
/// terminals share their first digits, so all their last digits are shifted by the same number.
///
/// Recognition takes `O(M log N)` time. Memory: 8 bytes per terminal and level, and 8 bytes per link.
///
/// # Source
///
/// Petrini, Vanneschi, *k-ary n-trees: high performance networks for massively parallel architectures*, International
/// Parallel Processing Symposium (1997). For the path up by the receiver: Zahavi, *D-mod-K routing providing
/// non-blocking traffic for shift permutations on real life fat trees*, CCIT report 776, Technion (2010).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FatTreeNetwork {
    /// The ranks of the terminals by place.
    ranks: Vec<u32>,
    /// The places of the terminals by rank.
    places: Vec<u32>,
    /// Number of levels of links. Terminals have height 0, and level `l` is above height `l`.
    level_count: usize,
    /// Number of subtrees at each height.
    subtree_counts: Vec<u32>,
    /// Number of colours above each level.
    colour_counts: Vec<u32>,
    /// For each place and level, the position of the links above its subtree.
    subtree: Vec<u32>,
    /// For each place and level, the colour above, if it is the receiver.
    colour: Vec<u32>,
    /// The channels of the links, by level, subtree below and colour above.
    up: Vec<ChannelId>,
    down: Vec<ChannelId>,
}

impl FatTreeNetwork {
    /// Returns the fat tree that this network is, or `None`.
    pub(crate) fn recognise(topology: &Topology) -> Option<Self> {
        let heights = NodeHeights::new(topology)?;
        let mut levels: Vec<&[NodeId]> = heights.nodes.iter().map(Vec::as_slice).collect();
        let colours = BlockTree::new(topology, &levels[1..], |node| heights.above(topology, node))?;
        levels.reverse();
        let mut subtrees = BlockTree::new(topology, &levels, |node| heights.below(topology, node))?;
        subtrees.counts.reverse();

        let level_count = heights.nodes.len() - 1;
        let (mut start, mut end) = (Vec::with_capacity(level_count), 0);
        for (&subtrees, &colours) in subtrees.counts.iter().zip(&colours.counts) {
            start.push(end as u32);
            end += u64::from(subtrees) * u64::from(colours);
        }
        // The numbers of links up from height `l + 1`, and down to height `l`.
        let degrees = colours.counts.windows(2).zip(subtrees.counts.windows(2));
        let is_full = degrees.clone().all(|(up, down)| up[1] / up[0] >= down[0] / down[1]);
        if !is_full || 2 * end != topology.channel_count() as u64 {
            return None;
        }
        let link_of = |lower: NodeId, upper: NodeId| {
            let level = heights.of(lower);
            let subtree = subtrees.of[lower.index()] * colours.counts[level];
            (start[level] + subtree + colours.of[upper.index()]) as usize
        };
        let [up, down] = heights.channels(topology, end as usize, link_of)?;

        let terminals = topology.terminals();
        let places: Vec<u32> = terminals.iter().map(|terminal| subtrees.of[terminal.index()]).collect();
        let mut ranks = vec![0; terminals.len()];
        (0..).zip(&places).for_each(|(rank, &place)| ranks[place as usize] = rank);
        let subtree_row = |place: u32| {
            let counts = subtrees.counts.iter().zip(&colours.counts);
            start.iter().zip(counts).map(move |(&start, (&subtrees, &colours))| start + place % subtrees * colours)
        };
        let colour_row = |place: u32| {
            let digits = degrees.clone().map(move |(up, down)| place / down[1] % (down[0] / down[1]) * up[0]);
            std::iter::once(0).chain(digits).scan(0, |colour, digit| {
                *colour += digit;
                Some(*colour)
            })
        };
        let all_places = 0..terminals.len() as u32;
        Some(Self {
            ranks,
            places,
            level_count,
            subtree: all_places.clone().flat_map(subtree_row).collect(),
            colour: all_places.flat_map(colour_row).collect(),
            subtree_counts: subtrees.counts,
            colour_counts: colours.counts,
            up,
            down,
        })
    }

    /// Returns conflict-free shortest paths for a partial permutation, given as pairs of the sender's and the
    /// receiver's rank.
    ///
    /// No terminal sends to itself. Level by level, the transfers that leave a switch upwards take different links, and
    /// those that come down to a switch too: the transfers are edges between the switches of their subtrees, and the
    /// links are colours of edges.
    ///
    /// # Source
    ///
    /// A fat tree is a folded Clos network whose middle switches are fat trees; for Clos networks see
    /// [`ClosNetwork`](super::clos::ClosNetwork).
    pub(crate) fn permute(&self, pairs: &[(u32, u32)]) -> PathList {
        let pairs: Vec<(u32, u32)> =
            pairs.iter().map(|&(from, to)| (self.places[from as usize], self.places[to as usize])).collect();
        let height: Vec<usize> = pairs.iter().map(|&(from, to)| self.meeting_height(from, to)).collect();
        let mut colour = vec![0; pairs.len() * self.level_count];
        for level in 1..self.level_count {
            let higher: Vec<usize> = (0..pairs.len()).filter(|&pair| height[pair] > level).collect();
            let colours = self.colour_counts[level - 1];
            let switch = |place: u32, pair: usize| {
                place % self.subtree_counts[level] * colours + colour[pair * self.level_count + level - 1]
            };
            let edges: Vec<(u32, u32)> =
                higher.iter().map(|&pair| (switch(pairs[pair].0, pair), switch(pairs[pair].1, pair))).collect();
            let switch_count = (self.subtree_counts[level] * colours) as usize;
            let links = (self.colour_counts[level] / colours) as usize;
            let link = bipartite_edge_colouring(switch_count, switch_count, &edges, links);
            for (&pair, &link) in higher.iter().zip(&link) {
                let here = pair * self.level_count + level;
                colour[here] = colour[here - 1] + link * colours;
            }
        }
        let mut paths = PathList::default();
        for (&(from, to), colours) in pairs.iter().zip(colour.chunks_exact(self.level_count)) {
            self.push_path(from, to, colours, &mut paths);
        }
        paths
    }

    /// Returns the height of the lowest subtree that holds both places.
    fn meeting_height(&self, from: u32, to: u32) -> usize {
        let (from, to) = (self.row(&self.subtree, from), self.row(&self.subtree, to));
        // Places without a common subtree at the highest level have one above it.
        (1..self.level_count).find(|&height| from[height] == to[height]).unwrap_or(self.level_count)
    }

    /// Appends the shortest path up and down through these colours.
    fn push_path(&self, from: u32, to: u32, colours: &[u32], paths: &mut PathList) {
        let height = self.meeting_height(from, to);
        let link = |subtrees: &[u32], level: usize| (subtrees[level] + colours[level]) as usize;
        let (from, to) = (self.row(&self.subtree, from), self.row(&self.subtree, to));
        let up = (0..height).map(|level| self.up[link(from, level)]);
        let down = (0..height).rev().map(|level| self.down[link(to, level)]);
        paths.push(up.chain(down));
    }

    fn row<'a>(&self, table: &'a [u32], place: u32) -> &'a [u32] {
        &table[place as usize * self.level_count..][..self.level_count]
    }
}

impl CyclicShifts for FatTreeNetwork {
    fn senders(&self) -> &[u32] {
        &self.ranks
    }

    fn receivers(&self) -> &[u32] {
        &self.ranks
    }

    fn longest_path(&self) -> usize {
        2 * self.level_count
    }

    fn route(&self, pairs: &[(u32, u32)], paths: &mut PathList) {
        for &(from, to) in pairs {
            self.push_path(from, to, self.row(&self.colour, to), paths);
        }
    }
}

/// The nodes by their distance from the terminals.
struct NodeHeights {
    nodes: Vec<Vec<NodeId>>,
    height: Vec<usize>,
}

impl NodeHeights {
    /// Returns `None` if terminals have more than one channel in each direction, a switch does not route, a channel
    /// does not lead to an adjacent height, or channels share a resource.
    fn new(topology: &Topology) -> Option<Self> {
        const NONE: usize = usize::MAX;
        let is_one_port =
            |&node: &NodeId| topology.out_channels(node).len() == 1 && topology.in_channels(node).len() == 1;
        let routes = |node: NodeId| topology.is_terminal(node) || topology.routes(node);
        if topology.resource_count() != topology.channel_count()
            || !topology.terminals().iter().all(is_one_port)
            || !topology.nodes().all(routes)
        {
            return None;
        }
        let mut height = vec![NONE; topology.node_count()];
        topology.terminals().iter().for_each(|terminal| height[terminal.index()] = 0);
        let (mut nodes, mut front) = (Vec::new(), topology.terminals().to_vec());
        while !front.is_empty() {
            let mut next = Vec::new();
            for head in front.iter().flat_map(|&node| topology.out_channels(node)).map(|&out| topology.head(out)) {
                if height[head.index()] == NONE {
                    height[head.index()] = nodes.len() + 1;
                    next.push(head);
                }
            }
            nodes.push(std::mem::replace(&mut front, next));
        }
        let is_steep = |channel| {
            let [tail, head] = [topology.tail(channel), topology.head(channel)].map(|node| height[node.index()]);
            tail.abs_diff(head) == 1
        };
        let is_whole = nodes.len() > 1 && !height.contains(&NONE) && topology.channels().all(is_steep);
        is_whole.then_some(Self { nodes, height })
    }

    /// Returns the channel up and the channel down of each link, if the links between lower and upper nodes are all
    /// different and complete.
    fn channels(
        &self,
        topology: &Topology,
        link_count: usize,
        link_of: impl Fn(NodeId, NodeId) -> usize,
    ) -> Option<[Vec<ChannelId>; 2]> {
        let (mut up, mut down) = (vec![None; link_count], vec![None; link_count]);
        for channel in topology.channels() {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            let slot = if self.of(tail) < self.of(head) {
                &mut up[link_of(tail, head)]
            } else {
                &mut down[link_of(head, tail)]
            };
            if slot.replace(channel).is_some() {
                return None;
            }
        }
        let up: Vec<ChannelId> = up.into_iter().collect::<Option<_>>()?;
        let down: Vec<ChannelId> = down.into_iter().collect::<Option<_>>()?;
        let is_link =
            |(&up, &down)| topology.tail(up) == topology.head(down) && topology.head(up) == topology.tail(down);
        up.iter().zip(&down).all(is_link).then_some([up, down])
    }

    fn of(&self, node: NodeId) -> usize {
        self.height[node.index()]
    }

    fn above<'a>(&'a self, topology: &'a Topology, node: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let heads = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
        heads.filter(move |&head| self.of(head) > self.of(node))
    }

    fn below<'a>(&'a self, topology: &'a Topology, node: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let heads = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
        heads.filter(move |&head| self.of(head) < self.of(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construction::tests::{fat_tree, is_one_step};

    fn shape(topology: &Topology) -> Option<(Vec<u32>, Vec<u32>)> {
        FatTreeNetwork::recognise(topology).map(|tree| (tree.subtree_counts, tree.colour_counts))
    }

    #[test]
    fn subtrees_and_colours_are_counted_by_height() {
        let spec = |spec: &str| shape(&spec.parse().unwrap());
        assert_eq!(spec("fat-tree:2,3"), Some((vec![8, 4, 2, 1], vec![1, 2, 4])));
        assert_eq!(spec("fat-tree:4,2"), Some((vec![16, 4, 1], vec![1, 4])));
        assert_eq!(shape(&fat_tree(&[(2, 3), (2, 2), (5, 0)])), Some((vec![20, 10, 5, 1], vec![1, 3, 6])));
        assert_eq!(spec("b-tree:4"), None, "one link up for two down");
        assert_eq!(shape(&fat_tree(&[(3, 2), (2, 0)])), None);
        assert_eq!(spec("omega:8"), None, "one-way channels");
        assert_eq!(spec("b-tree:2"), Some((vec![2, 1], vec![1])), "a crossbar");
    }

    #[test]
    fn every_exclusive_or_is_one_step() {
        for levels in 1..=5 {
            let topology = lockstep_topology::fat_tree(2, levels).unwrap();
            let (tree, terminals) = (FatTreeNetwork::recognise(&topology).unwrap(), topology.terminals());
            let distances = lockstep_paths::ShortestPaths::all_pairs(&topology).unwrap();
            for mask in 1..terminals.len() {
                let ranks = (0..terminals.len()).map(|rank| (rank, rank ^ mask));
                let pairs: Vec<_> = ranks.clone().map(|(from, to)| (tree.places[from], tree.places[to])).collect();
                let mut paths = PathList::default();
                tree.route(&pairs, &mut paths);
                let carried = ranks.zip(paths.iter()).map(|((from, to), path)| (terminals[from], terminals[to], path));
                assert!(is_one_step(&topology, carried, |from, to| distances.distance(from, to).unwrap() as usize));
            }
        }
    }
}
