//! Chains that are rings cut open.

use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::rational::Rational;
use crate::ring_set::{RingKind, RingSet};

/// Maximum number of times that every ring is cut again.
const MAX_PASSES: usize = 8;

/// Returns the chains that remain if each ring is cut at the hop with the greatest load, which the other rings then have for them.
///
/// The hop is that with the greatest load divided by the capacity, in both directions; of several, that with most resources of this
/// load; of equal hops, the first one. Each ring in turn is cut by the loads that remain, and again, up to a fixed number of times, until no cut
/// changes. Takes `O(N K)` time and the length of all hops per pass.
pub fn chains_of(topology: &Topology, rings: &RingSet) -> RingSet {
    let mut loads = Loads::new(topology, rings);
    let mut cuts: Vec<Option<usize>> = vec![None; rings.len()];
    for _ in 0..MAX_PASSES {
        let before = cuts.clone();
        for (ring, cut) in cuts.iter_mut().enumerate() {
            let hops: Vec<&[ChannelId]> = rings.hops(ring).collect();
            if let Some(cut) = *cut {
                loads.change(hops[cut], |load| load + 1);
            }
            // A cut stays where it is if no hop has more load.
            let rank = |hop: usize| (loads.rank(hops[hop]), *cut == Some(hop), std::cmp::Reverse(hop));
            let best = (0..hops.len()).max_by_key(|&hop| rank(hop)).unwrap_or_default();
            loads.change(hops[best], |load| load - 1);
            *cut = Some(best);
        }
        if cuts == before {
            break;
        }
    }
    let mut chains = RingSet::new(RingKind::Chain, rings.terminals().to_vec(), rings.relay());
    for (ring, cut) in cuts.into_iter().enumerate() {
        let hops: Vec<&[ChannelId]> = rings.hops(ring).collect();
        // The chain begins behind the cut.
        let rotated = |place: usize| (cut.unwrap_or_default() + 1 + place) % hops.len();
        let order: Vec<NodeId> = (0..hops.len()).map(|place| rings.order(ring)[rotated(place)]).collect();
        chains.push(&order, (0..hops.len() - 1).map(|place| hops[rotated(place)].iter().copied()));
    }
    chains
}

/// The loads of resources, with the hops in both directions.
struct Loads<'a> {
    topology: &'a Topology,
    /// By channel: the channel back.
    opposite: Vec<Option<ChannelId>>,
    load: Vec<u64>,
}

impl<'a> Loads<'a> {
    fn new(topology: &'a Topology, rings: &RingSet) -> Self {
        let mut opposite = vec![None; topology.channel_bound()];
        for [there, back] in topology.links() {
            (opposite[there.index()], opposite[back.index()]) = (Some(back), Some(there));
        }
        let mut loads = Self { topology, opposite, load: vec![0; topology.resource_count()] };
        for hop in (0..rings.len()).flat_map(|ring| rings.hops(ring)) {
            loads.change(hop, |load| load + 1);
        }
        loads
    }

    /// Returns the resources of a hop in both directions.
    fn resources(&self, hop: &[ChannelId]) -> impl Iterator<Item = ResourceId> {
        let both = hop.iter().flat_map(|&channel| [Some(channel), self.opposite[channel.index()]]);
        both.flatten().map(|channel| self.topology.resource(channel))
    }

    fn change(&mut self, hop: &[ChannelId], change: impl Fn(u64) -> u64) {
        let resources: Vec<ResourceId> = self.resources(hop).collect();
        for resource in resources {
            let load = &mut self.load[resource.index()];
            *load = change(*load);
        }
    }

    /// Returns the greatest load of a hop divided by the capacity, and the number of its resources with this load.
    fn rank(&self, hop: &[ChannelId]) -> (Rational, usize) {
        let relative = |resource: ResourceId| {
            Rational::new(self.load[resource.index()].into(), self.topology.resource_capacity(resource).into())
        };
        let worst = self.resources(hop).map(relative).max().unwrap_or(Rational::ZERO);
        (worst, self.resources(hop).filter(|&resource| relative(resource) == worst).count())
    }
}

/// Returns a number of rings of a set, one after the other, and again from the first one on.
pub(crate) fn repeated(rings: &RingSet, count: usize) -> RingSet {
    let mut all = RingSet::new(rings.kind(), rings.terminals().to_vec(), rings.relay());
    for ring in (0..rings.len()).cycle().take(count) {
        all.push(rings.order(ring), rings.hops(ring).map(|hop| hop.iter().copied()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::RingRequest;
    use crate::ring_count::RingCount;
    use crate::search::search;
    use crate::verify::verify;

    /// Four servers of 8 GPUs with a card each: a chain that ends in a server enters its cards once, the others twice. With two
    /// chains per ring, each card has three hops in each direction, so that 16 chains have 16/3 of its bandwidth.
    #[test]
    fn chains_over_servers_end_in_different_servers() {
        let servers: Topology = "cluster:nodes=4,gpus=8,nvlink=1000GB/s,rails=8,nic=25GB/s".parse().unwrap();
        let request = RingRequest {
            terminals: None,
            kind: RingKind::Chain,
            channels: RingCount::AtMost(16),
            relay: 0,
            gateway: None,
            seed: 1,
            work: 1 << 16,
            is_stopped: &|| false,
        };
        let (chains, load) = search(&servers, &request).unwrap().set.unwrap();
        assert_eq!((chains.len(), load.bandwidth().to_string()), (16, "16/3".to_owned()));
        assert_eq!(verify(&servers, &chains), Ok(load));
    }
}
