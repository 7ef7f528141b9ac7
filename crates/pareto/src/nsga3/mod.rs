//! NSGA-III: non-dominated sorting and reference directions.

mod niches;
mod normalisation;
mod reference_directions;

use rand_chacha::ChaCha8Rng;

use self::niches::{Association, Niches};
use self::normalisation::normalised;
use self::reference_directions::reference_directions;
use crate::costs::Costs;
use crate::ranks::{fronts, ranks};
use crate::score::invalid_score;
use crate::selection::Selection;

/// The state of [`SelectionAlgorithm::Nsga3`](crate::SelectionAlgorithm::Nsga3).
#[derive(Debug)]
pub(crate) struct Nsga3 {
    /// Reference directions of length 1.
    directions: Costs,
    /// The ideal point: the smallest cost of each objective so far. Empty before the first selection.
    ideal: Vec<f64>,
}

impl Nsga3 {
    pub(crate) fn new(objectives: usize, population: usize) -> Self {
        Self { directions: reference_directions(objectives, population), ideal: Vec::new() }
    }

    /// Updates the ideal point.
    fn lower_ideal(&mut self, candidates: &Costs) {
        self.ideal.resize(candidates.dimension(), f64::INFINITY);
        for row in candidates.rows() {
            for (ideal, &cost) in self.ideal.iter_mut().zip(row) {
                *ideal = ideal.min(cost);
            }
        }
    }

    /// Associates a point with its nearest direction. O(m·n) for `n` directions and `m` objectives.
    fn associate(&self, point: &[f64]) -> Association {
        let length: f64 = point.iter().map(|cost| cost * cost).sum();
        let along = |direction: &[f64]| direction.iter().zip(point).map(|(one, other)| one * other).sum::<f64>();
        let projections = self.directions.rows().map(along).enumerate();
        // No projection is negative, because no cost is. The longest one belongs to the nearest direction.
        let (direction, projection) =
            projections.fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
        Association { direction, distance: length - projection * projection }
    }
}

impl Selection for Nsga3 {
    fn survivors(&mut self, candidates: &Costs, count: usize, random: &mut ChaCha8Rng) -> Vec<usize> {
        self.lower_ideal(candidates);
        let mut survivors: Vec<usize> = Vec::with_capacity(count);
        let mut fronts = fronts(&ranks(candidates)).into_iter();
        let split = fronts.by_ref().find(|front| {
            let fits = survivors.len() + front.len() <= count;
            if fits {
                survivors.extend(front);
            }
            !fits
        });
        if let Some(split) = split {
            let considered: Vec<usize> = survivors.iter().chain(&split).copied().collect();
            let points = normalised(&candidates.select(&considered), &self.ideal);
            let associations: Vec<Association> = points.rows().map(|row| self.associate(row)).collect();
            let (chosen, remaining) = associations.split_at(survivors.len());
            let mut niches = Niches::new(self.directions.len(), chosen, remaining);
            for _ in survivors.len()..count {
                survivors.push(split[niches.choose(random)]);
            }
        }
        survivors.sort_unstable();
        survivors
    }

    fn memory(&self) -> &[f64] {
        &self.ideal
    }

    fn restore(&mut self, memory: &[f64]) -> bool {
        self.ideal = memory.to_vec();
        invalid_score(memory).is_none() && [0, self.directions.dimension()].contains(&memory.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;

    use super::*;
    use crate::strategy::costs;

    #[test]
    fn one_point_on_each_direction_survives() {
        // The plane x + y + z = 1 in steps of one twelfth. Every third point is on a direction.
        let twelfths = (0..=12).flat_map(|x| (0..=12 - x).map(move |y| [x, y, 12 - x - y]));
        let rows: Vec<[i32; 3]> = twelfths.collect();
        let costs = Costs::new(3, rows.iter().flatten().map(|&part| f64::from(part) * 7.0 + 2.0).collect());
        let mut nsga3 = Nsga3::new(3, 15);
        let survivors = nsga3.survivors(&costs, 15, &mut ChaCha8Rng::seed_from_u64(1));
        let on_lattice = |place: &usize| rows[*place].iter().all(|part| part % 3 == 0);
        assert!(survivors.len() == 15 && survivors.iter().all(on_lattice), "{survivors:?}");
        assert_eq!(nsga3.memory(), [2.0; 3]);
    }

    #[test]
    fn an_invalid_memory_is_refused() {
        let restore = |memory: &[f64]| Nsga3::new(2, 10).restore(memory);
        assert!(restore(&[]) && restore(&[1.0, -1e100]));
        for memory in [&[1.0][..], &[1.0, f64::NAN], &[1.0, f64::NEG_INFINITY], &[1.0, -1e101], &[0.0; 3]] {
            assert!(!restore(memory), "{memory:?}");
        }
    }

    proptest! {
        #[test]
        fn survivors_are_distinct_and_better_fronts_come_first(costs in costs(1..=5, 30), share in 0.0..1.0f64) {
            prop_assume!(costs.len() > 1);
            let count = (1..costs.len()).rev().find(|&count| count as f64 <= share * costs.len() as f64).unwrap_or(1);
            let mut random = ChaCha8Rng::seed_from_u64(1);
            let survivors = Nsga3::new(costs.dimension(), count).survivors(&costs, count, &mut random);
            prop_assert_eq!(survivors.len(), count);
            prop_assert!(survivors.is_sorted_by(|one, next| one < next));
            let ranks = ranks(&costs);
            let worst = survivors.iter().map(|&place| ranks[place]).max();
            let mut removed = (0..costs.len()).filter(|place| !survivors.contains(place));
            prop_assert!(removed.all(|place| Some(ranks[place]) >= worst));
        }
    }
}
