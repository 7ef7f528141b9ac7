//! How long the axes are: where the plane through the ends of a front meets them.

use crate::costs::Costs;
use crate::options::EqualPoints;
use crate::ranks::front;

/// The weight of the other objectives where one is looked at.
const OTHERS: f64 = 1e-6;
/// The shortest axis, as a share of the greatest cost along it.
const SHORTEST: f64 = 1e-6;

/// The points without what is unavoidable, in units of their axes.
pub(crate) fn scaled(costs: &Costs, ideal: &[f64]) -> Costs {
    let dimension = costs.dimension();
    // An ideal that is better than all points keeps them from being negative; one that was read from a file may not be.
    let beyond =
        |row: &[f64]| -> Vec<f64> { row.iter().zip(ideal).map(|(cost, least)| (cost - least).max(0.0)).collect() };
    let costs = Costs::new(dimension, costs.rows().flat_map(beyond).collect());
    let axes = axes(&costs);
    let entries = costs.rows().flat_map(|row| row.iter().zip(&axes).map(|(cost, axis)| cost / axis)).collect();
    Costs::new(dimension, entries)
}

/// The length of each axis, above 0.
///
/// Where the plane does not exist or does not meet an axis, an axis is as long as the greatest cost of the first front, of
/// all, or 1.
fn axes(costs: &Costs) -> Vec<f64> {
    let dimension = costs.dimension();
    let all: Vec<usize> = (0..costs.len()).collect();
    let greatest = |places: &[usize]| (0..dimension).map(|axis| costs.range(axis, places)[1]).collect::<Vec<f64>>();
    let of_all = greatest(&all);
    let extremes: Vec<usize> = (0..dimension).map(|axis| extreme(costs, axis)).collect();
    let plane = intercepts(&costs.select(&extremes));
    let long_enough =
        |axes: &Vec<f64>| axes.iter().zip(&of_all).all(|(&axis, &most)| axis > SHORTEST * most && axis > 0.0);
    plane.filter(long_enough).unwrap_or_else(|| {
        let of_front = greatest(&front(costs, EqualPoints::Remove));
        let longest = |(&first, &all): (&f64, &f64)| [first, all].into_iter().find(|&axis| axis > 0.0).unwrap_or(1.0);
        of_front.iter().zip(&of_all).map(longest).collect()
    })
}

/// The point that is farthest along an axis and costs least besides; the first of equals.
fn extreme(costs: &Costs, axis: usize) -> usize {
    let achievement = |place: usize| {
        let weighted = |(objective, cost): (usize, &f64)| if objective == axis { *cost } else { cost / OTHERS };
        costs.row(place).iter().enumerate().map(weighted).fold(0.0, f64::max)
    };
    let better = |one: &usize, other: &usize| achievement(*one).total_cmp(&achievement(*other));
    (0..costs.len()).min_by(better).expect("there is a point")
}

/// Where the plane through as many points as there are axes meets them; `None` if there is no such plane, or it misses
/// the positive half of an axis.
fn intercepts(points: &Costs) -> Option<Vec<f64>> {
    let size = points.dimension();
    // The points as rows of a system of equations whose right side is 1, solved by elimination.
    let mut rows: Vec<Vec<f64>> = points.rows().map(|row| [row, &[1.0]].concat()).collect();
    for column in 0..size {
        let by_size = |one: &usize, other: &usize| rows[*one][column].abs().total_cmp(&rows[*other][column].abs());
        let pivot = (column..size).max_by(by_size)?;
        rows.swap(column, pivot);
        let (done, rest) = rows.split_at_mut(column + 1);
        let pivot = &done[column];
        for row in rest {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(pivot).for_each(|(entry, of_pivot)| *entry -= factor * of_pivot);
        }
    }
    let mut inverse = vec![0.0; size];
    for line in (0..size).rev() {
        let known: f64 = (line + 1..size).map(|column| rows[line][column] * inverse[column]).sum();
        inverse[line] = (rows[line][size] - known) / rows[line][line];
    }
    // A division by zero on the way shows in the result.
    let axes: Vec<f64> = inverse.into_iter().map(f64::recip).collect();
    axes.iter().all(|axis| axis.is_finite() && *axis > 0.0).then_some(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(rows: &[[f64; 3]]) -> Costs {
        Costs::new(3, rows.concat())
    }

    #[test]
    fn a_plane_meets_the_axes_where_its_equation_says() {
        // x/2 + y/4 + z/8 = 1
        let on_plane = [[1.0, 1.0, 2.0], [0.5, 1.0, 4.0], [1.0, 0.0, 4.0]];
        let axes = intercepts(&costs(&on_plane)).expect("three points in general position");
        for (axis, expected) in axes.iter().zip([2.0, 4.0, 8.0]) {
            assert!((axis - expected).abs() < 1e-9, "{axes:?}");
        }
    }

    #[test]
    fn planes_through_the_origin_or_too_few_points_have_no_intercepts() {
        assert_eq!(intercepts(&costs(&[[1.0, 2.0, 3.0]; 3])), None);
        assert_eq!(intercepts(&costs(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])), None);
        assert_eq!(intercepts(&costs(&[[3.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 3.0]])), None);
    }

    #[test]
    fn extremes_of_a_front_become_units() {
        let front = [[5.0, 1.0, 7.0], [1.0, 3.0, 7.0], [1.0, 1.0, 15.0], [2.0, 2.0, 9.0]];
        let scaled = scaled(&costs(&front), &[1.0, 1.0, 7.0]);
        assert_eq!(scaled, costs(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.25, 0.5, 0.25]]));
    }

    #[test]
    fn axes_without_extent_are_left_alone() {
        let flat = [[0.0, 2.0, 1.0], [4.0, 0.0, 1.0]];
        assert_eq!(scaled(&costs(&flat), &[0.0, 0.0, 1.0]), costs(&[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]));
    }
}
