//! Bridges: resources that some terminal needs to reach another.

use lockstep_topology::{NodeId, ResourceId, Topology};

/// The maximum number of visits of nodes and channels: about half a second.
const MAX_VISITS: usize = 1 << 27;

/// Returns the resources without which some terminal does not reach another. None in large networks, or after the end of the
/// time.
///
/// Takes `O(RM)` time for `R` resources and `M` channels.
pub(crate) fn bridges(topology: &Topology, is_over: impl Fn() -> bool) -> Vec<ResourceId> {
    let size = topology.node_count() + topology.channel_count();
    if topology.resource_count().saturating_mul(2 * size) > MAX_VISITS {
        return Vec::new();
    }
    let mut search = Search { topology, is_reached: vec![false; topology.node_count()], queue: Vec::new() };
    let mut bridges = Vec::new();
    for resource in (0..topology.resource_count()).map(ResourceId::from_index) {
        if is_over() {
            return Vec::new();
        }
        if !search.connects(resource, true) || !search.connects(resource, false) {
            bridges.push(resource);
        }
    }
    bridges
}

/// A search from the first terminal.
struct Search<'a> {
    topology: &'a Topology,
    is_reached: Vec<bool>,
    queue: Vec<NodeId>,
}

impl Search<'_> {
    /// Returns true if the first terminal reaches all others without a resource, or all others reach it.
    fn connects(&mut self, without: ResourceId, is_forwards: bool) -> bool {
        let Self { topology, is_reached, queue } = self;
        let start = topology.terminals()[0];
        is_reached.fill(false);
        is_reached[start.index()] = true;
        queue.push(start);
        while let Some(node) = queue.pop() {
            let channels = if is_forwards { topology.out_channels(node) } else { topology.in_channels(node) };
            for &channel in channels.iter().filter(|&&channel| topology.resource(channel) != without) {
                let next = if is_forwards { topology.head(channel) } else { topology.tail(channel) };
                if !std::mem::replace(&mut is_reached[next.index()], true) {
                    queue.push(next);
                }
            }
        }
        topology.terminals().iter().all(|terminal| is_reached[terminal.index()])
    }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;

    use super::*;

    /// The links of a tree, and every channel of a directed ring. With half duplex, a link is one bridge.
    #[test]
    fn links_without_another_way_are_bridges() {
        let cases = [("star:5", 8), ("mesh:1x4", 6), ("ring:5", 0), ("torus:3x3", 0), ("complete:4", 0)];
        for (spec, count) in cases {
            let network: Topology = spec.parse().unwrap();
            assert_eq!(bridges(&network, || false).len(), count, "{spec}");
            assert!(bridges(&network, || true).is_empty(), "{spec}");
            assert_eq!(bridges(&network.half_duplex(), || false).len(), count / 2, "{spec}");
        }
        let mut ring = TopologyBuilder::new("a directed ring with a chord");
        let nodes: Vec<NodeId> = (0..4).map(|node| ring.terminal(node.to_string())).collect();
        for (tail, head) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)] {
            ring.channel(nodes[tail], nodes[head]);
        }
        let ring = ring.build().unwrap();
        let ends = |resource: ResourceId| {
            let mut channels = ring.channels();
            let channel = channels.find(|&channel| ring.resource(channel) == resource).unwrap();
            (ring.tail(channel).number(), ring.head(channel).number())
        };
        assert_eq!(
            bridges(&ring, || false).into_iter().map(ends).collect::<Vec<_>>(),
            [(0, 1), (1, 2), (2, 3), (3, 0)]
        );
    }
}
