//! Executes the operations of a rank with messages of MPI.

use std::ops::Range;

use lockstep_export::Combine;
use mpi::point_to_point::{Destination, Source};
use mpi::request::multiple_scope;
use mpi::topology::{Communicator, SimpleCommunicator};

use super::operations::{Operations, Part, Transfer};

/// The number of different tags. MPI guarantees this many.
const TAGS: u32 = 1 << 15;

impl Transfer {
    /// Returns the tag. Messages between two ranks with equal tags arrive in the order of their sends.
    fn tag(&self) -> i32 {
        (self.index % TAGS) as i32
    }
}

/// Executes all operations of this rank on its memory.
pub(super) fn execute(operations: &Operations, memory: &mut [u64], world: &SimpleCommunicator) {
    for part in &operations.parts {
        match part {
            Part::Local { from, to, combine } => local(memory, from.clone(), *to, *combine),
            Part::Exchange { sends, receives } => exchange(sends, receives, memory, world),
        }
    }
}

/// Copies or adds elements to others at a place, which they do not overlap.
pub(super) fn local(memory: &mut [u64], from: Range<usize>, to: usize, combine: Combine) {
    if combine == Combine::Copy {
        memory.copy_within(from, to);
        return;
    }
    let (low, high) = memory.split_at_mut(from.start.max(to));
    let (from, to) = if from.start < to { (&low[from], high) } else { (&high[..from.len()], &mut low[to..]) };
    for (sum, term) in to.iter_mut().zip(from) {
        *sum = sum.wrapping_add(*term);
    }
}

/// Sends and receives at the same time.
fn exchange(sends: &[Transfer], receives: &[Transfer], memory: &mut [u64], world: &SimpleCommunicator) {
    // The memory in pieces: the targets of the receives, and the gaps between them, with the places of the gaps.
    let (mut targets, mut gaps) = (Vec::with_capacity(receives.len()), Vec::with_capacity(receives.len() + 1));
    let (mut rest, mut place) = (memory, 0);
    for receive in receives {
        let (gap, others) = rest.split_at_mut(receive.elements.start - place);
        let (target, others) = others.split_at_mut(receive.elements.len());
        gaps.push((place, &*gap));
        targets.push((receive, target));
        (rest, place) = (others, receive.elements.end);
    }
    gaps.push((place, &*rest));
    targets.sort_unstable_by_key(|(receive, _)| receive.index);
    multiple_scope(sends.len() + receives.len(), |scope, requests| {
        for (receive, target) in targets {
            let peer = world.process_at_rank(receive.peer);
            requests.add(peer.immediate_receive_into_with_tag(scope, target, receive.tag()));
        }
        for send in sends {
            let (start, gap) = gaps[gaps.partition_point(|&(start, _)| start <= send.elements.start) - 1];
            let data = &gap[send.elements.start - start..send.elements.end - start];
            requests.add(world.process_at_rank(send.peer).immediate_send_with_tag(scope, data, send.tag()));
        }
        requests.wait_all(&mut Vec::with_capacity(sends.len() + receives.len()));
    });
}
