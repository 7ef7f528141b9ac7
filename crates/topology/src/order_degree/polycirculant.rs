//! Graphs that a rotation keeps.

use rand::{Rng, RngExt};

/// A simple regular graph of order `N` in which the neighbours of node `v` are `v + j` modulo `N`, for the jumps `j`
/// that node `v mod period` has.
///
/// Drawn on a circle it looks the same after a turn by `period` nodes. With period 1 it is a circulant graph, with
/// period `N` it may be any graph. The nodes of one remainder are a *class*.
///
/// Invariants: `period` divides `N`; the jumps of a class are different and none of them is 0; every jump has a partner,
/// which leads back from where it leads to. A jump *across*, by `N / 2` inside its class, is its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Polycirculant {
    order: u32,
    degree: usize,
    period: u32,
    /// Those of class `c` in places `c * degree` and on.
    jumps: Vec<Jump>,
    /// Those of node `v` in places `v * degree` and on.
    neighbours: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Jump {
    length: u32,
    partner: u32,
}

/// A full-duplex link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Link {
    /// The lower node first.
    pub(crate) ends: [u32; 2],
    /// The least place of a jump of the link or one of its turns: the same for all of them, and for no other link.
    pub(crate) orbit: usize,
}

/// The jumps that a switch has changed, as they were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switched([(u32, Jump); 4]);

impl Polycirculant {
    /// The graph of these jumps, `degree` for each class. `None` if they break an invariant.
    pub(crate) fn from_jumps(order: u32, degree: usize, lengths: &[u32]) -> Option<Self> {
        let period = (lengths.len() / degree) as u32;
        if period == 0 || !order.is_multiple_of(period) || lengths.iter().any(|&length| length >= order) {
            return None;
        }
        let back = |(place, &length): (usize, &u32)| {
            let class = ((place / degree) as u32 + length) % period;
            let row = class as usize * degree;
            let partner =
                lengths.get(row..row + degree)?.iter().position(|&other| other == (order - length) % order)?;
            Some(Jump { length, partner: (row + partner) as u32 })
        };
        let jumps: Vec<Jump> = lengths.iter().enumerate().map(back).collect::<Option<_>>()?;
        let neighbours = vec![0; order as usize * degree];
        let mut graph = Self { order, degree, period, jumps, neighbours };
        let places = 0..lengths.len() as u32;
        places.clone().for_each(|place| graph.rotate(place));
        places.clone().all(|place| graph.is_simple_at(place)).then_some(graph)
    }

    /// The circulant graph of jumps `1, 2, …`, and the one across if the degree is odd, written with this period.
    /// `None` if there is none: a degree of 0 or
    /// from `order` on, or an odd `order * degree`.
    pub(super) fn circulant(order: u32, degree: u32, period: u32) -> Option<Self> {
        if degree == 0 || degree >= order {
            return None;
        }
        let both_ways = (1..=degree / 2).flat_map(|length| [length, order - length]);
        let row: Vec<u32> = both_ways.chain((degree % 2 == 1).then_some(order / 2)).collect();
        Self::from_jumps(order, row.len(), &row.repeat(period as usize))
    }

    /// Number of classes.
    pub(crate) fn period(&self) -> usize {
        self.period as usize
    }

    /// How many turns keep the graph; the size of a class.
    pub(super) fn rotations(&self) -> u32 {
        self.order / self.period
    }

    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// The neighbours of node 0, of node 1, and so on, as many for each as its degree.
    pub(crate) fn neighbours(&self) -> &[u32] {
        &self.neighbours
    }

    /// The links, by ascending ends.
    pub(crate) fn links(&self) -> Vec<Link> {
        let mut links = Vec::with_capacity(self.neighbours.len() / 2);
        for (entry, &head) in self.neighbours.iter().enumerate() {
            let (tail, place) = ((entry / self.degree) as u32, entry % self.jumps.len());
            if tail < head {
                links.push(Link { ends: [tail, head], orbit: place.min(self.jumps[place].partner as usize) });
            }
        }
        links.sort_unstable();
        links
    }

    /// Takes two jumps at random and lets them swap their partners, with new lengths at random; of two that are partners
    /// each goes across, or both get a new length. `None`, and no change, where loops or parallel links would come of it.
    ///
    /// With period `N` this is the exchange of the ends of two links.
    pub(super) fn switch(&mut self, rng: &mut impl Rng) -> Option<Switched> {
        let places = self.jumps.len() as u32;
        let [a, b] = [(); 2].map(|()| rng.random_range(0..places));
        let [a_partner, b_partner] = [a, b].map(|place| self.jumps[place as usize].partner);
        let before = Switched([a, b, a_partner, b_partner].map(|place| (place, self.jumps[place as usize])));
        let is_across = [a_partner == a, b_partner == b];
        let pairs = if a == b {
            return None;
        } else if a_partner == b {
            let may_split = self.rotations().is_multiple_of(2) && rng.random();
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
            for (place, jump) in before.0 {
                self.jumps[place as usize] = jump;
            }
            return None;
        }
        for (place, _) in before.0 {
            self.rotate(place);
        }
        Some(before)
    }

    /// Takes the last switch back.
    pub(super) fn take_back(&mut self, switched: Switched) {
        for (place, jump) in switched.0 {
            self.jumps[place as usize] = jump;
            self.rotate(place);
        }
    }

    /// Makes partners of two jumps, or one across of a single one.
    fn join(&mut self, from: u32, to: u32, rng: &mut impl Rng) {
        let class = |place| place / self.degree as u32;
        let turn = rng.random_range(0..self.rotations()) * self.period;
        let across = self.order / 2;
        let length = if from == to { across } else { (class(to) + self.order - class(from) + turn) % self.order };
        self.jumps[to as usize] = Jump { length: (self.order - length) % self.order, partner: from };
        self.jumps[from as usize] = Jump { length, partner: to };
    }

    /// Whether this jump is no loop, and parallel to no other of its class.
    fn is_simple_at(&self, place: u32) -> bool {
        let first = place as usize / self.degree * self.degree;
        let row = &self.jumps[first..first + self.degree];
        let length = self.jumps[place as usize].length;
        length != 0 && row.iter().filter(|other| other.length == length).count() == 1
    }

    /// Writes where a jump leads from all nodes of its class.
    fn rotate(&mut self, place: u32) {
        let class = place / self.degree as u32;
        let mut head = (class + self.jumps[place as usize].length) % self.order;
        for entry in (place as usize..self.neighbours.len()).step_by(self.period as usize * self.degree) {
            self.neighbours[entry] = head;
            head = (head + self.period) % self.order;
        }
    }
}
