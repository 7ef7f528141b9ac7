//! Minimum-path graphs of degree 4.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::circle;
use crate::order_degree::{DistanceSum, Objective, OrderDegreeSearch, Polycirculant, PolycirculantLink};
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const AMP: Family = Family {
    name: "amp",
    aliases: &[],
    parameters: "NODES[+sc]",
    example: "amp:23",
    about: "degree 4 and small mean distance; +sc: one link less, for the system controller",
    cayley: None,
    generate: |parameters| {
        let (parameters, has_controller) = parameters.without_option("+sc");
        let [nodes] = parameters.fields()?;
        let generate = if has_controller { amp_with_system_controller } else { amp };
        Ok(generate(nodes.number()?)?)
    },
};

const DEGREE: usize = 4;

/// The largest order. Above it, a short search is hardly better than a random graph.
const MAX_ORDER: u32 = 512;

const SEED: u64 = 0;

/// Rounds of the search, which takes less than a tenth of a second.
const ROUNDS: u32 = 4;

/// Graphs found by long searches: the order, and the jumps of each class of nodes (see [`Polycirculant`]).
#[rustfmt::skip] // One row per class would fill the page.
const STORED_GRAPHS: &[(u32, &[[i8; DEGREE]])] = &[
    (8, &[[-3, -2, 2, 3]]),
    (16, &[[1, 2, 5, 8], [-5, -2, -1, 2], [-7, -4, -2, 4], [-2, 2, 7, 8]]),
    (23, &[
        [-11, -3, 8, 10], [-7, -5, 1, 3], [-10, -7, -1, 6], [-11, 3, 8, 10], [-11, -7, -3, 2], [-10, -7, 6, 11],
        [-3, -2, 2, 8], [-11, 3, 8, 9], [-10, -8, -6, -2], [4, 5, 9, 11], [-10, -3, 7, 8], [-8, -6, 6, 9],
        [1, 4, 10, 11], [-10, -4, -1, 6], [-8, -5, 3, 8], [-8, 7, 10, 11], [-11, -9, -4, 11], [-7, -6, -3, 7],
        [-9, -8, 7, 10], [-6, 2, 5, 11], [-11, -9, 3, 7], [-2, 1, 7, 10], [-10, -8, -7, -1],
    ]),
    (32, &[
        [-15, 3, 15, 16], [-15, -7, 13, 15], [-13, 4, 7, 15], [-13, -12, -3, 1], [-7, -1, 1, 3], [-1, 7, 13, 16],
        [-13, -4, 9, 13], [-15, -9, -3, 12],
    ]),
    (42, &[
        [-20, 3, 8, 21], [-8, 8, 18, 20], [-19, -8, 1, 11], [-13, -12, -3, -1], [-14, 13, 14, 19],
        [-18, -6, 8, 12], [-11, -8, 6, 21],
    ]),
    (64, &[
        [-5, 7, 22, 30], [-24, 6, 24, 26], [-29, -12, 2, 28], [-31, -26, 5, 17], [-17, -2, 19, 31],
        [-8, 8, 18, 29], [-30, -28, -22, 12], [-19, -18, -7, -6],
    ]),
];

/// Generates the "minimum path" configuration: a graph of degree 4 with a small mean distance.
///
/// For 8, 16, 23, 32, 42 and 64 nodes it is a stored graph that a long search has found; `data/topologies` in the
/// repository has the same graphs as files. With 8, 23 and 32 nodes the mean distance is optimal, see
/// [`distance_sum_bound`](crate::distance_sum_bound). For other numbers of nodes it is the result of a short
/// [`order_degree`](crate::order_degree()) search with a fixed seed. The same number gives the same graph on every
/// machine.
///
/// - Nodes: `nodes` terminals around a circle, named by their numbers. Most graphs have rotations of the circle as
///   symmetries.
/// - Channels: `4 * nodes`, link by link, by lower end, then by higher end.
/// - Degree 4. The diameter has no closed formula.
///
/// ```
/// let amp = lockstep_topology::amp(23)?;
/// assert_eq!((amp.node_count(), amp.channel_count()), (23, 92));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below 5 nodes, where degree 4 is impossible, and above 512, where the search is too
/// short.
pub fn amp(nodes: u32) -> Result<Topology, FamilyError> {
    let links = graph(nodes)?.links();
    network(format!("amp:{nodes}"), nodes, links.into_iter().map(|link| link.ends))
}

