//! The total distance of all messages.

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;

use super::capacity::{is_usable, receive_limit, resource_count, send_limit};
use super::distance::distances_from;
use super::messages::unsplit;
use super::refusal::{Checked, expect, steps_of};

pub(super) fn steps_proved(problem: &Problem<'_>, [channel_uses, per_step]: [u64; 2]) -> Checked<u64> {
    if !problem.messages().is_scatter() {
        return Err("copies of a message can share a part of their paths".into());
    }
    expect("channels crossed", channel_uses, distance_sum(problem))?;
    expect("channels crossed in one step", per_step, crossings(problem))?;
    steps_of(channel_uses, per_step)
}

/// Returns the sum of the shortest legal distances of all messages.
fn distance_sum(problem: &Problem<'_>) -> u64 {
    let messages = problem.messages();
    let (originals, chunks) = unsplit(&messages);
    let mut searched: Option<(NodeId, Vec<Option<u32>>)> = None;
    let mut sum = 0;
    for message in originals {
        let source = messages.source(message);
        if searched.as_ref().is_none_or(|(node, _)| *node != source) {
            searched = Some((source, distances_from(problem, source)));
        }
        let distance = |receiver: NodeId| searched.as_ref().and_then(|(_, distance)| distance[receiver.index()]);
        sum += messages.receivers_iter(message).filter_map(distance).map(u64::from).sum::<u64>();
    }
    chunks * sum
}

/// Returns the number of channels that transfers can cross together in one step.
fn crossings(problem: &Problem<'_>) -> u64 {
    let topology = problem.topology();
    let resources = resource_count(problem, topology.channels().filter(|&channel| is_usable(problem, channel)));
    if problem.model().switching == Switching::Wormhole {
        return resources;
    }
    let all = |limit: fn(&Problem<'_>, NodeId) -> u64| -> u64 {
        topology.terminals().iter().map(|&terminal| limit(problem, terminal)).sum()
    };
    resources.min(all(send_limit)).min(all(receive_limit))
}
