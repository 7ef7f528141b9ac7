//! All deliveries, and the ports and channels that they pass.

use std::collections::BTreeSet;

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::{ChannelId, NodeId};

use super::capacity::{is_usable, receive_limit, room, send_limit};
use super::messages::unsplit;
use super::refusal::{Checked, expect, steps_of};

pub(super) fn steps_proved(problem: &Problem<'_>, [claimed, per_step]: [u64; 2]) -> Checked<u64> {
    let (topology, messages) = (problem.topology(), problem.messages());
    let (originals, chunks) = unsplit(&messages);
    let is_direct = problem.model().is_direct() && messages.is_scatter();
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
        is_sender[terminal.index()] |= !is_direct;
    }
    proved(problem, [&is_sender, &is_receiver], [deliveries, claimed, per_step])
}

/// Each message of an all-reduce takes twice as many transfers as it has receivers, between any terminals.
pub(super) fn steps_proved_for_all_reduce(problem: &Problem<'_>, [claimed, per_step]: [u64; 2]) -> Checked<u64> {
    let messages = problem.messages();
    let (originals, chunks) = unsplit(&messages);
    let receivers: u64 = originals.map(|message| messages.receiver_count(message) as u64).sum();
    let topology = problem.topology();
    let is_terminal: Vec<bool> = topology.nodes().map(|node| topology.is_terminal(node)).collect();
    proved(problem, [&is_terminal, &is_terminal], [2 * chunks * receivers, claimed, per_step])
}

/// Returns the steps in which a number of transfers from these senders to these receivers is possible.
fn proved(
    problem: &Problem<'_>,
    [is_sender, is_receiver]: [&[bool]; 2],
    [deliveries, claimed, per_step]: [u64; 3],
) -> Checked<u64> {
    let topology = problem.topology();
    let all = |limit: fn(&Problem<'_>, NodeId) -> u64, of: &[bool]| -> u64 {
        topology.terminals().iter().filter(|terminal| of[terminal.index()]).map(|&node| limit(problem, node)).sum()
    };
    let leads_in = |&channel: &ChannelId| is_receiver[topology.head(channel).index()] && is_usable(problem, channel);
    let leads_out = |&channel: &ChannelId| is_sender[topology.tail(channel).index()] && is_usable(problem, channel);
    let limit = all(receive_limit, is_receiver)
        .min(all(send_limit, is_sender))
        .min(room(problem, topology.channels().filter(leads_in)))
        .min(room(problem, topology.channels().filter(leads_out)));
    expect("deliveries", claimed, deliveries)?;
    expect("deliveries in one step", per_step, limit)?;
    steps_of(deliveries, limit)
}
