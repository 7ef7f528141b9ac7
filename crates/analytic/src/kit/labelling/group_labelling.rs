//! Networks that are Cayley graphs of abelian groups, recognised under any numbering.

use lockstep_schedule::Budget;
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::axes::Axes;
use super::regular::Regular;
use super::search::{self, Squares};

/// A network seen as a Cayley graph of an abelian group: every channel carries a generator, every node is an element.
///
/// Node 0 is the neutral element, and the generators are its channels in ascending order. A step along generator `g` and
/// one along `h` lead to the same node in either order, so the walk that leads from node 0 to a node leads from every
/// other node to its translate.
///
/// Memory: 8 bytes a channel.
///
/// ```
/// use lockstep_analytic::Labelling;
/// use lockstep_schedule::Budget;
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:3x5".parse()?;
/// let labelling = Labelling::of(&torus, &Budget::unlimited()).expect("a torus is a Cayley graph");
/// let axes = labelling.axes().expect("of a product of cycles");
/// assert_eq!((labelling.degree(), axes.sides()), (4, &[3, 5][..]));
///
/// let mesh: Topology = "mesh:3x5".parse()?;
/// assert!(Labelling::of(&mesh, &Budget::unlimited()).is_none());
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Labelling {
    channel: Box<[ChannelId]>,
    next: Box<[u32]>,
    opposite: Box<[usize]>,
}

impl Labelling {
    /// A labelling of the network, or `None` where none is found: in networks with switches or one-way or parallel
    /// channels, in those that do not look the same from every node, and past 64 channels a node. Whether channels share
    /// resources and whether nodes route is not looked at.
    ///
    /// Takes `O(M d^2)` time for `M` channels, `d` a node, where few pairs of neighbours have several common ones (tori,
    /// hypercubes, most circulant graphs); elsewhere it tries what fits, and gives up after a fixed multiple of that.
    ///
    /// A cycle of four may be a group of order 4 or two of order 2; where both are possible it is the former.
    pub fn of(topology: &Topology, budget: &Budget) -> Option<Self> {
        Self::with_squares(topology, Squares::OneAxis, budget)
    }

    /// A labelling as [`Self::of`] finds it, but with cycles of four as asked for.
    pub(crate) fn with_squares(topology: &Topology, squares: Squares, budget: &Budget) -> Option<Self> {
        let network = Regular::of(topology)?;
        let found = search::search(&network, squares, budget)?;
        let channel = found.place.iter().enumerate().map(|(slot, &place)| {
            let node = NodeId::from_index(slot / network.degree);
            topology.out_channels(node)[usize::from(place)]
        });
        let channel: Box<[ChannelId]> = channel.collect();
        let next = channel.iter().map(|&channel| topology.head(channel).number()).collect();
        let labelling = Self { channel, next, opposite: found.opposite.into() };
        labelling.commutes().then_some(labelling)
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.next.len() / self.degree()
    }

    /// Number of generators, at least 1.
    pub fn degree(&self) -> usize {
        self.opposite.len()
    }

    /// The channel of a generator that leaves a node.
    #[inline]
    pub fn channel(&self, node: NodeId, generator: usize) -> ChannelId {
        self.channel[node.index() * self.degree() + generator]
    }

    /// The node that a generator leads to.
    #[inline]
    pub fn next(&self, node: NodeId, generator: usize) -> NodeId {
        NodeId::new(self.next[node.index() * self.degree() + generator])
    }

    /// The generator that leads back; an involution is its own.
    pub fn opposite(&self, generator: usize) -> usize {
        self.opposite[generator]
    }

    /// The channel of each generator, a row a node.
    pub(crate) fn channels(&self) -> &[ChannelId] {
        &self.channel
    }

    /// The node that each generator leads to, a row a node.
    pub(crate) fn heads(&self) -> &[u32] {
        &self.next
    }

    /// Number of steps along a generator that lead from a node back to it.
    fn order(&self, generator: usize) -> usize {
        let origin = NodeId::new(0);
        let walk = std::iter::successors(Some(self.next(origin, generator)), |&node| Some(self.next(node, generator)));
        1 + walk.take_while(|&node| node != origin).count()
    }

    /// The cycles whose product the group is, where the generators are one step each way along each of them: a torus of
    /// any number of dimensions. `None` where generators depend on each other.
    ///
    /// Two sides of 2 may come as one of 4.
    pub fn axes(&self) -> Option<Axes> {
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
        // Every element is a sum of steps along the axes, so as many sums as elements means one each.
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
        Some(Axes::new(forward, sides, node_at))
    }

    /// Whether all steps can be undone and exchanged, which makes the steps permutations that generate an abelian group.
    /// It moves every node to every other one where the network is connected, hence in exactly one way.
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
