//! A network as a Cayley graph of an abelian group.

use lockstep_schedule::Budget;
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::axes::TorusAxes;
use super::cube;
use super::regular::RegularNetwork;
use super::search::{self, FourCycles};

/// A network as a Cayley graph of an abelian group: every channel has a generator, every node is an element.
///
/// Node 0 is the neutral element. The generators are its channels in ascending order. A step along generator `g` and
/// one along `h` lead to the same node in either order. A path from node 0 to a node therefore leads from every other
/// node to its translate.
///
/// Memory: 8 bytes per channel.
///
/// ```
/// use lockstep_analytic::GroupLabelling;
/// use lockstep_schedule::Budget;
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:3x5".parse()?;
/// let labelling = GroupLabelling::of(&torus, &Budget::unlimited()).expect("a torus is a Cayley graph");
/// let axes = labelling.axes().expect("of a product of cycles");
/// assert_eq!((labelling.degree(), axes.sides()), (4, &[3, 5][..]));
///
/// let mesh: Topology = "mesh:3x5".parse()?;
/// assert!(GroupLabelling::of(&mesh, &Budget::unlimited()).is_none());
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupLabelling {
    channel: Box<[ChannelId]>,
    next: Box<[u32]>,
    opposite: Box<[usize]>,
}

impl GroupLabelling {
    /// Returns a labelling of the network, or `None` if none is found.
    ///
    /// There is none for networks with switches, with one-way or parallel channels, with nodes that differ in
    /// structure, and with more than 64 channels per node. Shared resources and nodes that do not route are ignored.
    ///
    /// Takes `O(M)` time for the `M` channels of a hypercube. Otherwise, it takes `O(M d^2)` time for `d` channels per
    /// node, if few pairs of neighbours have several common neighbours: on tori and most circulant graphs. On other
    /// networks it searches, and gives up after a fixed multiple of that time.
    ///
    /// A cycle of four nodes may be a group of order 4 or two groups of order 2. If both are possible, it is the
    /// former.
    pub fn of(topology: &Topology, budget: &Budget) -> Option<Self> {
        Self::with_squares(topology, FourCycles::OneAxis, budget)
    }

    /// Returns a labelling like [`Self::of`], with the given reading of cycles of four nodes.
    pub(crate) fn with_squares(topology: &Topology, squares: FourCycles, budget: &Budget) -> Option<Self> {
        let network = RegularNetwork::of(topology)?;
        let of_cube = cube::labelling(&network, squares);
        let is_cube = of_cube.is_some();
        let found = of_cube.or_else(|| search::search(&network, squares, budget))?;
        let channel = found.place.iter().enumerate().map(|(slot, &place)| {
            let node = NodeId::from_index(slot / network.degree);
            topology.out_channels(node)[usize::from(place)]
        });
        let channel: Box<[ChannelId]> = channel.collect();
        let mut next = network.head;
        let mut row = vec![0; network.degree];
        for (next, places) in next.chunks_exact_mut(row.len()).zip(found.place.chunks_exact(row.len())) {
            row.copy_from_slice(next);
            for (next, &place) in next.iter_mut().zip(places) {
                *next = row[usize::from(place)];
            }
        }
        let labelling = Self { channel, next: next.into(), opposite: found.opposite.into() };
        (is_cube || labelling.commutes()).then_some(labelling)
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.next.len() / self.degree()
    }

    /// Returns the number of generators, at least 1.
    pub fn degree(&self) -> usize {
        self.opposite.len()
    }

    /// Returns the channel of a generator at a node.
    #[inline]
    pub fn channel(&self, node: NodeId, generator: usize) -> ChannelId {
        self.channel[node.index() * self.degree() + generator]
    }

    /// Returns the node to which a generator leads from a node.
    #[inline]
    pub fn next(&self, node: NodeId, generator: usize) -> NodeId {
        NodeId::new(self.next[node.index() * self.degree() + generator])
    }

    /// Returns the inverse generator; an involution is its own inverse.
    pub fn opposite(&self, generator: usize) -> usize {
        self.opposite[generator]
    }

    /// Returns the channel of each generator, one row per node.
    pub(crate) fn channels(&self) -> &[ChannelId] {
        &self.channel
    }

    /// Returns the node to which each generator leads, one row per node.
    pub(crate) fn heads(&self) -> &[u32] {
        &self.next
    }

    /// Returns the number of steps along a generator that lead from a node back to it.
    fn order(&self, generator: usize) -> usize {
        let origin = NodeId::new(0);
        let walk = std::iter::successors(Some(self.next(origin, generator)), |&node| Some(self.next(node, generator)));
        1 + walk.take_while(|&node| node != origin).count()
    }

    /// Returns the coordinates of the network if it is a torus of any number of dimensions.
    ///
    /// The generators must be one step in each direction along each axis. Returns `None` if generators depend on each
    /// other. Two sides of 2 may be reported as one side of 4. Takes `O(N)` time.
    pub fn axes(&self) -> Option<TorusAxes> {
        let forward: Vec<usize> =
            (0..self.degree()).filter(|&generator| generator <= self.opposite[generator]).collect();
        let mut sides = Vec::with_capacity(forward.len());
        let mut nodes = 1;
        for &generator in &forward {
            let side = self.order(generator);
            nodes *= side;
            if nodes > self.node_count() {
                return None;
            }
            sides.push(side as u32);
        }
        // Every element is a sum of steps along the axes. With equal numbers of sums and elements, each has exactly one.
        if nodes != self.node_count() {
            return None;
        }
        let mut node_at = vec![NodeId::new(0)];
        for (&generator, &side) in forward.iter().zip(&sides).rev() {
            let plane = node_at.len();
            for place in plane..plane * side as usize {
                node_at.push(self.next(node_at[place - plane], generator));
            }
        }
        Some(TorusAxes::new(forward, sides, node_at))
    }

    /// Returns true if all steps can be reversed and exchanged.
    ///
    /// The steps are then permutations that generate an abelian group. If the network is connected, the group has
    /// exactly one element that moves a given node to another one.
    fn commutes(&self) -> bool {
        let nodes = (0..self.node_count() as u32).map(NodeId::new);
        nodes.into_iter().all(|node| {
            (0..self.degree()).all(|first| {
                let beside = self.next(node, first);
                self.next(beside, self.opposite[first]) == node
                    && (0..first).all(|then| self.next(beside, then) == self.next(self.next(node, then), first))
            })
        })
    }
}
