//! All shortest legal paths, as distances and counts.

use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};
use rayon::prelude::*;
use tracing::instrument;

/// Memory limit of [`ShortestPaths`] and [`PathTable`](crate::PathTable) in bytes: 8 GiB.
pub const MAX_BYTES: u64 = 8 << 30;

/// The distance of an unreachable node.
const UNREACHED: u32 = u32::MAX;

/// The reason [`ShortestPaths`] cannot be computed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AllPairsError {
    /// Distances and counts would take more than [`MAX_BYTES`].
    #[error(
        "the shortest paths from {terminals} terminals to {nodes} nodes take {bytes} bytes, \
         more than {MAX_BYTES}; choose a smaller network"
    )]
    TooLarge {
        /// Number of terminals.
        terminals: usize,
        /// Number of nodes.
        nodes: usize,
        /// Required memory in bytes.
        bytes: u64,
    },
}

/// All shortest legal paths from each terminal to each node.
///
/// Distances and counts are stored. They imply the directed acyclic graph of shortest paths of each source `s`: channel
/// `u -> v` is in it if `distance(s, u) + 1 == distance(s, v)` and `u` is `s` or routes. Memory: 10 bytes per pair of
/// terminal and node, 12 bytes in networks of 2^16 or more nodes.
///
/// ```
/// use lockstep_paths::ShortestPaths;
/// use lockstep_topology::Topology;
///
/// let fat_tree: Topology = "fat-tree:2,3".parse()?;
/// let [first, .., last] = fat_tree.terminals() else { panic!("eight terminals") };
/// let paths = ShortestPaths::all_pairs(&fat_tree)?;
/// assert_eq!((paths.distance(*first, *last), paths.count(*first, *last)), (Some(6), 4));
/// assert!(paths.paths(*first, *last).all(|path| path.len() == 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShortestPaths<'a> {
    topology: &'a Topology,
    /// One row of nodes per terminal.
    distances: CompactDistances,
    /// One row of nodes per terminal.
    counts: Box<[u64]>,
}

/// Distances in the narrowest integer type for the number of nodes. Its maximum means *unreachable*.
#[derive(Clone, Debug)]
enum CompactDistances {
    Narrow(Box<[u16]>),
    Wide(Box<[u32]>),
}

impl CompactDistances {
    #[inline]
    fn get(&self, place: usize) -> u32 {
        match self {
            Self::Narrow(distances) => match distances[place] {
                u16::MAX => UNREACHED,
                distance => u32::from(distance),
            },
            Self::Wide(distances) => distances[place],
        }
    }
}

impl<'a> ShortestPaths<'a> {
    /// Computes the shortest paths by one breadth-first search per terminal, in parallel.
    ///
    /// Takes `O(P M)` time for `P` terminals and `M` channels, on the threads of the current rayon pool. The result
    /// does not depend on their number.
    ///
    /// # Errors
    ///
    /// [`AllPairsError::TooLarge`] if the result exceeds [`MAX_BYTES`]; then nothing is allocated.
    #[instrument(level = "debug", skip_all, fields(network = topology.name()))]
    pub fn all_pairs(topology: &'a Topology) -> Result<Self, AllPairsError> {
        let (terminals, nodes) = (topology.terminal_count(), topology.node_count());
        let narrow = u16::try_from(nodes).is_ok();
        let pair_bytes = if narrow { 10 } else { 12 };
        let bytes = terminals as u64 * nodes as u64 * pair_bytes;
        if bytes > MAX_BYTES {
            return Err(AllPairsError::TooLarge { terminals, nodes, bytes });
        }
        let (distances, counts) = if narrow {
            let (distances, counts) = search_all(topology, u16::MAX);
            (CompactDistances::Narrow(distances), counts)
        } else {
            let (distances, counts) = search_all(topology, UNREACHED);
            (CompactDistances::Wide(distances), counts)
        };
        Ok(Self { topology, distances, counts })
    }

