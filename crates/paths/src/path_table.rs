//! Tables of candidate paths of all pairs of terminals.

use std::fmt;
use std::ops::Range;

use lockstep_topology::{ChannelId, MAX_NODES, NodeId, Topology, number_id};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::legal_paths::{LegalPaths, SelectedPaths, WorkExceeded, max_work};
use crate::samples::{pair_rng, write_paths};
use crate::shortest_paths::{AllPairsError, MAX_BYTES, ShortestPaths};

number_id!(
    /// A path of a [`PathTable`], `p0..`.
    PathId,
    "p"
);

/// The selection of paths of a [`PathTable`].
///
/// ```
/// use lockstep_paths::{PathSelection, PathTable};
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:4x4".parse()?;
/// let table = PathTable::build(&torus, PathSelection::Shortest { cap: 2, seed: 1 })?;
/// assert!(table.path_count() <= 2 * 16 * 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PathSelection {
    /// Shortest paths, see [`PathTable::shortest`].
    Shortest {
        /// Maximum number of paths per pair.
        cap: usize,
        /// Seed of the samples of pairs with more paths.
        seed: u64,
    },
    /// Single channels between terminals, see [`PathTable::single_channels`].
    SingleChannels,
}

/// The reason a [`PathTable`] cannot be computed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The paths would take more than [`MAX_BYTES`].
    #[error(
        "{paths} paths of {channel_uses} channels between {terminals} terminals take {bytes} bytes, \
         more than {MAX_BYTES}; allow fewer paths per pair or choose a smaller network"
    )]
    TooLarge {
        /// Number of terminals.
        terminals: usize,
        /// Number of paths.
        paths: u64,
        /// Sum of the lengths of all paths, in channels.
        channel_uses: u64,
        /// Required memory in bytes.
        bytes: u64,
    },
    /// The search for shortest legal paths takes too long, because channels between different nodes share resources.
    #[error(
        "the search for the shortest legal paths to '{target}' takes more than {steps} steps, because a path may not use a \
         shared resource twice; let fewer channels share a resource"
    )]
    SearchTooLong {
        /// Name of the terminal where the paths end.
        target: String,
        /// The maximum number of steps.
        steps: u64,
    },
    /// The shortest paths cannot be computed.
    #[error(transparent)]
    AllPairs(#[from] AllPairsError),
}

/// The two ends of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PathEnds {
    source: NodeId,
    target: NodeId,
}

/// Candidate paths of all ordered pairs of terminals, by target, then by source.
///
/// The paths of a pair are in the order of [`ShortestPaths::paths`]. Memory: 12 bytes per path, 4 bytes per channel of
/// a path, 5 bytes per pair of terminals.
///
/// ```
/// use lockstep_paths::{PathId, PathTable};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:2x3".parse()?;
/// let table = PathTable::single_channels(&mesh)?;
/// assert_eq!(table.path_count(), mesh.channel_count());
/// for path in table.towards(mesh.terminals()[0]).map(PathId::new) {
///     println!("{} sends along {:?}", table.source(path), table.channels(path));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "PathColumns")]
pub struct PathTable {
    columns: PathColumns,
    /// Rank of each terminal by node, up to the last terminal. Other nodes have [`NO_RANK`].
    rank: Box<[u32]>,
    ends: Box<[PathEnds]>,
}

const NO_RANK: u32 = u32::MAX;

/// The stored part of a [`PathTable`]. The rest is derived from it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PathColumns {
    /// The terminals, ascending.
    terminals: Box<[NodeId]>,
    /// Number of channels of the network.
    channel_bound: u32,
    /// Start of the paths of each pair, and the number of paths. The pair of the terminals of ranks `s` and `t` has
    /// number `t P + s` for `P` terminals.
    pair_start: Box<[u32]>,
    /// True for each pair whose paths are complete.
    complete: Box<[bool]>,
    /// Start of each path in `channels`, and the length of `channels`.
    path_start: Box<[u32]>,
    channels: Box<[ChannelId]>,
}

