//! Groups of symmetries under which no two translates of a channel meet.

use lockstep_topology::{ChannelId, NodeId, Symmetries, Topology};
use rand::{Rng, RngExt};

/// A permutation of the channels, the image of each.
type Permutation = Vec<ChannelId>;

/// Random symmetries that are tried as further elements of a group.
const ELEMENTS: usize = 32;

/// The probability of the largest group that was found; else it is the next one, with the same probability, and so on.
const LARGEST: f64 = 0.9;

/// The most channel images that are kept: 64 MiB.
const MAX_IMAGES: usize = 1 << 24;

/// A group of symmetries of which none but the identity keeps a resource in its place, or more terminals than `fixed`.
///
/// A free action: each element is known by where it takes the first working channel. Memory: 4 bytes a channel and element.
#[derive(Clone, Debug)]
pub(super) struct FreeActionGroup<'a> {
    topology: &'a Topology,
    /// Terminals that an element may keep in place.
    fixed: usize,
    /// The first working channel.
    first: ChannelId,
    /// The image of each channel, element by element, the identity first.
    images: Permutation,
    generators: Vec<Permutation>,
    /// The element that takes the resource of the first working channel to each one.
    element_at: Vec<Option<u32>>,
}

impl<'a> FreeActionGroup<'a> {
    /// The group of the identity alone; `None` if no channel works.
    pub(super) fn trivial(topology: &'a Topology, fixed: usize) -> Option<Self> {
        let first = topology.channels().next()?;
        let mut element_at = vec![None; topology.resource_count()];
        element_at[topology.resource(first).index()] = Some(0);
        let images = topology.channel_numbers().collect();
        Some(Self { topology, fixed, first, images, generators: Vec::new(), element_at })
    }

    /// A random group of more than one element that is free but for so many terminals and of use, as large as it gets or
    /// some steps smaller.
    pub(super) fn random<R: Rng>(
        symmetries: &Symmetries<'a>,
        fixed: usize,
        mut is_of_use: impl FnMut(&Self, &mut R) -> bool,
        rng: &mut R,
    ) -> Option<Self> {
        let topology = symmetries.topology();
        let mut chain = vec![Self::trivial(topology, fixed)?];
        for _ in 0..ELEMENTS {
            let largest = chain.last()?;
            if fixed == 0 && largest.order() == topology.terminal_count() {
                break;
            }
            let element = symmetries.random(rng)?;
            let mut larger =
                powers(element.channels(), topology.resource_count()).filter_map(|power| largest.with(&power));
            let next = larger.find(|group| is_of_use(group, rng));
            chain.extend(next);
        }
        let mut smaller = (1..chain.len()).rev();
        let chosen = smaller.find(|&place| place == 1 || rng.random_bool(LARGEST))?;
        Some(chain.swap_remove(chosen))
    }

    /// Number of elements.
    pub(super) fn order(&self) -> usize {
        self.images.len() / self.topology.channel_bound()
    }

    /// The images of all channels under each element, the identity first.
    pub(super) fn elements(&self) -> impl ExactSizeIterator<Item = &[ChannelId]> + Clone {
        self.images.chunks_exact(self.topology.channel_bound())
    }

    /// The group that has this element, too; `None` if it is not free, too large, or the same.
    ///
    /// **Source**: Dimino's algorithm, as in Butler, *Fundamental Algorithms for Permutation Groups* (1991), chapter 3.
    pub(super) fn with(&self, generator: &[ChannelId]) -> Option<Self> {
        if self.finds(generator)? || !self.moves_enough(generator) {
            return None;
        }
        let mut group = self.clone();
        let order = group.order();
        group.generators.push(generator.to_vec());
        group.add_coset(order, generator)?;
        let mut first = order;
        while first < group.order() {
            for number in 0..group.generators.len() {
                let product = group.product(first, &group.generators[number]);
                if !group.finds(&product)? {
                    group.add_coset(order, &product)?;
                }
            }
            first += order;
        }
        Some(group)
    }

    /// Whether an element is there already; `None` if another one is in its place.
    fn finds(&self, permutation: &[ChannelId]) -> Option<bool> {
        match self.element_at[self.place(permutation)] {
            None => Some(false),
            Some(element) => (self.element(element as usize) == permutation).then_some(true),
        }
    }

    /// Adds the products of the first elements with a further one; `None` if the group cannot be free or is too large.
    fn add_coset(&mut self, order: usize, factor: &[ChannelId]) -> Option<()> {
        if self.images.len() + order * factor.len() > MAX_IMAGES {
            return None;
        }
        for element in 0..order {
            let product = self.product(element, factor);
            let place = self.place(&product);
            if !self.moves_enough(&product) || self.element_at[place].is_some() {
                return None;
            }
            self.element_at[place] = Some(self.order() as u32);
            self.images.extend_from_slice(&product);
        }
        Some(())
    }

    /// First an element, then another permutation.
    fn product(&self, element: usize, then: &[ChannelId]) -> Permutation {
        self.element(element).iter().map(|channel| then[channel.index()]).collect()
    }

    fn element(&self, element: usize) -> &[ChannelId] {
        let channels = self.topology.channel_bound();
        &self.images[element * channels..(element + 1) * channels]
    }

    /// The place of an element in `element_at`.
    fn place(&self, permutation: &[ChannelId]) -> usize {
        self.topology.resource(permutation[self.first.index()]).index()
    }

    fn moves_enough(&self, permutation: &[ChannelId]) -> bool {
        let topology = self.topology;
        let is_moved =
            |channel: ChannelId| topology.resource(permutation[channel.index()]) != topology.resource(channel);
        let is_kept = |&&node: &&NodeId| image_of(topology, permutation, node) == node;
        topology.channels().all(is_moved)
            && topology.terminals().iter().filter(is_kept).take(self.fixed + 1).count() <= self.fixed
    }
}

/// Where a symmetry takes a terminal that sends.
pub(super) fn image_of(topology: &Topology, permutation: &[ChannelId], node: NodeId) -> NodeId {
    topology.tail(permutation[topology.out_channels(node)[0].index()])
}

/// The powers of a permutation that generate its subgroups, itself first, as far as they have at most `most` elements.
pub(super) fn powers(permutation: &[ChannelId], most: usize) -> impl Iterator<Item = Permutation> {
    let order = order(permutation);
    let divisors =
        (1..=most as u64).rev().filter(move |size| order.is_some_and(|order| *size > 1 && order % size == 0));
    divisors.map(move |size| power(permutation, order.map_or(0, |order| order / size)))
}

/// The number of elements of the group that a permutation generates; `None` past 2^64.
fn order(permutation: &[ChannelId]) -> Option<u64> {
    let mut is_met = vec![false; permutation.len()];
    (0..permutation.len()).try_fold(1u64, |order, first| {
        let mut length = 0;
        let mut next = first;
        while !std::mem::replace(&mut is_met[next], true) {
            length += 1;
            next = permutation[next].index();
        }
        if length == 0 { Some(order) } else { order.checked_mul(length / common_divisor(order, length)) }
    })
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

fn power(permutation: &[ChannelId], mut exponent: u64) -> Permutation {
    let mut result: Permutation = (0..permutation.len()).map(ChannelId::from_index).collect();
    let mut square = permutation.to_vec();
    let then =
        |first: &[ChannelId], second: &[ChannelId]| first.iter().map(|channel| second[channel.index()]).collect();
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = then(&result, &square);
        }
        square = then(&square, &square);
        exponent >>= 1;
    }
    result
}
