//! All shortest paths from one terminal.

use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

const UNREACHED: u32 = u32::MAX;

/// Counts stop here, so that sums of them are finite.
const MANY: f64 = 1e300;

/// The channels that leave each node, by ascending head.
pub(crate) struct Neighbours<'a> {
    topology: &'a Topology,
    start: Vec<u32>,
    channels: Vec<ChannelId>,
    /// The head of each of `channels`.
    heads: Vec<NodeId>,
}

impl<'a> Neighbours<'a> {
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

    /// The first channel between two nodes.
    fn channel(&self, tail: NodeId, head: NodeId) -> Option<ChannelId> {
        let row = self.row(tail);
        let place = row.start + self.heads[row.clone()].partition_point(|&other| other < head);
        (row.contains(&place) && self.heads[place] == head).then(|| self.channels[place])
    }

    /// Whether there is a way back on every channel.
    pub(crate) fn are_mutual(&self) -> bool {
        let Self { topology, .. } = self;
        topology.channels().all(|channel| self.channel(topology.head(channel), topology.tail(channel)).is_some())
    }
}

/// A breadth-first search that counts shortest paths. Memory: 20 bytes a node.
pub(crate) struct Search<'a> {
    neighbours: &'a Neighbours<'a>,
    source: NodeId,
    distance: Vec<u32>,
    /// Number of shortest paths; exact up to 2^53.
    count: Vec<f64>,
    /// Place in `queue` of each node from which the search has gone on.
    rank: Vec<u32>,
    /// One longer than needed, so that it can be written where nothing is added.
    queue: Vec<NodeId>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(neighbours: &'a Neighbours<'a>) -> Self {
        let nodes = neighbours.topology.node_count();
        Self {
            neighbours,
            source: NodeId::new(0),
            distance: vec![UNREACHED; nodes],
            count: vec![0.0; nodes],
            rank: vec![0; nodes],
            queue: vec![NodeId::new(0); nodes + 1],
        }
    }

    /// Searches from this node until these are reached, or nothing more can be. Takes time in proportion to the channels.
    pub(crate) fn run(&mut self, source: NodeId, targets: impl IntoIterator<Item = NodeId>) {
        let Self { neighbours, distance, count, rank, queue, .. } = self;
        let Neighbours { topology, heads, .. } = neighbours;
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
                // All that lead to the nodes of this level have been seen, so their counts are final.
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
            let (farther, ways) = (distance[node.index()] + 1, count[node.index()].min(MANY));
            for &head in &heads[neighbours.row(node)] {
                // Without branches, which nobody could foretell: everything is written, also where it stays the same.
                let place = head.index();
                let known = distance[place];
                let is_new = known == UNREACHED;
                distance[place] = known.min(farther);
                count[place] += if known >= farther { ways } else { 0.0 };
                queue[end] = head;
                end += usize::from(is_new);
            }
        }
    }

    /// Number of channels of a shortest path, if there is one.
    pub(crate) fn distance(&self, target: NodeId) -> Option<u32> {
        Some(self.distance[target.index()]).filter(|&distance| distance != UNREACHED)
    }

    /// Number of shortest paths to a node that is reached, or `most` if there are more.
    #[expect(clippy::cast_sign_loss, reason = "there are no negative counts")]
    pub(crate) fn count_up_to(&self, target: NodeId, most: usize) -> usize {
        self.count[target.index()].min(most as f64) as usize
    }

    /// The path of the tree in which every node hangs on the first one that met it.
    pub(crate) fn tree_path(&self, target: NodeId, path: &mut Vec<ChannelId>) {
        self.walk_back(target, path, |node| self.first_channel(node));
    }

    /// The same path the other way, from `target` to where the search began; all channels have a way back.
    pub(crate) fn tree_path_back(&self, target: NodeId, path: &mut Vec<ChannelId>) {
        path.clear();
        let mut node = target;
        while node != self.source {
            let next = self.neighbours.topology.tail(self.first_channel(node));
            path.push(self.neighbours.channel(node, next).expect("the network was found to have only mutual channels"));
            node = next;
        }
    }

    /// The path at this place of the list of all shortest paths.
    pub(crate) fn path_at(&self, target: NodeId, mut place: f64, path: &mut Vec<ChannelId>) {
        self.walk_back(target, path, |node| self.last_channel(node, &mut place));
    }

    /// A shortest path, drawn uniformly where there are fewer than 10^300.
    pub(crate) fn random_path(&self, target: NodeId, random: &mut ChaCha8Rng, path: &mut Vec<ChannelId>) {
        // A place drawn once has 53 random bits, which are too few for a whole path.
        self.walk_back(target, path, |node| {
            self.last_channel(node, &mut (random.random::<f64>() * self.count[node.index()]))
        });
    }

    fn walk_back(&self, target: NodeId, path: &mut Vec<ChannelId>, mut before: impl FnMut(NodeId) -> ChannelId) {
        path.clear();
        let mut node = target;
        while node != self.source {
            let channel = before(node);
            path.push(channel);
            node = self.neighbours.topology.tail(channel);
        }
        path.reverse();
    }

    /// The channel over which a node was first met.
    fn first_channel(&self, node: NodeId) -> ChannelId {
        let rank = |channel: &ChannelId| (self.rank[self.neighbours.topology.tail(*channel).index()], *channel);
        self.last_channels(node).min_by_key(rank).expect(REACHED)
    }

    /// The last channel of the path at this place of the list, which becomes the place among the paths to its tail.
    fn last_channel(&self, node: NodeId, place: &mut f64) -> ChannelId {
        let mut last = None;
        for channel in self.last_channels(node) {
            last = Some(channel);
            let ways = self.count[self.neighbours.topology.tail(channel).index()];
            if *place < ways {
                break;
            }
            *place -= ways;
        }
        // Rounding may lead past the end of the list.
        last.expect(REACHED)
    }

    /// The last channels of all shortest paths to a node that is reached and not the source.
    fn last_channels(&self, node: NodeId) -> impl Iterator<Item = ChannelId> {
        let topology = self.neighbours.topology;
        let before = self.distance[node.index()] - 1;
        topology.in_channels(node).iter().copied().filter(move |&channel| {
            let tail = topology.tail(channel);
            self.distance[tail.index()] == before && (tail == self.source || topology.routes(tail))
        })
    }
}

const REACHED: &str = "a node that is reached has a channel from before";
