//! The construction.

use lockstep_schedule::{Budget, Problem, Schedule};

use super::code::Code;
use super::division::{self, ports, reach};
use crate::Construction;
use crate::kit::grid::Grid;
use crate::kit::path_packing::schedule_of;
use crate::kit::plane_torus::PlaneTorus;
use crate::kit::streamed_broadcast::is_wormhole_all_port;

/// Wormhole all-port broadcast on meshes of two axes: few steps more than the fewest, and often none.
///
/// The last step begins at the nodes of a [perfect code](Code::smallest), each of which sends to its neighbours. Before it, the
/// [code is divided](division::paths_of_steps) into parts again and again, up to five parts per holder and step. The
/// paths of a step are shortest and share no channel. With four ports per node, `T` steps reach `1 + d (5^T - 1) / 4` nodes
/// from a root of `d` ports. At the border, the code is larger than a fifth of the nodes, and holders have fewer ports. So
/// about half of all meshes take one step more than this. Long meshes of few rows take several more.
///
/// Not supported: sides below 3, networks past [`MAX_NODES`], and some meshes of three rows and a thousand columns or more.
///
/// Takes `O(N log N)` time for `N` nodes. Memory: about 370 bytes per node.
///
/// # Source
///
/// Lockstep. The code: see [`Code::smallest`].
pub(crate) const MESH_CODE: Construction = Construction {
    name: "mesh-code",
    about: "meshes of two axes with sides of 3 or more: wormhole broadcast to a perfect code, last to all neighbours",
    construct: |problem, _goal, budget| construct(problem, budget),
};

/// The largest number of nodes.
const MAX_NODES: usize = 1 << 21;

/// The number of steps more than the fewest that are tried before the last one.
const MORE_STEPS: u32 = 4;

fn construct(problem: &Problem<'_>, budget: &Budget) -> Option<Schedule> {
    let topology = problem.topology();
    if topology.node_count() > MAX_NODES || !is_wormhole_all_port(problem) {
        return None;
    }
    let grid = Grid::of_mesh(topology)?;
    let mesh = PlaneTorus::new(grid.sides.clone().try_into().ok()?)?;
    let root = problem.collective().root()?;
    let root = (0..mesh.node_count()).find(|&place| grid.node_at(place) == root)?;
    let steps = paths_of_steps(mesh, root, budget)?;
    schedule_of(steps, budget, |place, port| Some(grid.channel(grid.node_at(place), port / 2, port % 2 == 1)))
}

/// Returns the paths of each step, as slots of channels.
pub(super) fn paths_of_steps(mesh: PlaneTorus, root: usize, budget: &Budget) -> Option<Vec<Vec<Vec<usize>>>> {
    let code = Code::smallest(mesh, root);
    let fewest = (0..13).find(|&steps| reach(ports(mesh, root), steps) >= code.places.len() as u64)?;
    (fewest..=fewest + MORE_STEPS).find_map(|steps| {
        if budget.interruption().is_some() {
            return None;
        }
        let mut paths = division::paths_of_steps(mesh, root, &code.places, steps, budget)?;
        paths.push(code.last_step(mesh));
        Some(paths)
    })
}
