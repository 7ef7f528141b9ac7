//! The construction for networks that are recognised as hypercubes.

use lockstep_schedule::{Budget, CollectiveName, Problem, Schedule, Switching};
use lockstep_topology::Topology;

use super::dimension::links_per_round;
use super::labelled_cube::LabelledCube;
use super::translate::{self, Sources};
use super::{all_gather, all_to_all, broadcast, direct_all_to_all, scatter};
use crate::Construction;

/// All collectives on hypercubes, in the fewest steps.
///
/// Not supported: wormhole broadcast with several ports, direct scatter, and all-gather and all-to-all on half-duplex
/// links.
pub(crate) const HYPERCUBE: Construction = Construction {
    name: "hypercube",
    about: "hypercubes, any number of ports: broadcast, scatter, all-gather, relayed and direct all-to-all",
    construct,
};

fn construct(problem: &Problem<'_>, _goal: u32, budget: &Budget) -> Option<Schedule> {
    let (model, ports) = (problem.model(), problem.model().ports);
    let is_broadcast = problem.collective().name() == Some(CollectiveName::Broadcast);
    if is_broadcast && model.switching == Switching::Wormhole {
        // With wormhole paths a holder can inform several nodes per step.
        let dimension = problem.topology().node_count().trailing_zeros();
        if links_per_round(dimension, ports) > 1 && dimension > 2 {
            return None;
        }
    }
    let cube = LabelledCube::recognise(problem.topology())?;
    let dimension = cube.dimension();
    let rank = |label| cube.node(label);
    // The rank of a receiver among all terminals except the source.
    let place = |source, receiver| rank(receiver) - u32::from(rank(receiver) > rank(source));
    match (problem.collective().name()?, problem.collective().root()) {
        (CollectiveName::Broadcast, Some(root)) => {
            let base = broadcast(dimension)?;
            translate::schedule(&cube, &base, Sources::One(cube.label(root)), budget, |_, _| 0)
        }
        (CollectiveName::Scatter, Some(root)) => {
            let base = scatter(dimension, ports).filter(|_| !model.is_direct())?;
            translate::schedule(&cube, &base, Sources::One(cube.label(root)), budget, place)
        }
        (CollectiveName::AllGather, None) if cube.full_duplex => {
            let base = all_gather(dimension, ports)?;
            translate::schedule(&cube, &base, Sources::All, budget, |source, _| rank(source))
        }
        (CollectiveName::AllToAll, None) if cube.full_duplex => {
            let base = match model.switching {
                Switching::StoreAndForward => all_to_all(dimension, ports),
                Switching::Wormhole => direct_all_to_all(dimension, ports).filter(|_| all_route(problem.topology())),
            }?;
            let others = cube.node_count() - 1;
            let message = |source, receiver| rank(source) * others + place(source, receiver);
            translate::schedule(&cube, &base, Sources::All, budget, message)
        }
        _ => None,
    }
}

fn all_route(topology: &Topology) -> bool {
    topology.nodes().all(|node| topology.routes(node))
}
