//! Slow wires: those that explain the slow trials.
//!
//! A wire of bandwidth `c` explains a slow trial if it is on the path, and the trial has the rate that `c` allows, up to noise. A trial with
//! a greater rate did not use the wire. A transfer with several shortest paths takes one of them, and a wire on a part `p` of the paths is
//! used with probability `p`. So a set of slow wires has the logarithm of the likelihood, over that of no slow wire,
//!
//! ```text
//!     sum over the slow trials of ln(P / OTHER_REASON)  -  sum over the wires of (E - ln SLOW_WIRE)
//! ```
//!
//! `P` is the sum of `p` over the wires that explain the trial, at least `OTHER_REASON` and at most 1. `E` is the sum of `-ln(1 - p)` over
//! the faster trials. If a wire is on all paths, `p` is 1, and a faster trial excludes it. Transfers whose paths are not equally likely
//! change the sums little, because `OTHER_REASON` is small.
//!
//! Two searches look for the most likely set. One starts with no wire, the other one with all wires that are likely alone. Both remove the
//! wire without which the others are most likely, and add the one that raises the likelihood most, while it rises.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::bandwidth::{Bandwidths, median};
use super::possible::Possible;
use super::trials::{Load, Share, Trial, Trials};
use super::wires::Wires;

/// The probability that a trial is slow although no wire on its path is.
const OTHER_REASON: f64 = 1e-4;

/// The probability that a wire is slow, before any test.
const SLOW_WIRE: f64 = 0.02;

/// Tests tell wires apart if one is this much more likely: 20 times.
const TOLD_APART: f64 = 20.0;

/// Logarithms of likelihoods are whole numbers of these parts, so that sums do not depend on their order.
const LIKELIHOOD_PARTS: f64 = 1e6;

/// All paths. Parts of them are whole numbers, so that sums do not depend on their order.
const ALL_PATHS: u64 = 1 << 20;

/// The most wires with which a search starts.
const MAX_START: usize = 512;

/// The most times that wires are added and removed. Each time raises the likelihood.
const MAX_ROUNDS: usize = 16;

/// A wire that is slower than its class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SlowWire {
    pub(super) wire: u32,
    /// Of a lane in bytes per second: the median over the trials that the wire limits.
    pub(super) bandwidth: u64,
    /// The number of these trials.
    pub(super) trials: u32,
    /// The number of slow wires among the wire and its alternatives.
    pub(super) count: u32,
    /// The number of trials that may use the wire.
    pub(super) uses: u32,
    /// Other wires that explain the same trials.
    pub(super) alternatives: Vec<u32>,
}

/// The slow wires of a network, and the slow trials that no wire explains.
#[derive(Clone, Default, Debug)]
pub(super) struct SlowWires {
    /// The most likely one first.
    pub(super) wires: Vec<SlowWire>,
    /// Trials without a slow wire: transfers that take another route than the shortest one, or a limit of software.
    pub(super) unexplained: Vec<u32>,
}

/// Returns the rate of a lane of a wire in a trial.
pub(super) fn rate_of(wires: &Wires<'_>, load: Load, trial: &Trial) -> u64 {
    Share { resource: 0, flows: load.flows, lanes: wires.wire(load.wire).lanes }.of_lane(trial.rate)
}

/// Returns the most that a lane of each wire carried in a trial.
pub(super) fn carried(wires: &Wires<'_>, trials: &Trials) -> Vec<u64> {
    let mut carried = vec![0; wires.list.len()];
    for trial in &trials.list {
        for &load in &trial.loads {
            let known: &mut u64 = &mut carried[load.wire as usize];
            *known = (*known).max(rate_of(wires, load, trial));
        }
    }
    carried
}

/// Returns true for each trial that a slow wire limits, although it may be hardly slower than its classes allow.
pub(super) fn limited(wires: &Wires<'_>, trials: &Trials, slow: &[SlowWire], is_full: f64) -> Vec<bool> {
    let mut bandwidth_of: Vec<Option<u64>> = vec![None; wires.list.len()];
    for slow in slow.iter().filter(|slow| slow.alternatives.is_empty()) {
        bandwidth_of[slow.wire as usize] = Some(slow.bandwidth);
    }
    let is_at = |trial: &Trial, load: &Load| {
        let limit = bandwidth_of[load.wire as usize];
        limit.is_some_and(|limit| rate_of(wires, *load, trial) as f64 >= limit as f64 * is_full)
    };
    trials.list.iter().map(|trial| trial.loads.iter().any(|load| is_at(trial, load))).collect()
}

