//! Random symmetries of a network.

use rand::Rng;
use rand::seq::SliceRandom;

use super::automorphism::Automorphism;
use super::partition::{Partition, Refiner};
use crate::{ChannelId, NodeId, Topology};

/// The most nodes and channels looked at before a search for symmetries is given up, for each channel of the network
/// and at least.
const PATIENCE: u64 = 1 << 7;
const LEAST_PATIENCE: u64 = 1 << 20;

/// The symmetries of a network, whatever its numbers: those of which parallel channels keep their order.
///
/// Memory: 16 bytes a node for each node that has to be told from the others one by one.
///
/// **Source**: individualisation and refinement, as in *Practical graph isomorphism, II* (Journal of Symbolic
/// Computation 60, 2014).
///
/// ```
/// use lockstep_topology::{NodeId, Symmetries, Topology};
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
///
/// let mesh: Topology = "mesh:3x3".parse()?;
/// let symmetries = Symmetries::new(&mesh).expect("a square can be turned");
/// let turn = symmetries.random(&mut ChaCha8Rng::seed_from_u64(1)).expect("a small network");
/// assert_eq!(turn.node(NodeId::new(4)), NodeId::new(4), "the middle stays");
///
/// // Only the reflection in the diagonal keeps a corner in place, and it keeps the opposite one, too.
/// let symmetries = Symmetries::fixing(&mesh, &[NodeId::new(0)]).expect("the reflection");
/// let reflection = symmetries.random(&mut ChaCha8Rng::seed_from_u64(1)).expect("a small network");
/// assert_eq!(reflection.node(NodeId::new(8)), NodeId::new(8));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Symmetries<'a> {
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
    /// All symmetries of a network. `None` where refinement alone tells all nodes from each other, so that there is
    /// none, and where the nodes are told from each other too slowly. Takes `O(M log N)` time and `N` words of memory
    /// for each node that has to be told from the others.
    pub fn new(topology: &'a Topology) -> Option<Self> {
        Self::fixing(topology, &[])
    }

    /// The symmetries that keep these nodes in place, such as the root of a broadcast; as [`new`](Self::new) otherwise.
    pub fn fixing(topology: &'a Topology, fixed: &[NodeId]) -> Option<Self> {
        let mut refiner = Refiner::new(topology);
        let mut coarsest = Partition::new(topology, &mut refiner);
        for node in fixed {
            if refiner.work > patience(topology) {
                return None;
            }
            if !coarsest.is_alone(node.number()) {
                coarsest = coarsest.individualised(node.number(), &mut refiner);
            }
        }
        let mut levels = vec![coarsest];
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

    /// The network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// A random symmetry; each with the same probability, where no choice turns out to be wrong later. `None` if too
    /// many do.
    pub fn random(&self, rng: &mut impl Rng) -> Option<Automorphism> {
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
            } else if let Some(found) = self.onto(&next) {
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

    /// The permutation that takes the nodes of the last level to those of a partition, if it is a symmetry.
    fn onto(&self, partition: &Partition) -> Option<Automorphism> {
        let topology = self.topology;
        let mut image = Automorphism::identity(topology);
        for (&node, &to) in self.levels[self.cells.len()].order().iter().zip(partition.order()) {
            image.nodes[node as usize] = NodeId::new(to);
        }
        for node in topology.nodes() {
            let row = self.row(image.node(node));
            let mut parallel = 0;
            let mut before = None;
            for &channel in self.row(node) {
                let head = topology.head(channel);
                parallel = if before == Some(head) { parallel + 1 } else { 0 };
                before = Some(head);
                let head = image.node(head);
                let place = row.partition_point(|&other| topology.head(other) < head) + parallel;
                let found = *row.get(place)?;
                if topology.head(found) != head {
                    return None;
                }
                image.channels[channel.index()] = found;
            }
        }
        self.keeps_resources(&image).then_some(image)
    }

    fn row(&self, node: NodeId) -> &[ChannelId] {
        &self.sorted[self.row[node.index()] as usize..self.row[node.index() + 1] as usize]
    }

    /// Whether channels that share a resource go to such.
    fn keeps_resources(&self, image: &Automorphism) -> bool {
        let topology = self.topology;
        let mut image_of = vec![None; topology.resource_count()];
        topology.channels().all(|channel| {
            let to = topology.resource(image.channel(channel));
            *image_of[topology.resource(channel).index()].get_or_insert(to) == to
        })
    }
}

fn patience(topology: &Topology) -> u64 {
    (PATIENCE * topology.channel_count() as u64).max(LEAST_PATIENCE)
}
