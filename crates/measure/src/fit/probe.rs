//! Probes: transfers at the same time that would show the bandwidth of a wire.

use lockstep_topology::NodeId;

use super::bandwidth::TOLERANCE;
use super::limits::Limits;
use super::routes::{Profiles, routes};
use super::trials::{GreatestShares, Load, add_up};
use super::wires::Wires;

/// The most senders, and receivers, that are tried for a wire.
const MAX_ENDS: usize = 64;

/// The most transfers of a probe.
const MAX_FLOWS: usize = 64;

/// A transfer that uses a wire, with all wires of its path.
#[derive(Clone, Debug)]
struct Candidate {
    ends: [NodeId; 2],
    wires: Box<[u32]>,
}

/// Returns transfers that load a wire most, with the rate of a lane that the other wires let through. `None` if each transfer over the wire has
/// several shortest paths.
///
/// Adds the transfer that loads the fullest other wire least, again and again, and returns the best of these sets.
pub(super) fn probe(limits: &Limits<'_>, wire: u32) -> Option<(Vec<[NodeId; 2]>, u64)> {
    let mut candidates = candidates(limits.wires, wire);
    let mut loads: Vec<Load> = Vec::new();
    let mut flows = Vec::new();
    let mut best: Option<(u64, usize)> = None;
    while flows.len() < MAX_FLOWS {
        // The rate that the other wires would let through.
        let rate = |candidate: &Candidate| {
            let others = candidate.wires.iter().filter(|&&other| other != wire && limits.tells_apart(other, wire));
            let rate = |&other: &u32| {
                let known = loads.binary_search_by_key(&other, |load| load.wire).map_or(0, |place| loads[place].flows);
                limits.of_load(Load { wire: other, flows: known + 1 })
            };
            others.map(rate).min().unwrap_or(u64::MAX)
        };
        let Some(place) = (0..candidates.len()).rev().max_by_key(|&place| rate(&candidates[place])) else { break };
        let Candidate { ends, wires } = candidates.remove(place);
        loads.extend(wires.iter().map(|&wire| Load { wire, flows: 1 }));
        add_up(&mut loads);
        flows.push(ends);
        let through = through(limits, wire, &loads);
        if best.is_none_or(|(most, _)| through as f64 > most as f64 * (1.0 + TOLERANCE)) {
            best = Some((through, flows.len()));
        }
    }
    let (through, length) = best?;
    flows.truncate(length);
    Some((flows, through))
}
/// Returns the rate of a lane that the other wires let through a wire.
fn through(limits: &Limits<'_>, wire: u32, loads: &[Load]) -> u64 {
    let mut shares = GreatestShares::default();
    for load in loads {
        let own = limits.wires.wire(load.wire);
        shares.raise(own.class, load.flows, own.lanes);
    }
    let place = loads.iter().position(|load| load.wire == wire);
    place.map_or(0, |place| limits.let_through(loads, &shares.into_list())[place])
}

/// Returns the transfers over a wire that have one shortest path, between the nearest terminals.
fn candidates(wires: &Wires<'_>, wire: u32) -> Vec<Candidate> {
    let Some(&channel) = wires.wire(wire).channels.first() else { return Vec::new() };
    let senders = nearest(wires, wires.topology.tail(channel), Side::Senders);
    let receivers = nearest(wires, wires.topology.head(channel), Side::Receivers);
    let mut profiles = Profiles::new();
    let mut candidates = Vec::new();
    for &from in &senders {
        let found = routes(wires, &mut profiles, from, &receivers);
        for (&to, route) in receivers.iter().zip(found).filter(|&(&to, _)| to != from) {
            if let Some(route) = route.filter(|route| route.is_unique() && route.certain.contains(&wire)) {
                candidates.push(Candidate { ends: [from, to], wires: route.certain });
            }
        }
    }
    candidates
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
