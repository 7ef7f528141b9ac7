//! The construction: the chain up to the last step but one, then a maximum flow.

use lockstep_schedule::{Budget, Problem, Schedule};
use lockstep_topology::NodeId;

use super::chain::LatticeChain;
use super::last_step::last_step;
use crate::Construction;
use crate::kit::path_packing::{Send, packed_paths, schedule_of};
use crate::kit::plane_torus::{PORTS, PlaneTorus};
use crate::kit::streamed_broadcast;

/// Wormhole all-port broadcast on tori of two axes in `ceil(log5 N)` steps, the fewest for `N` nodes of degree 4.
///
/// A holder is a node with the message. Before the last step, the holders are the points of a lattice, rounded down to
/// nodes. Each lattice contains the one before and has five times as many points. Every holder sends to one point of each new class, along shortest
/// paths that share no channel. In the last step, a maximum flow reaches the other nodes by paths of one or two
/// channels. It usually exists, because the [chain](LatticeChain::best) spreads the holders evenly. Sides need not be
/// equal, and no factor of them matters.
///
/// Not supported: sides of 2, networks past [`MAX_NODES`], and the few sizes where no chain leads to such paths: the
/// torus of 11 x 11, and some with a side of 3.
///
/// Takes `O(N sqrt N)` time per chain that is tried, in practice about `O(N)`. Memory: about 500 bytes per node.
///
/// # Source
///
/// The lattices generalise the tiling of square tori of side `5^k` in Peters, Syska, *Circuit-switched broadcasting in
/// torus networks*, IEEE Trans. Parallel Distrib. Syst. 7 (1996). The last step as a flow: the theorem of Ford and
/// Fulkerson, since all transfers carry the same message.
pub(crate) const LATTICE_CHAIN: Construction = Construction {
    name: "lattice-chain",
    about: "tori of two axes with any sides: wormhole broadcast along a chain of lattices, last by a maximum flow",
    construct: |problem, _goal, budget| construct(problem, budget),
};

/// The largest number of nodes: 2 million nodes take about 1 GB.
const MAX_NODES: usize = 1 << 21;

/// The paths of each step, as slots of channels at places relative to the root.
type StepPaths = Vec<Vec<Vec<usize>>>;

fn construct(problem: &Problem<'_>, budget: &Budget) -> Option<Schedule> {
    let topology = problem.topology();
    if topology.node_count() > MAX_NODES || topology.out_channels(NodeId::new(0)).len() != PORTS {
        return None;
    }
    let axes = streamed_broadcast::axes(problem, budget)?;
    let network = PlaneTorus::new(axes.sides().try_into().ok()?)?;
    // The chain begins with the shorter side, so that its length does not depend on the order of the axes.
    let is_turned = network.sides()[0] > network.sides()[1];
    let torus = if is_turned { network.turned() } else { network };
    let steps = paths_of_steps(torus, budget)?;
    let origin = network.coordinates(axes.place(problem.collective().root()?));
    let node_at = |place: usize| {
        let [mut x, mut y] = torus.coordinates(place);
        if is_turned {
            (x, y) = (y, x);
        }
        axes.node_at(network.place([origin[0] + x, origin[1] + y]))
    };
    schedule_of(steps, budget, |place, port| {
        let (node, head) = (node_at(place), node_at(torus.neighbour(place, port)));
        let mut leaving = topology.out_channels(node).iter().copied();
        leaving.find(|&channel| topology.head(channel) == head)
    })
}

/// Returns the paths of a broadcast from place 0 in `ceil(log5 N)` steps.
pub(super) fn paths_of_steps(torus: PlaneTorus, budget: &Budget) -> Option<StepPaths> {
    let chain_steps = (1..13).find(|&steps| 5u64.pow(steps + 1) >= torus.node_count() as u64)?;
    LatticeChain::best(torus, chain_steps).iter().find_map(|chain| {
        // The budget may end while a chain is tried.
        if budget.interruption().is_some() { None } else { along(chain, torus, budget) }
    })
}

/// Returns the paths of the broadcast along one chain.
///
/// A point whose place is taken is left out, with the points that it would reach.
fn along(chain: &LatticeChain, torus: PlaneTorus, budget: &Budget) -> Option<StepPaths> {
    let mut is_holder = vec![false; torus.node_count()];
    is_holder[0] = true;
    let mut points = vec![[0, 0]];
    let mut sends_of_steps = Vec::with_capacity(chain.moves.len());
    for (step, moves) in chain.moves.iter().enumerate() {
        let is_last = step + 1 == chain.moves.len();
        // With few nodes, half of the moves are sufficient before the last step, and leave more channels free. The
        // factor is from trials: the last step then takes 7 transfers per 12 channels of the holders.
        let is_sparse = is_last && torus.node_count() <= 10 * points.len();
        let moves = if is_sparse { &moves[..2] } else { &moves[..] };
        let mut sends: Vec<Send> = Vec::with_capacity(moves.len() * points.len());
        for sender in 0..points.len() {
            for &by in moves {
                let point = chain.moved(points[sender], by);
                let place = chain.place(point, torus);
                if !std::mem::replace(&mut is_holder[place], true) {
                    let from = chain.place(points[sender], torus);
                    sends.push(Send { from, offset: torus.offset(from, place, by) });
                    points.push(point);
                }
            }
        }
        sends_of_steps.push(sends);
    }
    // The last step is the least likely to exist.
    let last = last_step(torus, &is_holder, budget)?;
    let first = sends_of_steps.iter().map(|sends| packed_paths(torus, sends, budget));
    first.chain([Some(last)]).collect()
}
