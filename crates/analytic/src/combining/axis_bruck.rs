//! Bruck's algorithm along one axis after the other.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::grid::Grid;
use super::pattern::Pattern;
use super::windows::{shifts, steps};

/// Bruck's algorithm along each axis in turn, with the ports of the axis: the sum of `ceil(log_{k+1} side)` steps.
///
/// Partners are nearer than in one order of all ranks. On hosts with rails, data crosses the axis of the smaller capacity
/// first, while there is little of it.
///
/// # Source
///
/// Bruck, Ho, Kipnis, Upfal and Weathersby, *Efficient algorithms for all-to-all communications in multiport message-passing
/// systems* (1997), section 4.
pub(super) const AXIS_BRUCK: CombiningAlgorithm = CombiningAlgorithm {
    name: "bruck-by-axis",
    about: "tori, and hosts with rails: as `bruck`, along one axis after the other: the sum of ceil(log_{k+1} side) steps",
    plan: Plan::OnGrids(pattern),
};

fn pattern(grid: &Grid) -> Option<Pattern<'_>> {
    let dimension = grid.sides.len();
    if dimension == 1 {
        return None;
    }
    let steps_of: Vec<usize> = grid.sides.iter().zip(&grid.ports).map(|(&side, &ports)| steps(side, ports)).collect();
    Some(Pattern::new(grid.rotations(), steps_of.iter().sum(), move |instance, step, pairs| {
        let (mut axis, mut rest) = (instance, step);
        while rest >= steps_of[axis] {
            rest -= steps_of[axis];
            axis = (axis + 1) % dimension;
        }
        let side = grid.sides[axis];
        for shift in shifts(side, grid.ports[axis], rest) {
            pairs.extend((0..grid.rank_at.len()).map(|place| {
                let sender = grid.moved(place, axis, |coordinate| (coordinate + shift) % side);
                [grid.rank_at[sender], grid.rank_at[place]]
            }));
        }
    }))
}
