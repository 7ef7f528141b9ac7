//! NSGA-II: fronts, and room within them.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::algorithm::Selection;
use crate::costs::Costs;
use crate::crowding::crowding;
use crate::ranks::{fronts, ranks};

/// The state of [`Algorithm::Nsga2`](crate::Algorithm::Nsga2).
#[derive(Debug, Default)]
pub(crate) struct Nsga2 {
    /// The rank of each parent.
    ranks: Vec<u32>,
    /// The crowding distance of each parent within its front.
    crowding: Vec<f64>,
}

impl Selection for Nsga2 {
    fn meet(&mut self, population: &Costs) {
        self.ranks = ranks(population);
        self.crowding.resize(population.len(), 0.0);
        for front in fronts(&self.ranks) {
            for (&place, distance) in front.iter().zip(crowding(population, &front)) {
                self.crowding[place] = distance;
            }
        }
    }

    /// The winner of a tournament of two; the first of equals.
    fn parent(&self, population: usize, random: &mut ChaCha8Rng) -> usize {
        let [one, other] = [(); 2].map(|()| random.random_range(0..population));
        let by_room = || self.crowding[one].total_cmp(&self.crowding[other]);
        if self.ranks[other].cmp(&self.ranks[one]).then_with(by_room).is_lt() { other } else { one }
    }

    fn survivors(&mut self, candidates: &Costs, count: usize, _random: &mut ChaCha8Rng) -> Vec<usize> {
        let mut survivors: Vec<usize> = Vec::with_capacity(count);
        for front in fronts(&ranks(candidates)) {
            let room = count - survivors.len();
            if front.len() <= room {
                survivors.extend(front);
                continue;
            }
            let crowding = crowding(candidates, &front);
            let mut order: Vec<usize> = (0..front.len()).collect();
            // Stable, so the earlier of equals survives.
            order.sort_by(|&one, &other| crowding[other].total_cmp(&crowding[one]));
            survivors.extend(order[..room].iter().map(|&member| front[member]));
            break;
        }
        survivors.sort_unstable();
        survivors
    }
}
