//! How lists are merged in one step.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::step_paths::StepPaths;

/// Rules are counted in this part of a whole.
const PARTS: usize = 8;

/// The distance of lists of different sizes, per terminal, if lists of the same size come first.
const SIZE_DISTANCE: u64 = 1 << 20;

/// No limit of the distance.
const NO_REACH: usize = u32::MAX as usize;

/// The choices of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepRule {
    /// The maximum number of lists that become one.
    pub(super) max_lists: usize,
    /// Whether the number of lists that are left is a power of [`max_lists`](Self::max_lists) or more.
    keeps_power: bool,
    /// How many terminals of the merged lists stay, in eighths, at least one.
    stay: usize,
    /// How many more terminals may fail to receive all sums, in eighths.
    losses: usize,
    /// The maximum distance of two lists that become one, unless all are farther apart.
    pub(super) reach: u32,
    /// The distance of two lists counts `16` to `16 + noise` times.
    noise: u64,
    prefers_equal_sizes: bool,
    /// Whether the distance counts in both directions.
    is_two_way: bool,
}

impl StepRule {
    fn random(rng: &mut impl Rng) -> Self {
        let mut choose = |values: &[usize]| *values.choose(rng).expect("there are values");
        Self {
            max_lists: choose(&[2, 2, 3, 4, 5, 8, usize::MAX]),
            keeps_power: choose(&[0, 0, 1]) == 1,
            stay: choose(&[8, 8, 8, 6, 4, 0]),
            losses: choose(&[0, 0, 1, 2]),
            reach: choose(&[1, 1, 2, NO_REACH, NO_REACH, NO_REACH, NO_REACH, NO_REACH]) as u32,
            noise: choose(&[2, 8, 32, 160]) as u64,
            prefers_equal_sizes: rng.random(),
            is_two_way: rng.random(),
        }
    }

    /// Returns the least number of lists that are left of this number, which is at least 2.
    pub(super) fn least_lists(&self, lists: usize) -> usize {
        if !self.keeps_power {
            return 1;
        }
        let powers = std::iter::successors(Some(1usize), |power| power.checked_mul(self.max_lists));
        powers.take_while(|&power| power < lists).last().unwrap_or(1)
    }

    /// Returns how many of this number of terminals stay, and how many more may be lost.
    pub(super) fn wanted_and_losses(&self, terminals: usize) -> [usize; 2] {
        let wanted = (terminals * self.stay).div_ceil(PARTS).max(1);
        [wanted, terminals - wanted + terminals * self.losses / PARTS]
    }

    /// Returns the distance of two lists: that of a random terminal of the first one from the nearest one of the second one.
    pub(super) fn distance(&self, paths: &StepPaths<'_>, [one, two]: [&[u32]; 2], rng: &mut impl Rng) -> u32 {
        let from = one[rng.random_range(0..one.len())];
        let distance = |&to: &u32| {
            let there = paths.distance(from, to);
            if self.is_two_way { there.min(paths.distance(to, from)) } else { there }
        };
        two.iter().map(distance).min().unwrap_or(0)
    }

    /// Returns a number for two lists of these sizes at this distance: pairs with lower ones come first.
    pub(super) fn rank(&self, distance: u32, [one, two]: [usize; 2], rng: &mut impl Rng) -> u64 {
        let sizes = if self.prefers_equal_sizes { one.abs_diff(two) as u64 } else { 0 };
        u64::from(distance) * rng.random_range(16..=16 + self.noise) + SIZE_DISTANCE * sizes
    }
}

/// Returns random rules of each step, for this number of lists at first, in one of three ways:
///
/// - each step has its own rule;
/// - the number of lists falls by about the same factor in each step, and all terminals stay;
/// - all steps have the same rule; one half of these rules begin with a step in which some terminals send what they hold to
///   others and do not stay, such that a power is left.
pub(super) fn random(steps: u32, mut lists: usize, rng: &mut impl Rng) -> Vec<StepRule> {
    let way = rng.random_range(0..3);
    if way == 0 {
        return (0..steps).map(|_| StepRule::random(rng)).collect();
    }
    let rule = StepRule::random(rng);
    let mut rules = vec![rule; steps as usize];
    if way == 1 {
        for (rule, left) in rules.iter_mut().zip((1..=steps).rev()) {
            rule.max_lists = (root(lists, left) + rng.random_range(0..3) - 1).max(2);
            (rule.stay, rule.losses, rule.keeps_power) = (PARTS, 0, false);
            lists = lists.div_ceil(rule.max_lists);
        }
    } else if rng.random() {
        (rules[0].stay, rules[0].keeps_power) = (0, true);
    }
    rules
}

/// Returns the least number, 1 or more, whose power is `number` or more.
fn root(number: usize, exponent: u32) -> usize {
    (1..number).find(|root| root.checked_pow(exponent).is_none_or(|power| power >= number)).unwrap_or(number.max(1))
}

/// Returns the rules with one of them, or up to two, changed in one respect or in all.
pub(super) fn varied(rules: &[StepRule], rng: &mut impl Rng) -> Vec<StepRule> {
    let mut rules = rules.to_vec();
    for _ in 0..rng.random_range(0..3) {
        let (step, new) = (rng.random_range(0..rules.len()), StepRule::random(rng));
        let rule = &mut rules[step];
        match rng.random_range(0..8) {
            0 => rule.max_lists = new.max_lists,
            1 => rule.stay = new.stay,
            2 => rule.losses = new.losses,
            3 => rule.noise = new.noise,
            4 => rule.prefers_equal_sizes = new.prefers_equal_sizes,
            5 => rule.keeps_power = new.keeps_power,
            6 => rule.reach = new.reach,
            _ => *rule = new,
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_root_is_the_least_number_whose_power_is_sufficient(number in 1..5000usize, exponent in 1..8u32) {
            let root = root(number, exponent);
            prop_assert!(root.pow(exponent) >= number);
            prop_assert!(root == 1 || (root - 1).pow(exponent) < number);
        }
    }
}
