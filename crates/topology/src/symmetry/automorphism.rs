//! One symmetry of a network.

use crate::{ChannelId, NodeId, Topology};

/// A symmetry of a network: where it takes each node and each channel.
///
/// It keeps the ends of channels, what nodes may do, and which channels share a resource; what has failed stays in place.
/// [`Symmetries`](crate::Symmetries) finds them. Memory: 4 bytes a node and a channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Automorphism {
    pub(super) nodes: Box<[NodeId]>,
    pub(super) channels: Box<[ChannelId]>,
}

impl Automorphism {
    /// The symmetry that keeps everything in place.
    pub fn identity(topology: &Topology) -> Self {
        Self { nodes: topology.nodes().collect(), channels: topology.channel_numbers().collect() }
    }

    /// Where a node goes.
    #[inline]
    pub fn node(&self, node: NodeId) -> NodeId {
        self.nodes[node.index()]
    }

    /// Where a channel goes.
    #[inline]
    pub fn channel(&self, channel: ChannelId) -> ChannelId {
        self.channels[channel.index()]
    }

    /// Where each node goes, in the order of their numbers.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Where each channel goes, in the order of their numbers.
    pub fn channels(&self) -> &[ChannelId] {
        &self.channels
    }

    /// First this symmetry, then another one of the same network.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self {
            nodes: self.nodes.iter().map(|&node| next.node(node)).collect(),
            channels: self.channels.iter().map(|&channel| next.channel(channel)).collect(),
        }
    }

    /// The symmetry that takes everything back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut inverse = self.clone();
        for (node, to) in self.nodes.iter().enumerate() {
            inverse.nodes[to.index()] = NodeId::from_index(node);
        }
        for (channel, to) in self.channels.iter().enumerate() {
            inverse.channels[to.index()] = ChannelId::from_index(channel);
        }
        inverse
    }
}
