//! Requests for paths.

/// A flow that needs a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PathRequest {
    /// Rank of the terminal at which the search starts.
    pub(super) root: u32,
    /// Access number of the sender; see [`TaskPlacement::access`](super::task_placement::TaskPlacement::access).
    pub(super) from: u32,
    /// Access number of the receiver.
    pub(super) to: u32,
    pub(super) flow: u32,
}

/// Splits sorted requests into groups with the same sender and receiver.
pub(super) fn by_pair(requests: &[PathRequest]) -> impl Iterator<Item = &[PathRequest]> {
    requests.chunk_by(|one, next| (one.from, one.to) == (next.from, next.to))
}
