//! Regular networks in the form that the search for a labelling reads.

use lockstep_topology::{NodeId, Topology};

/// The largest number of generators: the channels of a node are the bits of a word.
const MAX_DEGREE: usize = 64;

/// A connected network of terminals with the same number of links at each, none of them parallel.
pub(super) struct RegularNetwork {
    pub(super) degree: usize,
    /// The heads of the channels of each node, one row per node.
    pub(super) head: Vec<u32>,
    /// The position of the opposite channel in the row of the head.
    pub(super) back: Vec<u8>,
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
        let head: Vec<u32> = topology.nodes().flat_map(heads).collect();
        let mut back = Vec::with_capacity(head.len());
        for (slot, &end) in head.iter().enumerate() {
            let (node, row) = (slot / degree, &head[end as usize * degree..][..degree]);
            let place = row.iter().position(|&back| back as usize == node)?;
            if head[node * degree..slot].contains(&end) {
                return None;
            }
            back.push(place as u8);
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
        (order.len() == nodes).then_some(Self { degree, head, back, order })
    }

    pub(super) fn node_count(&self) -> usize {
        self.order.len()
    }

    pub(super) fn row(&self, node: usize) -> &[u32] {
        &self.head[node * self.degree..][..self.degree]
    }
}
