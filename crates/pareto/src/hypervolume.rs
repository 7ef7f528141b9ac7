//! The volume that points dominate, and the part of it that is one point's alone.

use crate::costs::Costs;
use crate::options::EqualPoints;
use crate::ranks::{front, lexicographic};
use crate::stairs::Stairs;

/// A point of up to three objectives; missing ones are 0, and 1 in a reference point.
type Solid = [f64; 3];

/// The volume between the points and a reference point that they dominate. Points that are not below it in all
/// objectives have no part in it. The order of points changes no bit.
///
/// Time O(n log n) of up to three objectives; each further one multiplies it by n at worst.
///
/// Source: a sweep along the third objective over a staircase in the other two (Beume, Fonseca, López-Ibáñez, Paquete
/// and Vahrenhold, IEEE Transactions on Evolutionary Computation 13(5), 2009); beyond, exclusive volumes slice by slice
/// (While, Bradstreet and Barone, *A fast way of calculating exact hypervolumes*, the same 16(1), 2012).
pub(crate) fn volume(costs: &Costs, reference: &[f64]) -> f64 {
    let costs = costs.select(&inside(costs, reference));
    if reference.len() <= 3 {
        let corner = solid(reference, 1.0);
        return swept(costs.rows().map(|row| solid(row, 0.0)).collect(), corner);
    }
    let costs = costs.select(&front(&costs, EqualPoints::Remove));
    // The last objective first, so that within a slice it is the same for all.
    let turned: Vec<f64> = costs.rows().flat_map(|row| row.iter().rev()).copied().collect();
    let turned = Costs::new(reference.len(), turned);
    let (last, base) = reference.split_last().expect("there is an objective");
    let base: Vec<f64> = base.iter().rev().copied().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut volume = 0.0;
    for place in lexicographic(&turned) {
        let (height, point) = turned.row(place).split_first().expect("there is an objective");
        volume += (last - height) * exclusive(point, before.iter().map(|&other| &turned.row(other)[1..]), &base);
        before.push(place);
    }
    volume
}

/// The part of the volume that each point alone dominates: what would be lost without it. None is below 0.
///
/// Time O(n² log n) of up to three objectives, and usually O(n²), because a sweep over all others ends where they cover
/// the point; else n times that of [`volume`].
pub(crate) fn contributions(costs: &Costs, reference: &[f64]) -> Vec<f64> {
    let mut contributions = vec![0.0; costs.len()];
    let inside = inside(costs, reference);
    if reference.len() <= 3 {
        let mut points: Vec<(Solid, usize)> =
            inside.iter().map(|&place| (solid(costs.row(place), 0.0), place)).collect();
        points.sort_unstable_by(|(one, first), (other, second)| by_height(one, other).then(first.cmp(second)));
        let corner = solid(reference, 1.0);
        let mut stairs = Stairs::new([0.0; 2], [1.0; 2]);
        for (number, &(_, place)) in points.iter().enumerate() {
            contributions[place] = alone(&points, number, corner, &mut stairs);
        }
    } else {
        for &place in &inside {
            let others = inside.iter().filter(|&&other| other != place).map(|&other| costs.row(other));
            contributions[place] = exclusive(costs.row(place), others, reference).max(0.0);
        }
    }
    contributions
}

/// The places of the points below the reference point.
fn inside(costs: &Costs, reference: &[f64]) -> Vec<usize> {
    let is_inside = |row: &[f64]| row.iter().zip(reference).all(|(cost, limit)| cost < limit);
    costs.rows().enumerate().filter(|(_, row)| is_inside(row)).map(|(place, _)| place).collect()
}

/// The volume that a point dominates and the others do not: that of its box without what the others cover of it.
fn exclusive<'a>(point: &[f64], others: impl Iterator<Item = &'a [f64]>, reference: &[f64]) -> f64 {
    let side: f64 = point.iter().zip(reference).map(|(cost, limit)| limit - cost).product();
    let clipped: Vec<f64> = others.flat_map(|other| point.iter().zip(other).map(|(a, b)| a.max(*b))).collect();
    side - volume(&Costs::new(reference.len(), clipped), reference)
}

fn solid(row: &[f64], missing: f64) -> Solid {
    [0, 1, 2].map(|objective| row.get(objective).copied().unwrap_or(missing))
}

/// The order of a sweep along the third objective.
fn by_height(one: &Solid, other: &Solid) -> std::cmp::Ordering {
    let order = |objective: usize| one[objective].total_cmp(&other[objective]);
    order(2).then(order(0)).then(order(1))
}

/// The volume of points below a corner.
fn swept(mut points: Vec<Solid>, [right, upper, top]: Solid) -> f64 {
    points.sort_unstable_by(by_height);
    let mut stairs = Stairs::new([f64::NEG_INFINITY; 2], [right, upper]);
    let (mut volume, mut area, mut height) = (0.0, 0.0, top);
    for [x, y, z] in points {
        volume += area * (z - height);
        area += stairs.cover([x, y]);
        height = z;
    }
    volume + area * (top - height)
}

/// The volume that one of the points, which are sorted by height, alone dominates below a corner.
///
/// Its own rectangle is swept upwards: the others, clipped to it, cover it bit by bit.
fn alone(points: &[(Solid, usize)], number: usize, [right, upper, top]: Solid, stairs: &mut Stairs) -> f64 {
    let ([left, lower, bottom], _) = points[number];
    stairs.reset([left, lower], [right, upper]);
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
        area -= stairs.cover([x.max(left), y.max(lower)]);
    }
    // Rounding may leave less than nothing of a rectangle that the others all but cover.
    (volume + area * (top - height)).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::costs;

    /// The volume of whole costs from 0 up to a reference point, unit cube by unit cube.
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
        fn volumes_are_numbers_of_unit_cubes(costs in costs(1..=5, 12), reference in 1..7u32) {
            let corner = vec![f64::from(reference); costs.dimension()];
            prop_assert!((volume(&costs, &corner) - counted(&costs, reference)).abs() < 1e-9);
        }

        #[test]
        fn contributions_are_what_is_lost_without_a_point(costs in costs(1..=5, 10), reference in 1..7u32) {
            let corner = vec![f64::from(reference); costs.dimension()];
            let whole = volume(&costs, &corner);
            for (place, contribution) in contributions(&costs, &corner).into_iter().enumerate() {
                let others: Vec<usize> = (0..costs.len()).filter(|&other| other != place).collect();
                let lost = whole - volume(&costs.select(&others), &corner);
                prop_assert!((contribution - lost).abs() < 1e-9, "{}: {} {}", place, contribution, lost);
            }
        }

        /// Not only to rounding: scores of any kind give the same bits in any order.
        #[test]
        fn the_order_of_points_changes_no_bit(
            rows in prop::collection::vec(prop::array::uniform4(0.0..1.0f64), 0..12), dimension in 1..=4usize,
        ) {
            let of = |rows: &[[f64; 4]]| {
                let entries = rows.iter().flat_map(|row| row[..dimension].to_vec()).collect();
                volume(&Costs::new(dimension, entries), &vec![0.9; dimension]).to_bits()
            };
            let turned: Vec<[f64; 4]> = rows.iter().rev().copied().collect();
            prop_assert_eq!(of(&rows), of(&turned));
        }
    }
}
