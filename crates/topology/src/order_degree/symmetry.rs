//! Groups of symmetries of polycirculant graphs.

/// A group of symmetries of a graph with nodes `0..order`. It is semiregular: only the identity fixes a node.
///
/// The rotations by multiples of `period` are one part. The other part moves nodes from layer to layer. The nodes of one
/// remainder modulo `period` are a *class*. The classes form layers of equal size: class `c` is in layer `c / orbits`, and
/// classes of one remainder modulo `orbits` are an orbit of the group. A move by one layer maps node `c + i * period` to the
/// node of the next layer in the same orbit, with `i * multiplier` instead of `i`.
///
/// The group is the semidirect product of the cyclic groups of order `order / period` and `layers`. With one layer it is
/// cyclic.
///
/// Invariant: `multiplier^layers` is 1 modulo the number of rotations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Symmetry {
    order: u32,
    period: u32,
    orbits: u32,
    /// The powers of the multiplier modulo the number of rotations, one per layer.
    powers: Vec<u32>,
    /// The images of node 0 under the elements of order 2.
    involutions: Vec<u32>,
}

impl Symmetry {
    /// Creates a group. Returns `None` if `period` does not divide `order`, `layers` does not divide `period`, or the multiplier
    /// is not of this order.
    pub(super) fn new(order: u32, period: u32, layers: u32, multiplier: u32) -> Option<Self> {
        if [period, layers].contains(&0) || !order.is_multiple_of(period) || !period.is_multiple_of(layers) {
            return None;
        }
        let rotations = order / period;
        let next = |power: &u32| Some(product(*power, multiplier, rotations));
        let mut powers: Vec<u32> = std::iter::successors(Some(1 % rotations), next).take(layers as usize + 1).collect();
        if powers.pop() != Some(1 % rotations) {
            return None;
        }
        let mut group = Self { order, period, orbits: period / layers, powers, involutions: Vec::new() };
        let images = (1..group.size()).map(|element| group.image_of_0(element));
        group.involutions = if layers == 1 {
            Vec::from_iter(rotations.is_multiple_of(2).then_some(order / 2))
        } else {
            images.filter(|&image| group.reversed(0, image) == image).collect()
        };
        Some(group)
    }

    /// Returns the multipliers that give groups with this number of layers: one for each cyclic group of multipliers.
    pub(super) fn multipliers(rotations: u32, layers: u32) -> Vec<u32> {
        let power =
            |multiplier, exponent| (0..exponent).fold(1 % rotations, |power, _| product(power, multiplier, rotations));
        let is_of_order =
            |multiplier: &u32| (1..=layers).find(|&exponent| power(*multiplier, exponent) == 1) == Some(layers);
        let is_least = |multiplier: &u32| {
            let mut others = (2..layers).map(|exponent| power(*multiplier, exponent)).filter(is_of_order);
            others.all(|other| other > *multiplier)
        };
        (2..rotations).filter(is_of_order).filter(is_least).collect()
    }

    pub(super) fn order(&self) -> u32 {
        self.order
    }

    /// Returns the number of classes.
    pub(super) fn period(&self) -> u32 {
        self.period
    }

    /// Returns the number of rotations, which is the size of a class.
    pub(super) fn rotations(&self) -> u32 {
        self.order / self.period
    }

    /// Returns the number of layers.
    pub(super) fn layers(&self) -> u32 {
        self.powers.len() as u32
    }

    /// Returns the number of orbits. Each of the nodes `0..orbits` is in another one.
    pub(super) fn orbits(&self) -> u32 {
        self.orbits
    }

    /// Returns the number of elements, which is the size of an orbit.
    pub(super) fn size(&self) -> u32 {
        self.order / self.orbits
    }

    /// Returns the image of node 0 under an element. The image of another node `v` below `orbits` is higher by `v`.
    pub(super) fn image_of_0(&self, element: u32) -> u32 {
        let layers = self.layers();
        element / layers * self.period + element % layers * self.orbits
    }

    /// Returns the images of node 0 under the elements of order 2.
    pub(super) fn involutions(&self) -> &[u32] {
        &self.involutions
    }

    /// Returns the layer of a node.
    fn layer(&self, node: u32) -> u32 {
        node % self.period / self.orbits
    }

    /// Returns the number of layers from a node to layer 0.
    pub(super) fn layers_to_0(&self, node: u32) -> u32 {
        (self.layers() - self.layer(node)) % self.layers()
    }

    /// Returns the image of a node under the move by this number of layers, less than all.
    pub(super) fn moved(&self, node: u32, layers: u32) -> u32 {
        if layers == 0 {
            return node;
        }
        let turn = product(node / self.period, self.powers[layers as usize], self.rotations());
        turn * self.period + (node % self.period + layers * self.orbits) % self.period
    }

    /// Returns the head of the reversed link from the node below `orbits` in the orbit of `head`. The link leads from `tail`,
    /// which is below `orbits`, to `head`.
    pub(super) fn reversed(&self, tail: u32, head: u32) -> u32 {
        let back = self.layers_to_0(head);
        let turn = self.moved(head, back) / self.period;
        let turn_back = if turn == 0 { 0 } else { self.rotations() - turn };
        self.moved(tail, back) + turn_back * self.period
    }
}

/// Returns `one * other` modulo `modulus`.
fn product(one: u32, other: u32, modulus: u32) -> u32 {
    (u64::from(one) * u64::from(other) % u64::from(modulus)) as u32
}