    /// Returns the network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// Returns the number of channels of a shortest path, or `None` if there is no legal path.
    ///
    /// # Panics
    ///
    /// All methods panic if `source` is not a terminal.
    #[inline]
    pub fn distance(&self, source: NodeId, target: NodeId) -> Option<u32> {
        let distance = self.graph(source).distance(target);
        (distance != UNREACHED).then_some(distance)
    }

    /// Returns the number of shortest paths. It saturates at `u64::MAX`.
    ///
    /// From a terminal to itself it is 1, for the empty path.
    #[inline]
    pub fn count(&self, source: NodeId, target: NodeId) -> u64 {
        self.graph(source).count(target)
    }

    /// Returns the last channels of all shortest paths to `node`, ascending.
    #[inline]
    pub fn predecessors(&self, source: NodeId, node: NodeId) -> impl Iterator<Item = ChannelId> {
        self.graph(source).predecessors(node)
    }

    /// Returns the shortest paths in lexicographic order of their channels, read from the target backwards.
    ///
    /// The iterator is lazy. A path takes time proportional to the sum of the degrees of its nodes. The iterator ends
    /// after 2^64 - 1 paths.
    pub fn paths(&self, source: NodeId, target: NodeId) -> impl Iterator<Item = Vec<ChannelId>> {
        let graph = self.graph(source);
        (0..graph.count(target)).map(move |rank| {
            let mut path = graph.blank_path(target);
            graph.write_path(target, rank, &mut path);
            path
        })
    }

    /// Samples a shortest path uniformly, or returns `None` if there is none.
    ///
    /// If counts saturate, the sample is only approximately uniform: channels into a node are selected by saturated
    /// counts. Each path is still possible, and none has a probability above 2^-63.
    pub fn sample<R: Rng + ?Sized>(&self, source: NodeId, target: NodeId, rng: &mut R) -> Option<Vec<ChannelId>> {
        let graph = self.graph(source);
        (graph.count(target) > 0).then(|| {
            let mut path = graph.blank_path(target);
            graph.write_sample(target, rng, &mut path);
            path
        })
    }

    /// Returns the directed acyclic graph of the shortest paths from one terminal.
    #[inline]
    pub(crate) fn graph(&self, source: NodeId) -> ShortestPathGraph<'_> {
        let rank = self.topology.terminal_rank(source).expect("the source of a path is a terminal");
        ShortestPathGraph { paths: self, source, row: rank * self.topology.node_count() }
    }
}

/// The directed acyclic graph of the shortest paths from one terminal.
#[derive(Clone, Copy)]
pub(crate) struct ShortestPathGraph<'a> {
    paths: &'a ShortestPaths<'a>,
    source: NodeId,
    /// Start of the row of the source.
    row: usize,
}

impl<'a> ShortestPathGraph<'a> {
    /// Returns the distance, [`UNREACHED`] if there is no path.
    #[inline]
    pub(crate) fn distance(self, node: NodeId) -> u32 {
        self.paths.distances.get(self.row + node.index())
    }

    #[inline]
    pub(crate) fn count(self, node: NodeId) -> u64 {
        self.paths.counts[self.row + node.index()]
    }

