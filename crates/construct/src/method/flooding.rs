//! Store-and-forward broadcast with enough ports: the message spreads breadth first.

use lockstep_schedule::{MessageId, Ports, Schedule, Switching};
use lockstep_topology::{ChannelId, NodeId};

use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceBroadcast;

/// Flooding: store-and-forward broadcast of one message to all or some terminals of any network with enough ports, full
/// or half duplex.
///
/// In each step, every neighbour of a holder receives the message. The number of steps is the distance of the farthest
/// receiver, which is optimal. Takes `O(N + M)` time and memory.
///
/// # Source
///
/// Breadth-first search.
pub(crate) const FLOODING: Method = Method {
    name: "flooding",
    about: "store-and-forward broadcast with unlimited ports",
    find,
    evaluations_per_delivery: 1,
    is_random: false,
    parts: &[],
};

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let problem = request.problem;
    let broadcast =
        SingleSourceBroadcast::of(problem).filter(|broadcast| broadcast.chunks == 1).ok_or(MethodError::Unsupported)?;
    let (topology, model) = (problem.topology(), problem.model());
    if model.switching != Switching::StoreAndForward {
        return Err(MethodError::Unsupported);
    }
    half_duplex_pairs(topology).ok_or(MethodError::Unsupported)?;
    let is_receiver = broadcast.receiver_flags(topology);
    let mut left = broadcast.receivers.len();
    let mut schedule = Schedule::with_capacity(topology.terminal_count() - 1, topology.terminal_count() - 1);
    let mut is_informed = vec![false; topology.node_count()];
    is_informed[broadcast.source.index()] = true;
    let mut holders = vec![broadcast.source];
    while left > 0 && !holders.is_empty() {
        let mut new_holders: Vec<NodeId> = Vec::new();
        let mut crossed: Vec<ChannelId> = Vec::new();
        for &holder in &holders {
            let before = new_holders.len();
            for &channel in topology.out_channels(holder) {
                let head = topology.head(channel);
                if topology.is_terminal(head) && !std::mem::replace(&mut is_informed[head.index()], true) {
                    new_holders.push(head);
                    crossed.push(channel);
                }
            }
            let sends = new_holders.len() - before;
            if matches!(model.ports, Ports::Limit(limit) if sends > limit.get() as usize) {
                return Err(MethodError::Unsupported);
            }
        }
        if !crossed.is_empty() {
            schedule.begin_step();
        }
        for channel in crossed {
            schedule.push(MessageId::new(0), &[channel]);
        }
        left -= new_holders.iter().filter(|node| is_receiver[node.index()]).count();
        holders = new_holders;
    }
    Ok(broadcast.needed_transfers(request.problem, schedule))
}

#[cfg(test)]
mod tests {
    use lockstep_bounds::Rule;
    use lockstep_schedule::strategy::{any_model, packet_problem};
    use lockstep_schedule::{Budget, Collective, verify};
    use proptest::prelude::*;

    use super::*;
    use crate::kit::testing::any_network;

    proptest! {
        /// No node can be reached in fewer steps than its distance.
        #[test]
        fn flooding_takes_the_eccentricity_of_the_source(
            topology in any_network(16), root: prop::sample::Index, some: bool,
            model in any_model(),
        ) {
            let root = *root.get(topology.terminals());
            let receivers: Vec<NodeId> = topology.terminals().iter().copied().filter(|&node| node != root).collect();
            let collective = if some && receivers.len() > 2 {
                Collective::many_to_many_broadcast(&[root], &receivers[receivers.len() / 2..])
            } else {
                Collective::broadcast(root)
            };
            let Some(problem) = packet_problem(&topology, &collective, model) else { return Ok(()) };
            let schedule = (FLOODING.find)(&MethodRequest::first(&problem, &Budget::unlimited())).ok();
            prop_assert!(schedule.is_some() || model.ports != Ports::All);
            if let Some(schedule) = schedule {
                let steps = verify(&problem, &schedule)?.steps;
                let bounds = lockstep_bounds::all(&problem);
                let eccentricity = bounds.iter().find(|bound| bound.rule == Rule::Eccentricity).unwrap();
                prop_assert_eq!(steps, eccentricity.steps as usize);
            }
        }
    }
}
