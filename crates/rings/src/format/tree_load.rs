//! The cost of trees that carry data towards the root and back.

use lockstep_schedule::CollectiveName;
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::cost::{RingCost, path_latency_ps};
use crate::error::RingError;
use crate::rational::Rational;
use crate::ring_set::RingKind;
use crate::route::route_orders;

/// Returns the cost of an all-reduce with equal shares of the data in some trees. Each tree is a list of its edges, a parent and a
/// child, and spans the same terminals. A parent comes before its children.
///
/// Each edge takes a shortest path over at most `relay` terminals, of several the one with the least load, and carries data in both
/// directions. The bus bandwidth of nccl-tests is `2 (N - 1) / N * K / rho` for `K` trees of `N` terminals, where `rho` is the greatest
/// load of a resource divided by its capacity. The latency is twice that of the deepest path from a root.
///
/// # Errors
///
/// [`RingError::NoPath`] if an edge has no path in both directions. `ring` is then the number of the edge.
pub fn tree_cost(topology: &Topology, trees: &[Vec<[NodeId; 2]>], relay: u32) -> Result<RingCost, RingError> {
    let edges: Vec<Vec<NodeId>> = trees.iter().flatten().map(|edge| edge.to_vec()).collect();
    let paths = route_orders(topology, RingKind::Chain, &edges, relay)?;
    let mut opposite = vec![None; topology.channel_bound()];
    for [there, back] in topology.links() {
        (opposite[there.index()], opposite[back.index()]) = (Some(back), Some(there));
    }
    let mut load = vec![0u64; topology.resource_count()];
    for &channel in (0..paths.len()).flat_map(|edge| paths.hops(edge)).flatten() {
        let both: [Option<ChannelId>; 2] = [Some(channel), opposite[channel.index()]];
        both.into_iter().flatten().for_each(|channel| load[topology.resource(channel).index()] += 1);
    }
    let relative = |resource: usize| {
        let capacity = topology.resource_capacity(ResourceId::from_index(resource));
        Rational::new(load[resource].into(), capacity.into())
    };
    let rho = (0..load.len()).map(relative).max().unwrap_or(Rational::ZERO);
    let terminals = trees.first().map_or(0, Vec::len) as u64 + 1;
    let bus_factor = CollectiveName::AllReduce.bus_factor(terminals);
    let bandwidth = rho.reciprocal().and_then(|share| share.checked_scale(trees.len() as u128, 1));
    let [numerator, denominator] = bus_factor.map(u128::from);
    let bus_bandwidth = bandwidth.and_then(|bandwidth| bandwidth.checked_scale(numerator, denominator));

    let mut edge = 0;
    let mut deepest = 0;
    for tree in trees {
        let mut depth = vec![0u64; topology.node_count()];
        for &[parent, child] in tree {
            let hop = paths.hops(edge).map(|path| path_latency_ps(topology, path)).fold(0, u64::saturating_add);
            depth[child.index()] = depth[parent.index()].saturating_add(hop);
            deepest = deepest.max(depth[child.index()]);
            edge += 1;
        }
    }
    let latency_ps = deepest.saturating_mul(2);
    Ok(RingCost { latency_ps, bus_bandwidth: bus_bandwidth.unwrap_or(Rational::ZERO), bus_factor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_and_chains_have_their_costs() {
        let complete: Topology = "complete:4".parse().unwrap();
        let complete = complete.with_times(1, 7).unwrap();
        let node = |number: u32| NodeId::new(number);
        let star = vec![(1..4).map(|child| [node(0), node(child)]).collect::<Vec<_>>()];
        let cost = |trees: &[Vec<[NodeId; 2]>]| {
            let cost = tree_cost(&complete, trees, 0).unwrap();
            (cost.bus_bandwidth.to_string(), cost.latency_ps)
        };
        assert_eq!(cost(&star), ("3/2".to_owned(), 14));
        let chain = |order: [u32; 4]| order.windows(2).map(|pair| [node(pair[0]), node(pair[1])]).collect::<Vec<_>>();
        assert_eq!(cost(&[chain([0, 1, 2, 3]), chain([1, 3, 0, 2])]), ("3".to_owned(), 42));
        assert_eq!(cost(&[chain([0, 1, 2, 3]), chain([0, 1, 3, 2])]), ("3/2".to_owned(), 42));
        let path: Topology = "mesh:1x4".parse().unwrap();
        assert!(matches!(tree_cost(&path, &star, 0), Err(RingError::NoPath { .. })));
    }
}