impl PathTable {
    /// Selects all shortest paths of each pair with at most `cap` paths, and `cap` distinct random ones of other pairs.
    ///
    /// In networks with [buses](Topology::has_buses), these are the shortest paths that use no resource twice. A pair
    /// whose paths are not complete may then have fewer than `cap` of them.
    ///
    /// Each pair has a random stream of its own, so the table depends only on the network, `cap` and `seed`. Samples
    /// are uniform unless counts saturate, see [`ShortestPaths::sample`]. Takes time proportional to the sum of the
    /// degrees along all paths, in parallel over targets.
    ///
    /// # Errors
    ///
    /// [`TableError::TooLarge`] if the table exceeds [`MAX_BYTES`]; [`TableError::SearchTooLong`] in networks with many
    /// buses.
    #[instrument(level = "debug", skip_all, fields(network = paths.topology().name(), cap))]
    pub fn shortest(paths: &ShortestPaths<'_>, cap: usize, seed: u64) -> Result<Self, TableError> {
        let topology = paths.topology();
        if topology.has_buses() {
            return Self::shortest_legal(topology, cap, seed);
        }
        let terminals = topology.terminals();
        let pairs = || terminals.iter().flat_map(|&target| terminals.iter().map(move |&source| (source, target)));
        let selected = |(source, target)| match paths.distance(source, target) {
            None | Some(0) => (0, 0),
            Some(length) => (paths.count(source, target).min(cap as u64), length),
        };
        let (path_count, channel_uses) = pairs().map(selected).fold((0u64, 0u64), |(paths, uses), (count, length)| {
            (paths.saturating_add(count), uses.saturating_add(count.saturating_mul(length.into())))
        });
        check_size(terminals.len(), path_count, channel_uses)?;

        let mut pair_start = Vec::with_capacity(terminals.len().pow(2) + 1);
        let mut path_start = Vec::with_capacity(path_count as usize + 1);
        let mut end = 0;
        pair_start.push(0);
        path_start.push(0);
        for (count, length) in pairs().map(selected) {
            path_start.extend((0..count).map(|_| {
                end += length;
                end
            }));
            pair_start.push(path_start.len() as u32 - 1);
        }
        let complete =
            pairs().map(|(source, target)| source == target || paths.count(source, target) <= cap as u64).collect();

        let mut channels = vec![ChannelId::new(0); channel_uses as usize];
        write_paths(paths, seed, &pair_start, &path_start, &mut channels);
        Ok(Self::new(PathColumns {
            terminals: terminals.into(),
            channel_bound: topology.channel_bound() as u32,
            pair_start: pair_start.into(),
            complete,
            path_start: path_start.into(),
            channels: channels.into(),
        }))
    }

    /// Selects the shortest paths of a network with buses.
    ///
    /// # Errors
    ///
    /// As [`shortest`](Self::shortest).
    fn shortest_legal(topology: &Topology, cap: usize, seed: u64) -> Result<Self, TableError> {
        let terminals = topology.terminals();
        check_size(terminals.len(), 0, 0)?;
        let (mut pair_start, mut path_start, mut complete, mut channels) = (vec![0], vec![0], Vec::new(), Vec::new());
        for targets in terminals.chunks(TARGETS_AT_ONCE) {
            let rows: Vec<_> = targets.par_iter().map(|&target| legal_row(topology, target, cap, seed)).collect();
            for row in rows {
                for SelectedPaths { paths, is_complete } in row? {
                    for path in paths {
                        channels.extend(path);
                        path_start.push(channels.len() as u32);
                        check_size(terminals.len(), path_start.len() as u64 - 1, channels.len() as u64)?;
                    }
                    pair_start.push(path_start.len() as u32 - 1);
                    complete.push(is_complete);
                }
            }
        }
        Ok(Self::new(PathColumns {
            terminals: terminals.into(),
            channel_bound: topology.channel_bound() as u32,
            pair_start: pair_start.into(),
            complete: complete.into(),
            path_start: path_start.into(),
            channels: channels.into(),
        }))
    }

