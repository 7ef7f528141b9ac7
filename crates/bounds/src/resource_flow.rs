//! Maximum flows through the resources of a network.

use fixedbitset::FixedBitSet;
use lockstep_paths::FlowNetwork;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// A flow network over the nodes of a topology, a source and a sink. Each resource carries its capacity times a number of
/// steps.
///
/// The channels of a resource share its capacity. If they join more than two nodes, then a cut between node sets may
/// have more capacity here than the resources that cross it, but never less. Memory: a [`FlowNetwork`] with one arc per
/// channel.
#[derive(Clone, Debug)]
pub(crate) struct ResourceFlow {
    network: FlowNetwork,
    nodes: usize,
    /// The capacities of the arcs of resources. They come first.
    resources: Vec<u32>,
    /// The capacities of the other arcs, from the source and to the sink.
    ends: Vec<u32>,
}

impl ResourceFlow {
    /// Builds the network. `ends` returns up to two arcs per channel, as pairs of a tail and a head.
    pub(crate) fn new(topology: &Topology, ends: impl Fn(ChannelId) -> [Option<[usize; 2]>; 2]) -> Self {
        let groups = topology.shared_groups();
        let nodes = topology.node_count();
        let mut network = FlowNetwork::new(nodes + 2 + 2 * groups.len());
        let mut is_alone = FixedBitSet::with_capacity(topology.channel_bound());
        is_alone.insert_range(..);
        groups.iter().flatten().for_each(|channel| is_alone.remove(channel.index()));
        let alone = topology.channels().filter(|channel| is_alone.contains(channel.index()));
        for [tail, head] in alone.flat_map(|channel| ends(channel).into_iter().flatten()) {
            network.add_arc(tail, head, 0);
        }
        let alone = topology.channels().filter(|channel| is_alone.contains(channel.index()));
        let mut resources: Vec<u32> = Vec::new();
        for channel in alone {
            let arcs = ends(channel).into_iter().flatten().count();
            resources.extend(std::iter::repeat_n(topology.capacity(channel), arcs));
        }
        for (place, group) in groups.iter().enumerate() {
            let mut arcs: Vec<[usize; 2]> =
                group.iter().flat_map(|&channel| ends(channel).into_iter().flatten()).collect();
            arcs.sort_unstable();
            arcs.dedup();
            let joins_two = arcs.iter().all(|&[u, v]| [u, v] == arcs[0] || [v, u] == arcs[0]);
            if !joins_two {
                let entry = nodes + 2 + 2 * place;
                let [tails, heads] = [0, 1].map(|end| {
                    let mut ends: Vec<usize> = arcs.iter().map(|arc| arc[end]).collect();
                    ends.sort_unstable();
                    ends.dedup();
                    ends
                });
                arcs = vec![[entry, entry + 1]];
                arcs.extend(tails.into_iter().map(|tail| [tail, entry]));
                arcs.extend(heads.into_iter().map(|head| [entry + 1, head]));
            }
            for [tail, head] in arcs {
                network.add_arc(tail, head, 0);
                resources.push(topology.capacity(group[0]));
            }
        }
        Self { network, nodes, resources, ends: Vec::new() }
    }

    /// Returns the vertex of a node.
    pub(crate) fn at(node: NodeId) -> usize {
        node.index()
    }

    /// Returns the vertex of the source.
    pub(crate) fn source(topology: &Topology) -> usize {
        topology.node_count()
    }

    /// Returns the vertex of the sink.
    pub(crate) fn sink(topology: &Topology) -> usize {
        topology.node_count() + 1
    }

    /// Adds an arc of `units` from the source to a node.
    pub(crate) fn supply(&mut self, node: NodeId, units: u32) {
        self.network.add_arc(self.nodes, node.index(), units);
        self.ends.push(units);
    }

    /// Adds an arc of `units` from a node to the sink.
    pub(crate) fn demand(&mut self, node: NodeId, units: u32) {
        self.network.add_arc(node.index(), self.nodes + 1, units);
        self.ends.push(units);
    }

    /// Replaces the units of all supplies and demands, in the order in which they were added.
    pub(crate) fn replace_ends(&mut self, units: impl IntoIterator<Item = u32>) {
        self.ends.clear();
        self.ends.extend(units);
    }

    /// Computes the maximum flow between two vertices if every resource carries its capacity in each of these steps.
    pub(crate) fn flow(&mut self, steps: u32, from: usize, to: usize) -> u64 {
        let Self { network, resources, ends, .. } = self;
        network.reset(|arc| match resources.get(arc.index()) {
            Some(capacity) => capacity.saturating_mul(steps),
            None => ends[arc.index() - resources.len()],
        });
        network.max_flow(from, to)
    }

    /// Raises the number of steps until all `units` flow between two vertices, or it is `enough`.
    ///
    /// For each number that is too small, `required` returns the number of steps that the far side of a minimum cut
    /// requires, and a description of the cut. Returns the last description. This is Newton's method: it takes a few
    /// flows.
    pub(crate) fn raise_steps<C>(
        &mut self,
        units: u64,
        [from, to]: [usize; 2],
        [mut steps, enough]: [u32; 2],
        mut required: impl FnMut(FixedBitSet) -> Option<(u32, C)>,
    ) -> Option<C> {
        let mut best = None;
        while steps < enough && self.flow(steps, from, to) < units {
            match required(self.far_side()) {
                Some((larger, cut)) if larger > steps => (steps, best) = (larger, Some(cut)),
                _ => break,
            }
        }
        best
    }

    /// Returns the far side of a minimum cut after [`flow`](Self::flow): the nodes that no more units reach.
    pub(crate) fn far_side(&self) -> FixedBitSet {
        let mut side = FixedBitSet::with_capacity(self.nodes);
        side.extend((0..self.nodes).filter(|&node| !self.network.is_on_source_side(node)));
        side
    }
}
