//! The bucket algorithm: a ring along each axis of a torus, one axis after the other.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::grid::Grid;
use super::pattern::Pattern;

/// A ring along each of the `D` axes of a torus in turn: as many steps as the sum of all sides minus 1 each.
///
/// There are `2D` instances for equal parts of the blocks. They begin at different axes, in both directions, so that all
/// channels are in use in every step of a torus of equal sides. On hosts with rails, all begin with the rails.
///
/// # Source
///
/// Sack and Gropp, *Collective algorithms for multiported torus networks* (2015), section 3.
pub(super) const BUCKET: CombiningAlgorithm = CombiningAlgorithm {
    name: "bucket",
    about: "tori: the next rank along one axis after the other, 2D rotated instances: the sum of (side - 1) steps",
    plan: Plan::OnGrids(pattern),
};

fn pattern(grid: &Grid) -> Option<Pattern<'_>> {
    let dimension = grid.sides.len();
    if dimension == 1 {
        return None;
    }
    let steps = grid.sides.iter().map(|&side| side as usize - 1).sum();
    Some(Pattern::new(2 * grid.rotations(), steps, move |instance, step, pairs| {
        let (mut axis, mut rest) = (instance / 2, step as u32);
        while rest >= grid.sides[axis] - 1 {
            rest -= grid.sides[axis] - 1;
            axis = (axis + 1) % dimension;
        }
        let side = grid.sides[axis];
        let shift = if instance.is_multiple_of(2) { 1 } else { side - 1 };
        pairs.extend((0..grid.rank_at.len()).map(|place| {
            let next = grid.moved(place, axis, |coordinate| (coordinate + shift) % side);
            [grid.rank_at[place], grid.rank_at[next]]
        }));
    }))
}
