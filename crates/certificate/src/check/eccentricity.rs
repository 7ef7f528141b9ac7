//! Messages of one terminal that travel far.

use lockstep_schedule::{Problem, Receivers, Switching};
use lockstep_topology::NodeId;

use super::capacity::{receive_limit, send_limit};
use super::distance::{distances_from, distances_to};
use super::messages::unsplit;
use super::nodes::expect_terminal;
use super::refusal::{Checked, expect, steps_of};
use crate::certificate::Direction;

pub(super) fn steps_proved(
    problem: &Problem<'_>,
    node: NodeId,
    direction: Direction,
    distance: u32,
    [messages, ports]: [u64; 2],
) -> Checked<u64> {
    expect_terminal(problem, node)?;
    if problem.model().switching != Switching::StoreAndForward {
        return Err("a wormhole transfer crosses many channels in one step".into());
    }
    if distance == 0 {
        return Err("a message crosses one channel or more".into());
    }
    let (travelling, limit) = match direction {
        Direction::Out => (departures(problem, node, distance), send_limit(problem, node)),
        Direction::In => (arrivals(problem, node, distance), receive_limit(problem, node)),
        Direction::Both => return Err("the direction must be in or out".into()),
    };
    expect("messages that travel this far", messages, travelling)?;
    expect("ports of the terminal", ports, limit)?;
    Ok(steps_of(travelling, limit)? + u64::from(distance) - 1)
}

/// Returns the number of messages of the terminal with a receiver at least this far away.
fn departures(problem: &Problem<'_>, node: NodeId, distance: u32) -> u64 {
    let messages = problem.messages();
    let from_node = distances_from(problem, node);
    let is_far = |receiver: NodeId| from_node[receiver.index()].is_some_and(|channels| channels >= distance);
    let (originals, chunks) = unsplit(&messages);
    let own = originals.filter(|&message| messages.source(message) == node);
    chunks * own.filter(|&message| messages.receivers_iter(message).any(is_far)).count() as u64
}

/// Returns the number of messages for the terminal from a source at least this far away.
fn arrivals(problem: &Problem<'_>, node: NodeId, distance: u32) -> u64 {
    let messages = problem.messages();
    let to_node = distances_to(problem, node);
    let (originals, chunks) = unsplit(&messages);
    let far = originals.filter(|&message| {
        let source = messages.source(message);
        let is_for_node = match messages.receivers(message) {
            // The terminal is no receiver of its own messages, but no channel away from itself.
            Receivers::AllOthers => true,
            Receivers::One(receiver) => receiver == node,
            Receivers::List(receivers) => receivers.contains(&node),
        };
        is_for_node && to_node[source.index()].is_some_and(|channels| channels >= distance)
    });
    chunks * far.count() as u64
}
