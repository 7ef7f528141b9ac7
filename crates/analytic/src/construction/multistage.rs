//! Layered networks with one path between any two terminals: Omega, butterfly and isomorphic networks.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::Construction;
use crate::kit::block_tree::BlockTree;
use crate::kit::cyclic_shifts::{CyclicShifts, by_shifts};
use crate::kit::path_list::PathList;
use crate::kit::stages::stages;

/// Cyclic shifts on Omega, butterfly and all isomorphic networks, under any numbering.
///
/// Takes `ceil(log2 N)` steps for a broadcast, `N - 1` for a scatter or all-gather, and `N - 1` or `N` for an
/// all-to-all. See [`UniquePathNetwork`] for the idea and the source.
pub(crate) const MULTISTAGE: Construction = Construction {
    name: "multistage",
    about: "Omega, Butterfly and other networks with one path per pair: broadcast, scatter, all-gather and all-to-all",
    construct: |problem, _, budget| by_shifts(problem, budget, UniquePathNetwork::recognise),
};

/// A layered network in which the *window* and the *block* of a channel identify it.
///
/// The window is the set of senders that reach the channel, the block is the set of receivers that it reaches. On each
/// level the windows partition the senders, the blocks partition the receivers, and every window and block share one
/// channel.
///
/// The blocks of all levels form a tree. Receivers are numbered by their path down this tree, with the digit of the
/// first stage lowest. Then a cyclic shift of these numbers maps blocks to blocks on every level. In a conflict-free
/// permutation all windows and blocks differ, so its shifts are conflict-free too. There are `N` of them, and together
/// they serve every pair once. If the identity is conflict-free, it is one of them and takes no step. Otherwise some
/// channel carries `N` messages, so the total exchange takes `N` steps and not `N - 1`.
///
/// Recognition takes `O(M log N)` time. Memory: 8 bytes per terminal and level, and 4 bytes per channel.
///
/// # Source
///
/// Lawrie, *Access and alignment of data in an array processor*, IEEE Trans. Computers C-24 (1975), for the windows of
/// Omega networks. Networks with both partitions are the bidelta networks of Kruskal and Snir, *A unified theory of
/// interconnection network structure*, Theoretical Computer Science 48 (1986).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UniquePathNetwork {
    senders: Vec<u32>,
    receivers: Vec<u32>,
    /// Number of channels of a path.
    level_count: usize,
    /// For each sender's place and level, the position of its window in `channels`.
    window: Vec<u32>,
    /// The block of each receiver's place and level.
    block: Vec<u32>,
    /// The channels by level, window and block.
    channels: Vec<ChannelId>,
}

impl UniquePathNetwork {
    /// Returns the windows and blocks of the network, or `None` if it has none or passes no full permutation.
    pub(crate) fn recognise(topology: &Topology) -> Option<Self> {
        let stages = stages(topology)?;
        let levels = ChannelLevels::new(topology, &stages)?;
        let channels = levels.channels(topology, &stages)?;
        let terminals = topology.terminals();
        let sender_number = |node: &NodeId| levels.windows.of[node.index()];
        let receiver_number = |node: &NodeId| levels.blocks.of[node.index()];

        let receivers = sorted_by_place(terminals.iter().map(receiver_number));
        let to_itself = terminals.iter().map(|node| (sender_number(node), receiver_number(node)));
        let senders = if levels.are_disjoint(channels.len(), to_itself) {
            receivers.clone()
        } else {
            let place = |node| levels.reachable_from_all(sender_number(node));
            sorted_by_place(terminals.iter().map(place).collect::<Option<Vec<u32>>>()?.into_iter())
        };
        let by_rank = |&rank: &u32| &terminals[rank as usize];
        Some(Self {
            level_count: levels.start.len(),
            window: senders.iter().flat_map(|rank| levels.window_row(sender_number(by_rank(rank)))).collect(),
            block: receivers.iter().flat_map(|rank| levels.block_row(receiver_number(by_rank(rank)))).collect(),
            senders,
            receivers,
            channels,
        })
    }

    fn path(&self, from: u32, to: u32) -> impl Iterator<Item = ChannelId> {
        let row = |place: u32| place as usize * self.level_count..(place as usize + 1) * self.level_count;
        let (windows, blocks) = (&self.window[row(from)], &self.block[row(to)]);
        windows.iter().zip(blocks).map(|(&window, &block)| self.channels[(window + block) as usize])
    }
}

/// Returns the ranks in the order of their places.
fn sorted_by_place(places: impl ExactSizeIterator<Item = u32>) -> Vec<u32> {
    let mut ranks = vec![0; places.len()];
    (0..).zip(places).for_each(|(rank, place)| ranks[place as usize] = rank);
    ranks
}

/// The windows and blocks of every level of channels.
struct ChannelLevels {
    /// The window of a channel is that of its tail, its block is that of its head.
    windows: BlockTree,
    blocks: BlockTree,
    /// The start of each level in a list of all channels.
    start: Vec<u32>,
}

