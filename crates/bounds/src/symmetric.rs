//! Bounds of Cayley graphs, in which all nodes are alike.

use fixedbitset::FixedBitSet;
use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};
use lockstep_schedule::{CollectiveName, CommunicationModel, Switching};
use lockstep_topology::{CayleyGraph, NodeId};

use crate::pipeline::ceil_steps;

/// Larger graphs are not searched: the search takes up to 9 bytes per node.
const MAX_SEARCHED: u64 = 1 << 24;

/// Larger graphs have no cut, because its certificate lists half of the nodes.
const MAX_CUT: u64 = 1 << 20;

/// Computes the best lower bound of an all-gather or all-to-all on a Cayley graph whose channels share no resources.
///
/// A fact about one node holds for all nodes. So one search from element 0 gives the eccentricity (store-and-forward)
/// and the sum of distances. The other rules are the ports of element 0, and the cuts into halves along a side. On
/// hypercubes, folded hypercubes, tori and rings, the bound is as good as [`best`](crate::best) for the
/// [`Topology`](lockstep_topology::Topology). [`LowerBound::check_symmetric`] verifies it.
///
/// Returns `None` for other collectives, for fewer than two nodes, and if the generators do not reach every node. Takes
/// `O(N d)` time and up to 9 bytes per node for `N` nodes of degree `d`. For more than 2^24 nodes, only the ports
/// count.
///
/// # Source
///
/// Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2.
///
/// ```
/// use lockstep_bounds::symmetric;
/// use lockstep_schedule::{CollectiveName, CommunicationModel};
/// use lockstep_topology::CayleyGraph;
///
/// let cube: CayleyGraph = "hypercube:20".parse()?;
/// let (all_gather, model) = (CollectiveName::AllGather, CommunicationModel::store_and_forward());
/// let bound = symmetric(&cube, all_gather, model).ok_or("connected")?;
/// assert_eq!(bound.steps, ((1 << 20) - 1u32).div_ceil(20));
/// bound.check_symmetric(&cube, all_gather, model)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn symmetric(graph: &CayleyGraph, collective: CollectiveName, model: CommunicationModel) -> Option<LowerBound> {
    let is_scatter = match collective {
        CollectiveName::AllGather => false,
        CollectiveName::AllToAll => true,
        _ => return None,
    };
    let nodes = graph.node_count();
    let ports = model.ports.of_degree(graph.degree()) as u64;
    let at_a_node = Certificate::Cut {
        nodes: vec![NodeId::new(0)],
        direction: Direction::In,
        messages: nodes - 1,
        per_step: ports,
    };
    let mut bounds =
        vec![LowerBound { steps: ceil_steps(nodes - 1, ports)?, rule: Rule::Ports, certificate: at_a_node }];
    if nodes <= MAX_SEARCHED {
        let spheres = spheres(graph)?;
        if model.switching == Switching::StoreAndForward {
            bounds.extend(eccentricity(&spheres, ports));
        }
        if is_scatter {
            let crossings = match model.switching {
                Switching::Wormhole => graph.degree() as u64,
                Switching::StoreAndForward => ports,
            };
            bounds.extend(distance_sum(graph, &spheres, crossings));
            bounds.extend(halves(graph));
        }
    }
    bounds.into_iter().reduce(|best, next| if next.steps > best.steps { next } else { best })
}