/// Generates the [`amp`] graph without one link, which leaves two ports for a system controller.
///
/// The removed link is the one whose loss increases the sum of distances least; ties go to the first. The search for it
/// takes up to a tenth of a second if the graph has no rotations.
///
/// - Nodes: as [`amp`].
/// - Channels: `4 * nodes - 2`, as [`amp`].
/// - Degree 4, except for two nodes of degree 3.
///
/// ```
/// let amp = lockstep_topology::amp_with_system_controller(8)?;
/// assert_eq!((amp.node_count(), amp.channel_count()), (8, 30));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// As [`amp`].
pub fn amp_with_system_controller(nodes: u32) -> Result<Topology, FamilyError> {
    let graph = graph(nodes)?;
    let links = graph.links();
    let removed = least_important_link(&graph);
    let kept = links.into_iter().map(|link| link.ends).filter(|&ends| Some(ends) != removed);
    network(format!("amp:{nodes}+sc"), nodes, kept)
}

fn network(name: String, nodes: u32, links: impl Iterator<Item = [u32; 2]>) -> Result<Topology, FamilyError> {
    let mut network = TopologyBuilder::new(name);
    numbered_terminals(&mut network, nodes);
    for [u, v] in links {
        network.link(NodeId::new(u), NodeId::new(v));
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}

fn graph(nodes: u32) -> Result<Polycirculant, FamilyError> {
    if !(DEGREE as u32 + 1..=MAX_ORDER).contains(&nodes) {
        let instead = if nodes > MAX_ORDER { format!("amp:{MAX_ORDER}") } else { "amp:5".into() };
        return Err(AMP.unsupported("number of nodes", nodes, format!("5 to {MAX_ORDER}"), instead));
    }
    let stored = STORED_GRAPHS.iter().find(|(order, _)| *order == nodes).map(|(_, jumps)| {
        let lengths: Vec<u32> =
            jumps.as_flattened().iter().map(|&jump| nodes.wrapping_add_signed(jump.into()) % nodes).collect();
        Polycirculant::from_jumps(nodes, DEGREE, &lengths).expect("the stored graphs are simple")
    });
    Ok(stored.unwrap_or_else(|| {
        let search = OrderDegreeSearch::with_objective(nodes, DEGREE as u32, SEED, Objective::Sum);
        search.expect("degree 4 exists from 5 nodes on").after(ROUNDS).into_graph()
    }))
}

/// Returns the ends of the link whose removal increases the sum of distances least.
fn least_important_link(graph: &Polycirculant) -> Option<[u32; 2]> {
    let mut neighbours = graph.neighbours().to_vec();
    let order = neighbours.len() / DEGREE;
    let mut distances = DistanceSum::new(order, DEGREE);
    let mut is_measured = vec![false; graph.period() * DEGREE];
    let mut best = None;
    let mut limit = u64::MAX;
    for PolycirculantLink { ends, orbit } in graph.links() {
        // All links of an orbit are equivalent.
        if std::mem::replace(&mut is_measured[orbit], true) {
            continue;
        }
        let [u, v] = ends;
        redirect(&mut neighbours, u, v, u);
        redirect(&mut neighbours, v, u, v);
        if let Some(sum) = distances.of(&neighbours, order, limit) {
            best = Some(ends);
            limit = sum - 1;
        }
        redirect(&mut neighbours, u, u, v);
        redirect(&mut neighbours, v, v, u);
    }
    best
}

/// Replaces the neighbour `old` of a node by `new`.
fn redirect(neighbours: &mut [u32], node: u32, old: u32, new: u32) {
    let row = &mut neighbours[node as usize * DEGREE..][..DEGREE];
    for neighbour in row.iter_mut().filter(|neighbour| **neighbour == old) {
        *neighbour = new;
    }
}
