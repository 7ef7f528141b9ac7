//! Messages and channels that cross the border of a node set.

use lockstep_schedule::{Pattern, Problem, Receivers};
use lockstep_topology::NodeId;

use super::capacity::{is_usable, receive_limit, room, send_limit};
use super::messages::unsplit;
use super::nodes::{membership, only_terminal};
use super::refusal::{Checked, expect, steps_of};
use crate::certificate::Direction;
use crate::rule::Rule;

pub(super) fn steps_proved(
    problem: &Problem<'_>,
    rule: Rule,
    nodes: &[NodeId],
    direction: Direction,
    [messages, per_step]: [u64; 2],
) -> Checked<u64> {
    if rule == Rule::Ports && only_terminal(problem, nodes).is_none() {
        return Err("the set must be one terminal".into());
    }
    let inside = membership(problem, nodes)?;
    let [into, out] = must_cross(problem, &inside);
    let crossing = match direction {
        Direction::In => into,
        Direction::Out => out,
        Direction::Both => into + out,
    };
    let limit = can_cross(problem, nodes, &inside, direction);
    expect("messages that must cross", messages, crossing)?;
    expect("crossings in one step", per_step, limit)?;
    steps_of(crossing, limit)
}

/// Returns the number of messages that must enter the set, and of those that must leave it.
fn must_cross(problem: &Problem<'_>, inside: &[bool]) -> [u64; 2] {
    let (topology, messages) = (problem.topology(), problem.messages());
    let terminals_inside = topology.terminals().iter().filter(|terminal| inside[terminal.index()]).count();
    let (mut into, mut out) = (0, 0);
    let (originals, chunks) = unsplit(&messages);
    // In an all-reduce, each member contributes and receives.
    let is_all_reduce = problem.collective().pattern() == Pattern::ReduceBroadcast;
    for message in originals {
        let starts_inside = inside[messages.source(message).index()];
        let receivers_inside = match messages.receivers(message) {
            Receivers::AllOthers => terminals_inside - usize::from(starts_inside),
            Receivers::One(receiver) => usize::from(inside[receiver.index()]),
            Receivers::List(receivers) => receivers.iter().filter(|receiver| inside[receiver.index()]).count(),
        };
        let enters = !starts_inside && receivers_inside > 0;
        let leaves = starts_inside && receivers_inside < messages.receiver_count(message);
        if enters || is_all_reduce && leaves {
            into += chunks;
        }
        if leaves || is_all_reduce && enters {
            out += chunks;
        }
    }
    [into, out]
}

/// Returns the number of crossings possible in one step.
pub(super) fn can_cross(problem: &Problem<'_>, nodes: &[NodeId], inside: &[bool], direction: Direction) -> u64 {
    let topology = problem.topology();
    let crossing = |from: bool| {
        topology.channels().filter(move |&channel| {
            let ends = [topology.tail(channel), topology.head(channel)].map(|node| inside[node.index()]);
            ends == [from, !from] && is_usable(problem, channel)
        })
    };
    let alone = only_terminal(problem, nodes);
    let ports = |limit: fn(&Problem<'_>, NodeId) -> u64| alone.map_or(u64::MAX, |terminal| limit(problem, terminal));
    match direction {
        Direction::In => room(problem, crossing(false)).min(ports(receive_limit)),
        Direction::Out => room(problem, crossing(true)).min(ports(send_limit)),
        Direction::Both => {
            let resources = room(problem, crossing(false).chain(crossing(true)));
            resources.min(ports(receive_limit).saturating_add(ports(send_limit)))
        }
    }
}
