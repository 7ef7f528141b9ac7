//! Tours of one axis, a ring or a line, in classes without a common start.

/// Some hops along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    /// The position before the move.
    pub(super) start: u32,
    /// Number of hops, negative backwards.
    pub(super) hops: i32,
}

/// Moves that use every channel of one direction of a ring once, or every channel of a line at most once. Their starts are their
/// ends.
pub(super) type Tour = Vec<Move>;

/// The tours of an axis, one list of classes for each direction of a ring: forwards, then backwards. The tours of a line use
/// both directions, and stand in the first list.
#[derive(Clone, Debug)]
pub(super) struct AxisTours {
    pub(super) side: u32,
    pub(super) classes: [Vec<Vec<Tour>>; 2],
    /// Whether the tours contain the moves of no hop.
    pub(super) has_rests: bool,
}

/// Returns matchings of `0..vertices` that contain every pair once: `vertices - 1` perfect matchings, or one for each
/// vertex that leaves this vertex alone if their number is odd.
pub(super) fn matchings(vertices: u32) -> Vec<Vec<(u32, u32)>> {
    let cycle = vertices - 1 + vertices % 2;
    let matching = |centre: u32| {
        let around =
            (1..=(cycle - 1) / 2).map(move |apart| ((centre + cycle - apart) % cycle, (centre + apart) % cycle));
        let last = (vertices > cycle).then_some((centre, cycle));
        around.chain(last).map(|(one, other)| (one.min(other), one.max(other))).collect()
    };
    (0..cycle).map(matching).collect()
}
