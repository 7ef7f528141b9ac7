//! Polycirculant graphs: graphs with a rotation as symmetry.

use rand::{Rng, RngExt};

use super::symmetry::Symmetry;

/// A simple regular graph of order `N` whose symmetries include the rotation by `period` nodes.
///
/// With period 1 it is a circulant graph, with period `N` it can be any regular graph. The nodes of one remainder modulo
/// `period` are a *class*. Other elements of its [`Symmetry`] may map classes to each other.
///
/// The links are defined by the *jumps* from the first node of each orbit of symmetries to its neighbours. The jumps from
/// other nodes are images of them.
///
/// Invariants: `period` divides `N`. The jumps of an orbit have distinct heads, and none is a loop. Each jump has a *partner*,
/// an image of the same link in the opposite direction. A jump inside its orbit that an element of order 2 makes, a jump
/// *across*, can be its own partner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Polycirculant {
    symmetry: Symmetry,
    degree: usize,
    /// The jumps of orbit `c`, from node `c`, are the entries `c * degree..(c + 1) * degree`.
    jumps: Vec<Jump>,
    /// The neighbours of node `v` are the entries `v * degree..(v + 1) * degree`.
    neighbours: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Jump {
    head: u32,
    /// Place of the partner in the table of jumps.
    partner: u32,
}

/// A link of a [`Polycirculant`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PolycirculantLink {
    /// The lower node first.
    pub(crate) ends: [u32; 2],
    /// The orbit of the link under symmetries: the lowest place of its jumps.
    pub(crate) orbit: usize,
}

/// The old values of the jumps that a switch has changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct SwitchUndo([(u32, Jump); 4]);

impl SwitchUndo {
    /// Returns the places of the changed jumps, some of them twice.
    pub(super) fn places(&self) -> [usize; 4] {
        self.0.map(|(place, _)| place as usize)
    }
}

impl Polycirculant {
    /// Creates the graph with a rotation as symmetry in which node `v` has the neighbours `v + j` modulo the order, for the
    /// lengths `j` of its class, `degree` per class. Returns `None` if they violate an invariant.
    pub(crate) fn from_jumps(order: u32, degree: usize, lengths: &[u32]) -> Option<Self> {
        let period = (lengths.len() / degree) as u32;
        if lengths.iter().any(|&length| length >= order) {
            return None;
        }
        let head = |(place, &length): (usize, &u32)| ((place / degree) as u32 + length) % order;
        let heads: Vec<u32> = lengths.iter().enumerate().map(head).collect();
        Self::from_heads(Symmetry::new(order, period, 1, 1)?, degree, &heads)
    }

    /// Creates the graph with these symmetries whose links lead from node `c`, for each orbit `c`, to the heads in row `c`.
    /// Returns `None` if they violate an invariant.
    fn from_heads(symmetry: Symmetry, degree: usize, heads: &[u32]) -> Option<Self> {
        let partnered = |(place, &head): (usize, &u32)| {
            let row = (head % symmetry.orbits()) as usize * degree;
            let back = symmetry.reversed((place / degree) as u32, head);
            let partner = heads.get(row..row + degree)?.iter().position(|&other| other == back)?;
            Some(Jump { head, partner: (row + partner) as u32 })
        };
        let jumps: Vec<Jump> = heads.iter().enumerate().map(partnered).collect::<Option<_>>()?;
        let neighbours = vec![0; symmetry.order() as usize * degree];
        let mut graph = Self { symmetry, degree, jumps, neighbours };
        graph.write_all_neighbours();
        (0..heads.len() as u32).all(|place| graph.is_simple_at(place)).then_some(graph)
    }

    /// Creates a graph with these symmetries: a Cayley graph of the product of their group and the cyclic group of the orbits.
    /// Returns `None` if `degree` is 0 or at least the order, or if `order * degree` is odd.
    pub(super) fn with_symmetry(symmetry: Symmetry, degree: u32) -> Option<Self> {
        let (order, orbits) = (symmetry.order(), symmetry.orbits());
        if degree == 0 || degree >= order || order % 2 * degree % 2 == 1 {
            return None;
        }
        let inverse = |(orbit, image): (u32, u32)| ((orbits - orbit) % orbits, symmetry.reversed(0, image));
        let images = (0..symmetry.size()).map(|element| symmetry.image_of_0(element));
        let elements = images.flat_map(|image| (0..orbits).map(move |orbit| (orbit, image))).skip(1);
        let (pairs, involutions): (Vec<_>, Vec<_>) =
            elements.filter(|&element| element <= inverse(element)).partition(|&element| element < inverse(element));
        let odd = degree as usize % 2;
        let pair_count = (degree as usize / 2).min(pairs.len());
        let mut generators: Vec<(u32, u32)> = involutions.iter().copied().take(odd).collect();
        generators.extend(pairs[..pair_count].iter().flat_map(|&pair| [pair, inverse(pair)]));
        let missing = degree as usize - generators.len();
        generators.extend(involutions.iter().skip(odd).take(missing));
        let rows =
            (0..orbits).flat_map(|tail| generators.iter().map(move |&(orbit, image)| (tail + orbit) % orbits + image));
        let heads: Vec<u32> = rows.collect();
        Self::from_heads(symmetry, degree as usize, &heads)
    }

