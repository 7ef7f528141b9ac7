//! What enters a node set on the way from one source.

use lockstep_schedule::{Problem, Receivers, Routing};
use lockstep_topology::{ChannelId, NodeId};

use super::{distinct_resources, reach, uncut, usable};

/// The messages of the source for terminals in the set, and how many can enter in one step; or why the argument fails.
pub(super) fn count(problem: &Problem<'_>, source: NodeId, inside: &[bool]) -> Result<(u64, u64), &'static str> {
    let (topology, messages) = (problem.topology(), problem.messages());
    if !problem.model().is_direct() || !messages.is_scatter() {
        return Err("messages may be passed on, so that more channels count");
    }
    if inside[source.index()] {
        return Err("the source is in the set");
    }
    let (originals, chunks) = uncut(&messages);
    let enters = originals.filter(|&message| {
        let is_for_it = matches!(messages.receivers(message), Receivers::One(receiver) if inside[receiver.index()]);
        messages.source(message) == source && is_for_it
    });
    let distance = reach(problem, source, false);
    let is_way_in = |&channel: &ChannelId| {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        let Some(before) = distance[tail.index()].filter(|_| tail == source || topology.routes(tail)) else {
            return false;
        };
        let is_allowed = problem.model().routing == Routing::Any || distance[head.index()] == Some(before + 1);
        !inside[tail.index()] && inside[head.index()] && is_allowed && usable(problem, channel)
    };
    let limit = distinct_resources(problem, topology.channels().filter(is_way_in));
    Ok((chunks * enters.count() as u64, limit))
}
