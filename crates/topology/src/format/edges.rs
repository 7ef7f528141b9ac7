//! Channels as files write them: opposite ones as one link.

use crate::{ChannelId, NodeId, Topology};

/// A channel, or two opposite channels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    pub(super) tail: NodeId,
    pub(super) head: NodeId,
    /// Whether it stands for the channel `head -> tail` too.
    pub(super) is_link: bool,
    /// Which group of two and more channels on one resource it belongs to, numbered by their first channels.
    pub(super) group: Option<u32>,
}

/// The channels with opposite ones paired up, in the order of their first channel.
///
/// They pair up as in [`Topology::links`].
pub(super) fn links_and_channels(topology: &Topology) -> Vec<Wire> {
    let groups = Groups::new(topology);
    let partner = partners(topology);
    let first_of_each =
        topology.channels().filter(|&channel| partner[channel.index()].is_none_or(|back| channel < back));
    first_of_each.map(|channel| wire(topology, channel, partner[channel.index()].is_some(), &groups)).collect()
}

/// The edges of a graph that has one direction for all: links if every channel pairs up, else every channel.
pub(super) fn links_or_channels(topology: &Topology) -> (Vec<Wire>, bool) {
    let links = links_and_channels(topology);
    if links.iter().all(|wire| wire.is_link) {
        return (links, true);
    }
    let groups = Groups::new(topology);
    (topology.channels().map(|channel| wire(topology, channel, false, &groups)).collect(), false)
}

/// The group of each resource that has two and more channels.
struct Groups(Vec<Option<u32>>);

impl Groups {
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

fn wire(topology: &Topology, channel: ChannelId, is_link: bool, groups: &Groups) -> Wire {
    let (tail, head) = (topology.tail(channel), topology.head(channel));
    Wire { tail, head, is_link, group: groups.of(topology, channel) }
}

/// The opposite channel of each, where there is one.
fn partners(topology: &Topology) -> Vec<Option<ChannelId>> {
    let mut partner = vec![None; topology.channel_bound()];
    for [channel, back] in topology.links() {
        partner[channel.index()] = Some(back);
        partner[back.index()] = Some(channel);
    }
    partner
}
