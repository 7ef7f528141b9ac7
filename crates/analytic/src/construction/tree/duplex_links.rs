//! The full-duplex links of a network.

use lockstep_schedule::Budget;
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::kit::budget_check::BudgetCheck;

/// A neighbour with a channel in each direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct DuplexLink {
    pub(super) neighbour: NodeId,
    /// The channel to the neighbour.
    pub(super) out: ChannelId,
    /// The channel from the neighbour.
    pub(super) back: ChannelId,
}

/// The links at every node, neighbours ascending. Of parallel links there is one.
#[derive(Debug)]
pub(super) struct DuplexLinks {
    start: Vec<u32>,
    link: Vec<DuplexLink>,
    /// Whether some neighbours are joined in one direction only.
    pub(super) has_one_way: bool,
}

impl DuplexLinks {
    /// Finds the links between the nodes for which `takes_part` returns true. Takes `O(M log D)` time for `D` channels
    /// per node. Returns `None` when the budget ends.
    pub(super) fn new(topology: &Topology, takes_part: impl Fn(NodeId) -> bool, budget: &Budget) -> Option<Self> {
        let mut links = Self { start: vec![0], link: Vec::new(), has_one_way: false };
        let (mut out, mut back, mut check) = (Vec::new(), Vec::new(), BudgetCheck::new(budget));
        for node in topology.nodes() {
            check.spend(topology.out_channels(node).len() + topology.in_channels(node).len())?;
            let neighbour = |&channel: &ChannelId| {
                if topology.tail(channel) == node { topology.head(channel) } else { topology.tail(channel) }
            };
            for (channels, row) in [(&mut out, topology.out_channels(node)), (&mut back, topology.in_channels(node))] {
                channels.clear();
                channels
                    .extend(row.iter().copied().filter(|channel| takes_part(node) && takes_part(neighbour(channel))));
                channels.sort_by_key(neighbour);
            }
            let mut back = &back[..];
            for out in out.chunk_by(|a, b| neighbour(a) == neighbour(b)) {
                let other = neighbour(&out[0]);
                back = &back[back.partition_point(|channel| neighbour(channel) < other)..];
                let parallel = back.partition_point(|channel| neighbour(channel) == other);
                // Both ends select the same pair.
                let link = if node < other {
                    pair(topology, out, &back[..parallel])
                } else {
                    pair(topology, &back[..parallel], out).map(|(back, out)| (out, back))
                };
                links.has_one_way |= link.is_none();
                links.link.extend(link.map(|(out, back)| DuplexLink { neighbour: other, out, back }));
            }
            links.start.push(links.link.len() as u32);
        }
        Some(links)
    }

    pub(super) fn at(&self, node: NodeId) -> &[DuplexLink] {
        &self.link[self.start[node.index()] as usize..self.start[node.index() + 1] as usize]
    }
}

/// Returns a channel in each direction, on different resources if possible. Two half-duplex links then serve as a
/// full-duplex one.
fn pair(topology: &Topology, out: &[ChannelId], back: &[ChannelId]) -> Option<(ChannelId, ChannelId)> {
    let (&first, &second) = (out.first()?, back.first()?);
    let apart = back.iter().copied().find(|&back| topology.resource(back) != topology.resource(first));
    Some((first, apart.unwrap_or(second)))
}
