//! All shortest paths of one pair of terminals.

use lockstep_topology::{ChannelId, NodeId};

use crate::kit::capacities::{SlotId, resource_slot};
use crate::kit::distances::{DistanceScratch, SourceDistances, UNREACHED};
use crate::kit::task::SchedulingTask;

/// A channel on a shortest path. Its ends are places in [`ShortestPathDag::nodes`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct DagArc {
    pub(crate) tail: u32,
    pub(crate) head: u32,
    pub(crate) channel: ChannelId,
    pub(crate) wire: SlotId,
}

/// The channels of all shortest paths of a pair; scratch space that is filled anew for each pair.
#[derive(Debug)]
pub(crate) struct ShortestPathDag {
    /// From the target backwards, so that the source is the last one.
    nodes: Vec<NodeId>,
    /// In the order of their heads.
    arcs: Vec<DagArc>,
    /// Where the arcs into each of the nodes end.
    arcs_end: Vec<u32>,
    /// The place of each node of the network, `NOWHERE` between pairs.
    place: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl ShortestPathDag {
    /// The place of the node where the paths end.
    pub(crate) const TARGET: usize = 0;

    pub(crate) fn new(node_count: usize) -> Self {
        Self { nodes: Vec::new(), arcs: Vec::new(), arcs_end: Vec::new(), place: vec![NOWHERE; node_count] }
    }

    /// Turns to another pair; `false` if no path leads there. Takes time in proportion to the channels of all shortest
    /// paths and the degrees along them.
    pub(crate) fn collect(
        &mut self,
        task: &SchedulingTask<'_>,
        distances: &SourceDistances<'_>,
        (source, target): (NodeId, NodeId),
        row: &mut DistanceScratch,
    ) -> bool {
        let Self { nodes, arcs, arcs_end, place } = self;
        arcs.clear();
        arcs_end.clear();
        nodes.clear();
        let distance = distances.from(source, row);
        if distance[target.index()] == UNREACHED {
            return false;
        }
        nodes.push(target);
        while let Some(&node) = nodes.get(arcs_end.len()) {
            let head = arcs_end.len() as u32;
            for &channel in task.topology().in_channels(node) {
                let before = task.topology().tail(channel);
                let shortest = distance[before.index()].checked_add(1) == Some(distance[node.index()]);
                if shortest && (before == source || task.crosses(before)) {
                    let tail = &mut place[before.index()];
                    if *tail == NOWHERE {
                        *tail = nodes.len() as u32;
                        nodes.push(before);
                    }
                    arcs.push(DagArc { tail: *tail, head, channel, wire: resource_slot(task, channel) });
                }
            }
            arcs_end.push(arcs.len() as u32);
        }
        for node in nodes {
            place[node.index()] = NOWHERE;
        }
        true
    }

    /// The nodes on the paths, from the target to the source.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The place of the node where the paths begin.
    pub(crate) fn source(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Number of channels of each path.
    pub(crate) fn length(&self) -> usize {
        let before = |&place: &usize| (place != self.source()).then(|| self.ending_at(place)[0].tail as usize);
        std::iter::successors(Some(Self::TARGET), before).count() - 1
    }

    /// The channels, from the target to the source.
    pub(crate) fn arcs(&self) -> &[DagArc] {
        &self.arcs
    }

    /// The channels into a node.
    #[inline]
    pub(crate) fn ending_at(&self, place: usize) -> &[DagArc] {
        let start = place.checked_sub(1).map_or(0, |before| self.arcs_end[before]);
        &self.arcs[start as usize..self.arcs_end[place] as usize]
    }
}
