//! Random automorphisms of a network.

use rand::Rng;
use rand::seq::SliceRandom;

use super::automorphism::Automorphism;
use super::partition::{ColourRefiner, Partition, Trace};
use crate::{ChannelId, NodeId, Topology};

/// Work limit of a search per channel of the network, in visited nodes and channels.
const MAX_WORK_PER_CHANNEL: u64 = 1 << 7;
/// Smallest work limit of a search, in visited nodes and channels.
const MIN_WORK_LIMIT: u64 = 1 << 20;

/// The automorphism group of a network, restricted to automorphisms that keep capacities and the order of parallel channels.
///
/// It samples automorphisms; it does not list them. Memory: up to 24 bytes per node and level of the search.
///
/// ```
/// use lockstep_topology::{NodeId, Symmetries, Topology};
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
///
/// let mesh: Topology = "mesh:3x3".parse()?;
/// let symmetries = Symmetries::new(&mesh).expect("a square has rotations");
/// let symmetry = symmetries.random(&mut ChaCha8Rng::seed_from_u64(1)).expect("a small network");
/// assert_eq!(symmetry.node(NodeId::new(4)), NodeId::new(4), "the centre is fixed");
///
/// // The only automorphism that fixes a corner is the reflection in the diagonal. It also fixes the opposite corner.
/// let symmetries = Symmetries::fixing(&mesh, &[NodeId::new(0)]).expect("the reflection");
/// let reflection = symmetries.random(&mut ChaCha8Rng::seed_from_u64(1)).expect("a small network");
/// assert_eq!(reflection.node(NodeId::new(8)), NodeId::new(8));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
///
/// # Source
///
/// Individualization and refinement, as in *Practical graph isomorphism, II*, Journal of Symbolic Computation 60
/// (2014).
#[derive(Clone, Debug)]
pub struct Symmetries<'a> {
    topology: &'a Topology,
    /// Equitable partitions. Each level individualizes one more node, the last has single nodes only.
    levels: Vec<Partition>,
    /// The cell of each level, except the last, that the next level splits.
    cells: Vec<u32>,
    /// How each level, except the first, was refined.
    traces: Vec<Trace>,
    /// Channels by tail, then by head, then by number.
    sorted: Vec<ChannelId>,
    /// Start of the channels of each node in `sorted`, and the end of the last.
    row: Vec<u32>,
}

impl<'a> Symmetries<'a> {
    /// Prepares the automorphisms of a network.
    ///
    /// Returns `None` if the identity is the only one, or if the search exceeds its work limit. Takes `O(M log N)` time
    /// and `O(N)` memory per level, of which there is one for each individualized node.
    pub fn new(topology: &'a Topology) -> Option<Self> {
        Self::fixing(topology, &[])
    }

    /// Prepares the automorphisms that fix these nodes, such as the root of a broadcast. Otherwise as
    /// [`new`](Self::new).
    pub fn fixing(topology: &'a Topology, fixed: &[NodeId]) -> Option<Self> {
        let mut refiner = ColourRefiner::new(topology);
        let mut coarsest = Partition::new(topology, &mut refiner);
        for node in fixed {
            if refiner.work > work_limit(topology) {
                return None;
            }
            if !coarsest.is_singleton(node.number()) {
                (coarsest, _) = coarsest.individualised(node.number(), &mut refiner);
            }
        }
        let mut levels = vec![coarsest];
        let (mut cells, mut traces) = (Vec::new(), Vec::new());
        while let Some(cell) = levels.last()?.largest_cell() {
            if refiner.work > work_limit(topology) {
                return None;
            }
            let level = levels.last()?;
            let (next, trace) = level.individualised(level.cell(cell)[0], &mut refiner);
            cells.push(cell);
            traces.push(trace);
            levels.push(next);
        }
        let mut sorted: Vec<ChannelId> = topology.channels().collect();
        sorted.sort_by_key(|&channel| (topology.tail(channel), topology.head(channel)));
        let mut row = vec![0];
        row.extend(topology.nodes().scan(0, |end, node| {
            *end += topology.out_channels(node).len() as u32;
            Some(*end)
        }));
        let symmetries = Self { topology, levels, cells, traces, sorted, row };
        (!symmetries.is_trivial(&mut refiner)).then_some(symmetries)
    }

    /// Returns true if no level has another image: then the identity is the only automorphism. Returns false if the search for
    /// one exceeds its work limit.
    fn is_trivial(&self, refiner: &mut ColourRefiner<'_>) -> bool {
        (0..self.cells.len()).all(|level| {
            let partition = &self.levels[level];
            partition.cell(self.cells[level]).iter().skip(1).all(|&node| {
                let is_over = refiner.work > work_limit(self.topology);
                !is_over && self.image(partition, level, node, refiner).is_none()
            })
        })
    }

    /// Returns the next level of an image of a level, which individualizes this node; `None` if it is not equivalent.
    fn image(
        &self,
        partition: &Partition,
        level: usize,
        node: u32,
        refiner: &mut ColourRefiner<'_>,
    ) -> Option<Partition> {
        let next = partition.individualised_as(node, refiner, &self.traces[level])?;
        next.has_cells_of(&self.levels[level + 1]).then_some(next)
    }

    /// Returns the network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// Samples an automorphism, uniformly unless the search has to backtrack. Returns `None` if the search exceeds its
    /// work limit.
    pub fn random(&self, rng: &mut impl Rng) -> Option<Automorphism> {
        let mut refiner = ColourRefiner::new(self.topology);
        let mut path = vec![(self.levels[0].clone(), self.shuffled_cell(&self.levels[0], 0, rng))];
        while refiner.work <= work_limit(self.topology) {
            let depth = path.len();
            let (partition, images) = path.last_mut()?;
            let Some(image) = images.pop() else {
                path.pop();
                continue;
            };
            let Some(next) = self.image(partition, depth - 1, image, &mut refiner) else { continue };
            if depth < self.cells.len() {
                let images = self.shuffled_cell(&next, depth, rng);
                path.push((next, images));
            } else if let Some(found) = self.automorphism_to(&next) {
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

    /// Returns the permutation that maps the last level to this partition of single nodes, if it is an automorphism.
    fn automorphism_to(&self, partition: &Partition) -> Option<Automorphism> {
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
                if topology.head(found) != head || topology.capacity(found) != topology.capacity(channel) {
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

    /// Returns true if the images of channels that share a resource also share one.
    fn keeps_resources(&self, image: &Automorphism) -> bool {
        let topology = self.topology;
        let mut image_of = vec![None; topology.resource_count()];
        topology.channels().all(|channel| {
            let to = topology.resource(image.channel(channel));
            *image_of[topology.resource(channel).index()].get_or_insert(to) == to
        })
    }
}

fn work_limit(topology: &Topology) -> u64 {
    (MAX_WORK_PER_CHANNEL * topology.channel_count() as u64).max(MIN_WORK_LIMIT)
}
