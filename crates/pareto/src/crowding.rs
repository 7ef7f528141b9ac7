//! Crowding distance within a front.

use crate::costs::Costs;

/// Computes the crowding distance of each point of a front.
///
/// It is the sum, over all objectives, of the distance between the two neighbours divided by the range. It is infinite
/// for the first and last point of an objective, unless all points are equal in that objective. O(m·n log n) for `n`
/// points and `m` objectives.
///
/// # Source
///
/// Deb, Pratap, Agarwal and Meyarivan, *A fast and elitist multiobjective genetic algorithm: NSGA-II*, IEEE
/// Transactions on Evolutionary Computation 6(2), 2002, section III-B.
pub(crate) fn crowding(costs: &Costs, places: &[usize]) -> Vec<f64> {
    let mut crowding = vec![0.0; places.len()];
    let mut order: Vec<usize> = (0..places.len()).collect();
    for objective in 0..costs.dimension() {
        let [least, most] = costs.range(objective, places);
        if least >= most {
            continue;
        }
        let cost = |member: usize| costs.row(places[member])[objective];
        order.sort_unstable_by(|&one, &other| cost(one).total_cmp(&cost(other)).then(one.cmp(&other)));
        for neighbours in order.windows(3) {
            crowding[neighbours[1]] += (cost(neighbours[2]) - cost(neighbours[0])) / (most - least);
        }
        for end in [order[0], order[order.len() - 1]] {
            crowding[end] = f64::INFINITY;
        }
    }
    crowding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crowding_distance_is_the_gap_between_neighbours() {
        let front = Costs::new(2, vec![0.0, 10.0, 1.0, 6.0, 4.0, 5.0, 10.0, 0.0]);
        let crowding = crowding(&front, &[3, 2, 1, 0]);
        let expected = [f64::INFINITY, 0.9 + 0.6, 0.4 + 0.5, f64::INFINITY];
        for (one, other) in crowding.into_iter().zip(expected) {
            assert!((one - other).abs() < 1e-12 || one.total_cmp(&other).is_eq(), "{one} {other}");
        }
    }

    #[test]
    fn equal_points_have_crowding_distance_zero() {
        assert_eq!(crowding(&Costs::new(2, vec![3.0; 6]), &[0, 1, 2]), [0.0; 3]);
        assert!(crowding(&Costs::new(1, vec![]), &[]).is_empty());
    }
}
