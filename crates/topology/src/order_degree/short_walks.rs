//! Numbers of walks of at most two links, kept up to date while links change.

use std::ops::Range;

use super::Polycirculant;
use super::distance_sum::{DistanceTotals, Surcharge};
use super::polycirculant::SwitchUndo;

/// The largest number of pairs: 32 MB.
const MAX_PAIRS: usize = 1 << 24;

/// The number of walks of one or two links from one node per orbit to every node of a [`Polycirculant`].
///
/// In a graph of diameter 3 or less, exactly the pairs without such a walk have distance 3. So their number gives the sum of
/// distances. A switch of two orbits of links changes `O(degree)` numbers of walks, while a breadth-first search reads the
/// neighbours of all nodes.
///
/// Memory: 2 bytes per orbit and node, 8 bytes per orbit and link, and 4 bytes per class and link.
#[derive(Clone, Debug)]
pub(super) struct ShortWalks {
    order: u32,
    degree: usize,
    orbits: usize,
    /// The number of walks from node `c`, which is the first of its orbit, to node `c + j` has the place `c * order + j`.
    walks: Vec<u16>,
    /// The jumps of the graph, `degree` per orbit.
    jumps: Vec<OrbitJump>,
    /// The heads of the jumps, moved by each number of layers: `degree` per orbit, for each number in turn.
    heads: Vec<u32>,
    /// Number of pairs without a walk.
    far_pairs: u64,
    updates: u64,
}

/// A jump from the first node of an orbit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct OrbitJump {
    /// The first place in `heads` after the move of the head to layer 0.
    moved: u32,
    /// The place of the first number of walks from the orbit in which the jump ends.
    row: u32,
}

impl ShortWalks {
    /// Counts the walks of a graph. Returns `None` if there are more than 2^24 pairs.
    pub(super) fn new(graph: &Polycirculant) -> Option<Self> {
        let (order, degree, orbits) = (graph.order(), graph.degree(), graph.orbits());
        let pairs = orbits.checked_mul(order as usize).filter(|&pairs| pairs <= MAX_PAIRS)?;
        let mut walks = Self {
            order,
            degree,
            orbits,
            walks: vec![0; pairs],
            jumps: Vec::with_capacity(orbits * degree),
            heads: vec![0; graph.period() * degree],
            far_pairs: (pairs - orbits) as u64,
            updates: 0,
        };
        // The walk without links: a node is never far from itself.
        walks.walks.iter_mut().step_by(order as usize).for_each(|walks| *walks = 1);
        for place in 0..orbits * degree {
            walks.jumps.push(walks.jump(graph, place));
            walks.write_heads(graph, place);
            walks.add_jump::<true>(place, walks.first(place)..place + 1);
        }
        Some(walks)
    }

    /// Returns the distances from one node per orbit, if the diameter is 2 or 3.
    pub(super) fn totals(&self, surcharge: Surcharge) -> DistanceTotals {
        let orbits = self.orbits as u64;
        let (pairs, near) = (orbits * u64::from(self.order - 1), orbits * self.degree as u64);
        let (diameter, farthest_pairs) = if self.far_pairs > 0 { (3, self.far_pairs) } else { (2, pairs - near) };
        let sum = near + 2 * (pairs - near) + self.far_pairs;
        let beyond = |distance: u32, pairs: u64| u64::from(surcharge.target < distance) * surcharge.weight * pairs;
        let cost = sum + beyond(2, pairs - near) + beyond(3, self.far_pairs);
        DistanceTotals { diameter, sum, cost, farthest_pairs }
    }

    /// Returns how often a number of walks has changed so far. One change takes about two nanoseconds, and more if the numbers
    /// do not fit into a cache.
    pub(super) fn updates(&self) -> u64 {
        self.updates
    }

    /// Takes over the jumps of the graph that a switch, or its reversal, has changed.
    pub(super) fn follow(&mut self, graph: &Polycirculant, switched: &SwitchUndo) {
        for place in switched.places() {
            if graph.head(place) == self.heads[place] {
                continue;
            }
            let row = self.first(place)..self.first(place) + self.degree;
            self.add_jump::<false>(place, row.clone());
            self.jumps[place] = self.jump(graph, place);
            self.write_heads(graph, place);
            self.add_jump::<true>(place, row);
        }
    }

    /// Adds or removes the walk of the jump at a place, and the walks of two links over the same node that it makes with others.
    fn add_jump<const MORE: bool>(&mut self, place: usize, others: Range<usize>) {
        let (order, jump, tail) = (self.order, self.jumps[place], place / self.degree);
        let length = difference(self.heads[place], tail as u32, order);
        let mut changes = u64::from(change::<MORE>(&mut self.walks[tail * order as usize + length as usize]));
        self.updates += 1 + 2 * others.len() as u64;
        let moved = jump.moved as usize;
        let head = self.heads[moved + place];
        let heads = &self.heads[moved..][others.clone()];
        for ((other, other_head), other_place) in self.jumps[others.clone()].iter().zip(heads).zip(others) {
            let there = difference(*other_head, head, order);
            let other_moved = other.moved as usize;
            let back = difference(self.heads[other_moved + place], self.heads[other_moved + other_place], order);
            for place in [jump.row + there, other.row + back] {
                changes += u64::from(change::<MORE>(&mut self.walks[place as usize]));
            }
        }
        self.far_pairs = if MORE { self.far_pairs - changes } else { self.far_pairs + changes };
    }

    /// Returns the first place of the same orbit.
    fn first(&self, place: usize) -> usize {
        place / self.degree * self.degree
    }

    fn jump(&self, graph: &Polycirculant, place: usize) -> OrbitJump {
        let (head, symmetry) = (graph.head(place), graph.symmetry());
        let moved = symmetry.layers_to_0(head) * (self.orbits * self.degree) as u32;
        OrbitJump { moved, row: head % symmetry.orbits() * self.order }
    }

    fn write_heads(&mut self, graph: &Polycirculant, place: usize) {
        let symmetry = graph.symmetry();
        for layers in 0..symmetry.layers() {
            self.heads[layers as usize * self.orbits * self.degree + place] = symmetry.moved(graph.head(place), layers);
        }
    }
}

/// Adds or removes a walk. Returns true if the number was or is 0.
#[inline]
fn change<const MORE: bool>(walks: &mut u16) -> bool {
    let before = *walks;
    // No number exceeds twice the degree and 1, so none wraps.
    *walks = if MORE { before.wrapping_add(1) } else { before.wrapping_sub(1) };
    (if MORE { before } else { *walks }) == 0
}

/// Returns `to - from` modulo the order.
#[inline]
fn difference(to: u32, from: u32, order: u32) -> u32 {
    // If the first number wraps, the second one wraps back and is smaller. The processor could not predict a branch.
    let difference = to.wrapping_sub(from);
    difference.min(difference.wrapping_add(order))
}
