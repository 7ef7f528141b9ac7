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

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Checks that no class has a common start, that the moves of every tour return to their starts, that every pair has one move,
    /// and that the number of tours that move is the number of messages that cross the busiest channel. Gives every tour and its direction to `check`.
    pub(in super::super) fn check_tours(tours: &AxisTours, mut check: impl FnMut(&Tour, usize)) {
        let side = tours.side;
        let end = |moved: &Move| (i64::from(moved.start) + i64::from(moved.hops)).rem_euclid(i64::from(side)) as u32;
        let mut count = vec![0; (side * side) as usize];
        let mut moving = 0;
        for (direction, class) in
            (0..).zip(&tours.classes).flat_map(|(at, classes)| classes.iter().map(move |class| (at, class)))
        {
            let mut starts: Vec<u32> = class.iter().flatten().map(|moved| moved.start).collect();
            let all = starts.len();
            starts.sort_unstable();
            starts.dedup();
            assert_eq!(starts.len(), all, "side {side}: a class has a common start");
            for tour in class {
                let mut starts: Vec<u32> = tour.iter().map(|moved| moved.start).collect();
                let mut ends: Vec<u32> = tour.iter().map(end).collect();
                starts.sort_unstable();
                ends.sort_unstable();
                assert_eq!(starts, ends, "side {side}");
                for moved in tour {
                    count[(moved.start * side + end(moved)) as usize] += 1;
                }
                moving += u32::from(tour.iter().any(|moved| moved.hops != 0));
                check(tour, direction);
            }
        }
        for (pair, count) in (0..).zip(count) {
            let is_rest = pair / side == pair % side;
            assert_eq!(count, u32::from(!is_rest || tours.has_rests), "side {side}, pair {pair}");
        }
        assert_eq!(moving, side * side / 4, "side {side}");
    }
}
