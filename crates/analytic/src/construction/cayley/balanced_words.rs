//! Words for the elements of a group that use all generators about equally.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_schedule::Budget;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::group_table::GroupTable;

/// The largest number of shortest words per element to select from; the same number of longer words may be added.
const CHOICES: usize = 16;
/// The exponents of the loads whose sum is minimised, one after the other.
const POWERS: [u32; 12] = [2, 2, 2, 4, 4, 4, 8, 8, 8, 16, 16, 16];
/// The largest number of passes over all words for one exponent.
const PASSES: usize = 64;
/// The price of the most used generator, as a power of 2.
const PRICE_BITS: u32 = 20;
/// The number of words that a perturbation changes, the largest number of perturbations, and the limit of their work.
const PERTURBED_WORDS: usize = 3;
const PERTURBATIONS: usize = 200;
const PERTURBATION_WORK: usize = 1 << 22;

/// A word for each element, as the number of uses of each generator. The order does not matter in an abelian group.
///
/// Memory: 2 bytes per element and generator.
pub(super) struct WordCounts {
    degree: usize,
    count: Vec<u16>,
}

impl WordCounts {
    #[cfg(test)]
    pub(super) fn new(degree: usize, count: Vec<u16>) -> Self {
        Self { degree, count }
    }

    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    pub(super) fn element_count(&self) -> usize {
        self.count.len() / self.degree
    }

    /// Returns the number of uses of each generator in the word of an element.
    pub(super) fn word(&self, element: usize) -> &[u16] {
        &self.count[element * self.degree..][..self.degree]
    }

    /// Returns the number of uses of each generator in all words, one row per element.
    pub(super) fn into_counts(self) -> Vec<u16> {
        self.count
    }

    /// Returns the sum of the uses of each generator over all words.
    pub(super) fn loads(&self) -> Vec<u64> {
        let mut loads = vec![0; self.degree];
        for word in self.count.chunks_exact(self.degree) {
            add(&mut loads, word);
        }
        loads
    }
}

fn add(loads: &mut [u64], word: &[u16]) {
    loads.iter_mut().zip(word).for_each(|(load, &count)| *load += u64::from(count));
}

fn most(loads: &[u64]) -> u64 {
    loads.iter().copied().max().unwrap_or(0)
}

/// Returns a shortest word for each element, such that no change of a single word reduces the sum of the squared loads.
pub(super) fn shortest(steps: &GroupTable) -> WordCounts {
    let mut balance = WordBalance::of_shortest(steps);
    balance.descend(POWERS[0]);
    balance.words
}

/// Returns words that minimise the load of the most used generator, as far as found.
///
/// They are shortest words, and longer ones that avoid the most used generators. No word is longer than the largest
/// load. The sum of distances may be up to 2^32.
///
/// # Source
///
/// Prices for generators and cheapest words for these prices, as for multicommodity flows: Shahrokhi, Matula, *The
/// maximum concurrent flow problem*, Journal of the ACM 37 (1990), with a local search for integral words.
pub(super) fn balanced(steps: &GroupTable, budget: &Budget) -> WordCounts {
    let mut balance = WordBalance::of_shortest(steps);
    let mut fewest = steps.distance_sum().div_ceil(steps.degree() as u64).max(steps.diameter().into());
    for power in POWERS {
        balance.descend(power);
        balance.keep();
        if balance.kept.0 <= fewest || budget.interruption().is_some() {
            break;
        }
        let prices = balance.prices(power);
        let cheapest = CheapestWords::of(steps, &prices);
        // The words cost at least as much as the cheapest ones. They cost at most as much as if every generator had the load
        // of the most used one.
        let price: u128 = prices.iter().copied().map(u128::from).sum();
        fewest = fewest.max(cheapest.cost_sum().div_ceil(price) as u64);
        balance.add_cheaper(&cheapest, &prices);
    }
    balance.perturb(fewest, budget);
    WordCounts { degree: steps.degree(), count: balance.kept.1 }
}

/// The cheapest words for a price per generator.
struct CheapestWords {
    cost: Vec<u64>,
    words: WordCounts,
}

impl CheapestWords {
    fn of(steps: &GroupTable, prices: &[u64]) -> Self {
        let (elements, degree) = (steps.element_count(), steps.degree());
        let mut cost = vec![u64::MAX; elements];
        let mut last = vec![(0, 0); elements];
        let mut count = vec![0u16; elements * degree];
        let mut queue = BinaryHeap::from([Reverse((0, 0))]);
        cost[0] = 0;
        while let Some(Reverse((paid, element))) = queue.pop() {
            if paid > cost[element] {
                continue;
            }
            if element != 0 {
                let (before, generator): (usize, usize) = last[element];
                count.copy_within(before * degree..(before + 1) * degree, element * degree);
                let uses = &mut count[element * degree + generator];
                *uses = uses.saturating_add(1);
            }
            for (generator, next) in steps.neighbours(element).enumerate() {
                let paid = paid + prices[generator];
                if paid < cost[next] {
                    cost[next] = paid;
                    last[next] = (element, generator);
                    queue.push(Reverse((paid, next)));
                }
            }
        }
        Self { cost, words: WordCounts { degree, count } }
    }

