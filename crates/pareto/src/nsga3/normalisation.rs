//! Normalisation of a front by the intercepts of its extreme points.

use crate::costs::Costs;
use crate::options::EqualPoints;
use crate::ranks::front;

/// Weight of the other objectives in the achievement function of one objective.
const OTHER_WEIGHT: f64 = 1e-6;
/// Smallest accepted intercept, as a fraction of the greatest cost along the axis.
const MIN_INTERCEPT: f64 = 1e-6;

/// Returns the points relative to the ideal point, divided by the length of each axis.
pub(crate) fn normalised(costs: &Costs, ideal: &[f64]) -> Costs {
    let dimension = costs.dimension();
    // Costs are clipped at 0, because an ideal point from a file may be worse than some points.
    let beyond =
        |row: &[f64]| -> Vec<f64> { row.iter().zip(ideal).map(|(cost, least)| (cost - least).max(0.0)).collect() };
    let costs = Costs::new(dimension, costs.rows().flat_map(beyond).collect());
    let axes = axis_lengths(&costs);
    let entries = costs.rows().flat_map(|row| row.iter().zip(&axes).map(|(cost, axis)| cost / axis)).collect();
    Costs::new(dimension, entries)
}

/// Returns the length of each axis, which is positive.
///
/// If the hyperplane does not exist or does not meet an axis, each length is the greatest cost of the first front, of
/// all points, or 1.
fn axis_lengths(costs: &Costs) -> Vec<f64> {
    let dimension = costs.dimension();
    let all: Vec<usize> = (0..costs.len()).collect();
    let greatest = |places: &[usize]| (0..dimension).map(|axis| costs.range(axis, places)[1]).collect::<Vec<f64>>();
    let of_all = greatest(&all);
    let extremes: Vec<usize> = (0..dimension).map(|axis| extreme_point(costs, axis)).collect();
    let plane = intercepts(&costs.select(&extremes));
    let long_enough =
        |axes: &Vec<f64>| axes.iter().zip(&of_all).all(|(&axis, &most)| axis > MIN_INTERCEPT * most && axis > 0.0);
    plane.filter(long_enough).unwrap_or_else(|| {
        let of_front = greatest(&front(costs, EqualPoints::Remove));
        let longest = |(&first, &all): (&f64, &f64)| [first, all].into_iter().find(|&axis| axis > 0.0).unwrap_or(1.0);
        of_front.iter().zip(&of_all).map(longest).collect()
    })
}

/// Returns the extreme point of an axis: the point with the smallest achievement value. Ties go to the first.
fn extreme_point(costs: &Costs, axis: usize) -> usize {
    let achievement = |place: usize| {
        let weighted = |(objective, cost): (usize, &f64)| if objective == axis { *cost } else { cost / OTHER_WEIGHT };
        costs.row(place).iter().enumerate().map(weighted).fold(0.0, f64::max)
    };
    let better = |one: &usize, other: &usize| achievement(*one).total_cmp(&achievement(*other));
    (0..costs.len()).min_by(better).expect("there is a point")
}

/// Returns the intercepts of the hyperplane through one point per axis. `None` if the hyperplane does not exist or does
/// not meet the positive half of each axis. O(m³) for `m` objectives.
fn intercepts(points: &Costs) -> Option<Vec<f64>> {
    let size = points.dimension();
    // The points are the rows of a linear system with right side 1, solved by Gaussian elimination.
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
    // A division by zero shows in the result.
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
    fn intercepts_match_the_equation_of_the_plane() {
        // x/2 + y/4 + z/8 = 1
        let on_plane = [[1.0, 1.0, 2.0], [0.5, 1.0, 4.0], [1.0, 0.0, 4.0]];
        let axes = intercepts(&costs(&on_plane)).expect("three points in general position");
        for (axis, expected) in axes.iter().zip([2.0, 4.0, 8.0]) {
            assert!((axis - expected).abs() < 1e-9, "{axes:?}");
        }
    }

    #[test]
    fn degenerate_planes_have_no_intercepts() {
        assert_eq!(intercepts(&costs(&[[1.0, 2.0, 3.0]; 3])), None);
        assert_eq!(intercepts(&costs(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])), None);
        assert_eq!(intercepts(&costs(&[[3.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 3.0]])), None);
    }

    #[test]
    fn extreme_points_are_normalised_to_unit_vectors() {
        let front = [[5.0, 1.0, 7.0], [1.0, 3.0, 7.0], [1.0, 1.0, 15.0], [2.0, 2.0, 9.0]];
        let normalised = normalised(&costs(&front), &[1.0, 1.0, 7.0]);
        assert_eq!(normalised, costs(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.25, 0.5, 0.25]]));
    }

    #[test]
    fn axes_without_extent_are_not_scaled() {
        let flat = [[0.0, 2.0, 1.0], [4.0, 0.0, 1.0]];
        assert_eq!(normalised(&costs(&flat), &[0.0, 0.0, 1.0]), costs(&[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]));
    }
}
