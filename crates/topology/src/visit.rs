//! petgraph's visit traits for [`Topology`], so that petgraph's algorithms run on it without a copy.
//!
//! A topology is a directed graph. Nodes have no weight; each channel has weight 1.

use std::iter::{Copied, Map};
use std::ops::Range;
use std::slice;

use petgraph::visit::{
    Data, EdgeCount, EdgeIndexable, EdgeRef, GraphBase, GraphProp, IntoEdgeReferences, IntoEdges, IntoEdgesDirected,
    IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers, IntoNodeReferences, NodeCompactIndexable, NodeCount,
    NodeIndexable, VisitMap, Visitable,
};
use petgraph::{Directed, Direction};

use crate::{ChannelId, NodeId, Topology};

/// An edge reference of petgraph: a channel with its ends and weight 1.
///
/// ```
/// use lockstep_topology::Topology;
/// use petgraph::visit::EdgeRef;
///
/// let ring: Topology = "ring:8".parse()?;
/// let start = ring.terminals()[0];
/// let distances = petgraph::algo::dijkstra(&ring, start, None, |channel| *channel.weight());
/// assert_eq!(distances[&ring.terminals()[5]], 3);
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ChannelRef<'a> {
    topology: &'a Topology,
    channel: ChannelId,
}

impl EdgeRef for ChannelRef<'_> {
    type NodeId = NodeId;
    type EdgeId = ChannelId;
    type Weight = u32;

    #[inline]
    fn source(&self) -> NodeId {
        self.topology.tail(self.channel)
    }

    #[inline]
    fn target(&self) -> NodeId {
        self.topology.head(self.channel)
    }

    #[inline]
    fn weight(&self) -> &u32 {
        &1
    }

    #[inline]
    fn id(&self) -> ChannelId {
        self.channel
    }
}

/// An iterator over channels as [`ChannelRef`]s.
#[derive(Clone, Debug)]
pub struct ChannelRefs<'a, I> {
    topology: &'a Topology,
    channels: I,
}

impl<'a, I: Iterator<Item = ChannelId>> Iterator for ChannelRefs<'a, I> {
    type Item = ChannelRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<ChannelRef<'a>> {
        self.channels.next().map(|channel| ChannelRef { topology: self.topology, channel })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.channels.size_hint()
    }
}

/// An iterator over the other ends of the channels at a node, by channel. Parallel channels repeat their node.
#[derive(Clone, Debug)]
pub struct Neighbors<'a> {
    ends: &'a [NodeId],
    channels: slice::Iter<'a, ChannelId>,
}

impl Iterator for Neighbors<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        self.channels.next().map(|channel| self.ends[channel.index()])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.channels.size_hint()
    }
}

/// The set of visited nodes of an algorithm: 1 bit per node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VisitedNodes {
    words: Vec<u64>,
}

impl VisitedNodes {
    fn word_and_bit(&mut self, node: NodeId) -> (&mut u64, u64) {
        (&mut self.words[node.index() / 64], 1 << (node.index() % 64))
    }
}

impl VisitMap<NodeId> for VisitedNodes {
    fn visit(&mut self, node: NodeId) -> bool {
        let (word, bit) = self.word_and_bit(node);
        let first = *word & bit == 0;
        *word |= bit;
        first
    }

    fn is_visited(&self, node: &NodeId) -> bool {
        self.words[node.index() / 64] >> (node.index() % 64) & 1 == 1
    }

    fn unvisit(&mut self, node: NodeId) -> bool {
        let (word, bit) = self.word_and_bit(node);
        let visited = *word & bit != 0;
        *word &= !bit;
        visited
    }
}

impl GraphBase for Topology {
    type NodeId = NodeId;
    type EdgeId = ChannelId;
}

impl GraphProp for Topology {
    type EdgeType = Directed;
}

impl Data for Topology {
    type NodeWeight = ();
    type EdgeWeight = u32;
}

impl NodeCount for Topology {
    fn node_count(&self) -> usize {
        self.node_count()
    }
}

impl EdgeCount for Topology {
    fn edge_count(&self) -> usize {
        self.channel_count()
    }
}

impl NodeIndexable for Topology {
    fn node_bound(&self) -> usize {
        self.node_count()
    }

    fn to_index(&self, node: NodeId) -> usize {
        node.index()
    }

    fn from_index(&self, index: usize) -> NodeId {
        NodeId::from_index(index)
    }
}

impl NodeCompactIndexable for Topology {}

impl EdgeIndexable for Topology {
    fn edge_bound(&self) -> usize {
        self.channel_bound()
    }

    fn to_index(&self, channel: ChannelId) -> usize {
        channel.index()
    }

    fn from_index(&self, index: usize) -> ChannelId {
        ChannelId::from_index(index)
    }
}

impl Visitable for Topology {
    type Map = VisitedNodes;

    fn visit_map(&self) -> VisitedNodes {
        VisitedNodes { words: vec![0; self.node_count().div_ceil(64)] }
    }

    fn reset_map(&self, map: &mut VisitedNodes) {
        map.words.clear();
        map.words.resize(self.node_count().div_ceil(64), 0);
    }
}

impl<'a> IntoNeighbors for &'a Topology {
    type Neighbors = Neighbors<'a>;

    fn neighbors(self, node: NodeId) -> Neighbors<'a> {
        self.neighbors_directed(node, Direction::Outgoing)
    }
}

impl<'a> IntoNeighborsDirected for &'a Topology {
    type NeighborsDirected = Neighbors<'a>;

    fn neighbors_directed(self, node: NodeId, direction: Direction) -> Neighbors<'a> {
        match direction {
            Direction::Outgoing => Neighbors { ends: &self.head, channels: self.out_channels(node).iter() },
            Direction::Incoming => Neighbors { ends: &self.tail, channels: self.in_channels(node).iter() },
        }
    }
}

impl<'a> IntoEdgeReferences for &'a Topology {
    type EdgeRef = ChannelRef<'a>;
    type EdgeReferences = ChannelRefs<'a, Copied<slice::Iter<'a, ChannelId>>>;

    fn edge_references(self) -> Self::EdgeReferences {
        ChannelRefs { topology: self, channels: self.working.iter().copied() }
    }
}

impl<'a> IntoEdges for &'a Topology {
    type Edges = ChannelRefs<'a, Copied<slice::Iter<'a, ChannelId>>>;

    fn edges(self, node: NodeId) -> Self::Edges {
        self.edges_directed(node, Direction::Outgoing)
    }
}

impl<'a> IntoEdgesDirected for &'a Topology {
    type EdgesDirected = ChannelRefs<'a, Copied<slice::Iter<'a, ChannelId>>>;

    fn edges_directed(self, node: NodeId, direction: Direction) -> Self::EdgesDirected {
        let channels = match direction {
            Direction::Outgoing => self.out_channels(node),
            Direction::Incoming => self.in_channels(node),
        };
        ChannelRefs { topology: self, channels: channels.iter().copied() }
    }
}

impl IntoNodeIdentifiers for &Topology {
    type NodeIdentifiers = Map<Range<u32>, fn(u32) -> NodeId>;

    fn node_identifiers(self) -> Self::NodeIdentifiers {
        (0..self.node_count() as u32).map(NodeId::new)
    }
}

impl IntoNodeReferences for &Topology {
    type NodeRef = (NodeId, ());
    type NodeReferences = Map<Range<u32>, fn(u32) -> (NodeId, ())>;

    fn node_references(self) -> Self::NodeReferences {
        (0..self.node_count() as u32).map(|node| (NodeId::new(node), ()))
    }
}
