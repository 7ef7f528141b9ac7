//! How many transfers can end in one step.

use std::collections::BTreeSet;

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::{ChannelId, NodeId};

use super::{distinct_resources, finishes, starts, uncut, usable};

/// All deliveries, and how many are possible in one step.
pub(super) fn count(problem: &Problem<'_>) -> (u64, u64) {
    let (topology, messages) = (problem.topology(), problem.messages());
    let (originals, chunks) = uncut(&messages);
    let direct = problem.model().is_direct() && messages.is_scatter();
    let mut is_receiver = vec![false; topology.node_count()];
    let mut is_sender = vec![false; topology.node_count()];
    let mut deliveries = 0;
    let mut broadcast_sources = BTreeSet::new();
    for message in originals {
        let source = messages.source(message);
        is_sender[source.index()] = true;
        deliveries += chunks * messages.receiver_count(message) as u64;
        match messages.receivers(message) {
            Receivers::AllOthers => {
                broadcast_sources.insert(source);
            }
            Receivers::One(receiver) => is_receiver[receiver.index()] = true,
            Receivers::List(list) => list.iter().for_each(|receiver| is_receiver[receiver.index()] = true),
        }
    }
    for &terminal in topology.terminals() {
        // The only source of broadcasts receives none of them.
        is_receiver[terminal.index()] |= broadcast_sources.iter().any(|&source| source != terminal);
        is_sender[terminal.index()] |= !direct;
    }
    let all = |limit: fn(&Problem<'_>, NodeId) -> u64, of: &[bool]| -> u64 {
        topology.terminals().iter().filter(|terminal| of[terminal.index()]).map(|&node| limit(problem, node)).sum()
    };
    let into = |&channel: &ChannelId| is_receiver[topology.head(channel).index()] && usable(problem, channel);
    let out_of = |&channel: &ChannelId| is_sender[topology.tail(channel).index()] && usable(problem, channel);
    let per_step = all(finishes, &is_receiver)
        .min(all(starts, &is_sender))
        .min(distinct_resources(problem, topology.channels().filter(into)))
        .min(distinct_resources(problem, topology.channels().filter(out_of)));
    (deliveries, per_step)
}
