//! SMS-EMOA: selection by hypervolume contribution.

use rand_chacha::ChaCha8Rng;

use crate::costs::Costs;
use crate::hypervolume::contributions;
use crate::ranks::ranks;
use crate::selection::Selection;

/// Coordinate of the reference point in each objective, with the front scaled to 0 to 1.
const REFERENCE: f64 = 1.1;

/// [`SelectionAlgorithm::SmsEmoa`](crate::SelectionAlgorithm::SmsEmoa), which has no state.
#[derive(Debug)]
pub(crate) struct SmsEmoa;

impl Selection for SmsEmoa {
    fn offspring_count(&self, _population: usize) -> usize {
        1
    }

    fn survivors(&mut self, candidates: &Costs, count: usize, _random: &mut ChaCha8Rng) -> Vec<usize> {
        let mut survivors: Vec<usize> = (0..candidates.len()).collect();
        while survivors.len() > count {
            survivors.remove(worst(&candidates.select(&survivors)));
        }
        survivors
    }
}

/// Returns the index of the point of the worst front with the smallest contribution. Ties go to the oldest point, so
/// that a population drifts among equal points.
fn worst(candidates: &Costs) -> usize {
    let ranks = ranks(candidates);
    let last = ranks.iter().max().copied().unwrap_or(0);
    let front: Vec<usize> = (0..ranks.len()).filter(|&place| ranks[place] == last).collect();
    if let [only] = front[..] {
        return only;
    }
    let contributions = contributions(&scaled(candidates, &front), &vec![REFERENCE; candidates.dimension()]);
    let weakest = front.iter().zip(contributions).min_by(|(_, one), (_, other)| one.total_cmp(other));
    *weakest.expect("there is a candidate").0
}

/// Returns the points with these indices, with each objective scaled to 0 to 1.
fn scaled(costs: &Costs, places: &[usize]) -> Costs {
    let ranges: Vec<[f64; 2]> = (0..costs.dimension()).map(|objective| costs.range(objective, places)).collect();
    let scale =
        |(&cost, &[least, most]): (&f64, &[f64; 2])| if least < most { (cost - least) / (most - least) } else { 0.0 };
    let entries = places.iter().flat_map(|&place| costs.row(place).iter().zip(&ranges).map(scale));
    Costs::new(costs.dimension(), entries.collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;

    use super::*;
    use crate::hypervolume::volume;
    use crate::strategy::costs;

    #[test]
    fn the_worst_front_loses_the_point_with_the_smallest_contribution() {
        // After scaling, the contributions of the middle points are 0.3 · 0.1 and 0.2 · 0.3.
        let costs = Costs::new(2, vec![0.0, 10.0, 5.0, 4.0, 7.0, 3.0, 10.0, 0.0]);
        assert_eq!(worst(&costs), 2);
        // A worse front loses first. Among equal points, the oldest is removed.
        assert_eq!(worst(&Costs::new(2, vec![0.0, 1.0, 1.0, 0.0, 1.0, 1.0])), 2);
        assert_eq!(worst(&Costs::new(1, vec![3.0, 3.0, 3.0])), 0);
    }

    proptest! {
        #[test]
        fn the_removed_point_is_on_the_worst_front_and_loses_the_least_volume(costs in costs(1..=4, 12)) {
            prop_assume!(costs.len() > 1);
            let ranks = ranks(&costs);
            let removed = worst(&costs);
            let last = ranks.iter().max().copied();
            prop_assert_eq!(Some(ranks[removed]), last);
            let front: Vec<usize> = (0..costs.len()).filter(|&place| Some(ranks[place]) == last).collect();
            let scaled = scaled(&costs, &front);
            let left = |without: usize| {
                let others: Vec<usize> = (0..front.len()).filter(|&member| front[member] != without).collect();
                volume(&scaled.select(&others), &vec![REFERENCE; costs.dimension()])
            };
            for &other in &front {
                prop_assert!(left(removed) >= left(other) - 1e-9);
            }
            let survivors = SmsEmoa.survivors(&costs, costs.len() - 1, &mut ChaCha8Rng::seed_from_u64(0));
            prop_assert!(!survivors.contains(&removed) && survivors.is_sorted());
        }
    }
}
