//! Swing.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::grid::Grid;
use super::negabinary::partner;
use super::pattern::Pattern;

/// Recursive doubling on a torus with partners at distances 1, -1, 3, -5, 11, …, which are nearer than powers of two:
/// `log2 p` steps.
///
/// There are `2D` instances for equal parts of the blocks: they begin at different axes, and half of them are mirrored.
///
/// # Source
///
/// De Sensi, Bonato, Saam and Hoefler, *Swing: short-cutting rings for higher bandwidth allreduce* (2024), sections 3 and 4.
pub(super) const SWING: CombiningAlgorithm = CombiningAlgorithm {
    name: "swing",
    about: "tori of sides 2^k: partners at distances 1, -1, 3, -5, … along the axes, 2D instances: log2 p steps",
    plan: Plan::OnGrids(pattern),
};

fn pattern(grid: &Grid) -> Option<Pattern<'_>> {
    if !grid.is_torus {
        return None;
    }
    let steps = grid.levels(0)?.len();
    Some(Pattern::new(2 * grid.sides.len(), steps, move |instance, step, pairs| {
        let levels = grid.levels(instance / 2).unwrap_or_default();
        let (axis, level) = levels[steps - 1 - step];
        let (side, is_mirrored) = (grid.sides[axis] as usize, !instance.is_multiple_of(2));
        pairs.extend((0..grid.rank_at.len()).map(|place| {
            let other = grid.moved(place, axis, |coordinate| {
                partner(coordinate as usize, level as usize, side, is_mirrored) as u32
            });
            [grid.rank_at[place], grid.rank_at[other]]
        }));
    }))
}
