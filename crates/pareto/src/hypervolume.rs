//! Hypervolume, and the contribution of each point to it.

use crate::costs::Costs;
use crate::options::EqualPoints;
use crate::ranks::{front, lexicographic};
use crate::staircase::Staircase;

/// Costs of up to three objectives. Missing objectives are 0, or 1 in a reference point.
type Solid = [f64; 3];

/// Computes the volume that the points dominate, bounded by a reference point.
///
/// Points that are not below the reference point in all objectives are ignored. The order of the points does not change
/// the result. O(n log n) for up to three objectives. Each further objective multiplies the time by at most n.
///
/// # Source
///
/// Up to three objectives: a sweep along the third one over a staircase in the other two. Beume, Fonseca, López-Ibáñez,
/// Paquete and Vahrenhold, *On the complexity of computing the hypervolume indicator*, IEEE Transactions on
/// Evolutionary Computation 13(5), 2009. More objectives: exclusive volumes per slice. While, Bradstreet and Barone, *A
/// fast way of calculating exact hypervolumes*, IEEE Transactions on Evolutionary Computation 16(1), 2012.
pub(crate) fn volume(costs: &Costs, reference: &[f64]) -> f64 {
    let costs = costs.select(&inside(costs, reference));
    if reference.len() <= 3 {
        let corner = solid(reference, 1.0);
        return swept(costs.rows().map(|row| solid(row, 0.0)).collect(), corner);
    }
    let costs = costs.select(&front(&costs, EqualPoints::Remove));
    // The last objective comes first, so that all points of a slice agree in it.
    let reversed: Vec<f64> = costs.rows().flat_map(|row| row.iter().rev()).copied().collect();
    let reversed = Costs::new(reference.len(), reversed);
    let (last, base) = reference.split_last().expect("there is an objective");
    let base: Vec<f64> = base.iter().rev().copied().collect();
    let mut earlier: Vec<usize> = Vec::new();
    let mut volume = 0.0;
    for place in lexicographic(&reversed) {
        let (height, point) = reversed.row(place).split_first().expect("there is an objective");
        volume += (last - height) * exclusive(point, earlier.iter().map(|&other| &reversed.row(other)[1..]), &base);
        earlier.push(place);
    }
    volume
}

/// Computes the contribution of each point: the volume that only this point dominates. It is never negative.
///
/// O(n² log n) for up to three objectives, and usually O(n²), because a sweep ends where the other points cover the
/// point. Otherwise n times the time of [`volume`].
pub(crate) fn contributions(costs: &Costs, reference: &[f64]) -> Vec<f64> {
    let mut contributions = vec![0.0; costs.len()];
    let inside = inside(costs, reference);
    if reference.len() <= 3 {
        let mut points: Vec<(Solid, usize)> =
            inside.iter().map(|&place| (solid(costs.row(place), 0.0), place)).collect();
        points.sort_unstable_by(|(one, first), (other, second)| by_height(one, other).then(first.cmp(second)));
        let corner = solid(reference, 1.0);
        let mut staircase = Staircase::new([0.0; 2], [1.0; 2]);
        for (number, &(_, place)) in points.iter().enumerate() {
            contributions[place] = contribution(&points, number, corner, &mut staircase);
        }
    } else {
        for &place in &inside {
            let others = inside.iter().filter(|&&other| other != place).map(|&other| costs.row(other));
            contributions[place] = exclusive(costs.row(place), others, reference).max(0.0);
        }
    }
    contributions
}

/// Returns the indices of the points below the reference point.
fn inside(costs: &Costs, reference: &[f64]) -> Vec<usize> {
    let is_inside = |row: &[f64]| row.iter().zip(reference).all(|(cost, limit)| cost < limit);
    costs.rows().enumerate().filter(|(_, row)| is_inside(row)).map(|(place, _)| place).collect()
}

/// Computes the volume that a point dominates and the others do not: its box without the part that the others cover.
fn exclusive<'a>(point: &[f64], others: impl Iterator<Item = &'a [f64]>, reference: &[f64]) -> f64 {
    let side: f64 = point.iter().zip(reference).map(|(cost, limit)| limit - cost).product();
    let clipped: Vec<f64> = others.flat_map(|other| point.iter().zip(other).map(|(a, b)| a.max(*b))).collect();
    side - volume(&Costs::new(reference.len(), clipped), reference)
}

