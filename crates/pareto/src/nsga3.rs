//! NSGA-III: fronts, and evenly spread directions.

mod directions;
mod intercepts;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::algorithm::Selection;
use crate::costs::Costs;
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

    fn remember(&mut self, memory: &[f64]) -> bool {
        self.ideal = memory.to_vec();
        memory.iter().all(|cost| cost.is_finite()) && [0, self.directions.dimension()].contains(&memory.len())
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
