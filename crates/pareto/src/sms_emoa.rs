//! SMS-EMOA: the hypervolume decides.

use rand_chacha::ChaCha8Rng;

use crate::algorithm::Selection;
use crate::costs::Costs;
use crate::hypervolume::contributions;
use crate::ranks::ranks;

/// The most objectives of [`Algorithm::SmsEmoa`](crate::Algorithm::SmsEmoa): each one past the third makes a child
/// dearer by the size of the population.
pub const MAX_HYPERVOLUME_OBJECTIVES: usize = 5;

/// Where the reference point is when the front lies between 0 and 1.
const REFERENCE: f64 = 1.1;

/// [`Algorithm::SmsEmoa`](crate::Algorithm::SmsEmoa), which has no state.
#[derive(Debug)]
pub(crate) struct SmsEmoa;

impl Selection for SmsEmoa {
    fn brood(&self, _population: usize) -> usize {
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

/// The place of the point of the worst front that alone dominates least; of equals the oldest goes, so that a population
/// drifts among equal points.
fn worst(candidates: &Costs) -> usize {
    let ranks = ranks(candidates);
    let last = ranks.iter().max().copied().unwrap_or(0);
    let front: Vec<usize> = (0..ranks.len()).filter(|&place| ranks[place] == last).collect();
    if let [only] = front[..] {
        return only;
    }
    let contributions = contributions(&scaled(candidates, &front), &vec![REFERENCE; candidates.dimension()]);
    let weakest = front.iter().zip(contributions).min_by(|(_, one), (_, other)| one.total_cmp(other));
    *weakest.expect("there is a worst front").0
}

/// The points at these places, each objective from 0 to 1.
fn scaled(costs: &Costs, places: &[usize]) -> Costs {
    let ranges: Vec<[f64; 2]> = (0..costs.dimension()).map(|objective| costs.range(objective, places)).collect();
    let scale =
        |(&cost, &[least, most]): (&f64, &[f64; 2])| if least < most { (cost - least) / (most - least) } else { 0.0 };
    let entries = places.iter().flat_map(|&place| costs.row(place).iter().zip(&ranges).map(scale));
    Costs::new(costs.dimension(), entries.collect())
}