    /// Creates the circulant graph of chords `1, 2, …`, and the chord across if the degree is odd, with this period.
    /// Returns `None` if `degree` is 0 or at least `order`, or if `order * degree` is odd.
    pub(super) fn circulant(order: u32, degree: u32, period: u32) -> Option<Self> {
        if degree == 0 || degree >= order {
            return None;
        }
        let both_ways = (1..=degree / 2).flat_map(|length| [length, order - length]);
        let row: Vec<u32> = both_ways.chain((degree % 2 == 1).then_some(order / 2)).collect();
        Self::from_jumps(order, row.len(), &row.repeat(period as usize))
    }

    /// Creates the circulant graph of chord 1, random chords, and the chord across if the degree is odd. Returns `None`
    /// as [`circulant`](Self::circulant).
    pub(super) fn random_circulant(order: u32, degree: u32, rng: &mut impl Rng) -> Option<Self> {
        if degree == 0 || degree >= order {
            return None;
        }
        let mut chords: Vec<u32> = (1..=(order - 1) / 2).collect();
        let chosen = degree as usize / 2;
        for place in 1..chosen {
            let other = rng.random_range(place..chords.len());
            chords.swap(place, other);
        }
        chords.truncate(chosen);
        let chords = chords.into_iter();
        let both_ways = chords.flat_map(|length| [length, order - length]);
        let row: Vec<u32> = both_ways.chain((degree % 2 == 1).then_some(order / 2)).collect();
        Self::from_jumps(order, row.len(), &row)
    }

    /// Returns the sum and the maximum of the distances from node 0, or `None` if the graph is disconnected.
    pub(super) fn distances_from_0(&self) -> Option<(u64, u32)> {
        let mut distances = vec![u32::MAX; self.order() as usize];
        distances[0] = 0;
        let mut queue = vec![0];
        let (mut done, mut sum, mut longest) = (0, 0, 0);
        while let Some(&node) = queue.get(done) {
            done += 1;
            longest = distances[node as usize];
            sum += u64::from(longest);
            for &head in &self.neighbours[node as usize * self.degree..][..self.degree] {
                if distances[head as usize] == u32::MAX {
                    distances[head as usize] = longest + 1;
                    queue.push(head);
                }
            }
        }
        (queue.len() == distances.len()).then_some((sum, longest))
    }

    /// Returns the period, which is the number of classes.
    pub(crate) fn period(&self) -> usize {
        self.symmetry.period() as usize
    }

    /// Returns the number of rotations that are symmetries, which is the size of a class.
    pub(super) fn rotations(&self) -> u32 {
        self.symmetry.rotations()
    }

    /// Returns the number of orbits of nodes. Each of the nodes `0..orbits` is in another one.
    pub(super) fn orbits(&self) -> usize {
        self.symmetry.orbits() as usize
    }

    pub(super) fn order(&self) -> u32 {
        self.symmetry.order()
    }

    pub(super) fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// Returns the neighbours of all nodes by node, `degree` entries each.
    pub(crate) fn neighbours(&self) -> &[u32] {
        &self.neighbours
    }

    /// Returns the head of the jump at a place, from the first node of its orbit.
    pub(super) fn head(&self, place: usize) -> u32 {
        self.jumps[place].head
    }

    /// Returns the links by ascending ends.
    pub(crate) fn links(&self) -> Vec<PolycirculantLink> {
        let mut links = Vec::with_capacity(self.neighbours.len() / 2);
        for (entry, &head) in self.neighbours.iter().enumerate() {
            let (tail, place) = ((entry / self.degree) as u32, entry % self.jumps.len());
            if tail < head {
                links.push(PolycirculantLink {
                    ends: [tail, head],
                    orbit: place.min(self.jumps[place].partner as usize),
                });
            }
        }
        links.sort_unstable();
        links
    }

