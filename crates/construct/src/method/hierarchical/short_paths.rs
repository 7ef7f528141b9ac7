//! The paths between the members of a group, and between the members of a column.

use lockstep_topology::{ChannelId, Topology};

use super::groups::{Groups, for_each_pair};

/// A path of one channel, or of two channels over a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortPath {
    /// The channels; a path of one channel has it twice.
    ends: [ChannelId; 2],
}

impl ShortPath {
    /// Returns the channels of the path.
    #[inline]
    pub(super) fn channels(&self) -> &[ChannelId] {
        &self.ends[usize::from(self.ends[0] == self.ends[1])..]
    }
}

/// The paths of one kind, by row.
#[derive(Debug)]
struct PathRows {
    /// The end of each row in `paths`.
    end: Vec<u32>,
    paths: Vec<ShortPath>,
}

impl PathRows {
    /// Returns the shortest paths of each row; `None` if `needs` a row without a path.
    fn new(rows: usize, mut paths: Vec<(u32, ShortPath)>, needs: impl Fn(usize) -> bool) -> Option<Self> {
        let length = |path: &ShortPath| path.channels().len();
        paths.sort_by_key(|(row, path)| (*row, length(path)));
        let mut shortest = Self { end: Vec::with_capacity(rows), paths: Vec::with_capacity(paths.len()) };
        let mut rest = &paths[..];
        for row in 0..rows {
            let (own, others) = rest.split_at(rest.partition_point(|&(of, _)| of as usize == row));
            if own.is_empty() && needs(row) {
                return None;
            }
            let as_short = |(_, path): &&(u32, ShortPath)| length(path) == length(&own[0].1);
            shortest.paths.extend(own.iter().filter(as_short).map(|(_, path)| path));
            shortest.end.push(u32::try_from(shortest.paths.len()).ok()?);
            rest = others;
        }
        Some(shortest)
    }

    #[inline]
    fn row(&self, row: usize) -> &[ShortPath] {
        let start = row.checked_sub(1).map_or(0, |before| self.end[before]);
        &self.paths[start as usize..self.end[row] as usize]
    }
}

/// The paths inside of groups, and those between the members of a column.
///
/// Of parallel channels, the `k`-th channel into a switch and the `k`-th one out of it form a path.
#[derive(Debug)]
pub(super) struct ShortPaths {
    inner: PathRows,
    outer: PathRows,
    groups: usize,
    size: usize,
}

impl ShortPaths {
    /// Returns the paths of at most `longest` channels. `None` if there is none between two members of a group, or of a
    /// column. Takes `O(N d)` time for switches of degree `d`.
    pub(super) fn new(topology: &Topology, groups: &Groups, longest: usize) -> Option<Self> {
        let (count, size) = (groups.count(), groups.size());
        u32::try_from(count.checked_mul(size)?.checked_mul(count.max(size))?).ok()?;
        let parallel = parallel_ranks(topology);
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        for (group, column) in (0..count).flat_map(|group| (0..size).map(move |column| (group, column))) {
            let source = groups.member(group, column);
            let mut add = |first: ChannelId, last: ChannelId| {
                let Some((to_group, to_column)) = groups.place(topology.head(last)) else { return };
                let (is_inner, row) = (groups.is_inner(first), group * size + column);
                if is_inner && to_group == group && to_column != column {
                    inner.push(((row * size + to_column) as u32, ShortPath { ends: [first, last] }));
                } else if !is_inner && to_column == column && to_group != group {
                    outer.push(((row * count + to_group) as u32, ShortPath { ends: [first, last] }));
                }
            };
            for &first in topology.out_channels(source) {
                let middle = topology.head(first);
                add(first, first);
                if longest < 2 || !topology.routes(middle) || topology.is_terminal(middle) {
                    continue;
                }
                for &last in topology.out_channels(middle) {
                    let (one, other) = (parallel[first.index()], parallel[last.index()]);
                    let lanes = one.count.min(other.count);
                    if groups.is_inner(last) == groups.is_inner(first) && one.rank % lanes == other.rank % lanes {
                        add(first, last);
                    }
                }
            }
        }
        let terminals = count * size;
        Some(Self {
            inner: PathRows::new(terminals * size, inner, |row| row / size % size != row % size)?,
            outer: PathRows::new(terminals * count, outer, |row| row / count / size != row % count)?,
            groups: count,
            size,
        })
    }

    /// Returns the paths from the member of a group in a column to the one in another column.
    #[inline]
    pub(super) fn inner(&self, group: usize, column: usize, to_column: usize) -> &[ShortPath] {
        self.inner.row((group * self.size + column) * self.size + to_column)
    }

    /// Returns the paths from the member of a group in a column to the one of another group.
    #[inline]
    pub(super) fn outer(&self, group: usize, column: usize, to_group: usize) -> &[ShortPath] {
        self.outer.row((group * self.size + column) * self.groups + to_group)
    }
}

/// The rank of a channel among the channels with the same ends, and their number.
#[derive(Clone, Copy)]
struct ParallelRank {
    rank: u32,
    count: u32,
}

fn parallel_ranks(topology: &Topology) -> Vec<ParallelRank> {
    let mut ranks = vec![ParallelRank { rank: 0, count: 1 }; topology.channel_bound()];
    for_each_pair(topology, |parallel| {
        for (rank, channel) in (0..).zip(parallel) {
            ranks[channel.index()] = ParallelRank { rank, count: parallel.len() as u32 };
        }
    });
    ranks
}
