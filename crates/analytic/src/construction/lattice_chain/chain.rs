//! Chains of lattices, each with five times as many points as the one before.

use std::cmp::Reverse;

use super::lattice::{Lattice, Vector};
use crate::kit::plane_torus::PlaneTorus;

/// The number of chains that are kept after each step.
const CHAINS: usize = 16;

/// The fractions of the sides that hold the message after each step: the points of a lattice.
#[derive(Clone, Debug)]
pub(super) struct LatticeChain {
    /// The number of units of a side.
    units: i64,
    lattice: Lattice,
    /// The moves of every holder in each step.
    pub(super) moves: Vec<[Vector; 4]>,
}

impl LatticeChain {
    /// Returns chains of this number of steps, the best first: their shortest vectors are the longest, so that holders
    /// are spread evenly.
    ///
    /// A beam search with all six superlattices of each lattice.
    pub(super) fn best(torus: PlaneTorus, steps: u32) -> Vec<Self> {
        let units = 5i64.pow(steps);
        let mut chains = vec![Self { units, lattice: Lattice::of_sides(torus, units), moves: Vec::new() }];
        for _ in 0..steps {
            let longer = |chain: &Self| {
                let lattices = chain.lattice.superlattices();
                lattices.map(|lattice| chain.extended(lattice, torus)).into_iter().flatten().collect::<Vec<_>>()
            };
            chains = chains.iter().flat_map(longer).collect();
            chains.sort_by_cached_key(|chain| Reverse(chain.lattice.shortest()));
            let mut lattices: Vec<Lattice> = Vec::new();
            chains.retain(|chain| {
                let is_new = !lattices.iter().any(|lattice| lattice.contains_all(chain.lattice));
                lattices.push(chain.lattice);
                is_new
            });
            chains.truncate(CHAINS);
        }
        chains
    }

    /// Returns the chain with one more lattice; `None` if all moves are along one line, where they share channels.
    fn extended(&self, lattice: Lattice, torus: PlaneTorus) -> Option<Self> {
        let moves = self.lattice.classes_of(lattice)?;
        let is_long = |vector: &Vector, axis: usize| vector[axis].abs() * torus.sides()[axis] >= self.units;
        let is_straight = |axis: usize| moves.iter().all(|vector| is_long(vector, axis) && !is_long(vector, 1 - axis));
        if is_straight(0) || is_straight(1) {
            return None;
        }
        let moves = self.moves.iter().copied().chain([moves]).collect();
        Some(Self { units: self.units, lattice, moves })
    }

    /// Returns the point reached from a point by a move.
    pub(super) fn moved(&self, point: Vector, by: Vector) -> Vector {
        [0, 1].map(|axis| (point[axis] + by[axis]).rem_euclid(self.units))
    }

    /// Returns the place of a point: the node before it on both axes. The origin is place 0.
    pub(super) fn place(&self, point: Vector, torus: PlaneTorus) -> usize {
        torus.place([0, 1].map(|axis| point[axis] * torus.sides()[axis] / self.units))
    }
}