    /// Exchanges the partners of two random jumps and gives them random heads in the orbits of their partners.
    ///
    /// If the two jumps are partners, both become jumps across, or both get new heads. With period `N` this is the
    /// usual switch of two links. Returns `None` and changes nothing if the switch would make a loop or a parallel
    /// link.
    pub(super) fn switch(&mut self, rng: &mut impl Rng) -> Option<SwitchUndo> {
        let before = self.switch_jumps(rng)?;
        for (place, _) in before.0 {
            self.write_neighbours(place);
        }
        Some(before)
    }

    /// Makes `count` random switches, as [`switch`](Self::switch), and then writes the neighbours once.
    pub(super) fn shuffle(&mut self, count: usize, rng: &mut impl Rng) {
        for _ in 0..count {
            self.switch_jumps(rng);
        }
        self.write_all_neighbours();
    }

    /// Brings the neighbours in line with the jumps.
    pub(super) fn write_all_neighbours(&mut self) {
        for place in 0..self.jumps.len() as u32 {
            self.write_neighbours(place);
        }
    }

    /// As [`switch`](Self::switch), without the neighbours.
    pub(super) fn switch_jumps(&mut self, rng: &mut impl Rng) -> Option<SwitchUndo> {
        let places = self.jumps.len() as u32;
        let [a, b] = [(); 2].map(|()| rng.random_range(0..places));
        let [a_partner, b_partner] = [a, b].map(|place| self.jumps[place as usize].partner);
        let before = SwitchUndo([a, b, a_partner, b_partner].map(|place| (place, self.jumps[place as usize])));
        let is_across = [a_partner == a, b_partner == b];
        let pairs = if a == b {
            return None;
        } else if a_partner == b {
            let may_split = !self.symmetry.involutions().is_empty() && rng.random();
            if may_split { [(a, a), (b, b)] } else { [(a, b); 2] }
        } else if is_across == [true; 2] {
            [(a, b); 2]
        } else {
            [(a, if is_across[1] { a } else { b_partner }), (b, if is_across[0] { b } else { a_partner })]
        };
        for (from, to) in pairs {
            self.join(from, to, rng);
        }
        if before.0.iter().any(|&(place, _)| !self.is_simple_at(place)) {
            self.undo_jumps(&before);
            return None;
        }
        Some(before)
    }

    /// Reverses the last switch.
    pub(super) fn undo(&mut self, switched: &SwitchUndo) {
        self.undo_jumps(switched);
        for (place, _) in switched.0 {
            self.write_neighbours(place);
        }
    }

    /// As [`undo`](Self::undo), without the neighbours.
    pub(super) fn undo_jumps(&mut self, switched: &SwitchUndo) {
        for (place, jump) in switched.0 {
            self.jumps[place as usize] = jump;
        }
    }

    /// Makes two jumps partners, or a single one a jump across.
    fn join(&mut self, from: u32, to: u32, rng: &mut impl Rng) {
        let [tail, orbit] = [from, to].map(|place| place / self.degree as u32);
        let element = rng.random_range(0..self.symmetry.size());
        let involutions = self.symmetry.involutions();
        let image = if from == to {
            involutions[element as usize % involutions.len()]
        } else {
            self.symmetry.image_of_0(element)
        };
        let head = orbit + image;
        self.jumps[to as usize] = Jump { head: self.symmetry.reversed(tail, head), partner: from };
        self.jumps[from as usize] = Jump { head, partner: to };
    }

    /// Returns true if the jump is not a loop and no other jump of its orbit has the same head.
    fn is_simple_at(&self, place: u32) -> bool {
        let orbit = place as usize / self.degree;
        let row = &self.jumps[orbit * self.degree..][..self.degree];
        let head = self.jumps[place as usize].head;
        head != orbit as u32 && row.iter().filter(|other| other.head == head).count() == 1
    }

    /// Updates the neighbours that all nodes of an orbit have by this jump.
    fn write_neighbours(&mut self, place: u32) {
        let (order, period) = (self.order(), self.symmetry.period());
        for layer in 0..self.symmetry.layers() {
            let mut head = self.symmetry.moved(self.jumps[place as usize].head, layer);
            let first = place as usize + layer as usize * self.jumps.len();
            for entry in (first..self.neighbours.len()).step_by(period as usize * self.degree) {
                self.neighbours[entry] = head;
                let next = head + period;
                head = if next < order { next } else { next - order };
            }
        }
    }
}
