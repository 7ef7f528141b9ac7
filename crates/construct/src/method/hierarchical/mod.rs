//! All-gathers and all-to-alls on groups of terminals: shifts between the groups and inside each group.

mod groups;
mod shifts;
mod short_paths;

use lockstep_schedule::{MessageId, Receivers, Schedule};

use self::groups::Groups;
use self::shifts::Shifts;
use self::short_paths::ShortPaths;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;

/// Hierarchical all-gather: every terminal sends its messages to the corresponding members of the other groups, and spreads
/// them and the received ones in its own group.
///
/// [Groups](Groups) are the terminals that wide channels connect, such as the GPUs of a server. In the order of shifts,
/// member `b` of group `a` sends to member `b` of group `a + 1`, then of `a + 2`, and so on, as early as channels and ports
/// are free. From the step after an arrival on, the receiver sends the message to members `b + 1`, `b + 2` and so on of its
/// own group. Every shift uses all channels of one kind equally, so that first fit leaves none of them idle.
///
/// With `n` groups of `g` members, `c` messages per terminal, and channels of capacity `r` between the groups and `v` inside
/// them, an all-gather takes `⌈c(n - 1) / r⌉ + 1` steps if `v >= (g - 1) r` and `c n (g - 1)` transfers fit into these steps.
///
/// In an all-to-all with relays, a message goes to the member of its own group that corresponds to its receiver, and from there to
/// the receiver. In every shift between the groups, each member sends and receives one message. With `n` groups of `g` members
/// and channels of capacity 1 between them, it takes `g(n - 1)` steps if the other channels suffice.
///
/// Not supported: corresponding members, or members of a group, that neither a channel nor one switch joins. Recognition
/// takes `O(M log M)` time for `M` channels, and a schedule `O(D p)` for `D` deliveries and `p` parallel paths. Memory: the
/// transfers, and 8 bytes per path.
///
/// # Source
///
/// Hierarchical collectives: Karonis et al., *Exploiting hierarchy in parallel computer networks to optimize collective
/// operation performance* (2000).
pub(crate) const HIERARCHICAL: Method = Method {
    name: "hierarchical",
    about: "all-gather and relayed all-to-all on groups with wide channels inside: shifts between the groups and inside them",
    find,
    evaluations_per_delivery: 1,
    is_random: false,
    parts: &[],
};

/// Units of work per transfer.
const TRANSFER_WORK: u64 = 16;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let (topology, messages) = (request.problem.topology(), request.problem.messages());
    if request.fixed.is_some() || topology.has_buses() {
        return Err(MethodError::Unsupported);
    }
    let task = request.task()?;
    let terminals = topology.terminal_count();
    // By source; in an all-to-all, by source and receiver.
    let mut alike: Vec<Vec<MessageId>>;
    if messages.is_scatter() {
        let pairs = terminals.checked_mul(terminals).filter(|&pairs| pairs <= messages.len() + terminals);
        if request.problem.model().is_direct() || pairs.is_none() {
            return Err(MethodError::Unsupported);
        }
        alike = vec![Vec::new(); terminals * terminals];
        for id in messages.ids() {
            let receiver = messages.receivers_iter(id).next().ok_or(MethodError::Unsupported)?;
            alike[task.rank(messages.source(id)) * terminals + task.rank(receiver)].push(id);
        }
        if (0..terminals * terminals)
            .any(|pair| pair / terminals != pair % terminals && alike[pair].len() != alike[1].len())
        {
            return Err(MethodError::Unsupported);
        }
    } else {
        alike = vec![Vec::new(); terminals];
        messages.ids().for_each(|id| alike[task.rank(messages.source(id))].push(id));
        let is_to_all = messages.ids().all(|id| messages.receivers(id) == Receivers::AllOthers);
        if !is_to_all || alike.iter().any(|own| own.len() != alike[0].len()) {
            return Err(MethodError::Unsupported);
        }
    }
    let longest = if task.stores_and_forwards() { 1 } else { 2 };
    let groups = Groups::find(topology).ok_or(MethodError::Unsupported)?;
    let paths = ShortPaths::new(topology, &groups, longest).ok_or(MethodError::Unsupported)?;
    request.work.add(TRANSFER_WORK * messages.delivery_count());
    let slots = task.slots();
    let shifts = Shifts::new(&task, &slots, &groups, &paths);
    let log = if messages.is_scatter() { shifts.exchange(&alike, request)? } else { shifts.gather(&alike, request)? };
    if log.step_count() < request.below { Ok(log.into_schedule()) } else { Err(MethodError::NoShorter) }
}

#[cfg(test)]
mod tests;
