//! Sums of distances in graphs with rotations, by breadth-first search on sets of rotated nodes.

use super::Polycirculant;
use super::distance_sum::{DistanceTotals, Surcharge};
use super::polycirculant::SwitchUndo;

/// The largest number of rotations: one bit of a word for each node of a class.
const MAX_ROTATIONS: u32 = 64;

/// Sums the distances from one node per orbit to all nodes of a [`Polycirculant`].
///
/// The nodes of a class that a source has reached are one word, a *segment*. A jump moves all nodes of its class at once: it
/// rotates the segment. So a step of the search takes `period * sources * degree` operations on words, while a search with one
/// bit per source takes `order * degree` of them.
///
/// Memory: 8 bytes per node, and 16 bytes per class and source.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    degree: usize,
    rotations: u32,
    period: usize,
    sources: usize,
    /// Number of words per class: the number of sources, rounded up to a whole number of lanes.
    width: usize,
    /// The class and the place in its class of each node.
    nodes: Vec<Place>,
    /// The jumps from the first node of each class, `degree` per class.
    jumps: Vec<Place>,
    /// Bit `i` of the word `c * width + s` is set if source `s` has reached node `c + i * period`.
    reached: Vec<u64>,
    next: Vec<u64>,
    lookups: u64,
}

/// A node, as its class and its place in the class.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first word of the class.
    row: u32,
    /// Number of rotations from the first node of the class: the segment of the class is rotated right by it.
    right: u8,
    /// The rotation to the left of the other part of the segment: the number of rotations minus `right`, or 0 if `right` is 0.
    left: u8,
}

impl Segments {
    /// Takes over the jumps of a graph. Returns `None` if the graph has more than 64 rotations, or if a search with one bit per
    /// source takes fewer operations.
    pub(super) fn new(graph: &Polycirculant) -> Option<Self> {
        let (order, degree, period, rotations) = (graph.order(), graph.degree(), graph.period(), graph.rotations());
        let sources = graph.orbits();
        let width = if sources <= 2 { sources } else { sources.next_multiple_of(4) };
        if rotations > MAX_ROTATIONS || period * width >= order as usize * sources.div_ceil(64) {
            return None;
        }
        let place = |node: u32| {
            let (row, right) = (node as usize % period * width, node / period as u32);
            let left = if right == 0 { 0 } else { rotations - right };
            Place { row: row as u32, right: right as u8, left: left as u8 }
        };
        let nodes: Vec<Place> = (0..order).map(place).collect();
        let jumps = vec![nodes[0]; period * degree];
        let (reached, next) = (Vec::new(), vec![0; period * width]);
        let mut segments = Self { degree, rotations, period, sources, width, nodes, jumps, reached, next, lookups: 0 };
        (0..sources * degree).for_each(|place| segments.write_jump(graph, place));
        Some(segments)
    }

    /// Takes over the jumps of the graph that a switch, or its reversal, has changed.
    pub(super) fn follow(&mut self, graph: &Polycirculant, switched: &SwitchUndo) {
        for place in switched.places() {
            self.write_jump(graph, place);
        }
    }

    /// Takes over the jump at a place, for one class per layer.
    fn write_jump(&mut self, graph: &Polycirculant, place: usize) {
        let symmetry = graph.symmetry();
        for layer in 0..symmetry.layers() {
            let head = symmetry.moved(graph.head(place), layer);
            self.jumps[layer as usize * self.sources * self.degree + place] = self.nodes[head as usize];
        }
    }

    /// Returns the number of operations on words of all calls so far. An operation takes about a nanosecond.
    pub(super) fn lookups(&self) -> u64 {
        self.lookups
    }

    /// Returns the distances from one node per orbit, or `None` as [`DistanceSum::totals`](super::DistanceSum).
    pub(super) fn totals(&mut self, limit: u64, surcharge: Surcharge) -> Option<DistanceTotals> {
        let pairs = self.nodes.len() * self.sources;
        DistanceTotals::by_level(pairs as u64, self.sources as u64, limit, surcharge, |distance| {
            let walks = self.sources * self.degree * self.degree;
            let words = self.jumps.len() * self.width;
            let lookups = if distance == 1 {
                self.start();
                self.jumps.len()
            } else if distance == 2 && 2 * walks < words {
                self.add_walks();
                walks
            } else {
                self.step();
                words
            };
            self.lookups += lookups as u64;
            self.reached.iter().map(|word| u64::from(word.count_ones())).sum()
        })
    }

    /// Sets the bits of the sources and of their neighbours.
    fn start(&mut self) {
        self.reached.clear();
        self.reached.resize(self.period * self.width, 0);
        for source in 0..self.sources {
            self.reached[source * self.width + source] |= 1;
            for jump in &self.jumps[source * self.degree..][..self.degree] {
                self.reached[jump.row as usize + source] |= 1 << jump.right;
            }
        }
    }

    /// Sets the bits of the nodes at distance 2, one by one.
    fn add_walks(&mut self) {
        for source in 0..self.sources {
            for first in &self.jumps[source * self.degree..][..self.degree] {
                let class = first.row as usize / self.width;
                for second in &self.jumps[class * self.degree..][..self.degree] {
                    let turns = u32::from(first.right) + u32::from(second.right);
                    let turns = if turns < self.rotations { turns } else { turns - self.rotations };
                    self.reached[second.row as usize + source] |= 1 << turns;
                }
            }
        }
    }

    /// Propagates the bits of all nodes to their neighbours.
    fn step(&mut self) {
        match self.width {
            1 => self.step_by_lanes::<1>(),
            2 => self.step_by_lanes::<2>(),
            width if width.is_multiple_of(8) => self.step_by_lanes::<8>(),
            _ => self.step_by_lanes::<4>(),
        }
        std::mem::swap(&mut self.reached, &mut self.next);
    }

    /// As [`step`](Self::step), for `LANES` sources at once. They share the rotation, so that the compiler can vectorize it.
    fn step_by_lanes<const LANES: usize>(&mut self) {
        let used = u64::MAX >> (MAX_ROTATIONS - self.rotations);
        let (reached, _) = self.reached.as_chunks::<LANES>();
        let (next, _) = self.next.as_chunks_mut::<LANES>();
        let lanes_per_class = self.width / LANES;
        for (class, jumps) in self.jumps.chunks_exact(self.degree).enumerate() {
            for lane in 0..lanes_per_class {
                let here = class * lanes_per_class + lane;
                let mut words = reached[here];
                for jump in jumps {
                    let others = &reached[jump.row as usize / LANES + lane];
                    for (word, other) in words.iter_mut().zip(others) {
                        *word |= other >> (jump.right & 63) | other << (jump.left & 63);
                    }
                }
                next[here] = words.map(|word| word & used);
            }
        }
    }
}
