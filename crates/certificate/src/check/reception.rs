//! What transfers bring to a node set in one step.

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::ChannelId;

use super::{distinct_resources, uncut, usable};

/// The deliveries to terminals in the set, and how many are possible in one step.
///
/// A transfer begins at a terminal. The last of its channels whose tail is a terminal or outside leads into the set if the
/// transfer ends there.
pub(super) fn count(problem: &Problem<'_>, inside: &[bool]) -> (u64, u64) {
    let (topology, messages) = (problem.topology(), problem.messages());
    let all = topology.terminals().iter().filter(|terminal| inside[terminal.index()]).count();
    let (originals, chunks) = uncut(&messages);
    let due = originals.map(|message| match messages.receivers(message) {
        Receivers::AllOthers => all - usize::from(inside[messages.source(message).index()]),
        Receivers::One(receiver) => usize::from(inside[receiver.index()]),
        Receivers::List(receivers) => receivers.iter().filter(|receiver| inside[receiver.index()]).count(),
    });
    let leads_there = |&channel: &ChannelId| {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        inside[head.index()] && (!inside[tail.index()] || topology.is_terminal(tail)) && usable(problem, channel)
    };
    let limit = distinct_resources(problem, topology.channels().filter(leads_there));
    (chunks * due.sum::<usize>() as u64, limit)
}
