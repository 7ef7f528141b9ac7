//! NSGA-III: fronts, and evenly spread directions.

mod directions;
mod intercepts;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::algorithm::Selection;
use crate::costs::Costs;
use crate::points::unusable;
use crate::ranks::{fronts, ranks};

/// The state of [`Algorithm::Nsga3`](crate::Algorithm::Nsga3).
#[derive(Debug)]
pub(crate) struct Nsga3 {
    /// Directions of length 1.
    directions: Costs,
    /// The least cost of each objective so far; empty before the first selection.
    ideal: Vec<f64>,
}

impl Nsga3 {
    pub(crate) fn new(objectives: usize, population: usize) -> Self {
        Self { directions: directions::spread(objectives, population), ideal: Vec::new() }
    }

    fn lower_ideal(&mut self, candidates: &Costs) {
        self.ideal.resize(candidates.dimension(), f64::INFINITY);
        for row in candidates.rows() {
            for (ideal, &cost) in self.ideal.iter_mut().zip(row) {
                *ideal = ideal.min(cost);
            }
        }
    }

    /// The direction nearest to a point, and the square of the distance.
    fn nearest(&self, point: &[f64]) -> Nearest {
        let length: f64 = point.iter().map(|cost| cost * cost).sum();
        let along = |direction: &[f64]| direction.iter().zip(point).map(|(one, other)| one * other).sum::<f64>();
        let projections = self.directions.rows().map(along).enumerate();
        // Costs are not negative, and so is no projection; the longest belongs to the nearest direction.
        let (direction, projection) =
            projections.fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
        Nearest { direction, distance: length - projection * projection }
    }
}

/// Where a point is among the directions.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    direction: usize,
    distance: f64,
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
            let scaled = intercepts::scaled(&candidates.select(&considered), &self.ideal);
            let nearest: Vec<Nearest> = scaled.rows().map(|row| self.nearest(row)).collect();
            let (settled, free) = nearest.split_at(survivors.len());
            let mut niches = Niches::new(self.directions.len(), settled, free);
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
        unusable(memory).is_none() && [0, self.directions.dimension()].contains(&memory.len())
    }
}

/// Who lives at which direction.
struct Niches {
    /// Number of survivors at each direction.
    settled: Vec<u32>,
    /// Those who may still come, nearest last.
    free: Vec<Vec<usize>>,
}

impl Niches {
    fn new(directions: usize, settled: &[Nearest], free: &[Nearest]) -> Self {
        let mut niches = Self { settled: vec![0; directions], free: vec![Vec::new(); directions] };
        for nearest in settled {
            niches.settled[nearest.direction] += 1;
        }
        let mut order: Vec<usize> = (0..free.len()).collect();
        order.sort_by(|&one, &other| free[other].distance.total_cmp(&free[one].distance).then(other.cmp(&one)));
        for member in order {
            niches.free[free[member].direction].push(member);
        }
        niches
    }

    /// Settles one of those who may come, at a direction where the fewest live: the nearest where nobody lives yet, else
    /// anyone.
    fn choose(&mut self, random: &mut ChaCha8Rng) -> usize {
        let open = || (0..self.free.len()).filter(|&direction| !self.free[direction].is_empty());
        let fewest = open().map(|direction| self.settled[direction]).min();
        let emptiest: Vec<usize> = open().filter(|&direction| Some(self.settled[direction]) == fewest).collect();
        let direction = emptiest[random.random_range(0..emptiest.len())];
        let free = &mut self.free[direction];
        let member = if self.settled[direction] == 0 { free.len() - 1 } else { random.random_range(0..free.len()) };
        self.settled[direction] += 1;
        free.remove(member)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;

    use super::*;
    use crate::strategy::costs;

    #[test]
    fn a_point_near_each_direction_survives() {
        // The plane x + y + z = 1 in steps of a twelfth, of which every third point is a direction.
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
    fn empty_directions_take_the_nearest_and_crowded_ones_anyone() {
        let at = |direction, distance| Nearest { direction, distance };
        let free = [at(0, 3.0), at(0, 1.0), at(2, 5.0), at(1, 0.0)];
        let mut niches = Niches::new(3, &[at(1, 0.0), at(1, 0.0)], &free);
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut first = [niches.choose(&mut random), niches.choose(&mut random)];
        first.sort_unstable();
        // Where nobody lives; then where one does, though the other's place is nearer.
        assert_eq!((first, niches.choose(&mut random), niches.choose(&mut random)), ([1, 2], 0, 3));
    }

    #[test]
    fn a_memory_that_is_none_is_refused() {
        let restore = |memory: &[f64]| Nsga3::new(2, 10).restore(memory);
        assert!(restore(&[]) && restore(&[1.0, -1e100]));
        for memory in [&[1.0][..], &[1.0, f64::NAN], &[1.0, f64::NEG_INFINITY], &[1.0, -1e101], &[0.0; 3]] {
            assert!(!restore(memory), "{memory:?}");
        }
    }

    proptest! {
        #[test]
        fn survivors_are_different_and_better_fronts_come_first(costs in costs(1..=5, 30), share in 0.0..1.0f64) {
            prop_assume!(costs.len() > 1);
            let count = (1..costs.len()).rev().find(|&count| count as f64 <= share * costs.len() as f64).unwrap_or(1);
            let mut random = ChaCha8Rng::seed_from_u64(1);
            let survivors = Nsga3::new(costs.dimension(), count).survivors(&costs, count, &mut random);
            prop_assert_eq!(survivors.len(), count);
            prop_assert!(survivors.is_sorted_by(|one, next| one < next));
            let ranks = ranks(&costs);
            let worst = survivors.iter().map(|&place| ranks[place]).max();
            let mut lost = (0..costs.len()).filter(|place| !survivors.contains(place));
            prop_assert!(lost.all(|place| Some(ranks[place]) >= worst));
        }
    }
}
