//! Recognition of hypercubes under any numbering.

use lockstep_topology::{ChannelId, NodeId, Topology};

/// A network that is a hypercube, with its labels. Memory: 4 bytes per channel and 8 bytes per node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LabelledCube {
    dimension: u32,
    /// The node of every label, by its number.
    node: Box<[u32]>,
    /// The label of every node.
    label: Box<[u32]>,
    /// The channel of each label and link, one link after the other.
    channel: Box<[ChannelId]>,
    /// Whether the two channels of every link can be used in one step.
    pub full_duplex: bool,
}

impl LabelledCube {
    /// Returns the labels, or `None` if the network is not a hypercube of terminals.
    ///
    /// Exactly one channel must lead from every label to every other that differs in one bit, and no two links may
    /// share a resource. The neighbours of node 0 have the positions of its channels as their only 1. Any other node
    /// has the 1s of all neighbours nearer to node 0. Takes time and memory proportional to the number of channels.
    pub(super) fn recognise(topology: &Topology) -> Option<Self> {
        let nodes = topology.node_count();
        let dimension = nodes.trailing_zeros();
        let channels = nodes.checked_mul(dimension as usize)?;
        let fits =
            nodes >= 2 && nodes.is_power_of_two() && topology.is_direct() && topology.channel_count() == channels;
        let label = fits.then(|| labels(topology, dimension))??;

        let mut channel = vec![NO_CHANNEL; channels];
        let mut link_of = vec![None; topology.resource_count()];
        for candidate in topology.channels() {
            let [tail, head] = [topology.tail(candidate), topology.head(candidate)].map(|node| label[node.index()]);
            let link = Some(tail ^ head).filter(|bits| bits.is_power_of_two())?.trailing_zeros();
            let place = &mut channel[place(dimension, tail, link)];
            let owner = link_of[topology.resource(candidate).index()].get_or_insert((tail & head, link));
            if *place != NO_CHANNEL || *owner != (tail & head, link) {
                return None;
            }
            *place = candidate;
        }
        // Every place is taken, so every label belongs to exactly one node.
        let mut node = vec![0; nodes];
        for (number, &label) in (0..).zip(&label) {
            node[label as usize] = number;
        }
        let full_duplex = topology.resource_count() == channels;
        Some(Self { dimension, node: node.into(), label: label.into(), channel: channel.into(), full_duplex })
    }

    pub(super) fn dimension(&self) -> u32 {
        self.dimension
    }

    pub(super) fn node_count(&self) -> u32 {
        self.node.len() as u32
    }

    /// Returns the number of the node with this label, which is also its rank among the terminals.
    #[inline]
    pub(super) fn node(&self, label: u32) -> u32 {
        self.node[label as usize]
    }

    pub(super) fn label(&self, node: NodeId) -> u32 {
        self.label[node.index()]
    }

    #[inline]
    pub(super) fn channel(&self, label: u32, link: u32) -> ChannelId {
        self.channel[place(self.dimension, label, link)]
    }
}

const NO_CHANNEL: ChannelId = ChannelId::new(u32::MAX);

#[inline]
fn place(dimension: u32, label: u32, link: u32) -> usize {
    (link as usize) << dimension | label as usize
}

/// Returns the labels of all nodes if the network is a hypercube; arbitrary labels otherwise.
fn labels(topology: &Topology, dimension: u32) -> Option<Vec<u32>> {
    let root = NodeId::new(0);
    if topology.out_channels(root).len() != dimension as usize {
        return None;
    }
    let (mut label, mut distance) = (vec![0; topology.node_count()], vec![u32::MAX; topology.node_count()]);
    let mut queue = Vec::with_capacity(topology.node_count());
    distance[root.index()] = 0;
    queue.push(root);
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        let further = distance[node.index()] + 1;
        for (place, &channel) in topology.out_channels(node).iter().enumerate() {
            let head = topology.head(channel);
            if distance[head.index()] == u32::MAX {
                distance[head.index()] = further;
                queue.push(head);
            }
            if distance[head.index()] == further {
                label[head.index()] |= if node == root { 1 << place } else { label[node.index()] };
            }
        }
    }
    Some(label)
}
