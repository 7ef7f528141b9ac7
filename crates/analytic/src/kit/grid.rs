//! Tori and meshes under any numbering of their nodes.

use lockstep_schedule::Budget;
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::GroupLabelling;

/// The largest number of axes of a mesh.
const MAX_AXES: usize = 16;

/// Marks the end of a line, where an axis has no channel.
const NO_CHANNEL: ChannelId = ChannelId::new(u32::MAX);

/// A torus or a mesh with the position of each node.
///
/// Memory: 4 bytes per node, and 8 per node and axis.
pub(crate) struct Grid {
    /// The number of positions of each axis, 2 or more.
    pub(crate) sides: Vec<u32>,
    pub(crate) is_torus: bool,
    /// By place: the number whose digits are the positions, the last axis fastest.
    node_at: Vec<NodeId>,
    /// By node, axis and direction.
    channels: Vec<ChannelId>,
}

impl Grid {
    /// Recognises a torus or a mesh of terminals and full-duplex links. `None` for other networks, and when the budget ends.
    pub(crate) fn of(topology: &Topology, budget: &Budget) -> Option<Self> {
        if topology.resource_count() != topology.channel_count() {
            return None;
        }
        Self::of_torus(topology, budget).or_else(|| Self::of_mesh(topology))
    }

    fn of_torus(topology: &Topology, budget: &Budget) -> Option<Self> {
        let labelling = GroupLabelling::of(topology, budget)?;
        let axes = labelling.axes()?;
        let mut channels = Vec::with_capacity(2 * axes.sides().len() * topology.node_count());
        for node in topology.nodes() {
            for axis in 0..axes.sides().len() {
                let forward = axes.forward(axis);
                channels.push(labelling.channel(node, forward));
                channels.push(labelling.channel(node, labelling.opposite(forward)));
            }
        }
        let node_at = (0..topology.node_count()).map(|place| axes.node_at(place)).collect();
        Some(Self { sides: axes.sides().to_vec(), is_torus: true, node_at, channels })
    }

    /// Recognises a mesh of terminals and links, two channels each.
    ///
    /// The nodes of the least degree are the corners. A node with one neighbour nearer to a corner is on a line of the axis of
    /// that neighbour; each position of another node is the larger one of two such neighbours.
    pub(crate) fn of_mesh(topology: &Topology) -> Option<Self> {
        let nodes = topology.node_count();
        if topology.terminal_count() != nodes || nodes < 2 {
            return None;
        }
        let corner = topology.nodes().min_by_key(|&node| topology.out_channels(node).len())?;
        let axes = topology.out_channels(corner).len();
        if !(1..=MAX_AXES).contains(&axes) {
            return None;
        }
        // By node and axis; a node with positions is in the queue.
        let mut position = vec![u32::MAX; nodes * axes];
        let mut distance = vec![u32::MAX; nodes];
        let mut queue = vec![corner];
        distance[corner.index()] = 0;
        position[corner.index() * axes..][..axes].fill(0);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            if node != corner {
                let near = |before: &NodeId| distance[before.index()] < distance[node.index()];
                let before: Vec<NodeId> =
                    topology.in_channels(node).iter().map(|&channel| topology.tail(channel)).filter(near).collect();
                let found = positions_after(topology, corner, &before, node, &position, axes)?;
                position[node.index() * axes..][..axes].copy_from_slice(&found);
            }
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if distance[head.index()] == u32::MAX {
                    distance[head.index()] = distance[node.index()] + 1;
                    queue.push(head);
                }
            }
        }
        if queue.len() != nodes {
            return None;
        }
        let sides: Vec<u32> =
            (0..axes).map(|axis| position.iter().skip(axis).step_by(axes).max().map_or(0, |most| most + 1)).collect();
        Self::with_positions(topology, sides, &position)
    }

    /// Returns the mesh if all places have a node, and all channels join neighbours.
    fn with_positions(topology: &Topology, sides: Vec<u32>, position: &[u32]) -> Option<Self> {
        let (nodes, axis_count) = (topology.node_count(), sides.len());
        let places = sides.iter().try_fold(1usize, |places, &side| places.checked_mul(side as usize))?;
        if places != nodes || sides.contains(&1) {
            return None;
        }
        let of_node = |node: NodeId| &position[node.index() * axis_count..][..axis_count];
        let mut node_at = vec![None; nodes];
        for node in topology.nodes() {
            let place =
                of_node(node).iter().zip(&sides).fold(0, |place, (&at, &side)| place * side as usize + at as usize);
            if node_at[place].replace(node).is_some() {
                return None;
            }
        }
        let mut channels = vec![NO_CHANNEL; 2 * axis_count * nodes];
        for channel in topology.channels() {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            let mut moved = of_node(tail).iter().zip(of_node(head)).enumerate().filter(|(_, (from, to))| from != to);
            let (axis, (&from, &to)) = moved.next()?;
            let cell = &mut channels[2 * (tail.index() * axis_count + axis) + usize::from(to < from)];
            if moved.next().is_some() || from.abs_diff(to) != 1 || *cell != NO_CHANNEL {
                return None;
            }
            *cell = channel;
        }
        let links: u64 = sides.iter().map(|&side| nodes as u64 / u64::from(side) * u64::from(side - 1)).sum();
        (topology.channel_count() as u64 == 2 * links).then(|| Self {
            sides,
            is_torus: false,
            node_at: node_at.into_iter().flatten().collect(),
            channels,
        })
    }

    /// Returns the node at a place: the number whose digits are its positions, the last axis fastest.
    pub(crate) fn node_at(&self, place: usize) -> NodeId {
        self.node_at[place]
    }

    /// Returns the number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.node_at.len()
    }

    /// Returns the channel and its head by node, axis and direction, forwards first. A direction without a channel has an
    /// arbitrary head.
    pub(crate) fn hops(&self, topology: &Topology) -> Vec<(ChannelId, NodeId)> {
        let head = |channel| if channel == NO_CHANNEL { NodeId::new(0) } else { topology.head(channel) };
        self.channels.iter().map(|&channel| (channel, head(channel))).collect()
    }

    /// Returns the channel from a node along an axis, which has one there.
    pub(crate) fn channel(&self, node: NodeId, axis: usize, is_backwards: bool) -> ChannelId {
        self.channels[2 * (node.index() * self.sides.len() + axis) + usize::from(is_backwards)]
    }
}

