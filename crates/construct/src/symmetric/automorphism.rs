//! Random symmetries of a network whatever its numbers.

use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::Rng;
use rand::seq::SliceRandom;

use super::partition::{Partition, Refiner};

/// A permutation of the channels, the image of each.
pub(super) type Permutation = Vec<u32>;

/// The most nodes and channels looked at before a search for symmetries is given up, for each channel of the network
/// and at least.
const PATIENCE: u64 = 1 << 7;
const LEAST_PATIENCE: u64 = 1 << 20;

/// The symmetries of a network: permutations of channels that come from permutations of nodes and keep roles and
/// resources. Parallel channels keep their order.
///
/// **Source**: individualisation and refinement, as in *Practical graph isomorphism, II* (Journal of Symbolic
/// Computation 60, 2014).
#[derive(Debug)]
pub(super) struct Symmetries<'a> {
    topology: &'a Topology,
    /// Partitions of which each tells one node more from the others, down to single nodes.
    levels: Vec<Partition>,
    /// The cell in each level but the last from which the node of the next one is.
    cells: Vec<u32>,
    /// Channels by tail, then head, then number.
    sorted: Vec<ChannelId>,
    row: Vec<u32>,
}

impl<'a> Symmetries<'a> {
    /// `None` where refinement alone tells all nodes from each other, so that there is no symmetry, and where the nodes
    /// are told from each other too slowly. Takes `O(M log N)` time and `N` words of memory a level.
    pub(super) fn new(topology: &'a Topology) -> Option<Self> {
        let mut refiner = Refiner::new(topology);
        let mut levels = vec![Partition::new(topology, &mut refiner)];
        let mut cells = Vec::new();
        while let Some(cell) = levels.last()?.largest_cell() {
            if refiner.work > patience(topology) {
                return None;
            }
            let level = levels.last()?;
            let next = level.individualised(level.cell(cell)[0], &mut refiner);
            cells.push(cell);
            levels.push(next);
        }
        let mut sorted: Vec<ChannelId> = topology.channels().collect();
        sorted.sort_by_key(|&channel| (topology.tail(channel), topology.head(channel)));
        let mut row = vec![0];
        row.extend(topology.nodes().scan(0, |end, node| {
            *end += topology.out_channels(node).len() as u32;
            Some(*end)
        }));
        (!cells.is_empty()).then_some(Self { topology, levels, cells, sorted, row })
    }

    pub(super) fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// A random symmetry; each with the same probability, where no choice turns out to be wrong later. `None` if too
    /// many do.
    pub(super) fn random(&self, rng: &mut impl Rng) -> Option<Permutation> {
        let mut refiner = Refiner::new(self.topology);
        let mut path = vec![(self.levels[0].clone(), self.shuffled_cell(&self.levels[0], 0, rng))];
        while refiner.work <= patience(self.topology) {
            let depth = path.len();
            let (partition, images) = path.last_mut()?;
            let Some(image) = images.pop() else {
                path.pop();
                continue;
            };
            let next = partition.individualised(image, &mut refiner);
            if !next.has_cells_of(&self.levels[depth]) {
                continue;
            }
            if depth < self.cells.len() {
                let images = self.shuffled_cell(&next, depth, rng);
                path.push((next, images));
            } else if let Some(found) = self.channels(&next) {
                return Some(found);
            }
        }
        None
    }

    fn shuffled_cell(&self, partition: &Partition, level: usize, rng: &mut impl Rng) -> Vec<u32> {
        let mut nodes = partition.cell(self.cells[level]).to_vec();
        nodes.shuffle(rng);
        nodes
    }

    /// The permutation of channels that takes the nodes of the last level to those of a partition, if it is a symmetry.
    fn channels(&self, partition: &Partition) -> Option<Permutation> {
        let topology = self.topology;
        let mut image = vec![0; topology.node_count()];
        for (&node, &to) in self.levels[self.cells.len()].order().iter().zip(partition.order()) {
            image[node as usize] = to;
        }
        let mut permutation: Permutation = topology.channel_numbers().map(ChannelId::number).collect();
        for node in topology.nodes() {
            let to = NodeId::new(image[node.index()]);
            let row = self.row(to);
            let mut parallel = 0;
            let mut before = None;
            for &channel in self.row(node) {
                let head = topology.head(channel);
                parallel = if before == Some(head) { parallel + 1 } else { 0 };
                before = Some(head);
                let head = NodeId::new(image[head.index()]);
                let place = row.partition_point(|&other| topology.head(other) < head) + parallel;
                let found = *row.get(place)?;
                if topology.head(found) != head {
                    return None;
                }
                permutation[channel.index()] = found.number();
            }
        }
        self.keeps_resources(&permutation).then_some(permutation)
    }

    fn row(&self, node: NodeId) -> &[ChannelId] {
        &self.sorted[self.row[node.index()] as usize..self.row[node.index() + 1] as usize]
    }

    /// Whether channels that share a resource go to such.
    fn keeps_resources(&self, permutation: &[u32]) -> bool {
        let topology = self.topology;
        let mut image = vec![None; topology.resource_count()];
        topology.channels().all(|channel| {
            let to = topology.resource(ChannelId::new(permutation[channel.index()]));
            *image[topology.resource(channel).index()].get_or_insert(to) == to
        })
    }
}

fn patience(topology: &Topology) -> u64 {
    (PATIENCE * topology.channel_count() as u64).max(LEAST_PATIENCE)
}