/// Returns the first three costs of a row, with `missing` for those that do not exist.
fn solid(row: &[f64], missing: f64) -> Solid {
    [0, 1, 2].map(|objective| row.get(objective).copied().unwrap_or(missing))
}

/// Compares points in the order of a sweep along the third objective.
fn by_height(one: &Solid, other: &Solid) -> std::cmp::Ordering {
    let order = |objective: usize| one[objective].total_cmp(&other[objective]);
    order(2).then(order(0)).then(order(1))
}

/// Computes the volume that points dominate below a corner.
fn swept(mut points: Vec<Solid>, [right, upper, top]: Solid) -> f64 {
    points.sort_unstable_by(by_height);
    let mut staircase = Staircase::new([f64::NEG_INFINITY; 2], [right, upper]);
    let (mut volume, mut area, mut height) = (0.0, 0.0, top);
    for [x, y, z] in points {
        volume += area * (z - height);
        area += staircase.cover([x, y]);
        height = z;
    }
    volume + area * (top - height)
}

/// Computes the volume below a corner that only one of the points dominates. The points are sorted by height.
///
/// The rectangle of the point is swept upwards, and the others, clipped to it, cover it step by step.
fn contribution(
    points: &[(Solid, usize)],
    number: usize,
    [right, upper, top]: Solid,
    staircase: &mut Staircase,
) -> f64 {
    let ([left, lower, bottom], _) = points[number];
    staircase.reset([left, lower], [right, upper]);
    let (mut volume, mut area, mut height) = (0.0, (right - left) * (upper - lower), bottom);
    let others = points[..number].iter().chain(&points[number + 1..]);
    for &([x, y, z], _) in others {
        if z > height {
            volume += area * (z - height);
            height = z;
        }
        if x <= left && y <= lower {
            return volume;
        }
        area -= staircase.cover([x.max(left), y.max(lower)]);
    }
    // Rounding may make an almost covered rectangle slightly negative.
    (volume + area * (top - height)).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::costs;

    /// Counts the dominated unit cubes of integer costs from 0 to a reference point.
    fn counted(costs: &Costs, reference: u32) -> f64 {
        let dimension = costs.dimension() as u32;
        let is_covered = |cube: &u32| {
            let corner = |objective: usize| f64::from(cube / reference.pow(objective as u32) % reference);
            costs.rows().any(|row| row.iter().enumerate().all(|(objective, &cost)| cost <= corner(objective)))
        };
        (0..reference.pow(dimension)).filter(is_covered).count() as f64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn volume_of_integer_costs_is_the_number_of_dominated_unit_cubes(costs in costs(1..=5, 12), reference in 1..7u32) {
            let corner = vec![f64::from(reference); costs.dimension()];
            prop_assert!((volume(&costs, &corner) - counted(&costs, reference)).abs() < 1e-9);
        }

        #[test]
        fn contribution_is_the_volume_lost_without_the_point(costs in costs(1..=5, 10), reference in 1..7u32) {
            let corner = vec![f64::from(reference); costs.dimension()];
            let whole = volume(&costs, &corner);
            for (place, contribution) in contributions(&costs, &corner).into_iter().enumerate() {
                let others: Vec<usize> = (0..costs.len()).filter(|&other| other != place).collect();
                let lost = whole - volume(&costs.select(&others), &corner);
                prop_assert!((contribution - lost).abs() < 1e-9, "{}: {} {}", place, contribution, lost);
            }
        }

        /// The bits are equal, not only the values up to rounding.
        #[test]
        fn order_of_points_does_not_change_the_volume(
            rows in prop::collection::vec(prop::array::uniform4(0.0..1.0f64), 0..12), dimension in 1..=4usize,
        ) {
            let of = |rows: &[[f64; 4]]| {
                let entries = rows.iter().flat_map(|row| row[..dimension].to_vec()).collect();
                volume(&Costs::new(dimension, entries), &vec![0.9; dimension]).to_bits()
            };
            let reversed: Vec<[f64; 4]> = rows.iter().rev().copied().collect();
            prop_assert_eq!(of(&rows), of(&reversed));
        }
    }
}
