//! Hypercubes, whose labelling needs no search.

use super::regular::RegularNetwork;
use super::search::{FourCycles, LabellingParts};

/// Returns the labelling that the search would find if the network is a hypercube, or `None` if it is none.
///
/// Every node gets a coordinate with one bit per channel. Node 0 has no bit, and each of its neighbours has one bit. Every
/// other node has the bits of its neighbours that are nearer to node 0. The network is a hypercube if each channel changes
/// one bit, and the channels of a node change different bits. Takes `O(M)` time for `M` channels.
pub(super) fn labelling(network: &RegularNetwork, squares: FourCycles) -> Option<LabellingParts> {
    let degree = network.degree;
    if u32::try_from(degree).ok().and_then(|degree| 1_usize.checked_shl(degree)) != Some(network.node_count()) {
        return None;
    }
    let coordinate = coordinates(network);
    let mut place = vec![u8::MAX; network.head.len()];
    for (node, places) in place.chunks_exact_mut(degree).enumerate() {
        for (own, &end) in network.row(node).iter().enumerate() {
            let change = coordinate[node] ^ coordinate[end as usize];
            if !change.is_power_of_two() {
                return None;
            }
            places[change.trailing_zeros() as usize] = own as u8;
        }
        if places.contains(&u8::MAX) {
            return None;
        }
    }
    let mut opposite: Vec<usize> = (0..degree).collect();
    if squares == FourCycles::OneAxis {
        // Two bits are one axis of four nodes in the order 00, 01, 11, 10. The first bit leads forwards where both are equal.
        opposite.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
        for (places, coordinate) in place.chunks_exact_mut(degree).zip(&coordinate) {
            for (axis, pair) in places.chunks_exact_mut(2).enumerate() {
                if [1, 2].contains(&(coordinate >> (2 * axis) & 3)) {
                    pair.swap(0, 1);
                }
            }
        }
    }
    Some(LabellingParts { place, opposite })
}

fn coordinates(network: &RegularNetwork) -> Vec<u64> {
    const NONE: u64 = u64::MAX;
    let mut coordinate = vec![NONE; network.node_count()];
    coordinate[0] = 0;
    for (place, &end) in network.row(0).iter().enumerate() {
        coordinate[end as usize] = 1 << place;
    }
    let mut distance = vec![u8::MAX; network.node_count()];
    distance[0] = 0;
    for &node in &network.order {
        let own = distance[node as usize];
        let mut bits = 0;
        for &end in network.row(node as usize) {
            let of_end = &mut distance[end as usize];
            *of_end = own.saturating_add(1).min(*of_end);
            if *of_end < own {
                bits |= coordinate[end as usize];
            }
        }
        if own > 1 {
            coordinate[node as usize] = bits;
        }
    }
    coordinate
}
