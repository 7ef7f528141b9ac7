//! Store-and-forward: units that take one channel a step.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_paths::ArcId;
use lockstep_schedule::{MessageId, Schedule};
use lockstep_topology::{ChannelId, NodeId};

use super::MAX_USES;
use super::supply::Supply;
use super::time_expanded::{self, Timing};
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceScatter;

/// A schedule under store-and-forward switching: with shortest routes and those first that go furthest, or, where that
/// takes more steps than the [bound](fewest_steps) and the goal, by a flow over time.
pub(super) fn schedule(
    request: &MethodRequest<'_>,
    scatter: &SingleSourceScatter,
    opposite: &[[ChannelId; 2]],
) -> Option<Schedule> {
    let (topology, ports) = (request.problem.topology(), request.problem.model().ports);
    let supply = Supply::new(topology, scatter, ports, |node| topology.is_terminal(node));
    let bound = fewest_steps(&supply)?;
    let mut shortest = supply.clone();
    shortest.keep_shortest();
    let simple = furthest_first(&shortest, UnitRoutes::new(&shortest)?);
    let steps = simple.step_count() as u32;
    if steps <= bound.max(request.goal) {
        return Some(simple);
    }
    tracing::debug!(steps, bound, "a flow over time");
    time_expanded::schedule(&supply, Timing::Hops, opposite, bound, steps, request).or(Some(simple))
}

/// A number of steps that no schedule can beat: channels must be wide enough, and who is `d` channels away must leave
/// the root `d - 1` steps before the end.
fn fewest_steps(supply: &Supply<'_>) -> Option<u32> {
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

/// Units with their routes, the next channel of each last.
struct UnitRoutes {
    message: Vec<MessageId>,
    /// The channels that each unit has still to cross, in reverse.
    route: Vec<Vec<ChannelId>>,
}

impl UnitRoutes {
    /// The units of a flow through channels as narrow as can be; `None` if they use too many channels.
    fn new(supply: &Supply<'_>) -> Option<Self> {
        let Supply { topology, scatter, .. } = *supply;
        let (_, mut network) = supply.fewest_steps()?;
        let units = |channel: ChannelId| u64::from(network.flow(ArcId::new(channel.number())));
        if topology.channels().map(units).sum::<u64>() > MAX_USES {
            return None;
        }
        let (mut traffic, mut deal) = (Self { message: Vec::new(), route: Vec::new() }, scatter.deal());
        network.decompose_paths(topology.node_count(), topology.node_count() + 1, |arcs| {
            let channels = arcs[1..arcs.len() - 1].iter().rev().map(|arc| ChannelId::new(arc.number()));
            let route: Vec<ChannelId> = channels.collect();
            if let Some(&last) = route.first() {
                traffic.message.push(deal.take(topology.head(last)));
                traffic.route.push(route);
            }
        });
        Some(traffic)
    }
}

/// The schedule in which of all units that wait for a channel the one that goes furthest crosses it.
fn furthest_first(supply: &Supply<'_>, traffic: UnitRoutes) -> Schedule {
    let Supply { topology, ports, .. } = *supply;
    let UnitRoutes { message, mut route } = traffic;
    let uses = route.iter().map(Vec::len).sum();
    let mut schedule = Schedule::with_capacity(uses, uses);
    // The units that wait for each channel, by what they have still to cross and then by number.
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
            if has_room(sends[tail]) && has_room(receives[head]) {
                sends[tail] += 1;
                receives[head] += 1;
                let (_, Reverse(unit)) = waiting[channel.index()].pop().expect("somebody waits for a busy channel");
                route[unit].pop();
                schedule.push(message[unit], &[channel]);
                arrived.push(unit);
            }
        }
        busy.retain(|channel| !waiting[channel.index()].is_empty());
    }
}
