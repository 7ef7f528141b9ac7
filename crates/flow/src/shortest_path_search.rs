//! All shortest paths from one terminal.

use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

const UNREACHED: u32 = u32::MAX;

/// Counts are limited to this value, so that their sums are finite.
const MAX_COUNT: f64 = 1e300;

/// The outgoing channels of each node, sorted by head.
pub(crate) struct SortedChannels<'a> {
    topology: &'a Topology,
    start: Vec<u32>,
    channels: Vec<ChannelId>,
    /// The head of each of `channels`.
    heads: Vec<NodeId>,
}

impl<'a> SortedChannels<'a> {
    pub(crate) fn new(topology: &'a Topology) -> Self {
        let mut start = Vec::with_capacity(topology.node_count() + 1);
        let mut channels = Vec::with_capacity(topology.channel_count());
        start.push(0);
        for node in topology.nodes() {
            let first = channels.len();
            channels.extend_from_slice(topology.out_channels(node));
            channels[first..].sort_by_key(|&channel| topology.head(channel));
            start.push(channels.len() as u32);
        }
        let heads = channels.iter().map(|&channel| topology.head(channel)).collect();
        Self { topology, start, channels, heads }
    }

    fn row(&self, node: NodeId) -> std::ops::Range<usize> {
        self.start[node.index()] as usize..self.start[node.index() + 1] as usize
    }

    /// Returns the first channel between two nodes.
    fn channel(&self, tail: NodeId, head: NodeId) -> Option<ChannelId> {
        let row = self.row(tail);
        let place = row.start + self.heads[row.clone()].partition_point(|&other| other < head);
        (row.contains(&place) && self.heads[place] == head).then(|| self.channels[place])
    }

    /// Returns true if each channel has an opposite channel.
    pub(crate) fn are_symmetric(&self) -> bool {
        let Self { topology, .. } = self;
        topology.channels().all(|channel| self.channel(topology.head(channel), topology.tail(channel)).is_some())
    }
}

/// A breadth-first search that counts shortest paths. Takes 20 bytes per node.
pub(crate) struct ShortestPathSearch<'a> {
    sorted_channels: &'a SortedChannels<'a>,
    source: NodeId,
    distance: Vec<u32>,
    /// Number of shortest paths, exact up to 2^53.
    count: Vec<f64>,
    /// Index in `queue` of each expanded node.
    rank: Vec<u32>,
    /// One entry longer than needed, so that writing past the end of the queue is valid.
    queue: Vec<NodeId>,
}

impl<'a> ShortestPathSearch<'a> {
    pub(crate) fn new(sorted_channels: &'a SortedChannels<'a>) -> Self {
        let nodes = sorted_channels.topology.node_count();
        Self {
            sorted_channels,
            source: NodeId::new(0),
            distance: vec![UNREACHED; nodes],
            count: vec![0.0; nodes],
            rank: vec![0; nodes],
            queue: vec![NodeId::new(0); nodes + 1],
        }
    }

    /// Searches from `source` until all targets are reached, or the whole network is searched. O(nodes + channels).
    pub(crate) fn run(&mut self, source: NodeId, targets: impl IntoIterator<Item = NodeId>) {
        let Self { sorted_channels, distance, count, rank, queue, .. } = self;
        let SortedChannels { topology, heads, .. } = sorted_channels;
        self.source = source;
        distance.fill(UNREACHED);
        distance[source.index()] = 0;
        count.fill(0.0);
        count[source.index()] = 1.0;
        queue[0] = source;
        let (mut next, mut end) = (0, 1);
        let (mut targets, mut level_end) = (targets.into_iter().peekable(), 0);
        while next < end {
            if next == level_end {
                // All nodes of the previous level are expanded, so the counts of this level are final.
                level_end = end;
                while targets.next_if(|target| distance[target.index()] != UNREACHED).is_some() {}
                if targets.peek().is_none() {
                    return;
                }
            }
            let node = queue[next];
            rank[node.index()] = next as u32;
            next += 1;
            if node != source && !topology.routes(node) {
                continue;
            }
            let (farther, paths) = (distance[node.index()] + 1, count[node.index()].min(MAX_COUNT));
            for &head in &heads[sorted_channels.row(node)] {
                // Branch-free, because branches would be unpredictable: all values are written, even unchanged ones.
                let place = head.index();
                let known = distance[place];
                let is_new = known == UNREACHED;
                distance[place] = known.min(farther);
                count[place] += if known >= farther { paths } else { 0.0 };
                queue[end] = head;
                end += usize::from(is_new);
            }
        }
    }

