//! The load of trees that carry data towards the root and back.

use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::error::RingError;
use crate::rational::Rational;
use crate::ring_set::RingKind;
use crate::route::route_orders;

/// Returns the bus bandwidth of an all-reduce with equal shares of the data in some trees, in units of the capacities. Each tree is a
/// list of its edges, and spans the same terminals.
///
/// Each edge takes a shortest path over at most `relay` terminals, of several the one with the least load, and carries data in both
/// directions. The bus bandwidth of nccl-tests is `2 (N - 1) / N * K / rho` for `K` trees of `N` terminals, where `rho` is the greatest
/// load of a resource divided by its capacity.
///
/// # Errors
///
/// [`RingError::NoPath`] if an edge has no path in both directions. `ring` is then the number of the edge.
pub fn tree_bus_bandwidth(topology: &Topology, trees: &[Vec<[NodeId; 2]>], relay: u32) -> Result<Rational, RingError> {
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
    let terminals = trees.first().map_or(0, Vec::len) as u128 + 1;
    let factor = rho.reciprocal().and_then(|share| share.checked_scale(2 * trees.len() as u128, 1));
    Ok(factor.and_then(|factor| factor.checked_scale(terminals - 1, terminals)).unwrap_or(Rational::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_and_chains_have_their_bandwidths() {
        let complete: Topology = "complete:4".parse().unwrap();
        let node = |number: u32| NodeId::new(number);
        let star = vec![(1..4).map(|child| [node(0), node(child)]).collect::<Vec<_>>()];
        let bandwidth = |trees: &[Vec<[NodeId; 2]>]| tree_bus_bandwidth(&complete, trees, 0).unwrap().to_string();
        assert_eq!(bandwidth(&star), "3/2");
        let chain = |order: [u32; 4]| order.windows(2).map(|pair| [node(pair[0]), node(pair[1])]).collect::<Vec<_>>();
        assert_eq!(bandwidth(&[chain([0, 1, 2, 3]), chain([1, 3, 0, 2])]), "3");
        assert_eq!(bandwidth(&[chain([0, 1, 2, 3]), chain([0, 1, 3, 2])]), "3/2");
        let path: Topology = "mesh:1x4".parse().unwrap();
        assert!(matches!(tree_bus_bandwidth(&path, &star, 0), Err(RingError::NoPath { .. })));
    }
}