    fn cost_sum(&self) -> u128 {
        self.cost.iter().copied().map(u128::from).sum()
    }
}

/// A selection of words, and the words to select from.
struct WordBalance {
    words: WordCounts,
    loads: Vec<u64>,
    /// The words of each element, one after the other; empty if there is only one.
    choices: Vec<Vec<u16>>,
    /// The elements with several words.
    open: Vec<usize>,
    /// The smallest load of the most used generator so far, and its words.
    kept: (u64, Vec<u16>),
}

impl WordBalance {
    /// Finds up to [`CHOICES`] shortest words of each element, and selects the first.
    fn of_shortest(steps: &GroupTable) -> Self {
        let (elements, degree) = (steps.element_count(), steps.degree());
        let mut choices: Vec<Vec<u16>> = vec![Vec::new(); elements];
        choices[0] = vec![0; degree];
        let mut longer = Vec::with_capacity(degree);
        for element in steps.order() {
            let words = std::mem::take(&mut choices[element]);
            for (generator, next) in steps.neighbours(element).enumerate() {
                if steps.distance(next) != steps.distance(element) + 1 {
                    continue;
                }
                for word in words.chunks_exact(degree) {
                    longer.clear();
                    longer.extend_from_slice(word);
                    longer[generator] += 1;
                    if choices[next].len() < CHOICES * degree {
                        add_new(&mut choices[next], &longer);
                    }
                }
            }
            choices[element] = words;
        }
        let mut count = vec![0; elements * degree];
        for (word, choices) in count.chunks_exact_mut(degree).zip(&mut choices) {
            word.copy_from_slice(&choices[..degree]);
            if choices.len() == degree {
                *choices = Vec::new();
            }
        }
        let words = WordCounts { degree, count };
        let loads = words.loads();
        let open = (0..elements).filter(|&element| !choices[element].is_empty()).collect();
        Self { kept: (most(&loads), words.count.clone()), words, loads, choices, open }
    }

    /// Saves the words if the load of the most used generator is smaller than ever.
    fn keep(&mut self) {
        let most = most(&self.loads);
        if most < self.kept.0 {
            self.kept.0 = most;
            self.kept.1.clone_from(&self.words.count);
        }
    }

    /// Returns the increase of the sum of this power of the loads per additional use of each generator, up to a factor.
    fn prices(&self, power: u32) -> Vec<u64> {
        let most = most(&self.loads);
        let price = |&load: &u64| {
            let part = (load << PRICE_BITS) / most;
            (1..power).fold(1 << PRICE_BITS, |price, _| (price * part) >> PRICE_BITS).max(1)
        };
        self.loads.iter().map(price).collect()
    }

    /// Adds words that cost less than the selected ones.
    fn add_cheaper(&mut self, cheapest: &CheapestWords, prices: &[u64]) {
        let degree = self.words.degree;
        for element in 1..self.words.element_count() {
            let (old, new) = (self.words.word(element), cheapest.words.word(element));
            let cost: u64 = old.iter().zip(prices).map(|(&count, price)| u64::from(count) * price).sum();
            let length: u64 = new.iter().copied().map(u64::from).sum();
            let counted = new.iter().all(|&count| count < u16::MAX);
            if cheapest.cost[element] >= cost || length > self.kept.0 || !counted {
                continue;
            }
            let choices = &mut self.choices[element];
            if choices.is_empty() {
                choices.extend_from_slice(old);
                self.open.push(element);
            }
            if choices.len() < 2 * CHOICES * degree {
                add_new(choices, new);
            }
        }
    }

