//! Tours of a line.

use super::axis_tours::{AxisTours, Move, Tour, matchings};

/// Returns the tours of a line of `side` nodes, 2 or more.
///
/// With `m` half of the side, rounded up, *vertex* `c` has the positions `L(c) = m - 1 - c` and `R(c) = m + c`, at the same
/// distance from the middle. Two vertices in an order, `a` and `b`, make the tour of the moves from `L(b)` to `R(a)`, from `R(b)`
/// to `L(a)`, from `L(a)` to `L(b)` and from `R(a)` to `R(b)`. One move of each direction crosses the middle, and the other two
/// stay in one half each. So all ordered pairs have every move between two vertices once. Every matching of the vertices
/// makes two classes, one per order.
///
/// A line of odd side is one of `2 m` positions without `R(0)`. The two moves that meet there become one.
///
/// On a line of even side, the two moves between the positions of a vertex are left. They are a tour. If `m` is even, it goes
/// together with the moves of no hop at another vertex, and such tours make two more classes. If `m` is odd, every matching
/// leaves one vertex, whose tour completes one of the two classes.
///
/// If `m` is odd, the moves of no hop at the vertex that a matching leaves may complete a class too: with `rests`, they complete
/// one that has no other tour there.
///
/// Takes `O(side^2)` time and memory.
pub(super) fn line_tours(side: u32, rests: bool) -> AxisTours {
    let half = side.div_ceil(2);
    let line = Line { half, is_odd: side % 2 == 1 };
    let mut classes: Vec<Vec<Tour>> = Vec::new();
    for (place, matching) in (0..).zip(matchings(half)) {
        for is_reversed in [false, true] {
            let ordered = |&(a, b): &(u32, u32)| if is_reversed { line.pair(b, a) } else { line.pair(a, b) };
            let mut class: Vec<Tour> = matching.iter().map(ordered).collect();
            // A matching of an odd number of vertices leaves the one with its number.
            if half % 2 == 1 && !is_reversed && !line.is_odd {
                class.push(line.crossing(place));
            }
            if half % 2 == 1 && is_reversed && rests {
                class.push(line.rest(place));
            }
            classes.push(class);
        }
    }
    if side.is_multiple_of(4) {
        let halfway = |crossing: u32, resting: u32| [line.crossing(crossing), line.rest(resting)].concat();
        classes.push((0..half).step_by(2).map(|vertex| halfway(vertex, vertex + 1)).collect());
        classes.push((0..half).step_by(2).map(|vertex| halfway(vertex + 1, vertex)).collect());
    }
    classes.retain(|class| !class.is_empty());
    AxisTours { side, classes: [classes, Vec::new()], has_rests: side.is_multiple_of(4) || half % 2 == 1 && rests }
}

/// The vertices of a line.
struct Line {
    half: u32,
    is_odd: bool,
}

impl Line {
    /// Returns the positions of a vertex; they are the same at the middle of a line of odd side.
    fn positions(&self, vertex: u32) -> [u32; 2] {
        [self.half - 1 - vertex, self.half + vertex - u32::from(self.is_odd)]
    }

    fn moved([start, end]: [u32; 2]) -> Move {
        Move { start, hops: end.cast_signed() - start.cast_signed() }
    }

    fn pair(&self, a: u32, b: u32) -> Tour {
        let ([left_a, right_a], [left_b, right_b]) = (self.positions(a), self.positions(b));
        let ends: &[[u32; 2]] = if self.is_odd && a == 0 {
            &[[left_b, right_b], [right_b, left_a], [left_a, left_b]]
        } else if self.is_odd && b == 0 {
            &[[left_b, right_a], [left_a, left_b], [right_a, left_a]]
        } else {
            &[[left_b, right_a], [right_b, left_a], [left_a, left_b], [right_a, right_b]]
        };
        ends.iter().map(|&ends| Self::moved(ends)).collect()
    }

    /// Returns the moves between the positions of a vertex.
    fn crossing(&self, vertex: u32) -> Tour {
        let [left, right] = self.positions(vertex);
        vec![Self::moved([left, right]), Self::moved([right, left])]
    }

    /// Returns the moves of no hop at the positions of a vertex.
    fn rest(&self, vertex: u32) -> Tour {
        let mut positions = self.positions(vertex).to_vec();
        positions.dedup();
        positions.into_iter().map(|position| Self::moved([position, position])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis_tours::testing::check_tours;
    use super::*;

    #[test]
    fn every_move_is_in_one_tour_and_every_tour_uses_every_channel_at_most_once() {
        for (side, rests) in (2..40).flat_map(|side| [(side, false), (side, true)]) {
            check_tours(&line_tours(side, rests), |tour, _| {
                let mut used = vec![0; 2 * side as usize];
                for moved in tour {
                    let end = moved.start.strict_add_signed(moved.hops);
                    for channel in moved.start.min(end)..moved.start.max(end) {
                        used[2 * channel as usize + usize::from(moved.hops < 0)] += 1;
                    }
                }
                assert!(used.iter().all(|&uses| uses <= 1), "side {side}: {tour:?}");
            });
        }
    }
}
