//! Store-and-forward broadcast where ports are no limit: the message spreads as fast as it can.

use lockstep_schedule::{MessageId, Ports, Schedule, Switching};
use lockstep_topology::{ChannelId, NodeId};

use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceBroadcast;

/// Store-and-forward broadcast to all or some terminals of any network with enough ports, full or half duplex: in each
/// step everybody who is beside a holder receives, so the steps are the distance of the farthest receiver, the fewest
/// there can be. Takes `O(N + M)` time.
pub(crate) const FLOODING: Method = Method {
    name: "flooding",
    about: "store-and-forward broadcast with all ports on any network: breadth first",
    find,
    evaluations_per_delivery: 1,
    is_random: false,
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
    let is_receiver = broadcast.marked(topology);
    let mut left = broadcast.receivers.len();
    let mut schedule = Schedule::with_capacity(topology.terminal_count() - 1, topology.terminal_count() - 1);
    let mut is_informed = vec![false; topology.node_count()];
    is_informed[broadcast.source.index()] = true;
    let mut holders = vec![broadcast.source];
    while left > 0 && !holders.is_empty() {
        let mut fresh: Vec<NodeId> = Vec::new();
        let mut crossed: Vec<ChannelId> = Vec::new();
        for &holder in &holders {
            let before = fresh.len();
            for &channel in topology.out_channels(holder) {
                let head = topology.head(channel);
                if topology.is_terminal(head) && !std::mem::replace(&mut is_informed[head.index()], true) {
                    fresh.push(head);
                    crossed.push(channel);
                }
            }
            let sends = fresh.len() - before;
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
        left -= fresh.iter().filter(|node| is_receiver[node.index()]).count();
        holders = fresh;
    }
    Ok(broadcast.without_waste(topology, schedule))
}

#[cfg(test)]
mod tests {
    use lockstep_bounds::Rule;
    use lockstep_schedule::strategy::any_model;
    use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
    use lockstep_topology::strategy::{any_topology, shuffled};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Nobody can be reached in fewer steps than he is channels away.
        #[test]
        fn a_flood_takes_the_eccentricity(
            topology in any_topology(16).prop_flat_map(shuffled), root: prop::sample::Index, some: bool,
            model in any_model(),
        ) {
            let root = *root.get(topology.terminals());
            let receivers: Vec<NodeId> = topology.terminals().iter().copied().filter(|&node| node != root).collect();
            let collective = if some && receivers.len() > 2 {
                Collective::many_to_many_broadcast(&[root], &receivers[receivers.len() / 2..])
            } else {
                Collective::broadcast(root)
            };
            let model = CommunicationModel { switching: Switching::StoreAndForward, ..model };
            let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
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
