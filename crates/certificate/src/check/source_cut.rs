//! Messages of one source that enter a node set.

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::{ChannelId, NodeId};

use super::capacity::{is_usable, room};
use super::distance::{distances_from, takes_fewest_channels};
use super::messages::unsplit;
use super::nodes::{expect_terminal, membership};
use super::refusal::{Checked, expect, steps_of};

pub(super) fn steps_proved(
    problem: &Problem<'_>,
    source: NodeId,
    nodes: &[NodeId],
    [claimed, per_step]: [u64; 2],
) -> Checked<u64> {
    expect_terminal(problem, source)?;
    let inside = membership(problem, nodes)?;
    let (topology, messages) = (problem.topology(), problem.messages());
    if !problem.model().is_direct() || !messages.is_scatter() {
        return Err("terminals may forward messages, so more channels count".into());
    }
    if inside[source.index()] {
        return Err("the source is in the set".into());
    }
    let (originals, chunks) = unsplit(&messages);
    let enters = originals.filter(|&message| {
        let is_for_set = matches!(messages.receivers(message), Receivers::One(receiver) if inside[receiver.index()]);
        messages.source(message) == source && is_for_set
    });
    let entering = chunks * enters.count() as u64;
    let (distance, is_minimal) = (distances_from(problem, source), takes_fewest_channels(problem));
    let leads_in = |&channel: &ChannelId| {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        let Some(before) = distance[tail.index()].filter(|_| tail == source || topology.routes(tail)) else {
            return false;
        };
        let is_allowed = !is_minimal || distance[head.index()] == Some(before + 1);
        !inside[tail.index()] && inside[head.index()] && is_allowed && is_usable(problem, channel)
    };
    let limit = room(problem, topology.channels().filter(leads_in));
    expect("messages that must enter", claimed, entering)?;
    expect("resources that lead in", per_step, limit)?;
    steps_of(entering, limit)
}
