//! The operations of a plan in the formats that list them per rank, and the faults that spoil them.

use super::consumer::Fault;

/// A send, a receive, or local work of one rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Operation {
    pub(crate) rank: usize,
    pub(crate) step: usize,
    pub(crate) action: Action,
    pub(crate) peer: usize,
    pub(crate) tag: usize,
    /// Where a send, a copy or an addition reads.
    pub(crate) from: Place,
    /// Where a receive, a copy or an addition writes.
    pub(crate) to: Place,
    /// Number of chunks.
    pub(crate) count: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    Send,
    Receive,
    Copy,
    Add,
}

/// A chunk of a buffer.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Place {
    pub(crate) buffer: String,
    pub(crate) offset: usize,
}

/// Spoils a plan so that a rank receives a wrong chunk, or waits for ever. Operations are in the order of ranks and steps.
///
/// Returns false if the plan has no operations for this fault: a broadcast of one chunk has one place only.
pub(crate) fn spoil(operations: &mut [Operation], fault: Fault, ranks: usize) -> bool {
    match fault {
        Fault::SwappedOffsets => match two_sends(operations, |one, other| one.from.offset != other.from.offset) {
            Some((one, other)) => {
                let offset = operations[one].from.offset;
                operations[one].from.offset = operations[other].from.offset;
                operations[other].from.offset = offset;
                true
            }
            None => false,
        },
        Fault::WrongPeer => {
            let pair = two_sends(operations, |one, other| {
                one.from.offset != other.from.offset && one.peer != other.peer && one.tag == other.tag
            });
            if let Some((one, other)) = pair {
                let peer = operations[one].peer;
                operations[one].peer = operations[other].peer;
                operations[other].peer = peer;
                return true;
            }
            // The old peer waits for ever.
            let Some(send) = operations.iter_mut().find(|operation| operation.action == Action::Send) else {
                return false;
            };
            let other = (0..ranks).find(|&rank| rank != send.rank && rank != send.peer);
            send.peer = other.unwrap_or(send.peer);
            other.is_some()
        }
        Fault::MissingDependency => match forwarded(operations) {
            Some((send, receive)) => {
                send_first(operations, send, receive);
                true
            }
            None => false,
        },
    }
}

/// Returns two sends of one rank in one step, of equal numbers of chunks of one buffer, with this relation.
fn two_sends(operations: &[Operation], is_pair: impl Fn(&Operation, &Operation) -> bool) -> Option<(usize, usize)> {
    for (one, first) in operations.iter().enumerate() {
        for (other, second) in operations.iter().enumerate().skip(one + 1) {
            if second.rank != first.rank || second.step != first.step {
                break;
            }
            let are_sends = first.action == Action::Send && second.action == Action::Send;
            let is_same = first.from.buffer == second.from.buffer && first.count == second.count;
            if are_sends && is_same && is_pair(first, second) {
                return Some((one, other));
            }
        }
    }
    None
}

/// Returns a send of a chunk that arrived in an earlier step, and the receive of this send at its peer.
fn forwarded(operations: &[Operation]) -> Option<(usize, usize)> {
    for (send, operation) in operations.iter().enumerate() {
        let writes = |earlier: &Operation| {
            earlier.rank == operation.rank
                && earlier.step < operation.step
                && matches!(earlier.action, Action::Receive | Action::Add)
                && earlier.to.buffer == operation.from.buffer
                && earlier.to.offset < operation.from.offset + operation.count
                && operation.from.offset < earlier.to.offset + earlier.count
        };
        if operation.action == Action::Send && operations[..send].iter().any(writes) {
            return Some((send, receive_of(operations, send)?));
        }
    }
    None
}

/// Returns the receive of a send: both have the same number among the transfers of their pair in their step.
fn receive_of(operations: &[Operation], send: usize) -> Option<usize> {
    let Operation { rank, step, peer, .. } = operations[send];
    let is_of = |operation: &Operation, action, rank, peer| {
        operation.action == action && operation.rank == rank && operation.peer == peer && operation.step == step
    };
    let number = operations[..send].iter().filter(|earlier| is_of(earlier, Action::Send, rank, peer)).count();
    let mut receives = operations.iter().enumerate().filter(|(_, other)| is_of(other, Action::Receive, peer, rank));
    receives.nth(number).map(|(receive, _)| receive)
}

/// Moves a transfer into a new first step, before the chunk has arrived.
fn send_first(operations: &mut [Operation], send: usize, receive: usize) {
    for (index, operation) in operations.iter_mut().enumerate() {
        operation.step = if index == send || index == receive { 0 } else { operation.step + 1 };
    }
    operations.sort_by_key(|operation| (operation.rank, operation.step));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(rank: usize, step: usize, action: Action, peer: usize, offset: usize) -> Operation {
        let place = |buffer: &str| Place { buffer: buffer.to_owned(), offset };
        let (from, to) = (place("output"), place("output"));
        Operation { rank, step, action, peer, tag: 0, from, to, count: 1 }
    }

    /// Rank 0 sends chunks 0 and 1 to ranks 1 and 2, and rank 1 forwards chunk 0 to rank 2.
    fn plan() -> Vec<Operation> {
        vec![
            operation(0, 0, Action::Send, 1, 0),
            operation(0, 0, Action::Send, 2, 1),
            operation(1, 0, Action::Receive, 0, 0),
            operation(1, 1, Action::Send, 2, 0),
            operation(2, 0, Action::Receive, 0, 1),
            operation(2, 1, Action::Receive, 1, 0),
        ]
    }

    #[test]
    fn two_sends_of_a_step_exchange_their_offsets_or_their_peers() {
        let mut swapped = plan();
        assert!(spoil(&mut swapped, Fault::SwappedOffsets, 3));
        assert_eq!((swapped[0].from.offset, swapped[1].from.offset), (1, 0));
        let mut wrong = plan();
        assert!(spoil(&mut wrong, Fault::WrongPeer, 3));
        assert_eq!((wrong[0].peer, wrong[1].peer), (2, 1));
    }

    #[test]
    fn a_forwarded_chunk_is_sent_and_received_before_it_arrives() {
        let mut early = plan();
        assert!(spoil(&mut early, Fault::MissingDependency, 3));
        let steps: Vec<(usize, usize, usize)> = early.iter().map(|one| (one.rank, one.step, one.peer)).collect();
        assert_eq!(steps, [(0, 1, 1), (0, 1, 2), (1, 0, 2), (1, 1, 0), (2, 0, 1), (2, 1, 0)]);
    }

    #[test]
    fn a_single_send_has_no_offsets_to_swap_but_gets_a_wrong_peer() {
        let mut single = vec![operation(0, 0, Action::Send, 1, 0), operation(1, 0, Action::Receive, 0, 0)];
        assert!(!spoil(&mut single, Fault::SwappedOffsets, 3));
        assert!(!spoil(&mut single, Fault::MissingDependency, 3));
        assert!(!spoil(&mut single.clone(), Fault::WrongPeer, 2));
        assert!(spoil(&mut single, Fault::WrongPeer, 3));
        assert_eq!(single[0].peer, 2);
    }
}