/// A slow trial that may use a wire.
#[derive(Clone, Copy, Debug)]
struct Use {
    trial: u32,
    /// The rate of a lane of the wire.
    rate: u64,
    /// The part of the paths that use the wire, of [`ALL_PATHS`].
    part: u64,
}

/// A slow wire, or one that may be.
#[derive(Clone, Debug)]
struct Candidate {
    wire: u32,
    /// The trials that it explains, by rate.
    uses: Vec<Use>,
    /// By how much it lowers the logarithm of the likelihood, before its trials raise it, in [`LIKELIHOOD_PARTS`].
    cost: i64,
}

/// A search for the most likely set of slow wires.
#[derive(Clone)]
struct Search<'a> {
    wires: &'a Wires<'a>,
    possible: &'a Possible,
    carried: &'a [u64],
    /// Rates are equal if one is at least this part of the other.
    is_full: f64,
    /// The slow trials of each wire, by rate.
    uses: &'a BTreeMap<u32, Vec<Use>>,
    /// The slow wires, in the order of their choice.
    chosen: Vec<Candidate>,
    /// The part of the paths of each trial that use the chosen wires that explain it.
    explained: Vec<u64>,
}

/// Finds the wires that explain the slow trials. Takes `O(U log U)` time for `U` wires of slow trials, if each is evaluated once.
pub(super) fn find(wires: &Wires<'_>, trials: &Trials, possible: &Possible, found: &Bandwidths) -> SlowWires {
    let slow: Vec<u32> = (0..trials.list.len() as u32).filter(|&trial| found.is_slow[trial as usize]).collect();
    let mut uses: BTreeMap<u32, Vec<Use>> = BTreeMap::new();
    for &place in &slow {
        let trial = &trials.list[place as usize];
        for &load in &trial.loads {
            let rate = rate_of(wires, load, trial);
            uses.entry(load.wire).or_default().push(Use { trial: place, rate, part: ALL_PATHS });
        }
        for chance in possible.of_trial(place) {
            let rate = rate_of(wires, Load { wire: chance.wire, flows: 1 }, trial);
            uses.entry(chance.wire).or_default().push(Use { trial: place, rate, part: chance.of(ALL_PATHS).max(1) });
        }
    }
    for uses in uses.values_mut() {
        uses.sort_unstable_by_key(|one| (one.rate, one.trial));
    }
    let start = Search {
        wires,
        possible,
        carried: &carried(wires, trials),
        is_full: 1.0 - found.slow_part(),
        uses: &uses,
        chosen: Vec::new(),
        explained: vec![0; trials.list.len()],
    };
    let mut search = start.clone();
    search.improve();
    let all = start.likely_alone();
    // Wires on all paths need no other start: each trial that they explain has one best wire.
    if all.len() <= MAX_START && all.iter().any(|one| possible.has(one.wire)) {
        let mut other = start;
        for one in all {
            other.choose(one);
        }
        other.improve();
        if other.total(&slow) > search.total(&slow) {
            search = other;
        }
    }
    search.result(trials, slow)
}

