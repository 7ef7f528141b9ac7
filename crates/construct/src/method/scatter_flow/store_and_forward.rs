//! Scatter under store-and-forward switching: each unit crosses one channel per step.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_paths::ArcId;
use lockstep_schedule::{MessageId, Part, Schedule, Transport};
use lockstep_topology::{ChannelId, NodeId};

use super::supply::{MAX_CHANNEL_USES, Supply};
use super::time_expanded::{self, Timing};
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceScatter;

/// This part of the method.
pub(super) const STORE_AND_FORWARD: Part =
    Part { owner: "scatter-flow", name: "store-and-forward", about: "hop by hop along shortest routes" };

/// Returns a schedule along shortest routes, furthest to go first. If it has more steps than the [bound](lower_bound)
/// and the goal, a flow over time may shorten it.
pub(super) fn schedule(
    request: &MethodRequest<'_>,
    scatter: &SingleSourceScatter,
    opposite: &[[ChannelId; 2]],
) -> Option<Schedule> {
    if !request.uses(STORE_AND_FORWARD) {
        return None;
    }
    let (topology, ports) = (request.problem.topology(), request.problem.model().ports);
    let supply = Supply::new(topology, scatter, ports, Transport::StoreAndForward);
    let bound = lower_bound(&supply)?;
    let mut shortest = supply.clone();
    shortest.keep_shortest();
    let simple = furthest_first(&shortest, UnitRoutes::new(&shortest)?);
    let steps = simple.step_count() as u32;
    if steps <= bound.max(request.goal) {
        return Some(simple);
    }
    tracing::debug!(steps, bound, "a flow over time");
    time_expanded::schedule(&supply, Timing::Hops, &[], opposite, bound, steps, request).or(Some(simple))
}

/// Returns a lower bound on the steps: all units must fit through the channels, and a unit with `d` hops must leave the
/// root `d - 1` steps before the end.
fn lower_bound(supply: &Supply<'_>) -> Option<u32> {
    let (width, _) = supply.fewest_steps()?;
    let distance = supply.distances();
    let mut far: Vec<NodeId> = supply.receivers().collect();
    far.sort_unstable_by_key(|node| Reverse(distance[node.index()]));
    let sent = far.iter().scan(0, |sent, &node| {
        *sent += supply.demand(node);
        Some(*sent)
    });
    let last = far.iter().zip(sent).map(|(node, sent)| distance[node.index()] + (sent - 1) / supply.rate());
    last.max().map(|last| last.max(width))
}

/// The units with their routes.
struct UnitRoutes {
    message: Vec<MessageId>,
    /// The remaining channels of each unit, last channel first.
    route: Vec<Vec<ChannelId>>,
}

impl UnitRoutes {
    /// Returns the units of a flow with the lowest maximum load; `None` if they use too many channels.
    fn new(supply: &Supply<'_>) -> Option<Self> {
        let Supply { topology, scatter, .. } = *supply;
        let (_, mut network) = supply.fewest_steps()?;
        let load = |channel: ChannelId| u64::from(network.flow(ArcId::new(channel.number())));
        if topology.channels().map(load).sum::<u64>() > MAX_CHANNEL_USES {
            return None;
        }
        let (mut units, mut queues) = (Self { message: Vec::new(), route: Vec::new() }, scatter.message_queues());
        network.decompose_paths(topology.node_count(), topology.node_count() + 1, |arcs| {
            let channels = arcs[1..arcs.len() - 1].iter().rev().map(|arc| ChannelId::new(arc.number()));
            let route: Vec<ChannelId> = channels.collect();
            if let Some(&last) = route.first() {
                units.message.push(queues.pop(topology.head(last)));
                units.route.push(route);
            }
        });
        Some(units)
    }
}

/// Returns the schedule in which each channel carries the waiting units with the longest remaining routes. Takes
/// `O(H log H)` time for `H` hops, and `O(C log C)` per step for `C` busy channels.
fn furthest_first(supply: &Supply<'_>, units: UnitRoutes) -> Schedule {
    let Supply { topology, ports, .. } = *supply;
    let UnitRoutes { message, mut route } = units;
    let uses = route.iter().map(Vec::len).sum();
    let mut schedule = Schedule::with_capacity(uses, uses);
    // The units that wait for each channel, by remaining hops and then by number.
    let mut waiting = vec![BinaryHeap::new(); topology.channel_bound()];
    let mut busy: Vec<ChannelId> = Vec::new();
    let mut arrived: Vec<usize> = (0..route.len()).collect();
    let (mut sends, mut receives) = (vec![0; topology.node_count()], vec![0; topology.node_count()]);
    loop {
        for unit in arrived.drain(..) {
            if let Some(&channel) = route[unit].last() {
                if waiting[channel.index()].is_empty() {
                    busy.push(channel);
                }
                waiting[channel.index()].push((route[unit].len(), Reverse(unit)));
            }
        }
        if busy.is_empty() {
            return schedule;
        }
        schedule.begin_step();
        busy.sort_unstable_by_key(|&channel| (Reverse(waiting[channel.index()].peek().copied()), channel));
        sends.fill(0);
        receives.fill(0);
        for &channel in &busy {
            let (tail, head) = (topology.tail(channel).index(), topology.head(channel).index());
            let has_room = |count: usize| ports.of_degree(count + 1) > count;
            for _ in 0..topology.capacity(channel) {
                if !has_room(sends[tail]) || !has_room(receives[head]) {
                    break;
                }
                let Some((_, Reverse(unit))) = waiting[channel.index()].pop() else { break };
                sends[tail] += 1;
                receives[head] += 1;
                route[unit].pop();
                schedule.push(message[unit], &[channel]);
                arrived.push(unit);
            }
        }
        busy.retain(|channel| !waiting[channel.index()].is_empty());
    }
}
