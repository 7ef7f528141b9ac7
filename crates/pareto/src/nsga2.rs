//! NSGA-II: non-dominated sorting and crowding distance.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::costs::Costs;
use crate::crowding::crowding;
use crate::ranks::{fronts, ranks};
use crate::selection::Selection;

/// The state of [`SelectionAlgorithm::Nsga2`](crate::SelectionAlgorithm::Nsga2).
#[derive(Debug, Default)]
pub(crate) struct Nsga2 {
    /// The rank of each parent.
    ranks: Vec<u32>,
    /// The crowding distance of each parent within its front.
    crowding: Vec<f64>,
}

impl Selection for Nsga2 {
    fn observe(&mut self, population: &Costs) {
        self.ranks = ranks(population);
        self.crowding.resize(population.len(), 0.0);
        for front in fronts(&self.ranks) {
            for (&place, distance) in front.iter().zip(crowding(population, &front)) {
                self.crowding[place] = distance;
            }
        }
    }

    /// Returns the winner of a binary tournament. Ties go to the first.
    fn parent(&self, population: usize, random: &mut ChaCha8Rng) -> usize {
        let [one, other] = [(); 2].map(|()| random.random_range(0..population));
        let by_crowding = || self.crowding[one].total_cmp(&self.crowding[other]);
        if self.ranks[other].cmp(&self.ranks[one]).then_with(by_crowding).is_lt() { other } else { one }
    }

    fn survivors(&mut self, candidates: &Costs, count: usize, _random: &mut ChaCha8Rng) -> Vec<usize> {
        let mut survivors: Vec<usize> = Vec::with_capacity(count);
        for front in fronts(&ranks(candidates)) {
            let free = count - survivors.len();
            if front.len() <= free {
                survivors.extend(front);
                continue;
            }
            let crowding = crowding(candidates, &front);
            let mut order: Vec<usize> = (0..front.len()).collect();
            // The sort is stable, so ties go to the earlier point.
            order.sort_by(|&one, &other| crowding[other].total_cmp(&crowding[one]));
            survivors.extend(order[..free].iter().map(|&member| front[member]));
            break;
        }
        survivors.sort_unstable();
        survivors
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn a_front_that_does_not_fit_keeps_its_ends_and_its_least_crowded_points() {
        // The first front is one point. The second front keeps its ends and its least crowded inner point.
        let costs = Costs::new(2, vec![0.0, 0.0, 1.0, 9.0, 2.0, 8.0, 3.0, 7.0, 6.0, 4.0, 9.0, 1.0]);
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut nsga2 = Nsga2::default();
        assert_eq!(nsga2.survivors(&costs, 3, &mut random), [0, 1, 5]);
        assert_eq!(nsga2.survivors(&costs, 4, &mut random), [0, 1, 4, 5]);
    }

    #[test]
    fn tournaments_are_won_by_rank_and_then_by_crowding_distance() {
        let mut nsga2 = Nsga2::default();
        nsga2.observe(&Costs::new(2, vec![5.0, 5.0, 0.0, 4.0, 1.0, 3.0, 4.0, 0.0]));
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let mut wins = [0; 4];
        for _ in 0..4000 {
            wins[nsga2.parent(4, &mut random)] += 1;
        }
        // Point 0 wins only against itself, point 2 against 0 and itself. The ends of the front are equal.
        assert!((150..350).contains(&wins[0]) && (600..900).contains(&wins[2]), "{wins:?}");
        assert!(wins[1] > 1200 && wins[3] > 1200, "{wins:?}");
    }
}
