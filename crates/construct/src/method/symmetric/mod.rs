//! All-to-all on networks with symmetries: schedules that a group of them keeps.

mod all_gather;
mod all_to_all;
mod direct_paths;
mod free_action_group;
mod quotient;
mod relayed_routes;
mod tabu;

use lockstep_schedule::{CollectiveName, Ports, Schedule};
use lockstep_topology::Symmetries;

use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;
use free_action_group::FreeActionGroup;

/// All-to-all on networks that look the same from several nodes, whatever their numbers: a search for a schedule that a
/// group of symmetries keeps. Where every channel has to be busy in every step, it ends where others end just above.
///
/// Each attempt takes a random group, as large as can be, in which no two translates of a channel meet. A message and a
/// channel then stand for all their translates, and what is left to decide is so much less. Declines networks without
/// symmetries, those with more than [`MAX_TERMINALS`] terminals, and those whose nodes are told from each other too
/// slowly; messages that are passed on, where not every node is a terminal; and all-gather with few ports.
pub(crate) const SYMMETRIC: Method = Method {
    name: "symmetric",
    about: "all-to-all on networks with symmetries: a search among the schedules that they keep",
    find,
    evaluations_per_delivery: 64,
    is_random: true,
};

/// The most nodes and channels of a network whose symmetries are looked for, and the most terminals of an all-to-all
/// scatter.
const MAX_NODES: usize = 1 << 12;
const MAX_CHANNELS: usize = 1 << 16;
const MAX_TERMINALS: usize = 1 << 8;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let problem = request.problem;
    let (topology, model) = (problem.topology(), problem.model());
    let is_served = match problem.collective().name() {
        Some(CollectiveName::AllToAll) => {
            topology.terminal_count() <= MAX_TERMINALS && (model.is_direct() || topology.is_direct())
        }
        Some(CollectiveName::AllGather) => model.ports == Ports::All && topology.is_direct(),
        _ => false,
    };
    if !is_served || topology.node_count() > MAX_NODES || topology.channel_count() > MAX_CHANNELS {
        return Err(MethodError::Unsupported);
    }
    let symmetries = Symmetries::new(topology).ok_or(MethodError::Unsupported)?;
    let task = SchedulingTask::new(problem)?;
    let log = request.best_attempt(|rng, context| {
        if problem.messages().is_scatter() {
            all_to_all::exchange(request, &task, &symmetries, rng)
        } else {
            let group = FreeActionGroup::random(&symmetries, 0, |_, _| request.stop_reason().is_none(), rng)
                .ok_or(MethodError::NoShorter)?;
            all_gather::gather(&task, &group, rng, context)
        }
    })?;
    Ok(log.schedule())
}

#[cfg(test)]
mod tests;
