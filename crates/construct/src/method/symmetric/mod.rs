//! All-to-all and all-gather on networks with symmetries: schedules that are invariant under a group of symmetries.
//!
//! | file | role |
//! |---|---|
//! | `free_action_group` | groups of symmetries under which no two images of a channel share a resource |
//! | `quotient` | the network and its messages modulo the group |
//! | `usage_board`, `tabu` | the tabu search for a step and a path per orbit of messages |
//! | `direct_paths` | the possible placements of an all-to-all |
//! | `all_to_all`, `all_gather` | one attempt at a schedule |

mod all_gather;
mod all_to_all;
mod direct_paths;
mod free_action_group;
mod quotient;
mod tabu;
#[cfg(test)]
mod tests;
mod usage_board;

use lockstep_schedule::{CollectiveName, Ports, Schedule, Switching};
use lockstep_topology::Symmetries;

use self::free_action_group::FreeActionGroup;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;

/// Symmetric search: wormhole all-to-all in direct transfers or all-gather on a network with symmetries, by a search among the
/// schedules that are invariant under a group of symmetries. If every channel must be busy in every step, it often finds a
/// shorter schedule than the other methods.
///
/// Each attempt takes a random group, as large as possible, under which no two images of a channel share a resource.
/// One message and one channel then stand for all their images, so the search space is smaller by the order of the
/// group. Not supported: networks without symmetries, with more than [`MAX_TERMINALS`] terminals or [`MAX_NODES`]
/// nodes; all-gather with limited ports, or if not every node is a terminal. Time and memory: see [`tabu::settle`] and
/// [`FreeActionGroup`].
///
/// # Source
///
/// Translation-invariant schedules on Cayley graphs: Bertsekas and others, *Optimal communication algorithms for
/// hypercubes* (1991); here for any group of symmetries of any network.
pub(crate) const SYMMETRIC: Method = Method {
    name: "symmetric",
    about: "all-gather, and all-to-all in direct transfers, that a group of automorphisms preserves, where every channel must be busy",
    find,
    evaluations_per_delivery: 8,
    is_random: true,
    parts: &[],
};

/// Units of work per channel of the search for a group, in addition to the [groups](FreeActionGroup::work).
const GROUP_SEARCH_WORK: u64 = 256;

/// The maximum number of nodes of a network.
const MAX_NODES: usize = 1 << 12;

/// The maximum number of channels of a network.
const MAX_CHANNELS: usize = 1 << 16;

/// The maximum number of terminals of an all-to-all scatter.
const MAX_TERMINALS: usize = 1 << 8;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let problem = request.problem;
    let (topology, model) = (problem.topology(), problem.model());
    let is_supported = match problem.collective().name() {
        Some(CollectiveName::AllToAll) => {
            topology.terminal_count() <= MAX_TERMINALS && model.switching == Switching::Wormhole
        }
        Some(CollectiveName::AllGather) => model.ports == Ports::All && topology.is_direct(),
        _ => false,
    };
    if !is_supported || topology.node_count() > MAX_NODES || topology.channel_count() > MAX_CHANNELS {
        return Err(MethodError::Unsupported);
    }
    let symmetries = Symmetries::new(topology).ok_or(MethodError::Unsupported)?;
    let task = request.task()?;
    let log = request.best_attempt(|rng, context| {
        context.count(GROUP_SEARCH_WORK * topology.channel_count() as u64);
        if problem.messages().is_scatter() {
            all_to_all::attempt(request, &task, &symmetries, rng)
        } else {
            let may_continue = |group: &FreeActionGroup<'_>, _: &mut _| {
                request.work.add(group.work());
                request.budget.interruption().is_none()
            };
            let group = FreeActionGroup::random(&symmetries, 0, may_continue, rng).ok_or(MethodError::Unsupported)?;
            all_gather::attempt(&task, &group, rng, context)
        }
    })?;
    Ok(log.into_schedule())
}
