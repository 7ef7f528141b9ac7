//! Schedules from the specification of a Cayley graph. The network itself is never built.

use lockstep_schedule::{
    BaseSchedule, Budget, CollectiveName, CommunicationModel, Ports, Switching, SymmetricSchedule,
};
use lockstep_topology::CayleyGraph;

use crate::{DiagonalBroadcast, LocalProgram, StreamedBroadcast, SubgroupChainBroadcast, cayley, hypercube};

/// Returns the part of source 0 in a short schedule, with the name of its construction.
///
/// Supports all-gather and all-to-all. Returns `None` if no construction is known, and when the budget ends. For
/// complexity and memory see [`hypercube`] and [`cayley`].
///
/// ```
/// use lockstep_schedule::{Budget, CollectiveName, CommunicationModel};
///
/// let torus = "torus:9x9".parse()?;
/// let model = CommunicationModel::store_and_forward();
/// let found = lockstep_analytic::symmetric(&torus, CollectiveName::AllGather, model, &Budget::unlimited());
/// let (name, base) = found.expect("a torus");
/// assert_eq!((name, base.step_count()), ("cayley", 20));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn symmetric(
    graph: &CayleyGraph,
    collective: CollectiveName,
    model: CommunicationModel,
    budget: &Budget,
) -> Option<(&'static str, BaseSchedule)> {
    if let Some(dimension) = hypercube_dimension(graph) {
        let base = match collective {
            CollectiveName::AllGather => hypercube::all_gather(dimension, model.ports),
            CollectiveName::AllToAll if !model.is_direct() => hypercube::all_to_all(dimension, model.ports),
            CollectiveName::AllToAll => hypercube::direct_all_to_all(dimension, model.ports),
            _ => None,
        };
        Some(("hypercube", base?))
    } else {
        let base = match collective {
            CollectiveName::AllGather => cayley::all_gather(graph, budget),
            CollectiveName::AllToAll if !model.is_direct() => cayley::all_to_all(graph, budget),
            _ => None,
        };
        Some(("cayley", base.filter(|_| model.ports.of_degree(graph.degree()) == graph.degree())?))
    }
}

/// Returns the program of one node in a short schedule, with the name of the construction.
///
/// `root` is the source of a broadcast or scatter. Returns `None` if no construction is known, a node does not exist,
/// the program is too long to store, or the budget ends.
///
/// ```
/// use lockstep_schedule::{Budget, CollectiveName, CommunicationModel};
///
/// let cube = "hypercube:20".parse()?;
/// let model = CommunicationModel::store_and_forward();
/// let broadcast = CollectiveName::Broadcast;
/// let found = lockstep_analytic::program(&cube, broadcast, model, Some(0), 12345, &Budget::unlimited());
/// let (name, program) = found.expect("a hypercube");
/// assert_eq!((name, program.round_count()), ("hypercube", 20));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn program(
    graph: &CayleyGraph,
    collective: CollectiveName,
    model: CommunicationModel,
    root: Option<u64>,
    node: u64,
    budget: &Budget,
) -> Option<(&'static str, LocalProgram)> {
    if root.unwrap_or(0).max(node) >= graph.node_count() {
        return None;
    }
    match (collective, root) {
        (CollectiveName::Broadcast, Some(root)) => broadcast_program(graph, model, root, node),
        (CollectiveName::Scatter, Some(root)) => {
            let dimension = hypercube_dimension(graph).filter(|_| !model.is_direct())?;
            Some(("hypercube", hypercube::scatter_program(dimension, model.ports, root, node)?))
        }
        (CollectiveName::AllGather | CollectiveName::AllToAll, None) => {
            let (name, base) = symmetric(graph, collective, model, budget)?;
            let schedule = SymmetricSchedule::new(graph.clone(), collective, base);
            Some((name, LocalProgram::of_symmetric(&schedule, node)))
        }
        _ => None,
    }
}

/// Returns the program of a node in the broadcast of the fewest rounds.
fn broadcast_program(
    graph: &CayleyGraph,
    model: CommunicationModel,
    root: u64,
    node: u64,
) -> Option<(&'static str, LocalProgram)> {
    let cube = hypercube_dimension(graph);
    let one_port = model.ports.of_degree(graph.degree()) == 1;
    if model.switching == Switching::StoreAndForward || one_port {
        return Some(("hypercube", hypercube::broadcast_program(cube?, root, node)?));
    }
    if model.ports != Ports::All {
        return None;
    }
    let (name, broadcast) = streamed(graph)?;
    Some((name, broadcast.program(root, node)?))
}

/// Returns the wormhole all-port broadcast of the fewest rounds, with the name of its construction; `None` if none is
/// known.
///
/// ```
/// let torus = "torus:3125x3125".parse()?;
/// let (name, broadcast) = lockstep_analytic::streamed(&torus).expect("a square torus");
/// assert_eq!((name, broadcast.round_count()), ("chain", 10));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn streamed(graph: &CayleyGraph) -> Option<(&'static str, Box<dyn StreamedBroadcast>)> {
    let side = graph.sides().first().and_then(|&side| u32::try_from(side).ok())?;
    let chain = match hypercube_dimension(graph) {
        Some(dimension) => SubgroupChainBroadcast::hypercube(dimension),
        None => SubgroupChainBroadcast::torus(graph.sides().len(), side),
    };
    let diagonals = DiagonalBroadcast::new(side);
    let chain = chain.map(|chain| ("chain", Box::new(chain) as Box<dyn StreamedBroadcast>));
    let diagonals = diagonals.map(|diagonals| ("diagonals", Box::new(diagonals) as Box<dyn StreamedBroadcast>));
    let fits = |broadcast: &dyn StreamedBroadcast| {
        let known = broadcast.graph();
        known.sides() == graph.sides() && known.generators() == graph.generators()
    };
    let fitting = [chain, diagonals].into_iter().flatten().filter(|(_, broadcast)| fits(broadcast.as_ref()));
    fitting.min_by_key(|(_, broadcast)| broadcast.round_count())
}

/// Returns the dimension if the graph is the hypercube whose generator `k` is the element `2^k`.
fn hypercube_dimension(graph: &CayleyGraph) -> Option<u32> {
    let dimension = graph.degree();
    let units = graph.generators().iter().enumerate().all(|(axis, &generator)| generator == 1 << axis);
    let is_cube = graph.sides().len() == dimension && graph.sides().iter().all(|&side| side == 2) && units;
    is_cube.then_some(dimension as u32)
}
