//! The total distance of all messages.

use lockstep_schedule::{MessageId, Problem, Switching};
use lockstep_topology::NodeId;

use super::capacity::{is_usable, receive_limit, room, send_limit};
use super::distance::{distances_from, expect_few_searches};
use super::messages::unsplit;
use super::refusal::{Checked, expect, steps_of};

pub(super) fn steps_proved(problem: &Problem<'_>, [channel_uses, per_step]: [u64; 2]) -> Checked<u64> {
    if !problem.messages().is_scatter() {
        return Err("copies of a message can share a part of their paths".into());
    }
    expect("channels crossed", channel_uses, distance_sum(problem)?)?;
    expect("channels crossed in one step", per_step, crossings(problem))?;
    steps_of(channel_uses, per_step)
}

/// Returns the sum of the shortest distances of all messages.
fn distance_sum(problem: &Problem<'_>) -> Checked<u64> {
    let messages = problem.messages();
    let (originals, chunks) = unsplit(&messages);
    let mut by_source: Vec<(NodeId, MessageId)> =
        originals.map(|message| (messages.source(message), message)).collect();
    // The searches start at each source once, in whatever order a collective lists its messages.
    by_source.sort_unstable();
    let sources = || by_source.chunk_by(|(source, _), (other, _)| source == other);
    expect_few_searches(problem, sources().count())?;
    let mut sum: u64 = 0;
    for of_source in sources() {
        let distance = distances_from(problem, of_source[0].0);
        let receivers = of_source.iter().flat_map(|&(_, message)| messages.receivers_iter(message));
        sum += receivers.filter_map(|receiver| distance[receiver.index()]).map(u64::from).sum::<u64>();
    }
    Ok(chunks * sum)
}

/// Returns the number of channels that transfers can cross together in one step.
fn crossings(problem: &Problem<'_>) -> u64 {
    let topology = problem.topology();
    let resources = room(problem, topology.channels().filter(|&channel| is_usable(problem, channel)));
    if problem.model().switching == Switching::Wormhole {
        return resources;
    }
    let all = |limit: fn(&Problem<'_>, NodeId) -> u64| -> u64 {
        topology.terminals().iter().map(|&terminal| limit(problem, terminal)).sum()
    };
    resources.min(all(send_limit)).min(all(receive_limit))
}
