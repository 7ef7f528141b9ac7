//! Directions that are spread evenly among the objectives.

use crate::costs::Costs;

/// As many directions as there are individuals, or somewhat fewer, but one for each objective at least; each of length 1.
///
/// They lead to the points of a lattice on the simplex. Where not even a lattice with a point inside the simplex is small
/// enough, a second one, of half the size, lies within the first.
///
/// Source: Das and Dennis, *Normal-boundary intersection*, SIAM Journal on Optimization 8(3), 1998; two layers: Deb and
/// Jain, IEEE Transactions on Evolutionary Computation 18(4), 2014, section V.
pub(crate) fn spread(objectives: usize, most: usize) -> Costs {
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

/// The finest lattice of at most so many points: in how many parts it divides an edge of the simplex. 0 if there is none.
fn divisions(objectives: usize, most: usize) -> usize {
    if objectives == 1 {
        return usize::from(most > 0);
    }
    let (mut divisions, mut points) = (0, 1);
    loop {
        // There are `divisions + objectives - 1` over `divisions` points.
        points = points * (divisions + objectives) / (divisions + 1);
        if points > most {
            return divisions;
        }
        divisions += 1;
    }
}

/// All points whose coordinates are multiples of `1 / divisions` and add up to 1, row by row; none for 0 divisions.
fn lattice(objectives: usize, divisions: usize) -> Vec<f64> {
    let mut entries = Vec::new();
    if divisions == 0 {
        return entries;
    }
    let mut parts = vec![0; objectives];
    parts[objectives - 1] = divisions;
    loop {
        entries.extend(parts.iter().map(|&part| part as f64 / divisions as f64));
        // The next in lexicographic order: one part moves forwards, what is behind it goes to the end.
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
    fn lattices_have_all_points_once() {
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

    /// Table I of Deb and Jain (2014): objectives, and number of directions of one layer or two.
    #[test]
    fn numbers_of_directions_are_those_of_the_source() {
        for (objectives, directions) in [(3, 91), (5, 210), (8, 156), (10, 275), (15, 135)] {
            assert_eq!(spread(objectives, directions).len(), directions);
        }
        assert_eq!([divisions(3, 91), divisions(5, 210), divisions(8, 156)], [12, 6, 3]);
    }

    #[test]
    fn there_is_a_direction_for_each_objective_and_few_more_than_individuals() {
        for objectives in 1..=32 {
            for most in [1, 2, 5, 31, 100, 1000] {
                let directions = spread(objectives, most);
                assert!(directions.len() <= most.max(objectives), "{objectives} {most}");
                for axis in 0..objectives {
                    assert!(directions.rows().any(|direction| direction[axis] > 0.999), "{objectives} {most}");
                }
            }
        }
    }
}
