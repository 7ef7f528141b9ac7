//! A single automorphism of a network.

use crate::{ChannelId, NodeId, Topology};

/// An automorphism (symmetry) of a network: a permutation of its nodes and channels.
///
/// It preserves the ends of channels, the roles of nodes, and the sharing of resources. Failed nodes and channels are
/// fixed. [`Symmetries`](crate::Symmetries) finds automorphisms. Memory: 4 bytes per node and channel.
///
/// ```
/// use lockstep_topology::{Automorphism, Symmetries, Topology};
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
///
/// let ring: Topology = "ring:8".parse()?;
/// let symmetries = Symmetries::new(&ring).expect("a ring has rotations");
/// let symmetry = symmetries.random(&mut ChaCha8Rng::seed_from_u64(1)).expect("a small network");
/// assert_eq!(symmetry.then(&symmetry.inverse()), Automorphism::identity(&ring));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Automorphism {
    pub(super) nodes: Box<[NodeId]>,
    pub(super) channels: Box<[ChannelId]>,
}

impl Automorphism {
    /// Returns the identity.
    pub fn identity(topology: &Topology) -> Self {
        Self { nodes: topology.nodes().collect(), channels: topology.channel_numbers().collect() }
    }

    /// Returns the image of a node.
    #[inline]
    pub fn node(&self, node: NodeId) -> NodeId {
        self.nodes[node.index()]
    }

    /// Returns the image of a channel.
    #[inline]
    pub fn channel(&self, channel: ChannelId) -> ChannelId {
        self.channels[channel.index()]
    }

    /// Returns the images of all nodes, by node number.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the images of all channels, by channel number.
    pub fn channels(&self) -> &[ChannelId] {
        &self.channels
    }

    /// Returns the composition: this automorphism, followed by `next`. Both belong to the same network.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self {
            nodes: self.nodes.iter().map(|&node| next.node(node)).collect(),
            channels: self.channels.iter().map(|&channel| next.channel(channel)).collect(),
        }
    }

    /// Returns the inverse.
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
