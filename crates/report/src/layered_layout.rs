//! Layered layouts of indirect networks.

use std::cmp::Reverse;

use lockstep_topology::{ChannelId, NodeId, Topology};

/// Returns the stage of each node of a one-way network: 0 for terminals, the longest path from the terminals for
/// switches.
///
/// Returns `None` if the network is not one-way: switches form a cycle, a terminal routes, or a terminal sends to a
/// switch from which it receives.
pub(crate) fn stages(topology: &Topology) -> Option<Vec<u32>> {
    let is_switch = |node: NodeId| !topology.is_terminal(node);
    let one_way = |&terminal: &NodeId| {
        let feeders: Vec<NodeId> = topology.in_channels(terminal).iter().map(|&e| topology.tail(e)).collect();
        let mut heads = topology.out_channels(terminal).iter().map(|&e| topology.head(e));
        !topology.routes(terminal)
            && feeders.iter().all(|&feeder| is_switch(feeder))
            && heads.all(|head| is_switch(head) && !feeders.contains(&head))
    };
    if topology.is_direct() || !topology.terminals().iter().all(one_way) {
        return None;
    }
    // Topological sort of the switches by Kahn's algorithm.
    let inputs = |node: NodeId| topology.in_channels(node).iter().filter(|&&e| is_switch(topology.tail(e))).count();
    let mut waiting: Vec<usize> = topology.nodes().map(inputs).collect();
    let mut order: Vec<NodeId> = topology.nodes().filter(|&n| is_switch(n) && waiting[n.index()] == 0).collect();
    let mut stage: Vec<u32> = topology.nodes().map(|node| u32::from(is_switch(node))).collect();
    let mut done = 0;
    while let Some(&node) = order.get(done) {
        done += 1;
        for head in topology.out_channels(node).iter().map(|&e| topology.head(e)).filter(|&head| is_switch(head)) {
            stage[head.index()] = stage[head.index()].max(stage[node.index()] + 1);
            waiting[head.index()] -= 1;
            if waiting[head.index()] == 0 {
                order.push(head);
            }
        }
    }
    (done + topology.terminal_count() == topology.node_count()).then_some(stage)
}

/// Returns the level of each node: its undirected distance from the nearest terminal. Returns `None` if a channel joins
/// nodes of one level, or a switch is not connected.
pub(crate) fn levels(topology: &Topology) -> Option<Vec<u32>> {
    let mut level = vec![u32::MAX; topology.node_count()];
    let mut queue: Vec<NodeId> = topology.terminals().to_vec();
    for terminal in &queue {
        level[terminal.index()] = 0;
    }
    let mut done = 0;
    while let Some(&node) = queue.get(done) {
        done += 1;
        for other in neighbours(topology, node) {
            if level[other.index()] == u32::MAX {
                level[other.index()] = level[node.index()] + 1;
                queue.push(other);
            }
        }
    }
    let differ = |e: ChannelId| level[topology.tail(e).index()] != level[topology.head(e).index()];
    (!topology.is_direct() && done == topology.node_count() && topology.channels().all(differ)).then_some(level)
}

/// Returns the other ends of all channels at a node.
pub(crate) fn neighbours(topology: &Topology, node: NodeId) -> impl Iterator<Item = NodeId> {
    let heads = topology.out_channels(node).iter().map(|&e| topology.head(e));
    heads.chain(topology.in_channels(node).iter().map(|&e| topology.tail(e)))
}

/// Computes the position of each node across the levels: each level is evenly spaced, in an order that keeps neighbours
/// together. If `keep_first`, level 0 keeps its order.
///
/// # Source
///
/// The barycentre method: Sugiyama, Tagawa, Toda, *Methods for visual understanding of hierarchical system structures*,
/// IEEE Trans. Systems, Man, and Cybernetics 11 (1981). Eight sweeps.
pub(crate) fn across(topology: &Topology, level: &[u32], keep_first: bool) -> Vec<f64> {
    let level_count = level.iter().max().map_or(0, |&highest| highest as usize + 1);
    let mut rows: Vec<Vec<NodeId>> = vec![Vec::new(); level_count];
    for node in topology.nodes() {
        rows[level[node.index()] as usize].push(node);
    }
    let width = rows.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let mut place = vec![0.0; topology.node_count()];
    let spread = |row: &[NodeId], place: &mut [f64]| {
        for (position, node) in row.iter().enumerate() {
            place[node.index()] = (position as f64 + 0.5) * width / row.len() as f64;
        }
    };
    for row in &rows {
        spread(row, &mut place);
    }
    for sweep in 0..8 {
        let upwards = sweep % 2 == 0;
        let mut visits: Vec<usize> = (0..level_count).collect();
        if !upwards {
            visits.sort_by_key(|&row| Reverse(row));
        }
        for row in visits.into_iter().filter(|&row| row > 0 || !keep_first) {
            let mean = |node: NodeId| {
                let own = level[node.index()];
                let fixed = |&other: &NodeId| {
                    let other = level[other.index()];
                    if upwards { other < own } else { other > own }
                };
                let places: Vec<f64> =
                    neighbours(topology, node).filter(fixed).map(|other| place[other.index()]).collect();
                let sum: f64 = places.iter().sum();
                if places.is_empty() { place[node.index()] } else { sum / places.len() as f64 }
            };
            let mut keyed: Vec<(f64, NodeId)> = rows[row].iter().map(|&node| (mean(node), node)).collect();
            // The sort is stable, so nodes with equal means keep their order.
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[row] = keyed.into_iter().map(|(_, node)| node).collect();
            spread(&rows[row], &mut place);
        }
    }
    place
}
