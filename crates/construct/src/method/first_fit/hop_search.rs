//! The earliest steps in which a message can cross the network hop by hop.

use lockstep_schedule::MessageId;
use rand::{Rng, RngExt};

use super::partial_schedule::PartialSchedule;
use super::path_search::{NodeMark, PathSearch};
use crate::kit::method_error::MethodError;
use crate::kit::shortest_path_dag::{DagArc, ShortestPathDag};

/// Units of work per channel.
const HOP_WORK: u64 = 4;

/// Finds the earliest arrival of a message that leaves the source of the selected pair in step `ready` and moves one
/// channel per step. Returns the step after the last hop; [`add_hops`] adds the transfers.
pub(super) fn earliest_hops(
    search: &mut PathSearch<'_>,
    partial: &PartialSchedule<'_>,
    ready: u32,
    rng: &mut impl Rng,
) -> u32 {
    let PathSearch { shared, dag, marks, work, .. } = search;
    *work += HOP_WORK * dag.arcs().len() as u64;
    for mark in &mut marks[..dag.source()] {
        mark.ready = u32::MAX;
    }
    marks[dag.source()].ready = ready;
    for (via, arc) in dag.arcs().iter().enumerate().rev() {
        let slots = shared.slots().of_path(std::slice::from_ref(&arc.channel));
        let ready = partial.table().first_free(slots, marks[arc.tail as usize].ready) + 1;
        let head = &mut marks[arc.head as usize];
        if ready <= head.ready {
            let tie = u64::from(partial.load(arc.resource)) << 32 | u64::from(rng.random::<u32>());
            if (ready, tie) < (head.ready, head.tie) {
                *head = NodeMark { ready, tie, via: via as u32, ..*head };
            }
        }
    }
    marks[ShortestPathDag::TARGET].ready
}

/// Adds the transfers that [`earliest_hops`] found, the last hop first.
pub(super) fn add_hops(
    search: &PathSearch<'_>,
    partial: &mut PartialSchedule<'_>,
    message: MessageId,
) -> Result<(), MethodError> {
    let PathSearch { dag, marks, .. } = search;
    let mut node = ShortestPathDag::TARGET;
    while node != dag.source() {
        let NodeMark { ready, via, .. } = marks[node];
        let DagArc { tail, channel, .. } = dag.arcs()[via as usize];
        partial.add(message, ready - 1, &[channel])?;
        node = tail as usize;
    }
    Ok(())
}