/// Returns the number of nodes at each distance from element 0, from distance 0; `None` if a node is not reached.
fn spheres(graph: &CayleyGraph) -> Option<Vec<u64>> {
    // For each generator, the sides along which it moves: the weight of a coordinate, the side, and the move.
    let moves: Vec<Vec<[u64; 3]>> = graph.generators().iter().map(|&generator| moves(graph, generator)).collect();
    let mut is_reached = FixedBitSet::with_capacity(graph.node_count() as usize);
    is_reached.insert(0);
    let (mut sphere, mut next, mut spheres) = (vec![0u32], Vec::new(), Vec::new());
    while !sphere.is_empty() {
        spheres.push(sphere.len() as u64);
        for &node in &sphere {
            for generator in &moves {
                let head = generator.iter().fold(u64::from(node), |node, &[weight, side, by]| {
                    let wraps = node / weight % side + by >= side;
                    node + weight * by - if wraps { weight * side } else { 0 }
                });
                if !is_reached.put(head as usize) {
                    next.push(head as u32);
                }
            }
        }
        sphere.clear();
        std::mem::swap(&mut sphere, &mut next);
    }
    (spheres.iter().sum::<u64>() == graph.node_count()).then_some(spheres)
}

/// Returns the sides along which a generator moves.
fn moves(graph: &CayleyGraph, generator: u64) -> Vec<[u64; 3]> {
    let mut weight = 1;
    let mut moves = Vec::new();
    for (&side, by) in graph.sides().iter().zip(graph.coordinates(generator)).rev() {
        if by > 0 {
            moves.push([weight, side, by]);
        }
        weight *= side;
    }
    moves
}

/// Returns the best bound by messages from at least `distance` channels away. They arrive through the ports, and each
/// travels for at least `distance` steps.
fn eccentricity(spheres: &[u64], ports: u64) -> Option<LowerBound> {
    let mut messages = 0;
    let bounds = spheres.iter().enumerate().skip(1).rev().filter_map(|(distance, nodes)| {
        messages += nodes;
        let steps = ceil_steps(messages, ports)?.saturating_add(distance as u32 - 1);
        let (node, direction, distance) = (NodeId::new(0), Direction::In, distance as u32);
        let certificate = Certificate::Eccentricity { node, direction, distance, messages, ports };
        Some(LowerBound { steps, rule: Rule::Eccentricity, certificate })
    });
    bounds.reduce(|best, next| if next.steps > best.steps { next } else { best })
}

/// Returns the bound by the total distance, if every node sends over at most `crossings` channels in a step.
fn distance_sum(graph: &CayleyGraph, spheres: &[u64], crossings: u64) -> Option<LowerBound> {
    let nodes = graph.node_count();
    let from_one: u64 = spheres.iter().zip(0..).map(|(nodes, distance)| nodes * distance).sum();
    let (channel_uses, per_step) = (from_one.checked_mul(nodes)?, nodes * crossings);
    let certificate = Certificate::DistanceSum { channel_uses, per_step };
    Some(LowerBound { steps: ceil_steps(channel_uses, per_step)?, rule: Rule::DistanceSum, certificate })
}

/// Returns the best cut into halves: the lower coordinates of a side, and the others.
fn halves(graph: &CayleyGraph) -> Option<LowerBound> {
    let nodes = graph.node_count();
    if nodes > MAX_CUT {
        return None;
    }
    let cut = |place: usize| {
        let side = graph.sides()[place];
        let (rows, low) = (nodes / side, side / 2);
        // A move by `by` along a side takes this number of coordinates across either end of the lower half.
        let enters = |&generator: &u64| {
            let by = graph.coordinates(generator)[place];
            by.min(side - by).min(low)
        };
        let per_step = rows * graph.generators().iter().map(enters).sum::<u64>();
        let messages = rows * low * (nodes - rows * low);
        Some((ceil_steps(messages, per_step)?, place, messages, per_step))
    };
    let (steps, place, messages, per_step) =
        (0..graph.sides().len()).filter_map(cut).reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let weight: u64 = graph.sides()[place + 1..].iter().product();
    let (side, low) = (graph.sides()[place], graph.sides()[place] / 2);
    let nodes = (0..nodes).filter(|node| node / weight % side < low).map(|node| NodeId::new(node as u32)).collect();
    let certificate = Certificate::Cut { nodes, direction: Direction::In, messages, per_step };
    Some(LowerBound { steps, rule: Rule::Cut, certificate })
}
