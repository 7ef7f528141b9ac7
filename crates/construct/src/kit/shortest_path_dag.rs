//! All shortest paths between two terminals.

use lockstep_model::SlotId;
use lockstep_topology::{ChannelId, NodeId};

use super::distances::{DistanceScratch, SourceDistances, UNREACHED};
use super::task::SchedulingTask;

/// A channel on a shortest path. Its ends are positions in [`ShortestPathDag::nodes`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct DagArc {
    pub(crate) tail: u32,
    pub(crate) head: u32,
    pub(crate) channel: ChannelId,
    pub(crate) resource: SlotId,
}

/// The channels of all shortest paths between two terminals, as a directed acyclic graph.
///
/// This is scratch space: [`collect`](Self::collect) fills it again for each pair.
#[derive(Debug)]
pub(crate) struct ShortestPathDag {
    /// The nodes in breadth-first order from the target; the source is the last.
    nodes: Vec<NodeId>,
    /// The arcs in the order of their heads.
    arcs: Vec<DagArc>,
    /// The end of each node's incoming arcs.
    arcs_end: Vec<u32>,
    /// The position of each node of the network; `NONE` between pairs.
    position: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl ShortestPathDag {
    /// The position of the node where the paths end.
    pub(crate) const TARGET: usize = 0;

    pub(crate) fn new(node_count: usize) -> Self {
        Self { nodes: Vec::new(), arcs: Vec::new(), arcs_end: Vec::new(), position: vec![NONE; node_count] }
    }

    /// Collects the shortest paths of a pair; returns false if there are none. Takes `O(A)` time, where `A` is the sum
    /// of the degrees of the nodes on the paths.
    pub(crate) fn collect(
        &mut self,
        task: &SchedulingTask<'_>,
        distances: &SourceDistances<'_>,
        (source, target): (NodeId, NodeId),
        scratch: &mut DistanceScratch,
    ) -> bool {
        let Self { nodes, arcs, arcs_end, position } = self;
        arcs.clear();
        arcs_end.clear();
        nodes.clear();
        let distance = distances.from(source, scratch);
        if distance[target.index()] == UNREACHED {
            return false;
        }
        nodes.push(target);
        while let Some(&node) = nodes.get(arcs_end.len()) {
            let head = arcs_end.len() as u32;
            // No path leads to its source, and a node next to the source may have many other channels.
            let channels = match distance[node.index()] {
                0 => &[],
                1 => distances.channels_between(source, node),
                _ => task.topology().in_channels(node),
            };
            for &channel in channels {
                let before = task.topology().tail(channel);
                let shortest = distance[before.index()].checked_add(1) == Some(distance[node.index()]);
                if shortest && (before == source || task.crosses(before)) {
                    let tail = &mut position[before.index()];
                    if *tail == NONE {
                        *tail = nodes.len() as u32;
                        nodes.push(before);
                    }
                    arcs.push(DagArc {
                        tail: *tail,
                        head,
                        channel,
                        resource: task.topology().resource(channel).number(),
                    });
                }
            }
            arcs_end.push(arcs.len() as u32);
        }
        for node in nodes {
            position[node.index()] = NONE;
        }
        true
    }

    /// Returns the nodes on the paths, from the target to the source.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the position of the node where the paths begin.
    pub(crate) fn source(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Returns the number of channels of each path.
    pub(crate) fn length(&self) -> usize {
        let before = |&node: &usize| (node != self.source()).then(|| self.ending_at(node)[0].tail as usize);
        std::iter::successors(Some(Self::TARGET), before).count() - 1
    }

    /// Returns the channels, from the target to the source.
    pub(crate) fn arcs(&self) -> &[DagArc] {
        &self.arcs
    }

    /// Returns the channels into a node, given by position.
    #[inline]
    pub(crate) fn ending_at(&self, node: usize) -> &[DagArc] {
        let start = node.checked_sub(1).map_or(0, |before| self.arcs_end[before]);
        &self.arcs[start as usize..self.arcs_end[node] as usize]
    }
}
