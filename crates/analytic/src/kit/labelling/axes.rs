//! The coordinates of a torus.

use lockstep_topology::NodeId;

/// The coordinates of a torus. Each axis has a generator, the step forward, and its inverse.
///
/// Memory: 8 bytes per node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TorusAxes {
    forward: Box<[usize]>,
    sides: Box<[u32]>,
    /// The node at each place. A place is the number whose digits are the coordinates, the last axis fastest.
    node_at: Box<[NodeId]>,
    rank: Box<[u32]>,
}

impl TorusAxes {
    /// Creates the axes with these forward generators and sides, and the node at each place.
    pub(super) fn new(forward: Vec<usize>, sides: Vec<u32>, node_at: Vec<NodeId>) -> Self {
        let mut rank = vec![0; node_at.len()].into_boxed_slice();
        for (place, node) in node_at.iter().enumerate() {
            rank[node.index()] = place as u32;
        }
        Self { forward: forward.into(), sides: sides.into(), node_at: node_at.into(), rank }
    }

    /// Returns the lengths of the cycles, at least 2 each.
    pub fn sides(&self) -> &[u32] {
        &self.sides
    }

    /// Returns the generator that moves forward along an axis.
    pub fn forward(&self, axis: usize) -> usize {
        self.forward[axis]
    }

    /// Returns the place of a node: the number whose digits are its coordinates, in the mixed radix of the sides, the
    /// last axis fastest.
    #[inline]
    pub fn place(&self, node: NodeId) -> usize {
        self.rank[node.index()] as usize
    }

    /// Returns the node at a place.
    #[inline]
    pub fn node_at(&self, place: usize) -> NodeId {
        self.node_at[place]
    }

    /// Returns the coordinates of a node, one per axis.
    pub fn coordinates(&self, node: NodeId) -> Vec<u32> {
        let mut place = self.rank[node.index()];
        let mut coordinates = self.sides.to_vec();
        for coordinate in coordinates.iter_mut().rev() {
            (*coordinate, place) = (place % *coordinate, place / *coordinate);
        }
        coordinates
    }
}
