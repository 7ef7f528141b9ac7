//! The wires of a network as a flow network.

use fixedbitset::FixedBitSet;
use lockstep_paths::FlowNetwork;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// Units that flow over wires, one a resource and all as wide, between the nodes of a network, a source and a sink.
///
/// Channels of one resource share its width; where that takes more than arcs between two nodes, a cut between sets of nodes
/// may seem wider than the resources that cross it, never narrower. Memory: that of a [`FlowNetwork`] with an arc a channel.
#[derive(Clone, Debug)]
pub(crate) struct ResourceFlow {
    network: FlowNetwork,
    nodes: usize,
    /// Number of arcs that are as wide as a wire; they come first.
    wide: usize,
    /// The widths of the arcs behind them, from the source and to the sink.
    ends: Vec<u32>,
}

impl ResourceFlow {
    /// ResourceFlow that lead from one place to another in one way or two, as `ends` says for each channel.
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
            }
        }
        let wide = network.arc_count();
        Self { network, nodes, wide, ends: Vec::new() }
    }

    /// Where a node is.
    pub(crate) fn at(node: NodeId) -> usize {
        node.index()
    }

    /// Where the source is.
    pub(crate) fn source(topology: &Topology) -> usize {
        topology.node_count()
    }

    /// Where the sink is.
    pub(crate) fn sink(topology: &Topology) -> usize {
        topology.node_count() + 1
    }

    /// Lets `units` enter at a node.
    pub(crate) fn supply(&mut self, node: NodeId, units: u32) {
        self.network.add_arc(self.nodes, node.index(), units);
        self.ends.push(units);
    }

    /// Lets `units` leave at a node.
    pub(crate) fn demand(&mut self, node: NodeId, units: u32) {
        self.network.add_arc(node.index(), self.nodes + 1, units);
        self.ends.push(units);
    }

    /// Takes back all that was supplied and demanded, and gives these units to the same arcs in the order they were added.
    pub(crate) fn replace_ends(&mut self, units: impl IntoIterator<Item = u32>) {
        self.ends.clear();
        self.ends.extend(units);
    }

    /// The units that get from one place to another over wires of this width.
    pub(crate) fn flow(&mut self, width: u32, from: usize, to: usize) -> u64 {
        let Self { network, wide, ends, .. } = self;
        network.reset(|arc| arc.index().checked_sub(*wide).map_or(width, |end| ends[end]));
        network.max_flow(from, to)
    }

    /// Widens the wires from `width` on until all `units` get from one place to another, or are wide `enough`: for each
    /// width that is too narrow, `judge` says for the far side of a least cut how wide they must be at least. Returns what
    /// it says last of the cut.
    pub(crate) fn add_capacity<C>(
        &mut self,
        units: u64,
        [from, to]: [usize; 2],
        [mut width, enough]: [u32; 2],
        mut judge: impl FnMut(FixedBitSet) -> Option<(u32, C)>,
    ) -> Option<C> {
        let mut best = None;
        while width < enough && self.flow(width, from, to) < units {
            match judge(self.far_side()) {
                Some((wider, cut)) if wider > width => (width, best) = (wider, Some(cut)),
                _ => break,
            }
        }
        best
    }

    /// The nodes that no more units reach after [`flow`](Self::flow): the far side of a least cut.
    pub(crate) fn far_side(&self) -> FixedBitSet {
        let mut side = FixedBitSet::with_capacity(self.nodes);
        side.extend((0..self.nodes).filter(|&node| !self.network.is_on_source_side(node)));
        side
    }
}