    /// Selects each channel between two terminals as a path: the transfers of store-and-forward switching.
    ///
    /// A pair without a channel has no path and is complete.
    ///
    /// # Errors
    ///
    /// [`TableError::TooLarge`] if the table exceeds [`MAX_BYTES`]; then nothing is allocated.
    pub fn single_channels(topology: &Topology) -> Result<Self, TableError> {
        let terminals = topology.terminals();
        let pair = |channel| {
            let source = topology.terminal_rank(topology.tail(channel))?;
            let target = topology.terminal_rank(topology.head(channel))?;
            Some(target * terminals.len() + source)
        };
        let path_count = topology.channels().filter_map(pair).count();
        check_size(terminals.len(), path_count as u64, path_count as u64)?;

        let pair_count = terminals.len().pow(2);
        let mut pair_start = vec![0; pair_count + 1];
        let mut paths: Vec<_> = topology.channels().filter_map(|channel| Some((pair(channel)?, channel))).collect();
        paths.sort_unstable();
        for &(pair, _) in &paths {
            pair_start[pair + 1] += 1;
        }
        for pair in 0..pair_count {
            pair_start[pair + 1] += pair_start[pair];
        }
        Ok(Self::new(PathColumns {
            terminals: terminals.into(),
            channel_bound: topology.channel_bound() as u32,
            pair_start: pair_start.into(),
            complete: vec![true; pair_count].into(),
            path_start: (0..=path_count as u32).collect(),
            channels: paths.into_iter().map(|(_, channel)| channel).collect(),
        }))
    }

    /// Computes the selected paths of a network.
    ///
    /// # Errors
    ///
    /// [`TableError`] if the shortest paths or the table exceed [`MAX_BYTES`].
    pub fn build(topology: &Topology, selection: PathSelection) -> Result<Self, TableError> {
        match selection {
            PathSelection::Shortest { cap, seed } if topology.has_buses() => Self::shortest_legal(topology, cap, seed),
            PathSelection::Shortest { cap, seed } => Self::shortest(&ShortestPaths::all_pairs(topology)?, cap, seed),
            PathSelection::SingleChannels => Self::single_channels(topology),
        }
    }

    /// Returns the number of paths.
    pub fn path_count(&self) -> usize {
        self.columns.path_start.len() - 1
    }

    /// Returns the numbers of the paths of a pair.
    ///
    /// # Panics
    ///
    /// All methods panic if a node is not a terminal, or if a path is not in the table.
    #[inline]
    pub fn between(&self, source: NodeId, target: NodeId) -> Range<u32> {
        let pair = self.pair(source, target);
        self.columns.pair_start[pair]..self.columns.pair_start[pair + 1]
    }

    /// Returns the numbers of the paths that end at `target`, by source.
    #[inline]
    pub fn towards(&self, target: NodeId) -> Range<u32> {
        let first = self.rank(target) * self.columns.terminals.len();
        self.columns.pair_start[first]..self.columns.pair_start[first + self.columns.terminals.len()]
    }

    /// Returns the channels of a path, in order.
    #[inline]
    pub fn channels(&self, path: PathId) -> &[ChannelId] {
        let [start, end] = [path.index(), path.index() + 1].map(|place| self.columns.path_start[place]);
        &self.columns.channels[start as usize..end as usize]
    }

    /// Returns the first terminal of a path.
    #[inline]
    pub fn source(&self, path: PathId) -> NodeId {
        self.ends[path.index()].source
    }

    /// Returns the last terminal of a path.
    #[inline]
    pub fn target(&self, path: PathId) -> NodeId {
        self.ends[path.index()].target
    }

    /// Returns true if the table contains all paths of a pair that the selection allows. A pair without paths is
    /// complete.
    #[inline]
    pub fn is_complete(&self, source: NodeId, target: NodeId) -> bool {
        self.columns.complete[self.pair(source, target)]
    }

    /// Returns true if each path is a walk in this network from its source to its target through nodes that route, and uses
    /// no resource twice.
    pub(crate) fn fits(&self, topology: &Topology) -> bool {
        let is_walk = |path| {
            let (channels, PathEnds { source, target }) = (self.channels(path), self.ends[path.index()]);
            channels.iter().all(|&channel| topology.is_working(channel))
                && channels.first().is_some_and(|&first| topology.tail(first) == source)
                && channels.last().is_some_and(|&last| topology.head(last) == target)
                && channels.windows(2).all(|pair| {
                    let inner = topology.head(pair[0]);
                    inner == topology.tail(pair[1]) && topology.routes(inner)
                })
                && (!topology.has_buses()
                    || (1..channels.len()).all(|place| {
                        let resource = topology.resource(channels[place]);
                        channels[..place].iter().all(|&other| topology.resource(other) != resource)
                    }))
        };
        *self.columns.terminals == *topology.terminals()
            && self.columns.channel_bound as usize == topology.channel_bound()
            && (0..self.path_count() as u32).map(PathId::new).all(is_walk)
    }

