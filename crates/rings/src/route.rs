//! Paths for the hops of given orders.

use lockstep_topology::{MAX_CAPACITY, NodeId, Topology};

use crate::error::RingError;
use crate::path_search::PathSearch;
use crate::problem::RingProblem;
use crate::ring_set::{RingKind, RingSet};

/// The cost of a channel without load. The load of a whole path adds less.
const CHANNEL_COST: u64 = 1 << 40;

/// The largest cost of the load of a channel.
const MAX_LOAD_COST: u64 = 1 << 28;

/// Returns the set of rings or chains with these orders. Each hop takes a shortest path; of several, the one with the least load for its capacity.
///
/// A path crosses only nodes that route, and at most `relay` terminals. The orders are not checked: call
/// [`verify`](crate::verify) with the result. Takes `O(M log M)` time per hop.
///
/// ```
/// use lockstep_rings::{RingKind, route_orders, verify};
/// use lockstep_topology::Topology;
///
/// let tree: Topology = "fat-tree:4,2".parse()?;
/// let set = route_orders(&tree, RingKind::Ring, &[tree.terminals().to_vec()], 0)?;
/// assert_eq!(verify(&tree, &set)?.bandwidth().to_string(), "1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`RingError::FewTerminals`] if the orders have fewer than two terminals, [`RingError::NotTerminal`] for a node that is not a
/// terminal, and [`RingError::NoPath`] for a hop without a path.
pub fn route_orders(
    topology: &Topology,
    kind: RingKind,
    orders: &[Vec<NodeId>],
    relay: u32,
) -> Result<RingSet, RingError> {
    let mut terminals: Vec<NodeId> = orders.iter().flatten().copied().collect();
    terminals.sort_unstable();
    terminals.dedup();
    let problem = RingProblem::new(topology, kind, Some(&terminals), relay)?;
    let mut set = RingSet::new(kind, terminals, relay);
    let mut search = PathSearch::new(topology, relay);
    // By resource.
    let mut load = vec![0; topology.resource_count()];
    for (ring, order) in orders.iter().enumerate() {
        let mut hops = Vec::new();
        for place in 0..kind.hop_count(order.len()) {
            let [from, to] = [order[place], order[(place + 1) % order.len()]];
            search.run(from, Some(to), |channel| {
                // With this hop: of unused channels, the one with the larger capacity is the cheaper one.
                let load_cost =
                    |resource: usize| (load[resource] + 1) * MAX_CAPACITY / u64::from(problem.capacity(resource));
                let sum: u64 = problem.resources(channel)?.map(load_cost).sum();
                Some(CHANNEL_COST + sum.min(MAX_LOAD_COST))
            });
            let no_path = || {
                let [from, to] = [from, to].map(|node| topology.node_name(node).to_owned());
                RingError::NoPath { ring, from, to, relay }
            };
            let path = search.path(to).ok_or_else(no_path)?;
            for resource in path.iter().filter_map(|&channel| problem.resources(channel)).flatten() {
                load[resource] += 1;
            }
            hops.push(path);
        }
        set.push(order, hops);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;

    use super::*;
    use crate::verify::verify;

    #[test]
    fn parallel_paths_share_the_load() {
        let tree: Topology = "fat-tree:4,2".parse().unwrap();
        let orders = vec![tree.terminals().to_vec(); 2];
        let set = route_orders(&tree, RingKind::Ring, &orders, 0).unwrap();
        assert_eq!(verify(&tree, &set).unwrap().rho().to_string(), "2");
    }

    #[test]
    fn wide_channels_come_before_thin_ones() {
        let mut network = TopologyBuilder::new("two switches");
        let [a, b] = ["a", "b"].map(|name| network.terminal(name));
        for (name, capacity) in [("thin", 1), ("wide", 8)] {
            let switch = network.switch(name);
            for terminal in [a, b] {
                let link = network.link(terminal, switch);
                network.set_capacity(link, capacity);
            }
        }
        let network = network.build().unwrap();
        let set = route_orders(&network, RingKind::Chain, &vec![vec![a, b]; 8], 0).unwrap();
        assert_eq!(verify(&network, &set).unwrap().rho().to_string(), "1");
    }

    #[test]
    fn relays_are_limited() {
        let path: Topology = "mesh:1x4".parse().unwrap();
        let orders = [path.terminals().to_vec()];
        for (relay, is_routed) in [(0, false), (1, false), (2, true), (u32::MAX, true)] {
            let set = route_orders(&path, RingKind::Ring, &orders, relay);
            assert_eq!(set.is_ok(), is_routed, "{relay}");
            if let Ok(set) = set {
                assert_eq!(verify(&path, &set).unwrap().rho().to_string(), "1");
            }
        }
        let error = route_orders(&path, RingKind::Ring, &orders, 1).unwrap_err().to_string();
        assert!(error.starts_with("ring 0: no path leads from '03' to '00' over 1 terminals"), "{error}");
    }

    #[test]
    fn chains_need_opposite_channels() {
        let cycle: Topology = "circulant-digraph:4,1".parse().unwrap();
        let order = [cycle.terminals().to_vec()];
        assert!(route_orders(&cycle, RingKind::Ring, &order, 0).is_ok());
        assert!(matches!(route_orders(&cycle, RingKind::Chain, &order, 0), Err(RingError::NoPath { .. })));
    }
}
