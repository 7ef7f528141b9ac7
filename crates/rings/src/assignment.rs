//! Potentials of the assignment problem.

/// Stands for an edge that does not exist, and is larger than all sums of costs.
const ABSENT: i64 = 1 << 40;

/// Returns whole numbers `u` and `v` with `u[i] + v[j] <= cost(i, j)` for all `i != j` with a cost, and the largest sum of all of them.
///
/// Costs are below 2^20 in absolute value. Without a perfect matching, the potentials are large; they hold nevertheless. Takes `O(n^3)`
/// time.
///
/// # Source
///
/// Kuhn, *The Hungarian method for the assignment problem*, Naval Research Logistics Quarterly 2 (1955); shortest augmenting paths as in
/// Jonker and Volgenant, *Computing* 38 (1987).
pub(crate) fn potentials(count: usize, cost: impl Fn(usize, usize) -> Option<i64>) -> (Vec<i64>, Vec<i64>) {
    let cost = |row: usize, column: usize| if row == column { ABSENT } else { cost(row, column).unwrap_or(ABSENT) };
    // Row and column 0 are artificial.
    let (mut u, mut v) = (vec![0i64; count + 1], vec![0i64; count + 1]);
    let mut row_of = vec![0usize; count + 1];
    for row in 1..=count {
        row_of[0] = row;
        let mut column = 0;
        let mut least = vec![i64::MAX; count + 1];
        let mut before = vec![0usize; count + 1];
        let mut is_used = vec![false; count + 1];
        loop {
            is_used[column] = true;
            let (at, mut delta, mut next) = (row_of[column], i64::MAX, 0);
            for other in (1..=count).filter(|&other| !is_used[other]) {
                let reduced = cost(at - 1, other - 1) - u[at] - v[other];
                if reduced < least[other] {
                    (least[other], before[other]) = (reduced, column);
                }
                if least[other] < delta {
                    (delta, next) = (least[other], other);
                }
            }
            for other in 0..=count {
                if is_used[other] {
                    u[row_of[other]] += delta;
                    v[other] -= delta;
                } else if least[other] < i64::MAX {
                    least[other] -= delta;
                }
            }
            column = next;
            if row_of[column] == 0 {
                break;
            }
        }
        while column > 0 {
            let earlier = before[column];
            row_of[column] = row_of[earlier];
            column = earlier;
        }
    }
    (u.split_off(1), v.split_off(1))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// The least cost of a permutation without fixed points, by trying all.
    fn least(cost: &[Vec<i64>], row: usize, used: &mut Vec<bool>) -> i64 {
        let count = cost.len();
        if row == count {
            return 0;
        }
        let mut best = i64::MAX / 2;
        for column in (0..count).filter(|&column| column != row) {
            if !used[column] {
                used[column] = true;
                best = best.min(cost[row][column] + least(cost, row + 1, used));
                used[column] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn the_sum_of_potentials_is_the_least_cost(cost in (2..6usize).prop_flat_map(|n| vec(vec(-9..9i64, n), n))) {
            let count = cost.len();
            let (u, v) = potentials(count, |row, column| Some(cost[row][column]));
            for row in 0..count {
                for column in (0..count).filter(|&column| column != row) {
                    prop_assert!(u[row] + v[column] <= cost[row][column]);
                }
            }
            let sum: i64 = u.iter().chain(&v).sum();
            prop_assert_eq!(sum, least(&cost, 0, &mut vec![false; count]));
        }
    }
}