impl Search<'_> {
    /// Removes and adds wires while the likelihood rises.
    fn improve(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let is_less = self.remove();
            let is_more = self.add();
            if !is_less && !is_more {
                break;
            }
        }
    }

    /// Adds wires while the likelihood rises, the greatest rise first. Returns true if there was one.
    fn add(&mut self) -> bool {
        let count = self.chosen.len();
        let rank = |search: &Self, wire: u32| {
            let candidate = search.candidate(wire)?;
            let rise = search.rise(&candidate);
            (rise > 0).then_some((rise, Reverse(search.slowness(&candidate))))
        };
        let is_chosen = |search: &Self, wire: u32| search.chosen.iter().any(|one| one.wire == wire);
        let others = self.uses.keys().filter(|&&wire| !is_chosen(self, wire));
        let mut queue: BinaryHeap<_> = others.filter_map(|&wire| rank(self, wire)).collect();
        while let Some((known, Reverse((.., wire)))) = queue.pop() {
            let Some(candidate) = self.candidate(wire) else { continue };
            // The rise falls with each added wire that explains the same trials.
            if self.rise(&candidate) < known {
                queue.extend(rank(self, wire));
                continue;
            }
            self.choose(candidate);
        }
        self.chosen.len() > count
    }

    /// Removes wires while the likelihood rises, the greatest rise first. Returns true if there was one.
    fn remove(&mut self) -> bool {
        let count = self.chosen.len();
        loop {
            let falls = (0..self.chosen.len()).map(|place| (self.fall(&self.chosen[place]), place));
            match falls.min() {
                Some((fall, place)) if fall <= 0 => {
                    self.take(place);
                }
                _ => break,
            }
        }
        self.chosen.len() < count
    }

    /// Returns an order of equally likely wires in which numbers hardly matter: the slower one is first.
    fn slowness(&self, candidate: &Candidate) -> (u64, u64, u32) {
        let rates = candidate.uses.iter().fold(0, |sum: u64, one| sum.saturating_add(one.rate));
        (self.carried[candidate.wire as usize], rates, candidate.wire)
    }

    fn choose(&mut self, candidate: Candidate) {
        candidate.uses.iter().for_each(|one| self.explained[one.trial as usize] += one.part);
        self.chosen.push(candidate);
    }

    /// Removes the chosen wire at a place, and returns it.
    fn take(&mut self, place: usize) -> Candidate {
        let candidate = self.chosen.remove(place);
        candidate.uses.iter().for_each(|one| self.explained[one.trial as usize] -= one.part);
        candidate
    }

    /// Returns the rise of the logarithm of the likelihood by another wire, in [`LIKELIHOOD_PARTS`].
    fn rise(&self, candidate: &Candidate) -> i64 {
        candidate.uses.iter().map(|one| self.weight(one)).sum::<i64>() - candidate.cost
    }

    /// Returns the fall of the logarithm of the likelihood without a chosen wire, in [`LIKELIHOOD_PARTS`].
    fn fall(&self, candidate: &Candidate) -> i64 {
        let weight = |one: &Use| {
            let explained = self.explained[one.trial as usize];
            log_probability(explained) - log_probability(explained - one.part)
        };
        candidate.uses.iter().map(weight).sum::<i64>() - candidate.cost
    }

    /// Returns the rise of the logarithm of the likelihood by a trial that a wire explains.
    fn weight(&self, one: &Use) -> i64 {
        let explained = self.explained[one.trial as usize];
        log_probability(explained + one.part) - log_probability(explained)
    }

    /// Returns the logarithm of the likelihood of the chosen wires, in [`LIKELIHOOD_PARTS`].
    fn total(&self, slow: &[u32]) -> i64 {
        let weight = |&trial: &u32| log_probability(self.explained[trial as usize]) - log_probability(0);
        slow.iter().map(weight).sum::<i64>() - self.chosen.iter().map(|one| one.cost).sum::<i64>()
    }

    /// Returns the wires that are likely without others, one of those that explain the same trials.
    fn likely_alone(&self) -> Vec<Candidate> {
        let mut known: BTreeSet<Vec<(u32, u64)>> = BTreeSet::new();
        let all = self.uses.keys().filter_map(|&wire| self.candidate(wire));
        let likely = all.filter(|candidate| self.rise(candidate) > 0);
        let mut likely: Vec<Candidate> =
            likely.filter(|one| known.insert(one.uses.iter().map(|one| (one.trial, one.part)).collect())).collect();
        likely.sort_by_key(|one| (Reverse(self.rise(one)), self.slowness(one)));
        likely
    }

    /// Returns the trials of nearly equal rate that a wire explains best.
    fn candidate(&self, wire: u32) -> Option<Candidate> {
        let uses = self.uses.get(&wire)?;
        let carried = self.carried[wire as usize];
        let mut best: Option<(i64, &[Use])> = None;
        let (mut from, mut sum) = (0, 0);
        for (place, one) in uses.iter().enumerate() {
            sum += self.weight(one);
            // The bandwidth is at least what the wire carried.
            let most = one.rate.max(carried);
            while from <= place && (uses[from].rate as f64) < most as f64 * self.is_full {
                sum -= self.weight(&uses[from]);
                from += 1;
            }
            if from <= place && best.is_none_or(|(known, _)| sum >= known) {
                best = Some((sum, &uses[from..=place]));
            }
        }
        let (_, uses) = best?;
        let most = uses.last().map_or(0, |one| one.rate).max(carried);
        let lanes = Share { resource: 0, flows: 1, lanes: self.wires.wire(wire).lanes };
        let cost = parts(self.possible.surprise_above(wire, lanes.of_transfer(most)) - SLOW_WIRE.ln());
        Some(Candidate { wire, uses: uses.to_vec(), cost })
    }

    /// Returns the chosen wires with their alternatives, and the trials without the rate of a slow wire.
    fn result(mut self, trials: &Trials, slow: Vec<u32>) -> SlowWires {
        // Each trial belongs to the first of the wires that it most likely uses. The first one explains most trials, or is the slowest.
        let mut chosen = std::mem::take(&mut self.chosen);
        chosen.sort_by_key(|one| (Reverse(one.uses.len()), self.slowness(one)));
        self.chosen = chosen;
        let mut owner: BTreeMap<u32, (u64, usize)> = BTreeMap::new();
        for (place, candidate) in self.chosen.iter().enumerate() {
            for one in &candidate.uses {
                let known = owner.entry(one.trial).or_insert((one.part, place));
                if one.part > known.0 {
                    *known = (one.part, place);
                }
            }
        }
        let mut uses_of = vec![0; self.wires.list.len()];
        trials.list.iter().flat_map(|trial| &trial.loads).for_each(|load| uses_of[load.wire as usize] += 1);
        let mut list: Vec<SlowWire> = Vec::new();
        for place in 0..self.chosen.len() {
            let alternatives = self.alternatives(trials, place);
            let Candidate { wire, uses, .. } = &self.chosen[place];
            let own = uses.iter().filter(|one| owner.get(&one.trial).is_some_and(|owner| owner.1 == place));
            let rates: Vec<u64> = own.map(|one| one.rate).collect();
            match (median(&rates), list.iter_mut().find(|one| one.alternatives.contains(wire))) {
                (Some(bandwidth), _) => {
                    let (trials, uses) = (rates.len() as u32, uses_of[*wire as usize] + self.possible.count(*wire));
                    list.push(SlowWire { wire: *wire, bandwidth, trials, count: 1, uses, alternatives });
                }
                // Another wire beside it explains the same trials: two of them are slow.
                (None, Some(beside)) => beside.count += 1,
                (None, None) => {}
            }
        }
        for slow in &list {
            let limit = slow.bandwidth as f64;
            for one in self.uses.get(&slow.wire).into_iter().flatten() {
                if one.rate as f64 >= limit * self.is_full && limit >= one.rate as f64 * self.is_full {
                    self.explained[one.trial as usize] += one.part;
                }
            }
        }
        let unexplained = slow.into_iter().filter(|&trial| self.explained[trial as usize] == 0).collect();
        SlowWires { wires: list, unexplained }
    }

    /// Returns the wires that are nearly as likely as a chosen one in its place.
    fn alternatives(&mut self, trials: &Trials, place: usize) -> Vec<u32> {
        let candidate = self.take(place);
        let least = self.rise(&candidate) - parts(TOLD_APART.ln());
        let is_likely = |&other: &u32| self.candidate(other).is_some_and(|found| self.rise(&found) >= least);
        let first = candidate.uses.iter().min_by_key(|one| self.explained[one.trial as usize]);
        let certain = first.into_iter().flat_map(|first| &trials.list[first.trial as usize].loads);
        let possible = first.into_iter().flat_map(|first| self.possible.of_trial(first.trial));
        let others = certain.map(|load| load.wire).chain(possible.map(|chance| chance.wire));
        let mut others: Vec<u32> = others.filter(|&other| other != candidate.wire).filter(is_likely).collect();
        others.sort_unstable();
        candidate.uses.iter().for_each(|one| self.explained[one.trial as usize] += one.part);
        self.chosen.insert(place, candidate);
        others
    }
}

/// Returns the logarithm of the probability of a slow trial if wires on this part of its paths explain it.
fn log_probability(explained: u64) -> i64 {
    let probability = explained.min(ALL_PATHS) as f64 / ALL_PATHS as f64;
    parts(probability.max(OTHER_REASON).ln())
}

/// Returns a logarithm in [`LIKELIHOOD_PARTS`].
fn parts(logarithm: f64) -> i64 {
    (logarithm * LIKELIHOOD_PARTS).round() as i64
}