    /// Changes one word after the other while the sum of this power of the loads falls.
    fn descend(&mut self, power: u32) {
        let degree = self.words.degree;
        // Large loads need no high exponent, and would overflow with one.
        let power = power.min(120 / (u64::BITS - most(&self.loads).leading_zeros() + 1));
        let rise = |load: u64, old: u16, new: u16| {
            let raised = load - u64::from(old) + u64::from(new);
            if old == new {
                0
            } else {
                i128::from(raised).saturating_pow(power) - i128::from(load).saturating_pow(power)
            }
        };
        for _ in 0..PASSES {
            let mut changed = false;
            for place in 0..self.open.len() {
                let element = self.open[place];
                let old = self.words.word(element);
                let total = |new: &[u16]| {
                    let rises = self.loads.iter().zip(old).zip(new).map(|((&load, &old), &new)| rise(load, old, new));
                    rises.fold(0, i128::saturating_add)
                };
                let choices = self.choices[element].chunks_exact(degree).map(total).enumerate();
                if let Some((choice, rise)) = choices.min_by_key(|&(choice, rise)| (rise, choice))
                    && rise < 0
                {
                    self.choose(element, choice);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Changes a few of the best words at random and descends again, until the largest load is at most `enough` or the
    /// limits are reached.
    fn perturb(&mut self, enough: u64, budget: &Budget) {
        let degree = self.words.degree;
        let looked_at: usize = self.open.iter().map(|&element| self.choices[element].len()).sum();
        let tries = PERTURBATIONS.min(PERTURBATION_WORK / (looked_at + self.words.count.len()));
        let mut random = ChaCha8Rng::seed_from_u64(0);
        for _ in 0..tries {
            if self.kept.0 <= enough || self.open.is_empty() || budget.interruption().is_some() {
                break;
            }
            self.words.count.clone_from(&self.kept.1);
            self.loads = self.words.loads();
            for _ in 0..PERTURBED_WORDS {
                let element = self.open[random.random_range(0..self.open.len())];
                let choice = random.random_range(0..self.choices[element].len() / degree);
                self.choose(element, choice);
            }
            self.descend(POWERS[POWERS.len() - 1]);
            self.keep();
        }
    }

    fn choose(&mut self, element: usize, choice: usize) {
        let degree = self.words.degree;
        let word = &mut self.words.count[element * degree..][..degree];
        word.iter().zip(&mut self.loads).for_each(|(&count, load)| *load -= u64::from(count));
        word.copy_from_slice(&self.choices[element][choice * degree..][..degree]);
        add(&mut self.loads, word);
    }
}

/// Adds a word to a list, unless it is there already.
fn add_new(known: &mut Vec<u16>, word: &[u16]) {
    if known.chunks_exact(word.len()).all(|one| one != word) {
        known.reserve_exact(word.len());
        known.extend_from_slice(word);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The smallest load of the most used generator over all selections of shortest words; `None` if there are too
    /// many.
    fn brute_force(steps: &GroupTable) -> Option<u64> {
        let degree = steps.degree();
        let mut words: Vec<Vec<Vec<u64>>> = vec![Vec::new(); steps.element_count()];
        words[0] = vec![vec![0; degree]];
        let mut loads = vec![vec![0; degree]];
        for element in steps.order() {
            for (generator, next) in steps.neighbours(element).enumerate() {
                if steps.distance(next) == steps.distance(element) + 1 {
                    let longer = words[element].clone().into_iter().map(|mut word| {
                        word[generator] += 1;
                        word
                    });
                    words[next].extend(longer);
                    words[next].sort_unstable();
                    words[next].dedup();
                }
            }
            let sum = |load: &Vec<u64>, word: &Vec<u64>| load.iter().zip(word).map(|(a, b)| a + b).collect();
            loads = loads.iter().flat_map(|load| words[element].iter().map(move |word| sum(load, word))).collect();
            loads.sort_unstable();
            loads.dedup();
            if loads.len() > 20_000 {
                return None;
            }
        }
        loads.iter().map(|loads| most(loads)).min()
    }

    proptest! {
        #![proptest_config(lockstep_topology::strategy::cases(100))]
        /// Longer words may even be better than all selections of shortest ones.
        #[test]
        fn no_selection_of_shortest_words_is_better(
            nodes in 5u32..14, chords in prop::collection::btree_set(1u32..7, 1..4),
        ) {
            let chords: Vec<String> =
                chords.into_iter().filter(|&chord| chord <= nodes / 2).map(|chord| chord.to_string()).collect();
            prop_assume!(!chords.is_empty());
            let graph = format!("circulant:{nodes},{}", chords.join(",")).parse().unwrap();
            let Some(steps) = GroupTable::of_graph(&graph) else { return Ok(()) };
            let words = balanced(&steps, &Budget::unlimited());
            for element in 0..steps.element_count() {
                let letters = words.word(element).iter().enumerate();
                let walk = letters.flat_map(|(generator, &count)| (0..count).map(move |_| generator));
                prop_assert_eq!(walk.fold(0, |place, generator| steps.next(place, generator)), element);
            }
            let uses = most(&words.loads());
            let longest = (0..steps.element_count()).map(|element| words.word(element).iter().sum::<u16>()).max().unwrap();
            prop_assert!(u64::from(longest) <= uses.max(steps.diameter().into()));
            if let Some(fewest) = brute_force(&steps) {
                prop_assert!(uses <= fewest, "{graph}: {uses}, but {fewest} is possible");
            }
        }
    }
}
