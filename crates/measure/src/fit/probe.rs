//! Probes: transfers at the same time that would show the bandwidth of a class.

use std::collections::BTreeMap;

use lockstep_topology::NodeId;

use super::routes::{Profiles, Route, routes};
use super::trials::Share;
use super::wires::Wires;

/// The most senders, and receivers, that are tried for a wire.
const MAX_ENDS: usize = 64;

/// A probe must load the wire by this factor more than any other class, at the bandwidths that are known.
const LEAST_FACTOR: f64 = 1.2;

/// Returns transfers at the same time that load a wire more than all wires of other classes, or `None` if there are none: then the
/// ends of the wire together cannot fill it, or transfers have several paths.
///
/// `bandwidth` is that of a lane of each class. Senders and receivers are different.
pub(super) fn probe(wires: &Wires<'_>, wire: u32, bandwidth: &[u64]) -> Option<Vec<[NodeId; 2]>> {
    let topology = wires.topology;
    let channel = *wires.wire(wire).channels.first()?;
    let senders = nearest(wires, topology.tail(channel), Side::Senders);
    let receivers = nearest(wires, topology.head(channel), Side::Receivers);
    let mut is_taken = vec![false; topology.node_count()];
    let mut profiles = Profiles::new();
    let mut loads: BTreeMap<u32, u32> = BTreeMap::new();
    let mut flows = Vec::new();
    let mut best: Option<(f64, usize)> = None;
    for &from in &senders {
        let found = routes(wires, &mut profiles, from, &receivers);
        let crosses = |route: &Option<Route>| {
            route.as_ref().is_some_and(|route| route.is_unique() && route.certain.contains(&wire))
        };
        let usable = receivers.iter().zip(&found).filter(|&(to, route)| *to != from && crosses(route));
        // The receiver that adds the least to the fullest other wire.
        let added = |route: &Option<Route>| {
            let others = route.iter().flat_map(|route| route.certain.iter()).filter(|&&other| other != wire);
            others.map(|other| loads.get(other).copied().unwrap_or(0)).max().unwrap_or(0)
        };
        let free = usable.filter(|(to, _)| !is_taken[to.index()]);
        let Some((&to, Some(route))) = free.min_by_key(|(_, route)| added(route)) else { continue };
        is_taken[to.index()] = true;
        flows.push([from, to]);
        route.certain.iter().for_each(|&wire| *loads.entry(wire).or_default() += 1);
        let factor = factor(wires, wire, &loads, bandwidth);
        if factor >= LEAST_FACTOR && best.is_none_or(|(most, _)| factor > most) {
            best = Some((factor, flows.len()));
        }
    }
    flows.truncate(best?.1);
    Some(flows)
}

/// Returns how much fuller a wire is than the fullest one of another class.
fn factor(wires: &Wires<'_>, wire: u32, loads: &BTreeMap<u32, u32>, bandwidth: &[u64]) -> f64 {
    let class = wires.wire(wire).class;
    let fill = |(&wire, &flows): (&u32, &u32)| {
        let share = Share { resource: 0, flows, lanes: wires.wire(wire).lanes };
        1.0 / share.of_transfer(bandwidth[wires.wire(wire).class as usize]).max(1) as f64
    };
    let others = loads.iter().filter(|&(&other, _)| wires.wire(other).class != class);
    let fullest = others.map(fill).fold(0.0, f64::max);
    let own = loads.get_key_value(&wire).map_or(0.0, fill);
    if fullest > 0.0 { own / fullest } else { f64::INFINITY }
}

/// The terminals of one side of a wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Senders,
    Receivers,
}

/// Returns the terminals of a side by their distance from a node, the first [`MAX_ENDS`].
fn nearest(wires: &Wires<'_>, node: NodeId, side: Side) -> Vec<NodeId> {
    let topology = wires.topology;
    let mut is_reached = vec![false; topology.node_count()];
    is_reached[node.index()] = true;
    let mut queue = vec![node];
    let mut next = 0;
    let mut found = Vec::new();
    while let Some(&node) = queue.get(next) {
        next += 1;
        if topology.is_terminal(node) {
            found.push(node);
            if found.len() == MAX_ENDS {
                break;
            }
        }
        if next > 1 && !topology.routes(node) {
            continue;
        }
        let channels = match side {
            Side::Receivers => topology.out_channels(node),
            Side::Senders => topology.in_channels(node),
        };
        for &channel in channels {
            let near = match side {
                Side::Receivers => topology.head(channel),
                Side::Senders => topology.tail(channel),
            };
            if !is_reached[near.index()] {
                is_reached[near.index()] = true;
                queue.push(near);
            }
        }
    }
    found
}
