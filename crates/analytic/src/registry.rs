//! The list of constructions, and the choice of the one that fits.

use lockstep_schedule::{Budget, Problem, Schedule};

use crate::Construction;
use crate::construction::{cayley, clos, diagonal, fat_tree, hypercube, multistage, subgroup_chain, tree};

/// Every construction, those that cost least first.
pub fn constructions() -> &'static [Construction] {
    const CONSTRUCTIONS: &[Construction] = &[
        hypercube::HYPERCUBE,
        cayley::CAYLEY,
        tree::TREE,
        multistage::MULTISTAGE,
        fat_tree::FAT_TREE,
        clos::CLOS,
        subgroup_chain::SUBGROUP_CHAIN,
        diagonal::DIAGONALS,
        tree::SPANNING_TREE,
    ];
    CONSTRUCTIONS
}

/// The first schedule of at most `goal` steps that a construction makes, else the shortest of all, with the
/// construction; `None` where none fits. `observe` sees each one that fits, and how many steps it takes.
pub fn shortest(
    problem: &Problem<'_>,
    goal: u32,
    budget: &Budget,
    mut observe: impl FnMut(&'static Construction, u32),
) -> Option<(&'static Construction, Schedule)> {
    let mut best: Option<(&Construction, Schedule)> = None;
    for construction in constructions() {
        if budget.stop_after(0).is_some() {
            break;
        }
        let Some(schedule) = construction.schedule(problem, goal, budget) else { continue };
        observe(construction, schedule.step_count() as u32);
        if best.as_ref().is_none_or(|(_, best)| schedule.step_count() < best.step_count()) {
            let reached = schedule.step_count() <= goal as usize;
            best = Some((construction, schedule));
            if reached {
                break;
            }
        }
    }
    best
}
