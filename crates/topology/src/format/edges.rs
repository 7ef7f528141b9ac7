//! The edges of a file: channels with opposite channels paired up as links, and edges that are listed in both directions.

use std::collections::BTreeMap;

use crate::quantity::Quantity;
use crate::{ChannelId, NodeId, Topology};

/// An edge of a file: a link or a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) tail: NodeId,
    pub(super) head: NodeId,
    /// True if the edge also represents the channel `head -> tail`.
    pub(super) is_link: bool,
    /// The number of its group of channels that share a resource, in the order of their first channels.
    pub(super) group: Option<u32>,
    capacity: u32,
    latency_ps: u64,
}

impl Edge {
    /// Returns the attributes `capacity` and `latency`, if they differ from the default.
    pub(super) fn rates(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let capacity = (self.capacity != 1).then(|| ("capacity", self.capacity.to_string()));
        let latency = (self.latency_ps != 0).then(|| ("latency", Quantity::Time.format(self.latency_ps)));
        capacity.into_iter().chain(latency)
    }
}

/// Returns the [links](Topology::links) and the other channels, in the order of their first channels.
pub(super) fn links_and_channels(topology: &Topology) -> Vec<Edge> {
    let groups = ResourceGroups::new(topology);
    let partner = partners(topology);
    let first_of_each =
        topology.channels().filter(|&channel| partner[channel.index()].is_none_or(|back| channel < back));
    first_of_each.map(|channel| edge(topology, channel, partner[channel.index()].is_some(), &groups)).collect()
}

/// Returns true if there are edges, and as many of them lead from one node to another as back.
pub(super) fn are_symmetric(edges: impl IntoIterator<Item = [NodeId; 2]>) -> bool {
    let mut surplus: BTreeMap<[NodeId; 2], i64> = BTreeMap::new();
    for [tail, head] in edges {
        *surplus.entry([tail.min(head), tail.max(head)]).or_default() += if tail < head { 1 } else { -1 };
    }
    !surplus.is_empty() && surplus.values().all(|&surplus| surplus == 0)
}

/// Returns only links, and true, if every channel is part of a link. Otherwise returns all channels, and false.
pub(super) fn links_or_channels(topology: &Topology) -> (Vec<Edge>, bool) {
    let links = links_and_channels(topology);
    if links.iter().all(|edge| edge.is_link) {
        return (links, true);
    }
    let groups = ResourceGroups::new(topology);
    (topology.channels().map(|channel| edge(topology, channel, false, &groups)).collect(), false)
}

/// The group number of each resource that has two or more channels.
struct ResourceGroups(Vec<Option<u32>>);

impl ResourceGroups {
    fn new(topology: &Topology) -> Self {
        let mut channel_count = vec![0u32; topology.resource_count()];
        for channel in topology.channels() {
            channel_count[topology.resource(channel).index()] += 1;
        }
        let mut numbers = 0..;
        Self(channel_count.iter().map(|&count| if count > 1 { numbers.next() } else { None }).collect())
    }

    fn of(&self, topology: &Topology, channel: ChannelId) -> Option<u32> {
        self.0[topology.resource(channel).index()]
    }
}

fn edge(topology: &Topology, channel: ChannelId, is_link: bool, groups: &ResourceGroups) -> Edge {
    let (tail, head) = (topology.tail(channel), topology.head(channel));
    let (capacity, latency_ps) = (topology.capacity(channel), topology.latency_ps(channel));
    Edge { tail, head, is_link, group: groups.of(topology, channel), capacity, latency_ps }
}

/// Returns the opposite channel of each channel, if any.
fn partners(topology: &Topology) -> Vec<Option<ChannelId>> {
    let mut partner = vec![None; topology.channel_bound()];
    for [channel, back] in topology.links() {
        partner[channel.index()] = Some(back);
        partner[back.index()] = Some(channel);
    }
    partner
}
