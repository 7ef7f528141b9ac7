//! One order for all rings: that of a traversal of the network.

use lockstep_topology::NodeId;

use crate::problem::RingProblem;
use crate::ring_set::RingSet;
use crate::route::route_orders;

/// Returns sets in which all rings have the order of a traversal of the network, or every second one the reverse. On a tree, such a ring uses
/// each link once in each direction.
pub(crate) fn traversal_sets(problem: &RingProblem<'_>, rings: u32) -> Vec<RingSet> {
    let order = traversal(problem);
    let reverse: Vec<NodeId> = order.iter().rev().copied().collect();
    let equal = vec![order.clone(); rings as usize];
    let turns: Vec<Vec<NodeId>> =
        (0..rings).map(|ring| if ring % 2 == 0 { order.clone() } else { reverse.clone() }).collect();
    let orders = if rings == 1 { vec![equal] } else { vec![equal, turns] };
    let routed =
        |orders: &Vec<Vec<NodeId>>| route_orders(problem.topology(), problem.kind(), orders, problem.relay()).ok();
    orders.iter().filter_map(routed).collect()
}

/// Returns the terminals in the order of a depth-first search that visits switches before terminals.
fn traversal(problem: &RingProblem<'_>) -> Vec<NodeId> {
    let topology = problem.topology();
    let mut is_reached = vec![false; topology.node_count()];
    let mut order = Vec::new();
    let mut open = Vec::new();
    for &start in problem.terminals() {
        open.push(start);
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut is_reached[node.index()], true) {
                continue;
            }
            if problem.rank(node).is_some() {
                order.push(node);
            }
            // The last one of the list is visited first.
            let heads = || topology.out_channels(node).iter().rev().map(|&channel| topology.head(channel));
            open.extend(heads().filter(|&head| !topology.is_terminal(head) && !is_reached[head.index()]));
            open.extend(heads().filter(|&head| topology.is_terminal(head) && !is_reached[head.index()]));
        }
    }
    order
}
