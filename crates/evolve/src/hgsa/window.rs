//! The steps that are left to a channel of a path.

/// The steps, from 0, in which a channel can carry a message: the published equations 2 and 3.
///
/// A channel that is the `O`-th of a path of length `L` carries the message in one of the steps `O..=S - (L - O)`,
/// counted from 1, because `O - 1` channels come before it and `L - O` behind it. The second line of equation 3 (step 1
/// for `O = 1`) is not a separate rule. Where a channel carries one message of its tail, as in an all-gather, no other
/// message can use step 1. Elsewhere that message may be sent later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Window {
    /// The step after the last one. It is the first field because windows are sorted by it.
    pub(super) end: u32,
    pub(super) first: u32,
}
