//! All shortest legal paths from every terminal, as distances and counts.

use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};
use rayon::prelude::*;
use tracing::instrument;

/// The most bytes that [`ShortestPaths`] or a [`PathTable`](crate::PathTable) may take: 8 GiB.
pub const MAX_BYTES: u64 = 8 << 30;

/// Distance of a node that no legal path reaches.
const UNREACHED: u32 = u32::MAX;

/// Why there are no [`ShortestPaths`] of a network.
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
        /// Bytes they would take.
        bytes: u64,
    },
}

/// All shortest legal paths from every terminal to every node.
///
/// They are kept as distances and counts, which imply the acyclic graph of each source `s`: channel `u -> v` is on a
/// shortest path iff `distance(s, u) + 1 == distance(s, v)` and `u` is `s` or routes. Memory: 10 bytes a pair of
/// terminal and node (12 in networks of 2^16 nodes and more).
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
    /// A row of nodes for each terminal; so is `counts`.
    distances: Distances,
    counts: Box<[u64]>,
}

/// Distances in the narrowest integer that holds a path through all nodes; its greatest value says *unreached*.
#[derive(Clone, Debug)]
enum Distances {
    Narrow(Box<[u16]>),
    Wide(Box<[u32]>),
}

impl Distances {
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
    /// The shortest paths from every terminal, by one breadth-first search each, shared among the threads of the
    /// current rayon pool. The result does not depend on their number.
    ///
    /// Takes `O(P M)` for `P` terminals and `M` channels.
    ///
    /// # Errors
    ///
    /// [`AllPairsError::TooLarge`], before anything is allocated.
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
            (Distances::Narrow(distances), counts)
        } else {
            let (distances, counts) = search_all(topology, UNREACHED);
            (Distances::Wide(distances), counts)
        };
        Ok(Self { topology, distances, counts })
    }

    /// The network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// Number of channels of a shortest path, or `None` if no legal path leads there.
    ///
    /// # Panics
    ///
    /// As all methods: if `source` is no terminal.
    #[inline]
    pub fn distance(&self, source: NodeId, target: NodeId) -> Option<u32> {
        let distance = self.graph(source).distance(target);
        (distance != UNREACHED).then_some(distance)
    }

    /// Number of shortest paths; `u64::MAX` stands for that many or more.
    ///
    /// From a terminal to itself it is 1, the path without a channel.
    #[inline]
    pub fn count(&self, source: NodeId, target: NodeId) -> u64 {
        self.graph(source).count(target)
    }

    /// The last channels of all shortest paths to `node`, ascending.
    #[inline]
    pub fn predecessors(&self, source: NodeId, node: NodeId) -> impl Iterator<Item = ChannelId> {
        self.graph(source).predecessors(node)
    }

    /// The shortest paths one by one, in lexicographic order of the channels read from the target backwards.
    ///
    /// Each takes time in proportion to its length and the degrees on it, and none is computed before it is asked for.
    /// Past 2^64 - 1 paths the iteration ends.
    pub fn paths(&self, source: NodeId, target: NodeId) -> impl Iterator<Item = Vec<ChannelId>> {
        let graph = self.graph(source);
        (0..graph.count(target)).map(move |rank| {
            let mut path = graph.blank_path(target);
            graph.write_path(target, rank, &mut path);
            path
        })
    }

    /// A shortest path drawn uniformly, or `None` if there is none.
    ///
    /// Where the count saturates, the draw is no longer exactly uniform: channels into a node are then chosen by
    /// saturated counts. Every path stays possible, none with a probability above 2^-63.
    pub fn sample<R: Rng + ?Sized>(&self, source: NodeId, target: NodeId, rng: &mut R) -> Option<Vec<ChannelId>> {
        let graph = self.graph(source);
        (graph.count(target) > 0).then(|| {
            let mut path = graph.blank_path(target);
            graph.write_sample(target, rng, &mut path);
            path
        })
    }

    /// The acyclic graph of the shortest paths from one terminal.
    #[inline]
    pub(crate) fn graph(&self, source: NodeId) -> ShortestPathGraph<'_> {
        let rank = self.topology.terminal_rank(source).expect("paths start at a terminal");
        ShortestPathGraph { paths: self, source, row: rank * self.topology.node_count() }
    }
}

/// The shortest paths from one terminal: every channel that is on one of them.
#[derive(Clone, Copy)]
pub(crate) struct ShortestPathGraph<'a> {
    paths: &'a ShortestPaths<'a>,
    source: NodeId,
    /// Where the source's row begins.
    row: usize,
}

impl<'a> ShortestPathGraph<'a> {
    /// [`UNREACHED`] where no path leads.
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
        // The source has no distance before its own, so nothing leads into it.
        let before = self.distance(node).checked_sub(1);
        topology.in_channels(node).iter().copied().filter(move |&channel| {
            let tail = topology.tail(channel);
            Some(self.distance(tail)) == before && (tail == self.source || topology.routes(tail))
        })
    }

    /// A path of the right length for `target`; empty if there is none.
    fn blank_path(self, target: NodeId) -> Vec<ChannelId> {
        let length = if self.count(target) == 0 { 0 } else { self.distance(target) };
        vec![ChannelId::new(0); length as usize]
    }

    /// The predecessor of `node` whose paths, in the order of [`ShortestPaths::paths`], include the one of this rank,
    /// which becomes the rank among them. `rank` is below the sum of the predecessors' counts.
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

    /// Number of shortest paths that end with this predecessor.
    #[inline]
    fn count_through(self, channel: ChannelId) -> u128 {
        u128::from(self.count(self.paths.topology.tail(channel)))
    }

    /// Writes the path of this rank in the order of [`ShortestPaths::paths`].
    ///
    /// `rank` is below `count(target)` and `path` as long as the distance. Saturated counts do no harm: a rank below
    /// a saturated count is below the true one.
    pub(crate) fn write_path(self, target: NodeId, rank: u64, path: &mut [ChannelId]) {
        let (mut node, mut rank) = (target, u128::from(rank));
        for place in path.iter_mut().rev() {
            *place = self.predecessor_at(node, &mut rank);
            node = self.paths.topology.tail(*place);
        }
    }

    /// Writes a path drawn as [`ShortestPaths::sample`] says; there is at least one.
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

/// The distances and counts from every terminal, a row of nodes each.
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

/// Fills the distances and counts from one source. `counts` is zero before; `queue` is scratch space.
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
        // Nodes leave the queue by distance, so the count of this one is final.
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
