//! Regular networks in the form that the search for a labelling reads.

use lockstep_topology::{NodeId, Topology};

/// The largest number of generators: the channels of a node are the bits of a word.
const MAX_DEGREE: usize = 64;

/// A network of terminals with the same number of channels at each, none of them parallel. All nodes can be reached from node 0.
pub(super) struct RegularNetwork {
    pub(super) degree: usize,
    /// The heads of the channels of each node, one row per node.
    pub(super) head: Vec<u32>,
    /// The nodes by distance from node 0.
    pub(super) order: Vec<u32>,
}

impl RegularNetwork {
    pub(super) fn of(topology: &Topology) -> Option<Self> {
        let nodes = topology.node_count();
        let degree = topology.out_channels(NodeId::new(0)).len();
        let regular = |node| topology.out_channels(node).len() == degree && topology.in_channels(node).len() == degree;
        let fits = topology.is_direct() && (1..=MAX_DEGREE).contains(&degree) && topology.nodes().all(regular);
        if !fits {
            return None;
        }
        let heads = |node: NodeId| topology.out_channels(node).iter().map(|&channel| topology.head(channel).number());
        let mut head: Vec<u32> = Vec::with_capacity(topology.channel_count());
        for node in topology.nodes() {
            head.extend(heads(node));
        }
        let has_parallel = |row: &[u32]| (1..row.len()).any(|place| row[..place].contains(&row[place]));
        if head.chunks_exact(degree).any(has_parallel) {
            return None;
        }
        let mut order = vec![0];
        let mut met = vec![false; nodes];
        met[0] = true;
        let mut first = 0;
        while first < order.len() {
            let node = order[first] as usize;
            first += 1;
            for &end in &head[node * degree..][..degree] {
                if !std::mem::replace(&mut met[end as usize], true) {
                    order.push(end);
                }
            }
        }
        (order.len() == nodes).then_some(Self { degree, head, order })
    }

    /// Returns the position of the opposite of each channel in the row of its head, or `None` if some channel has none.
    pub(super) fn opposites(&self) -> Option<Vec<u8>> {
        let opposite = |(slot, &end): (usize, &u32)| {
            let node = (slot / self.degree) as u32;
            self.row(end as usize).iter().position(|&back| back == node).map(|place| place as u8)
        };
        self.head.iter().enumerate().map(opposite).collect()
    }

    pub(super) fn node_count(&self) -> usize {
        self.order.len()
    }

    pub(super) fn row(&self, node: usize) -> &[u32] {
        &self.head[node * self.degree..][..self.degree]
    }
}