    #[inline]
    fn pair(&self, source: NodeId, target: NodeId) -> usize {
        self.rank(target) * self.columns.terminals.len() + self.rank(source)
    }

    #[inline]
    fn rank(&self, terminal: NodeId) -> usize {
        let rank = self.rank.get(terminal.index()).copied().filter(|&rank| rank != NO_RANK);
        rank.expect("the ends of a path are terminals") as usize
    }

    /// Derives the rest of the table from valid columns.
    fn new(columns: PathColumns) -> Self {
        let node_count = columns.terminals.last().map_or(0, |last| last.index() + 1);
        let mut rank = vec![NO_RANK; node_count];
        for (place, terminal) in columns.terminals.iter().enumerate() {
            rank[terminal.index()] = place as u32;
        }
        let terminals = &columns.terminals;
        let mut ends = Vec::with_capacity(columns.path_start.len() - 1);
        let pairs =
            terminals.iter().flat_map(|&target| terminals.iter().map(move |&source| PathEnds { source, target }));
        for (pair, end) in pairs.zip(&columns.pair_start[1..]) {
            ends.resize(*end as usize, pair);
        }
        Self { rank: rank.into(), ends: ends.into(), columns }
    }
}

impl fmt::Debug for PathTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathTable")
            .field("terminals", &self.columns.terminals.len())
            .field("paths", &self.path_count())
            .field("channel_uses", &self.columns.channels.len())
            .finish_non_exhaustive()
    }
}

impl Serialize for PathTable {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.columns.serialize(serializer)
    }
}

impl TryFrom<PathColumns> for PathTable {
    type Error = &'static str;

    /// Refuses columns with a number beyond its table.
    fn try_from(columns: PathColumns) -> Result<Self, Self::Error> {
        let PathColumns { terminals, channel_bound, pair_start, complete, path_start, channels } = &columns;
        let pair_count = terminals.len().checked_pow(2);
        if !terminals.is_sorted_by(|a, b| a < b)
            || terminals.last().is_some_and(|last| last.index() as u64 >= MAX_NODES)
        {
            Err("the terminals are not ascending nodes")
        } else if Some(complete.len()) != pair_count || pair_start.len() != complete.len() + 1 {
            Err("the pairs are not those of the terminals")
        } else if !are_starts(pair_start, path_start.len().wrapping_sub(1)) {
            Err("the paths do not divide into pairs")
        } else if !are_starts(path_start, channels.len()) || !path_start.is_sorted_by(|a, b| a < b) {
            Err("the channels do not divide into paths")
        } else if channels.iter().any(|channel| channel.number() >= *channel_bound) {
            Err("a path names a channel that does not exist")
        } else {
            Ok(Self::new(columns))
        }
    }
}

/// Returns true if these starts divide a table of `count` entries into rows.
fn are_starts(starts: &[u32], count: usize) -> bool {
    starts.first() == Some(&0) && starts.last().is_some_and(|&last| last as usize == count) && starts.is_sorted()
}

fn check_size(terminals: usize, paths: u64, channel_uses: u64) -> Result<(), TableError> {
    let pairs = (terminals as u64).saturating_mul(terminals as u64);
    let bytes = [(pairs, 5), (paths, 12), (channel_uses, 4)]
        .into_iter()
        .fold(0u64, |sum, (count, size)| sum.saturating_add(count.saturating_mul(size)));
    if bytes > MAX_BYTES {
        return Err(TableError::TooLarge { terminals, paths, channel_uses, bytes });
    }
    Ok(())
}

/// Number of targets whose paths are searched together.
const TARGETS_AT_ONCE: usize = 256;

/// Returns the paths to one target in a network with buses, by source.
fn legal_row(topology: &Topology, target: NodeId, cap: usize, seed: u64) -> Result<Vec<SelectedPaths>, TableError> {
    let paths = LegalPaths::new(topology, target).map_err(|WorkExceeded| TableError::SearchTooLong {
        target: topology.node_name(target).to_owned(),
        steps: max_work(topology),
    })?;
    let select = |&source: &NodeId| paths.select(source, cap, &mut pair_rng(seed, source, target));
    Ok(topology.terminals().iter().map(select).collect())
}
