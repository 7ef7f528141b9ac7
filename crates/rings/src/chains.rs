//! Chains that are rings cut open.

use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::rational::Rational;
use crate::ring_set::{RingKind, RingSet};

/// Returns the chains that remain if each ring is cut at the hop with the greatest load, which the other rings then have for them.
///
/// The hop is that with the greatest load divided by the capacity, in both directions; of equal hops, the first one. Each ring in
/// turn is cut by the loads that remain. Takes `O(N K)` time and the length of all hops.
pub fn chains_of(topology: &Topology, rings: &RingSet) -> RingSet {
    let mut opposite = vec![None; topology.channel_bound()];
    for [there, back] in topology.links() {
        (opposite[there.index()], opposite[back.index()]) = (Some(back), Some(there));
    }
    let resources = |&channel: &ChannelId| {
        let both = [Some(channel), opposite[channel.index()]];
        both.into_iter().flatten().map(|channel| topology.resource(channel).index())
    };
    let mut load = vec![0u64; topology.resource_count()];
    let all_hops = (0..rings.len()).flat_map(|ring| rings.hops(ring)).flatten();
    all_hops.flat_map(resources).for_each(|resource| load[resource] += 1);
    let mut chains = RingSet::new(RingKind::Chain, rings.terminals().to_vec(), rings.relay());
    for ring in 0..rings.len() {
        let hops: Vec<&[ChannelId]> = rings.hops(ring).collect();
        let relative = |resource: usize| {
            let capacity = topology.resource_capacity(ResourceId::from_index(resource));
            Rational::new(load[resource].into(), capacity.into())
        };
        let worst = |hop: &[ChannelId]| hop.iter().flat_map(resources).map(relative).max().unwrap_or(Rational::ZERO);
        let cut = (0..hops.len()).rev().max_by_key(|&hop| worst(hops[hop])).unwrap_or_default();
        hops[cut].iter().flat_map(resources).for_each(|resource| load[resource] -= 1);
        // The chain begins behind the cut.
        let rotated = |place: usize| (cut + 1 + place) % hops.len();
        let order: Vec<NodeId> = (0..hops.len()).map(|place| rings.order(ring)[rotated(place)]).collect();
        chains.push(&order, (0..hops.len() - 1).map(|place| hops[rotated(place)].iter().copied()));
    }
    chains
}

/// Returns a number of rings of a set, one after the other, and again from the first one on.
pub(crate) fn repeated(rings: &RingSet, count: usize) -> RingSet {
    let mut all = RingSet::new(rings.kind(), rings.terminals().to_vec(), rings.relay());
    for ring in (0..rings.len()).cycle().take(count) {
        all.push(rings.order(ring), rings.hops(ring).map(|hop| hop.iter().copied()));
    }
    all
}
