//! Evenly spread reference directions.

use crate::costs::Costs;

/// Returns at most `most` directions of length 1, but at least one per objective.
///
/// The directions point to a lattice on the simplex. If no lattice with inner points is small enough, a second lattice
/// of half the size lies inside the first. O(m·n) for `n` directions and `m` objectives.
///
/// # Source
///
/// Das and Dennis, *Normal-boundary intersection: a new method for generating the Pareto surface in nonlinear
/// multicriteria optimization problems*, SIAM Journal on Optimization 8(3), 1998. Two layers: Deb and Jain, *An
/// evolutionary many-objective optimization algorithm using reference-point-based nondominated sorting approach, part
/// I*, IEEE Transactions on Evolutionary Computation 18(4), 2014, section V.
pub(crate) fn reference_directions(objectives: usize, most: usize) -> Costs {
    let outer = divisions(objectives, most).max(1);
    let mut entries = lattice(objectives, outer);
    if outer < objectives {
        let rest = most.saturating_sub(entries.len() / objectives);
        let centre = 1.0 / objectives as f64;
        let inner = lattice(objectives, divisions(objectives, rest));
        entries.extend(inner.into_iter().map(|share| f64::midpoint(share, centre)));
    }
    for direction in entries.chunks_exact_mut(objectives) {
        let length = direction.iter().map(|share| share * share).sum::<f64>().sqrt();
        for share in direction {
            *share /= length;
        }
    }
    Costs::new(objectives, entries)
}

/// Returns the number of divisions per edge of the finest lattice of at most `most` points, or 0 if there is none.
fn divisions(objectives: usize, most: usize) -> usize {
    if objectives == 1 {
        return usize::from(most > 0);
    }
    let (mut divisions, mut points) = (0, 1);
    loop {
        // A lattice has `divisions + objectives - 1` over `divisions` points.
        points = points * (divisions + objectives) / (divisions + 1);
        if points > most {
            return divisions;
        }
        divisions += 1;
    }
}

/// Returns all points whose coordinates are multiples of `1 / divisions` and sum to 1, row by row. Empty for 0
/// divisions.
fn lattice(objectives: usize, divisions: usize) -> Vec<f64> {
    let mut entries = Vec::new();
    if divisions == 0 {
        return entries;
    }
    let mut parts = vec![0; objectives];
    parts[objectives - 1] = divisions;
    loop {
        entries.extend(parts.iter().map(|&part| part as f64 / divisions as f64));
        // The next point in lexicographic order: one part moves forwards, the rest moves to the end.
        let Some(giver) = (1..objectives).rev().find(|&place| parts[place] > 0) else { return entries };
        let rest = std::mem::take(&mut parts[giver]);
        parts[giver - 1] += 1;
        parts[objectives - 1] = rest - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_has_each_point_once() {
        assert_eq!(lattice(2, 2), [0.0, 1.0, 0.5, 0.5, 1.0, 0.0]);
        // Binomial coefficients: divisions + objectives - 1 over divisions.
        for (objectives, divisions, points) in [(1, 1, 1), (2, 7, 8), (3, 4, 15), (4, 3, 20), (6, 2, 21)] {
            assert_eq!(super::divisions(objectives, points), divisions);
            assert_eq!(super::divisions(objectives, points - 1), divisions - 1);
            let entries = lattice(objectives, divisions);
            let rows: Vec<&[f64]> = entries.chunks_exact(objectives).collect();
            assert_eq!(rows.len(), points);
            assert!(rows.is_sorted_by(|one, other| one < other));
            for row in rows {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    /// Table I of Deb and Jain (2014): number of objectives, and of directions in one or two layers.
    #[test]
    fn numbers_of_directions_match_the_source() {
        for (objectives, directions) in [(3, 91), (5, 210), (8, 156), (10, 275), (15, 135)] {
            assert_eq!(reference_directions(objectives, directions).len(), directions);
        }
        assert_eq!([divisions(3, 91), divisions(5, 210), divisions(8, 156)], [12, 6, 3]);
    }

    #[test]
    fn each_objective_has_a_direction_and_the_limit_holds_otherwise() {
        for objectives in 1..=32 {
            for most in [1, 2, 5, 31, 100, 1000] {
                let directions = reference_directions(objectives, most);
                assert!(directions.len() <= most.max(objectives), "{objectives} {most}");
                for axis in 0..objectives {
                    assert!(directions.rows().any(|direction| direction[axis] > 0.999), "{objectives} {most}");
                }
            }
        }
    }
}