    #[inline]
    fn predecessors(self, node: NodeId) -> impl Iterator<Item = ChannelId> + use<'a> {
        let topology = self.paths.topology;
        // The source has distance 0, so it has no predecessors.
        let before = self.distance(node).checked_sub(1);
        topology.in_channels(node).iter().copied().filter(move |&channel| {
            let tail = topology.tail(channel);
            Some(self.distance(tail)) == before && (tail == self.source || topology.routes(tail))
        })
    }

    /// Returns a path of the right length for `target`; empty if there is no path.
    fn blank_path(self, target: NodeId) -> Vec<ChannelId> {
        let length = if self.count(target) == 0 { 0 } else { self.distance(target) };
        vec![ChannelId::new(0); length as usize]
    }

    /// Returns the last channel of the path of this rank to `node`, in the order of [`ShortestPaths::paths`]. Reduces
    /// `rank` to the rank among the paths with that last channel. `rank` is below the sum of the counts of all
    /// predecessors.
    #[inline]
    fn predecessor_at(self, node: NodeId, rank: &mut u128) -> ChannelId {
        self.predecessors(node)
            .find(|&channel| match rank.checked_sub(self.count_through(channel)) {
                Some(rest) => {
                    *rank = rest;
                    false
                }
                None => true,
            })
            .expect("the rank is below the number of paths")
    }

    /// Returns the number of shortest paths that end with this channel.
    #[inline]
    fn count_through(self, channel: ChannelId) -> u128 {
        u128::from(self.count(self.paths.topology.tail(channel)))
    }

    /// Writes the path of this rank in the order of [`ShortestPaths::paths`].
    ///
    /// `rank` is below `count(target)`, and the length of `path` is the distance. A rank below a saturated count is
    /// also below the true count.
    pub(crate) fn write_path(self, target: NodeId, rank: u64, path: &mut [ChannelId]) {
        let (mut node, mut rank) = (target, u128::from(rank));
        for place in path.iter_mut().rev() {
            *place = self.predecessor_at(node, &mut rank);
            node = self.paths.topology.tail(*place);
        }
    }

    /// Writes a random path, see [`ShortestPaths::sample`]. There must be a path.
    pub(crate) fn write_sample<R: Rng + ?Sized>(self, target: NodeId, rng: &mut R, path: &mut [ChannelId]) {
        let (mut node, mut length) = (target, path.len());
        while self.count(node) == u64::MAX {
            let total: u128 = self.predecessors(node).map(|channel| self.count_through(channel)).sum();
            let channel = self.predecessor_at(node, &mut rng.random_range(0..total));
            length -= 1;
            path[length] = channel;
            node = self.paths.topology.tail(channel);
        }
        self.write_path(node, rng.random_range(0..self.count(node)), &mut path[..length]);
    }
}

/// Returns the distances and counts from all terminals, one row of nodes each.
fn search_all<D>(topology: &Topology, unreached: D) -> (Box<[D]>, Box<[u64]>)
where
    D: Copy + Send + Sync + TryFrom<u32>,
{
    let node_count = topology.node_count();
    let place_count = topology.terminal_count() * node_count;
    let mut distances = vec![unreached; place_count];
    let mut counts = vec![0; place_count];
    topology
        .terminals()
        .par_iter()
        .zip(distances.par_chunks_exact_mut(node_count))
        .zip(counts.par_chunks_exact_mut(node_count))
        .for_each_init(
            || (vec![UNREACHED; node_count], Vec::with_capacity(node_count)),
            |(wide, queue), ((&source, narrow), counts)| {
                search(topology, source, wide, counts, queue);
                for (narrow, &wide) in narrow.iter_mut().zip(wide.iter()) {
                    *narrow = D::try_from(wide).unwrap_or(unreached);
                }
            },
        );
    (distances.into(), counts.into())
}

/// Computes the distances and counts from one source. `counts` must be zero; `queue` is scratch space.
fn search(topology: &Topology, source: NodeId, distances: &mut [u32], counts: &mut [u64], queue: &mut Vec<NodeId>) {
    distances.fill(UNREACHED);
    distances[source.index()] = 0;
    counts[source.index()] = 1;
    queue.clear();
    queue.push(source);
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        if node != source && !topology.routes(node) {
            continue;
        }
        // Nodes leave the queue by distance, so the count of this node is final.
        let (distance, count) = (distances[node.index()] + 1, counts[node.index()]);
        for &channel in topology.out_channels(node) {
            let head = topology.head(channel).index();
            if distances[head] == UNREACHED {
                distances[head] = distance;
                queue.push(NodeId::from_index(head));
            }
            if distances[head] == distance {
                counts[head] = counts[head].saturating_add(count);
            }
        }
    }
}
