//! The construction for networks that are recognised, under any numbering.

use lockstep_schedule::{Budget, Problem, Schedule};
use lockstep_topology::NodeId;

use super::broadcast::SubgroupChainBroadcast;
use crate::kit::streamed_broadcast;
use crate::{Construction, TorusAxes};

/// Wormhole all-port broadcast on hypercubes and tori of equal sides.
///
/// For the idea, the number of rounds and the source see [`SubgroupChainBroadcast`].
pub(crate) const SUBGROUP_CHAIN: Construction = Construction {
    name: "chain",
    about: "hypercubes and tori of equal sides: wormhole broadcast along a chain of subgroups",
    construct,
};

fn construct(problem: &Problem<'_>, _goal: u32, budget: &Budget) -> Option<Schedule> {
    let axes = streamed_broadcast::axes(problem, budget)?;
    let (chain, node_of) = match *axes.sides() {
        // A cycle of four nodes is a square: the torus is a hypercube.
        ref sides if sides.iter().all(|&side| side == 2 || side == 4) => cube(&axes)?,
        [side, ref others @ ..] if others.iter().all(|&other| other == side) => {
            let places = 0..problem.topology().node_count();
            (SubgroupChainBroadcast::torus(others.len() + 1, side)?, places.map(|place| axes.node_at(place)).collect())
        }
        _ => return None,
    };
    streamed_broadcast::written(&chain, problem, &node_of, budget)
}

/// Returns the broadcast on a hypercube whose axes may be pairs of dimensions, with the node of every element.
fn cube(axes: &TorusAxes) -> Option<(SubgroupChainBroadcast, Vec<NodeId>)> {
    // Around a square, coordinates 0 to 3 are the corners 00, 01, 11, 10.
    const PLACE_OF_CORNER: [usize; 4] = [0, 1, 3, 2];
    let dimension: u32 = axes.sides().iter().map(|side| side.trailing_zeros()).sum();
    let node_of = |mut element: usize| {
        let (mut place, mut weight) = (0, 1);
        for &side in axes.sides().iter().rev() {
            let side = side as usize;
            place += PLACE_OF_CORNER[element % side] * weight;
            (element, weight) = (element / side, weight * side);
        }
        axes.node_at(place)
    };
    Some((SubgroupChainBroadcast::hypercube(dimension)?, (0..1 << dimension).map(node_of).collect()))
}