/// Returns the positions of a node after those `before` it, which are nearer to the corner.
fn positions_after(
    topology: &Topology,
    corner: NodeId,
    before: &[NodeId],
    node: NodeId,
    position: &[u32],
    axis_count: usize,
) -> Option<Vec<u32>> {
    let of_node = |node: NodeId| &position[node.index() * axis_count..][..axis_count];
    let mut found = of_node(*before.first()?).to_vec();
    if before.iter().any(|&one| of_node(one).contains(&u32::MAX)) {
        return None;
    }
    if let [only] = before {
        let axis = if *only == corner {
            topology.out_channels(corner).iter().position(|&channel| topology.head(channel) == node)?
        } else {
            found.iter().position(|&at| at > 0)?
        };
        found[axis] += 1;
    }
    for &other in before.iter().skip(1) {
        for (at, &there) in found.iter_mut().zip(of_node(other)) {
            *at = (*at).max(there);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use lockstep_topology::strategy::{any_topology, shuffled};
    use proptest::prelude::*;

    use super::*;

    fn recognised(spec: &str) -> Option<(bool, Vec<u32>)> {
        let grid = Grid::of(&spec.parse().unwrap(), &Budget::unlimited())?;
        let mut sides = grid.sides.clone();
        sides.sort_unstable();
        Some((grid.is_torus, sides))
    }

    #[test]
    fn meshes_and_tori_have_their_sides() {
        for (spec, expected) in [
            ("mesh:5x3", Some((false, vec![3, 5]))),
            ("mesh:2x4x3", Some((false, vec![2, 3, 4]))),
            ("mesh:1x6", Some((false, vec![6]))),
            ("torus:4x5", Some((true, vec![4, 5]))),
            ("full-b-tree:7", None),
            ("star:4", None),
            ("kautz:2,3", None),
            ("complete:3", Some((true, vec![3]))),
        ] {
            assert_eq!(recognised(spec), expected, "{spec}");
        }
    }

    proptest! {
        #[test]
        fn no_network_makes_it_panic(topology in any_topology(12).prop_flat_map(shuffled)) {
            if let Some(grid) = Grid::of(&topology, &Budget::unlimited()) {
                prop_assert_eq!(grid.sides.iter().product::<u32>() as usize, topology.node_count());
            }
        }
    }
}