    /// Returns the distance in channels, or `None` if the target is unreachable.
    pub(crate) fn distance(&self, target: NodeId) -> Option<u32> {
        Some(self.distance[target.index()]).filter(|&distance| distance != UNREACHED)
    }

    /// Returns the number of shortest paths to a reached node, at most `most`.
    #[expect(clippy::cast_sign_loss, reason = "counts are not negative")]
    pub(crate) fn count_up_to(&self, target: NodeId, most: usize) -> usize {
        self.count[target.index()].min(most as f64) as usize
    }

    /// Writes the path of the breadth-first tree.
    pub(crate) fn tree_path(&self, target: NodeId, path: &mut Vec<ChannelId>) {
        self.trace_back(target, path, |node| self.first_channel(node));
    }

    /// Writes the reverse of the tree path, from `target` to the source. All channels must have an opposite channel.
    pub(crate) fn tree_path_back(&self, target: NodeId, path: &mut Vec<ChannelId>) {
        path.clear();
        let mut node = target;
        while node != self.source {
            let next = self.sorted_channels.topology.tail(self.first_channel(node));
            path.push(
                self.sorted_channels
                    .channel(node, next)
                    .expect("the caller verified that each channel has an opposite"),
            );
            node = next;
        }
    }

    /// Writes the shortest path with this index.
    pub(crate) fn path_at(&self, target: NodeId, mut place: f64, path: &mut Vec<ChannelId>) {
        self.trace_back(target, path, |node| self.last_channel(node, &mut place));
    }

    /// Writes a random shortest path, uniform if there are fewer than 10^300.
    pub(crate) fn random_path(&self, target: NodeId, random: &mut ChaCha8Rng, path: &mut Vec<ChannelId>) {
        // One random index has only 53 random bits, too few for a whole path.
        self.trace_back(target, path, |node| {
            self.last_channel(node, &mut (random.random::<f64>() * self.count[node.index()]))
        });
    }

    /// Writes a path from its end to the source, with the last channel of each node chosen by `previous`.
    fn trace_back(&self, target: NodeId, path: &mut Vec<ChannelId>, mut previous: impl FnMut(NodeId) -> ChannelId) {
        path.clear();
        let mut node = target;
        while node != self.source {
            let channel = previous(node);
            path.push(channel);
            node = self.sorted_channels.topology.tail(channel);
        }
        path.reverse();
    }

    /// Returns the channel over which the search first reached a node.
    fn first_channel(&self, node: NodeId) -> ChannelId {
        let rank = |channel: &ChannelId| (self.rank[self.sorted_channels.topology.tail(*channel).index()], *channel);
        self.last_channels(node).min_by_key(rank).expect(REACHED)
    }

    /// Returns the last channel of the path with index `place`, which becomes the index among the paths to its tail.
    fn last_channel(&self, node: NodeId, place: &mut f64) -> ChannelId {
        let mut last = None;
        for channel in self.last_channels(node) {
            last = Some(channel);
            let paths = self.count[self.sorted_channels.topology.tail(channel).index()];
            if *place < paths {
                break;
            }
            *place -= paths;
        }
        // Rounding may exceed the last index.
        last.expect(REACHED)
    }

    /// Returns the last channels of all shortest paths to a reached node other than the source.
    fn last_channels(&self, node: NodeId) -> impl Iterator<Item = ChannelId> {
        let topology = self.sorted_channels.topology;
        let previous = self.distance[node.index()] - 1;
        topology.in_channels(node).iter().copied().filter(move |&channel| {
            let tail = topology.tail(channel);
            self.distance[tail.index()] == previous && (tail == self.source || topology.routes(tail))
        })
    }
}

const REACHED: &str = "a reached node has a channel from the previous level";