impl ChannelLevels {
    fn new(topology: &Topology, stages: &[Vec<NodeId>]) -> Option<Self> {
        let (terminals, stages) = ([topology.terminals()], stages.iter().map(Vec::as_slice));
        let forwards: Vec<&[NodeId]> = stages.clone().chain(terminals).collect();
        let backwards: Vec<&[NodeId]> = stages.rev().chain(terminals).collect();
        let heads = |node| topology.out_channels(node).iter().map(|&channel| topology.head(channel));
        let tails = |node| topology.in_channels(node).iter().map(|&channel| topology.tail(channel));
        let blocks = BlockTree::new(topology, &forwards, heads)?;
        let mut windows = BlockTree::new(topology, &backwards, tails)?;
        windows.counts.reverse();

        let (mut start, mut end) = (Vec::with_capacity(forwards.len()), 0);
        for (&windows, &blocks) in windows.counts.iter().zip(&blocks.counts) {
            let size = u64::from(windows) * u64::from(blocks);
            // A level with fewer channels than terminals passes no full permutation.
            if size < topology.terminal_count() as u64 || end + size > topology.channel_count() as u64 {
                return None;
            }
            start.push(end as u32);
            end += size;
        }
        Some(Self { windows, blocks, start })
    }

    /// Returns all channels by level, window and block, if these identify them.
    fn channels(&self, topology: &Topology, stages: &[Vec<NodeId>]) -> Option<Vec<ChannelId>> {
        let mut channels = vec![None; topology.channel_bound()];
        let levels = std::iter::once(topology.terminals()).chain(stages.iter().map(Vec::as_slice));
        for ((tails, &start), &blocks) in levels.zip(&self.start).zip(&self.blocks.counts) {
            for &channel in tails.iter().flat_map(|&tail| topology.out_channels(tail)) {
                let window = self.windows.of[topology.tail(channel).index()];
                let block = self.blocks.of[topology.head(channel).index()];
                if channels[(start + window * blocks + block) as usize].replace(channel).is_some() {
                    return None;
                }
            }
        }
        channels.into_iter().collect()
    }

    /// Returns the positions of a sender's windows, level by level.
    fn window_row(&self, sender: u32) -> impl Iterator<Item = u32> {
        let counts = self.windows.counts.iter().zip(&self.blocks.counts);
        self.start.iter().zip(counts).map(move |(&start, (&windows, &blocks))| start + sender % windows * blocks)
    }

    /// Returns a receiver's blocks, level by level.
    fn block_row(&self, receiver: u32) -> impl Iterator<Item = u32> {
        self.blocks.counts.iter().map(move |&blocks| receiver % blocks)
    }

    /// Returns true if the paths of these pairs of a sender and a receiver share no channel.
    fn are_disjoint(&self, channel_count: usize, mut pairs: impl Iterator<Item = (u32, u32)>) -> bool {
        let mut used = vec![false; channel_count];
        pairs.all(|(sender, receiver)| {
            let mut path = self.window_row(sender).zip(self.block_row(receiver));
            path.all(|(window, block)| !std::mem::replace(&mut used[(window + block) as usize], true))
        })
    }

    /// Returns the receiver that a sender reaches if it leaves every switch by the output with the index of its input.
    ///
    /// Returns `None` if a switch has different numbers of inputs and outputs. The paths of all senders share no
    /// channel: a channel is identified by the indices in the stages before it, its block, and in those behind it, its
    /// window.
    fn reachable_from_all(&self, sender: u32) -> Option<u32> {
        let windows = self.windows.counts.windows(2);
        windows.zip(self.blocks.counts.windows(2)).try_fold(0, |receiver, (windows, blocks)| {
            let (inputs, outputs) = (windows[0] / windows[1], blocks[1] / blocks[0]);
            (inputs == outputs).then(|| receiver + sender / windows[1] % inputs * blocks[0])
        })
    }
}

impl CyclicShifts for UniquePathNetwork {
    fn senders(&self) -> &[u32] {
        &self.senders
    }

    fn receivers(&self) -> &[u32] {
        &self.receivers
    }

    fn longest_path(&self) -> usize {
        self.level_count
    }

    fn route(&self, pairs: &[(u32, u32)], paths: &mut PathList) {
        for &(from, to) in pairs {
            paths.push(self.path(from, to));
        }
    }

