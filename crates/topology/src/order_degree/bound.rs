//! The Moore-type lower bound on distances.

/// Computes the Moore-type lower bound on the sum of distances over ordered pairs of nodes, in any graph of this order
/// and maximum degree.
///
/// A node has at most `degree` nodes at distance 1, and at most `degree * (degree - 1)^(d - 1)` at distance `d`.
/// Returns `None` if no such graph is connected, or if the bound exceeds `u64::MAX`. Takes `O(D)` time if the bound
/// allows diameter `D`.
///
/// ```
/// use lockstep_topology::distance_sum_bound;
///
/// assert_eq!(distance_sum_bound(32, 4), Some(2_336));
/// assert_eq!(distance_sum_bound(32, 1), None);
/// ```
///
/// # Source
///
/// Cerf, Cowan, Mullin, Stanton, *A lower bound on the average shortest path length in regular graphs*, Networks 4
/// (1974).
pub fn distance_sum_bound(order: u64, degree: u64) -> Option<u64> {
    node_bound(order, degree)?.checked_mul(order)
}

/// Computes the same bound for the distances from one node.
pub(super) fn node_bound(order: u64, degree: u64) -> Option<u64> {
    let mut left = order.saturating_sub(1);
    match degree {
        0 | 1 => return (left <= degree).then_some(left),
        // Two nodes at each distance, and one at the last if the number of other nodes is odd.
        2 => return (left / 2 + left % 2).checked_mul(left / 2 + 1),
        _ => {}
    }
    let (mut sum, mut ring) = (0u64, degree);
    for distance in 1.. {
        let here = ring.min(left);
        sum = sum.checked_add(here.checked_mul(distance)?)?;
        left -= here;
        if left == 0 {
            break;
        }
        ring = ring.saturating_mul(degree - 1);
    }
    Some(sum)
}
