//! Ring sets: the orders of the terminals, and the paths of the hops.

use lockstep_topology::{ChannelId, NodeId};
use serde::{Deserialize, Serialize};

/// Maximum number of rings of a set.
pub const MAX_RINGS: usize = 1 << 10;

/// Whether the terminals of a set form cycles or paths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RingKind {
    /// A cyclic order of the terminals. Each hop leads to the next terminal, and the last one to the first.
    Ring,
    /// A Hamiltonian path of the terminals. Each hop carries data in both directions: over its path, and over the opposite
    /// channels of its path.
    Chain,
}

impl RingKind {
    /// Returns the number of hops of a ring or chain of this number of terminals.
    pub fn hop_count(self, terminals: usize) -> usize {
        match self {
            Self::Ring => terminals,
            Self::Chain => terminals.saturating_sub(1),
        }
    }

    /// Returns the name: `ring` or `chain`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Chain => "chain",
        }
    }
}

/// A set of rings or chains over the same terminals. A library sends an equal share of the data around each of them.
///
/// Plain data: it may be wrong. Only [`verify`](crate::verify) says that it is not.
///
/// Invariant: each ring has one hop per terminal, and each chain has one hop fewer.
///
/// ```
/// use lockstep_rings::{RingKind, RingSet, verify};
/// use lockstep_topology::Topology;
///
/// let square: Topology = "ring:4".parse()?;
/// let order = square.terminals();
/// let channel = |from, to| square.out_channels(from).iter().copied().find(|&channel| square.head(channel) == to);
/// let mut set = RingSet::new(RingKind::Ring, order.to_vec(), 0);
/// set.push(order, (0..4).map(|place| channel(order[place], order[(place + 1) % 4])));
/// assert_eq!(verify(&square, &set)?.bandwidth().to_string(), "1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RingSet {
    kind: RingKind,
    /// The terminals that each ring visits, ascending.
    terminals: Vec<NodeId>,
    relay: u32,
    /// The orders of all rings, one after the other.
    orders: Vec<NodeId>,
    /// The end of each ring in `orders`.
    order_ends: Vec<u32>,
    /// The paths of all hops, one after the other.
    channels: Vec<ChannelId>,
    /// The end of each hop in `channels`.
    hop_ends: Vec<u32>,
    /// The end of each ring in `hop_ends`.
    ring_ends: Vec<u32>,
}

impl RingSet {
    /// Returns a set without rings over these terminals.
    ///
    /// `relay` is the maximum number of terminals inside a hop. It is 0 for hops that cross only switches.
    pub fn new(kind: RingKind, mut terminals: Vec<NodeId>, relay: u32) -> Self {
        terminals.sort_unstable();
        terminals.dedup();
        Self {
            kind,
            terminals,
            relay,
            orders: Vec::new(),
            order_ends: Vec::new(),
            channels: Vec::new(),
            hop_ends: Vec::new(),
            ring_ends: Vec::new(),
        }
    }

    /// Adds a ring: the order of its terminals, and the path of each hop, in the order of the terminals.
    ///
    /// # Panics
    ///
    /// If the number of hops is not [`RingKind::hop_count`], or the set has 2^32 channels.
    pub fn push<P: IntoIterator<Item = ChannelId>>(&mut self, order: &[NodeId], hops: impl IntoIterator<Item = P>) {
        let before = self.hop_ends.len();
        for hop in hops {
            self.channels.extend(hop);
            self.hop_ends.push(u32::try_from(self.channels.len()).expect("fewer than 2^32 channels"));
        }
        assert_eq!(self.hop_ends.len() - before, self.kind.hop_count(order.len()), "the number of hops");
        self.orders.extend_from_slice(order);
        self.order_ends.push(u32::try_from(self.orders.len()).expect("fewer than 2^32 terminals"));
        self.ring_ends.push(self.hop_ends.len() as u32);
    }

    /// Returns whether the set has rings or chains.
    pub fn kind(&self) -> RingKind {
        self.kind
    }

    /// Returns the terminals that each ring visits, ascending.
    pub fn terminals(&self) -> &[NodeId] {
        &self.terminals
    }

    /// Returns the maximum number of terminals inside a hop.
    pub fn relay(&self) -> u32 {
        self.relay
    }

    /// Returns the number of rings.
    pub fn len(&self) -> usize {
        self.order_ends.len()
    }

    /// Returns true if there is no ring.
    pub fn is_empty(&self) -> bool {
        self.order_ends.is_empty()
    }

    /// Returns the order of the terminals of a ring.
    pub fn order(&self, ring: usize) -> &[NodeId] {
        let start = ring.checked_sub(1).map_or(0, |before| self.order_ends[before]);
        &self.orders[start as usize..self.order_ends[ring] as usize]
    }

    /// Returns the paths of the hops of a ring. The hop with index `h` leads from terminal `h` of the order to the next one.
    pub fn hops(&self, ring: usize) -> impl ExactSizeIterator<Item = &[ChannelId]> + Clone {
        let start = ring.checked_sub(1).map_or(0, |before| self.ring_ends[before]);
        (start..self.ring_ends[ring]).map(|hop| {
            let start = hop.checked_sub(1).map_or(0, |before| self.hop_ends[before as usize]);
            &self.channels[start as usize..self.hop_ends[hop as usize] as usize]
        })
    }

    /// Returns the orders of all rings.
    pub fn orders(&self) -> impl ExactSizeIterator<Item = &[NodeId]> + Clone {
        (0..self.len()).map(|ring| self.order(ring))
    }

    /// Returns the number of channels of all hops of all rings.
    pub fn length(&self) -> usize {
        self.channels.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_keep_their_hops() {
        let nodes = [2, 0, 1].map(NodeId::new);
        let mut set = RingSet::new(RingKind::Chain, nodes.to_vec(), 0);
        set.push(&nodes, [vec![ChannelId::new(3)], vec![]]);
        set.push(&nodes[..2], [[4, 5].map(ChannelId::new)]);
        assert_eq!((set.len(), set.length()), (2, 3));
        assert_eq!(set.terminals(), [0, 1, 2].map(NodeId::new));
        assert_eq!(set.order(1), &nodes[..2]);
        assert_eq!(set.hops(0).map(<[_]>::len).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(set.hops(1).collect::<Vec<_>>(), [[4, 5].map(ChannelId::new)]);
    }
}
