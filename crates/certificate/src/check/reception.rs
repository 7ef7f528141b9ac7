//! Deliveries to a node set in one step.

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::{ChannelId, NodeId};

use super::capacity::{is_usable, room};
use super::messages::unsplit;
use super::nodes::membership;
use super::refusal::{Checked, expect, steps_of};

/// Returns a transfer begins at a terminal. If it ends in the set, then the last of its channels whose tail is a
/// terminal or outside leads into the set.
pub(super) fn steps_proved(problem: &Problem<'_>, nodes: &[NodeId], [claimed, per_step]: [u64; 2]) -> Checked<u64> {
    let inside = membership(problem, nodes)?;
    let (topology, messages) = (problem.topology(), problem.messages());
    let all = topology.terminals().iter().filter(|terminal| inside[terminal.index()]).count();
    let (originals, chunks) = unsplit(&messages);
    let due = originals.map(|message| match messages.receivers(message) {
        Receivers::AllOthers => all - usize::from(inside[messages.source(message).index()]),
        Receivers::One(receiver) => usize::from(inside[receiver.index()]),
        Receivers::List(receivers) => receivers.iter().filter(|receiver| inside[receiver.index()]).count(),
    });
    let deliveries = chunks * due.sum::<usize>() as u64;
    let leads_in = |&channel: &ChannelId| {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        inside[head.index()] && (!inside[tail.index()] || topology.is_terminal(tail)) && is_usable(problem, channel)
    };
    let limit = room(problem, topology.channels().filter(leads_in));
    expect("deliveries", claimed, deliveries)?;
    expect("deliveries in one step", per_step, limit)?;
    steps_of(deliveries, limit)
}
