//! The transfers of a distribution that some receiver needs.

use lockstep_topology::Topology;

use crate::messages::Messages;
use crate::schedule::{Schedule, Transfer};

/// Returns the first transfer of each message to each terminal that needs it. A terminal needs a message that it
/// receives or relays. Steps without such a transfer are left out.
///
/// Takes `O(T log T + MN)` for T transfers, M messages and N nodes.
pub(crate) fn needed_transfers(topology: &Topology, messages: &Messages<'_>, schedule: &Schedule) -> Schedule {
    let transfers: Vec<Transfer<'_>> = schedule.steps().flat_map(|(_, step)| step.iter()).collect();
    let mut by_message: Vec<usize> = (0..transfers.len()).collect();
    by_message.sort_by_key(|&place| transfers[place].message);
    let mut is_needed = vec![false; transfers.len()];
    // By terminal: the first transfer of the current message to it, and whether it needs the message.
    let mut first_arrival = vec![usize::MAX; topology.node_count()];
    let mut needs = vec![false; topology.node_count()];
    for group in by_message.chunk_by(|&one, &other| transfers[one].message == transfers[other].message) {
        let message = transfers[group[0]].message;
        let ends = |place: usize| transfers[place].terminal_ends(topology);
        first_arrival.fill(usize::MAX);
        needs.fill(false);
        messages.receivers_iter(message).for_each(|receiver| needs[receiver.index()] = true);
        for &place in group.iter().rev() {
            if let Some((_, receiver)) = ends(place) {
                first_arrival[receiver.index()] = place;
            }
        }
        for &place in group.iter().rev() {
            let Some((sender, receiver)) = ends(place) else { continue };
            if needs[receiver.index()] && first_arrival[receiver.index()] == place {
                is_needed[place] = true;
                needs[sender.index()] |= sender != messages.source(message);
            }
        }
    }
    let mut needed = Schedule::new();
    let mut place = 0;
    for (_, step) in schedule.steps() {
        let kept: Vec<Transfer<'_>> =
            (place..).zip(step.iter()).filter(|&(place, _)| is_needed[place]).map(|(_, transfer)| transfer).collect();
        place += step.len();
        if !kept.is_empty() {
            needed.begin_step_of_width(step.width());
            for transfer in kept {
                needed.push(transfer.message, transfer.path);
            }
        }
    }
    needed
}
