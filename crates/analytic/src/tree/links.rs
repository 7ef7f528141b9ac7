//! The full-duplex links of a network.

use lockstep_topology::{ChannelId, NodeId, Topology};

/// A neighbour that a node can send to and receive from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) neighbour: NodeId,
    /// The channel to the neighbour.
    pub(super) out: ChannelId,
    /// The channel from the neighbour.
    pub(super) back: ChannelId,
}

/// The links at every node, neighbours ascending; of parallel wires one.
#[derive(Debug)]
pub(super) struct Links {
    start: Vec<u32>,
    links: Vec<Link>,
    /// Whether some neighbours are joined in one direction only.
    pub(super) has_one_way: bool,
}

impl Links {
    /// The links between the nodes that `takes_part` holds of. Takes `O(M log M)` time.
    pub(super) fn new(topology: &Topology, takes_part: impl Fn(NodeId) -> bool) -> Self {
        let ends = |channel| (topology.tail(channel), topology.head(channel));
        let key = |channel| {
            let (tail, head) = ends(channel);
            (tail.min(head), tail.max(head), head < tail, channel)
        };
        let taken = topology.channels().filter(|&channel| takes_part(ends(channel).0) && takes_part(ends(channel).1));
        let mut channels: Vec<ChannelId> = taken.collect();
        channels.sort_unstable_by_key(|&channel| key(channel));
        let mut pairs = Vec::new();
        let mut has_one_way = false;
        for wires in channels.chunk_by(|&a, &b| (key(a).0, key(a).1) == (key(b).0, key(b).1)) {
            let (out, back) = wires.split_at(wires.partition_point(|&channel| !key(channel).2));
            let (Some(&first), Some(&second)) = (out.first(), back.first()) else {
                has_one_way = true;
                continue;
            };
            // Two half-duplex wires are as good as a full-duplex one.
            let apart = back.iter().copied().find(|&back| topology.resource(back) != topology.resource(first));
            pairs.push((first, apart.unwrap_or(second)));
        }
        let mut start = vec![0u32; topology.node_count() + 1];
        let both = || pairs.iter().flat_map(|&(out, back)| [(out, back), (back, out)]);
        for (out, _) in both() {
            start[topology.tail(out).index() + 1] += 1;
        }
        for node in 0..topology.node_count() {
            start[node + 1] += start[node];
        }
        let mut next = start.clone();
        let none = Link { neighbour: NodeId::new(0), out: ChannelId::new(0), back: ChannelId::new(0) };
        let mut links = vec![none; 2 * pairs.len()];
        for (out, back) in both() {
            let place = &mut next[topology.tail(out).index()];
            links[*place as usize] = Link { neighbour: topology.head(out), out, back };
            *place += 1;
        }
        Self { start, links, has_one_way }
    }

    pub(super) fn at(&self, node: NodeId) -> &[Link] {
        &self.links[self.start[node.index()] as usize..self.start[node.index() + 1] as usize]
    }
}
