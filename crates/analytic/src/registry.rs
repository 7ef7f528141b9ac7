//! The list of constructions, and the choice of the one that fits.

use lockstep_schedule::{Budget, Part, Problem, Schedule};

use crate::Construction;
use crate::combining::{CombiningAlgorithm, algorithms};
use crate::construction::{
    cayley, clos, complete, diagonal, fat_tree, hypercube, lattice_chain, mesh_code, multistage, subgroup_chain, tours,
    tree,
};

/// Returns all constructions, the cheapest first.
pub fn constructions() -> &'static [Construction] {
    const CONSTRUCTIONS: &[Construction] = &[
        complete::COMPLETE,
        hypercube::HYPERCUBE,
        cayley::CAYLEY,
        tours::TOURS,
        tree::TREE,
        multistage::MULTISTAGE,
        fat_tree::FAT_TREE,
        clos::CLOS,
        subgroup_chain::SUBGROUP_CHAIN,
        diagonal::DIAGONALS,
        lattice_chain::LATTICE_CHAIN,
        mesh_code::MESH_CODE,
        tree::SPANNING_TREE,
    ];
    CONSTRUCTIONS
}

/// Returns every part of this crate that a budget can [leave out](Budget::without): the constructions, and the
/// [combining algorithms](crate::combining).
///
/// ```
/// assert!(lockstep_analytic::parts().any(|part| part.to_string() == "analytic/hypercube"));
/// ```
pub fn parts() -> impl Iterator<Item = Part> {
    let algorithms = algorithms().iter().map(CombiningAlgorithm::part);
    constructions().iter().map(Construction::part).chain(algorithms)
}

/// Returns the first schedule of at most `goal` steps, with its construction; otherwise the shortest schedule of all.
///
/// Returns `None` if no construction supports the problem, or the time is over. Without a schedule, a construction may end
/// [a little later](lockstep_schedule::FIRST_RESULT_GRACE). Calls `observe` with each construction that supports it and
/// the number of steps of its schedule.
///
/// ```
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let fat_tree: Topology = "fat-tree:2,3".parse()?;
/// let exchange = Collective::all_to_all();
/// let problem = Problem::new(&fat_tree, &exchange, CommunicationModel::wormhole())?;
/// let found = lockstep_analytic::shortest(&problem, 0, &Budget::unlimited(), |_, _| {});
/// let (construction, schedule) = found.expect("a fat tree of full bisection");
/// assert_eq!((construction.name, schedule.step_count()), ("fat-tree", 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shortest(
    problem: &Problem<'_>,
    goal: u32,
    budget: &Budget,
    mut observe: impl FnMut(&'static Construction, u32),
) -> Option<(&'static Construction, Schedule)> {
    let mut best: Option<(&Construction, Schedule)> = None;
    let first = budget.for_first_result();
    for construction in constructions().iter().filter(|construction| budget.uses(construction.part())) {
        let budget = if best.is_none() { &first } else { budget };
        if budget.interruption().is_some() {
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
