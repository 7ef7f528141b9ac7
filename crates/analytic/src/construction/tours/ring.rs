//! Tours of a ring.

use super::axis_tours::{AxisTours, Move, Tour, matchings};

/// Returns the tours of a ring of `side` nodes, 2 or more.
///
/// With `m` half of the side, rounded up, the positions `v` and `v + m` are the *vertex* `v`. Two vertices `s < t` make
/// the tour `s, t, s + m, t + m`. Its moves have `t - s` and `m - (t - s)` hops, both twice. So all pairs of vertices
/// together have every move of 1 to `m - 1` hops once. A class is a matching of the vertices.
///
/// A ring of odd side is one of `2 m` positions without the last one. The two moves that meet there become one.
///
/// On a ring of even side, the moves of `m` hops are left. The two from a vertex are a tour. If `m` is even, a tour
/// goes together with the moves of no hop at another vertex, and such tours make one more class. If `m` is odd, every
/// matching leaves one vertex, whose tour completes the class. Half of these tours go forwards, the others backwards.
///
/// If `m` is odd, the moves of no hop at the vertex that a matching leaves may complete a class too: with `rests`, they
/// complete those classes that have no other tour there.
///
/// Takes `O(side^2)` time and memory.
pub(super) fn ring_tours(side: u32, rests: bool) -> AxisTours {
    let half = side.div_ceil(2);
    let pairs = |pairs: &[(u32, u32)]| -> Vec<Tour> { pairs.iter().map(|&pair| tour(side, pair)).collect() };
    let mut forwards: Vec<Vec<Tour>> = matchings(half).iter().map(|matching| pairs(matching)).collect();
    let of_vertex = |vertex: u32, hops: u32| -> Tour {
        let starts = [vertex, vertex + half].into_iter().filter(|&start| start < side);
        starts.map(|start| Move { start, hops: hops.cast_signed() }).collect()
    };
    if side.is_multiple_of(4) {
        let halfway = |vertex: u32| [of_vertex(vertex, half), of_vertex(vertex + 1, 0)].concat();
        forwards.push((0..half).step_by(2).map(halfway).collect());
    }
    let mut backwards = forwards.clone();
    if half % 2 == 1 {
        for vertex in 0..half {
            let mirrored = (side - 1 - vertex) % half;
            let is_forward = vertex <= half / 2;
            let places = [(&mut forwards, vertex, is_forward), (&mut backwards, mirrored, !is_forward)];
            for (classes, vertex, is_halfway) in places {
                let hops = if is_halfway { half } else { 0 };
                if if is_halfway { side.is_multiple_of(2) } else { rests } {
                    classes[vertex as usize].push(of_vertex(vertex, hops));
                }
            }
        }
    }
    for class in &mut backwards {
        for moved in class.iter_mut().flatten() {
            *moved = Move { start: side - 1 - moved.start, hops: -moved.hops };
        }
    }
    let mut classes = [forwards, backwards];
    for classes in &mut classes {
        classes.retain(|class| !class.is_empty());
    }
    let has_rests = side.is_multiple_of(4) || half % 2 == 1 && rests;
    AxisTours { side, classes, has_rests }
}

/// Returns the tour of two vertices, in ascending order.
fn tour(side: u32, (first, second): (u32, u32)) -> Tour {
    let half = side.div_ceil(2);
    let starts: Vec<u32> = [first, second, first + half, second + half].into_iter().filter(|&at| at < side).collect();
    let ends = starts.iter().cycle().skip(1);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, &end)| Move { start, hops: ((end + side - start) % side).cast_signed() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::axis_tours::testing::check_tours;
    use super::*;

    #[test]
    fn every_move_is_in_one_tour_and_every_tour_uses_every_channel_once() {
        for (side, rests) in (2..40).flat_map(|side| [(side, false), (side, true)]) {
            check_tours(&ring_tours(side, rests), |tour, direction| {
                let hops: i32 = tour.iter().map(|moved| moved.hops).sum();
                assert!(hops == 0 || hops.unsigned_abs() == side, "side {side}: {tour:?}");
                for moved in tour {
                    assert!(moved.hops == 0 || (moved.hops > 0) == (direction == 0), "{moved:?}");
                    assert!(moved.hops.unsigned_abs() <= side / 2, "side {side}: {moved:?}");
                }
            });
        }
    }
}