    /// Merges cycles: two paths that pass the same switch can exchange their continuations, and paths of different
    /// cycles then join them. After all switches, one cycle is left.
    fn ring(&self) -> Option<(Vec<u32>, PathList)> {
        let count = self.senders.len();
        let mut receiver_of: Vec<u32> = (0..count as u32).collect();
        let mut cycles: Vec<u32> = (0..count as u32).collect();
        for (&sender, &receiver) in self.senders.iter().zip(&self.receivers) {
            join(&mut cycles, sender, receiver);
        }
        for level in 0..self.level_count - 1 {
            // All paths through a switch share the window behind it and the block before it.
            let mut first_through = vec![None; self.channels.len()];
            for place in 0..count {
                let window = self.window[place * self.level_count + level + 1];
                let block = self.block[receiver_of[place] as usize * self.level_count + level];
                let first: usize = *first_through[(window + block) as usize].get_or_insert(place);
                if join(&mut cycles, self.senders[first], self.senders[place]) {
                    receiver_of.swap(first, place);
                }
            }
        }
        let mut place_of = vec![0; count];
        (0..).zip(&self.senders).for_each(|(place, &rank)| place_of[rank as usize] = place);
        let next = |&place: &u32| Some(place_of[self.receivers[receiver_of[place as usize] as usize] as usize]);
        let ring: Vec<u32> = std::iter::successors(Some(0), next).take(count).collect();
        let pairs: Vec<(u32, u32)> = ring.iter().map(|&place| (place, receiver_of[place as usize])).collect();
        let is_whole = ring[1..].iter().all(|&place| place != 0);
        let mut paths = PathList::default();
        self.route(&pairs, &mut paths);
        is_whole.then(|| (ring.iter().map(|&place| self.senders[place as usize]).collect(), paths))
    }
}

/// Merges the sets of two members; returns true if they were different. `parent` is a forest whose roots represent the
/// sets.
fn join(parent: &mut [u32], first: u32, second: u32) -> bool {
    let mut root = |mut member: u32| {
        while parent[member as usize] != member {
            parent[member as usize] = parent[parent[member as usize] as usize];
            member = parent[member as usize];
        }
        member
    };
    let (first, second) = (root(first), root(second));
    parent[first as usize] = second;
    first != second
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construction::tests::{is_one_step, omega};

    /// Returns true if the network passes the permutation `receiver` in one step.
    fn passes(topology: &Topology, network: &UniquePathNetwork, receiver: impl Fn(usize) -> usize) -> bool {
        let place = |ranks: &[u32], rank: usize| ranks.iter().position(|&one| one as usize == rank).unwrap() as u32;
        let ranks = 0..topology.terminal_count();
        let pairs: Vec<(u32, u32)> = ranks
            .clone()
            .map(|rank| (place(&network.senders, rank), place(&network.receivers, receiver(rank))))
            .collect();
        let mut paths = PathList::default();
        network.route(&pairs, &mut paths);
        let terminals = topology.terminals();
        let ends = ranks.map(|rank| (terminals[rank], terminals[receiver(rank)]));
        let carried = ends.zip(paths.iter()).map(|((from, to), path)| (from, to, path));
        is_one_step(topology, carried, |_, _| network.level_count)
    }

    #[test]
    fn every_exclusive_or_and_every_shift_is_one_step() {
        for family in ["omega", "butterfly"] {
            for count in (1..=6).map(|stages| 1 << stages) {
                let topology: Topology = format!("{family}:{count}").parse().unwrap();
                let network = UniquePathNetwork::recognise(&topology).unwrap();
                for mask in 0..count {
                    assert!(passes(&topology, &network, |rank| rank ^ mask), "{family}:{count}, {mask}");
                    assert!(passes(&topology, &network, |rank| (rank + mask) % count), "{family}:{count}, {mask}");
                }
            }
        }
    }

    #[test]
    fn every_shift_of_digits_is_one_step() {
        let count = 27;
        let topology = omega(3, 3, 0..count);
        let network = UniquePathNetwork::recognise(&topology).unwrap();
        for by in 0..count {
            let shifted = |rank: usize| [1, 3, 9].map(|w| (rank / w + by / w) % 3 * w).iter().sum();
            assert!(passes(&topology, &network, shifted), "{by}");
        }
    }

    #[test]
    fn some_permutations_are_blocked() {
        let topology: Topology = "omega:16".parse().unwrap();
        let network = UniquePathNetwork::recognise(&topology).unwrap();
        assert!(!passes(&topology, &network, |rank| (rank as u8).reverse_bits() as usize >> 4));
    }

    #[test]
    fn where_sending_to_itself_is_blocked_places_differ() {
        let outputs = |reversed: bool| -> Vec<usize> {
            (0..8u8).map(|line| usize::from(if reversed { line.reverse_bits() >> 5 } else { line })).collect()
        };
        for reversed in [false, true] {
            let topology = omega(2, 3, outputs(reversed));
            let network = UniquePathNetwork::recognise(&topology).unwrap();
            assert_eq!(passes(&topology, &network, |rank| rank), !reversed);
            assert_eq!(network.senders == network.receivers, !reversed);
        }
    }

    #[test]
    fn the_ring_visits_every_terminal() {
        let topology = omega(2, 4, [3, 1, 4, 15, 9, 2, 6, 5, 0, 7, 8, 10, 11, 12, 13, 14]);
        let (mut ring, paths) = UniquePathNetwork::recognise(&topology).unwrap().ring().unwrap();
        let terminals = topology.terminals();
        let next = ring.iter().cycle().skip(1);
        let ends = ring.iter().zip(next).map(|(&from, &to)| (terminals[from as usize], terminals[to as usize]));
        let carried = ends.zip(paths.iter()).map(|((from, to), path)| (from, to, path));
        assert!(is_one_step(&topology, carried, |_, _| 5));
        ring.sort_unstable();
        assert!(ring.into_iter().eq(0..16));
    }
}
