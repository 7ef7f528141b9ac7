//! Recursive doubling and halving.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::pattern::Pattern;
use super::ranks::Ranks;

/// Pairs of ranks exchange data, and the groups that share data double: `log2 p` steps, and two more if `p` is no power
/// of two.
///
/// At level `l`, a rank exchanges with its mirror image in its group of `2^(l+1)` ranks: labels of a Gray code that differ
/// in one bit. In a cycle of four, all partners are neighbours. On a torus whose sides are powers of two, the levels
/// alternate between the axes, and one instance begins at each axis. Reduce-scatters run backwards: recursive halving.
///
/// # Source
///
/// Thakur, Rabenseifner and Gropp, *Optimization of collective communication operations in MPICH* (2005), section 4.
pub(super) const RECURSIVE_DOUBLING: CombiningAlgorithm = CombiningAlgorithm {
    name: "recursive-doubling",
    about: "the mirror image in groups of 2, 4, 8, …: log2 p steps, and 2 more if p is no power of two",
    plan: Plan::Everywhere(pattern),
};

/// The place with the same offset from the end of its group of `2^(level + 1)` places.
fn mirror(place: usize, level: usize) -> usize {
    place ^ ((2 << level) - 1)
}

fn pattern(ranks: &Ranks) -> Pattern<'_> {
    let Some((grid, steps)) = ranks.grid.as_ref().and_then(|grid| Some((grid, grid.levels(0)?.len()))) else {
        return Pattern::folded(&ranks.cycle, |place, level, _| mirror(place, level));
    };
    Pattern::new(grid.rotations(), steps, move |instance, step, pairs| {
        let levels = grid.levels(instance).unwrap_or_default();
        let (axis, level) = levels[steps - 1 - step];
        pairs.extend((0..grid.rank_at.len()).map(|place| {
            let other = grid.moved(place, axis, |coordinate| mirror(coordinate as usize, level as usize) as u32);
            [grid.rank_at[place], grid.rank_at[other]]
        }));
    })
}
