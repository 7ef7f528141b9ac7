//! Bounds of networks that look the same from every node, without the network.

use fixedbitset::FixedBitSet;
use lockstep_schedule::{CollectiveName, CommunicationModel, Switching};
use lockstep_topology::{CayleyGraph, NodeId};

use crate::rule::ceil_steps;
use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};

/// Larger networks are not searched.
const MAX_SEARCHED: u64 = 1 << 24;

/// A cut lists half of the nodes.
const MAX_CUT: u64 = 1 << 20;

/// The best lower bound of an all-gather or all-to-all on a Cayley graph, each of whose channels is a resource of its own.
///
/// What holds at one node holds at all: the ports of element 0, with one search from there the eccentricity
/// (store-and-forward) and the sum of distances, and the cuts into halves along a side. On hypercubes, folded ones too,
/// tori and rings that is as much as [`best`](crate::best) says about the [`Topology`](lockstep_topology::Topology).
/// [`LowerBound::check_symmetric`] checks it.
///
/// `None` for other collectives, fewer than two nodes, and where the generators do not reach every node. Takes O(N d) time and
/// up to 9 bytes a node for the search of `N` nodes of degree `d`; of more than 2^24 nodes only the ports are looked at.
///
/// Source: Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2.
///
/// ```
/// use lockstep_bounds::symmetric;
/// use lockstep_schedule::{CollectiveName, CommunicationModel};
/// use lockstep_topology::CayleyGraph;
///
/// let cube: CayleyGraph = "hypercube:20".parse()?;
/// let (gather, model) = (CollectiveName::AllGather, CommunicationModel::store_and_forward());
/// let bound = symmetric(&cube, gather, model).ok_or("connected")?;
/// assert_eq!(bound.steps, ((1 << 20) - 1u32).div_ceil(20));
/// bound.check_symmetric(&cube, gather, model)?;
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

/// How many nodes are at each distance from element 0, from distance 0 on; `None` if some are at none.
fn spheres(graph: &CayleyGraph) -> Option<Vec<u64>> {
    // Of each generator, the sides along which it moves: the weight of a coordinate there, the side, and the move.
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

/// The messages from `distance` channels away and farther arrive through the ports, the last one after as many steps as
/// they take, and `distance - 1` before it could start.
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

/// All nodes together send every message over its distance, each over so many channels in a step.
fn distance_sum(graph: &CayleyGraph, spheres: &[u64], crossings: u64) -> Option<LowerBound> {
    let nodes = graph.node_count();
    let from_one: u64 = spheres.iter().zip(0..).map(|(nodes, distance)| nodes * distance).sum();
    let (channel_uses, per_step) = (from_one.checked_mul(nodes)?, nodes * crossings);
    let certificate = Certificate::DistanceSum { channel_uses, per_step };
    Some(LowerBound { steps: ceil_steps(channel_uses, per_step)?, rule: Rule::DistanceSum, certificate })
}

/// The best cut into halves: the lower coordinates of a side, and the others.
fn halves(graph: &CayleyGraph) -> Option<LowerBound> {
    let nodes = graph.node_count();
    if nodes > MAX_CUT {
        return None;
    }
    let cut = |place: usize| {
        let side = graph.sides()[place];
        let (rows, low) = (nodes / side, side / 2);
        // A move by `by` along a side takes so many coordinates across either end of the lower half.
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
