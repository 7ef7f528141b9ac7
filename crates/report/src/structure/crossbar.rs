//! Crossbars: terminals that are all linked with the same switches, such as the GPUs and the `NVSwitches` of a server.

use lockstep_topology::{NodeId, Topology};

use super::graph::Graph;
use crate::geometry::Point;

/// The fewest terminals and switches whose links are hard to tell apart between two rows.
const LEAST: usize = 4;

/// Returns one position per node, or `None` for other networks: terminals are rows of a matrix, switches are columns.
pub(crate) fn crossbar_layout(topology: &Topology) -> Option<Vec<Point>> {
    let (terminals, switches) = (topology.terminal_count(), topology.switch_count());
    if terminals < LEAST || switches < LEAST {
        return None;
    }
    let graph = Graph::new(topology);
    let is_terminal = |node: usize| topology.is_terminal(NodeId::from_index(node));
    let is_full = |(node, row): (usize, &Vec<usize>)| {
        let others = if is_terminal(node) { switches } else { terminals };
        row.len() == others && row.iter().all(|&other| is_terminal(other) != is_terminal(node))
    };
    if !graph.neighbours.iter().enumerate().all(is_full) {
        return None;
    }
    let (mut row, mut column) = (0.0, 0.0);
    let place = |node: NodeId| {
        if topology.is_terminal(node) {
            row += 1.0;
            Point::new(0.0, row)
        } else {
            column += 1.0;
            Point::new(column, 0.0)
        }
    };
    Some(topology.nodes().map(place).collect())
}
