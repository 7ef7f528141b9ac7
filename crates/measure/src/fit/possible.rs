//! The wires that transfers with several shortest paths may use.

use std::collections::BTreeMap;

use lockstep_topology::NodeId;

use super::routes::{Chance, possible_wires};
use super::trials::Trials;
use super::wires::Wires;

/// The most chances that are kept. Trials beyond them have no possible wires.
const MAX_CHANCES: usize = 1 << 23;

/// The wires that the single transfers of trials may use, if they have several shortest paths.
///
/// Each transfer takes one of its shortest paths. Which one is not known.
#[derive(Clone, Debug)]
pub(super) struct Possible {
    /// Sets of wires, each ascending by wire. The first one is empty.
    sets: Vec<Vec<Chance>>,
    /// The set of each trial.
    of_trial: Vec<u32>,
    /// The rates of the trials of each set, ascending.
    rates: Vec<Vec<u64>>,
    /// The ends of the transfers of each set, with their greatest rates.
    pairs: Vec<Vec<([NodeId; 2], u64)>>,
    /// The sets with each wire, and its part of their paths.
    of_wire: BTreeMap<u32, Vec<(u32, f64)>>,
}

impl Possible {
    /// Finds the possible wires of trials among those with a mark.
    ///
    /// Takes `O(S (M + N W))` time for `S` senders of trials with several shortest paths and `W` possible wires of a trial.
    pub(super) fn new(wires: &Wires<'_>, trials: &Trials, is_marked: &dyn Fn(u32) -> bool) -> Self {
        let mut by_source: BTreeMap<NodeId, BTreeMap<NodeId, Vec<u32>>> = BTreeMap::new();
        for (place, trial) in trials.list.iter().enumerate().filter(|(_, trial)| !trial.has_unique_paths) {
            if let [[from, to]] = trial.flows[..] {
                by_source.entry(from).or_default().entry(to).or_default().push(place as u32);
            }
        }
        let mut known = Self {
            sets: vec![Vec::new()],
            of_trial: vec![0; trials.list.len()],
            rates: vec![Vec::new()],
            pairs: vec![Vec::new()],
            of_wire: BTreeMap::new(),
        };
        // Transfers between the same two switches use the same wires, up to the least differences of parts.
        let mut places: BTreeMap<Vec<(u32, u32)>, u32> = BTreeMap::from([(Vec::new(), 0)]);
        let mut room = MAX_CHANCES;
        for (source, targets) in by_source {
            let ends: Vec<NodeId> = targets.keys().copied().collect();
            let found = possible_wires(wires, source, &ends, is_marked);
            for ((to, members), chances) in targets.into_iter().zip(found) {
                let key = chances.iter().map(|chance| (chance.wire, (chance.part as f32).to_bits())).collect();
                let next = known.sets.len() as u32;
                let place = *places.entry(key).or_insert_with(|| if chances.len() <= room { next } else { 0 });
                if place == next {
                    room -= chances.len();
                    for chance in &chances {
                        known.of_wire.entry(chance.wire).or_default().push((next, chance.part));
                    }
                    known.sets.push(chances);
                    known.rates.push(Vec::new());
                    known.pairs.push(Vec::new());
                }
                let rates = members.iter().map(|&member| trials.list[member as usize].rate);
                known.pairs[place as usize].push(([source, to], rates.max().unwrap_or(0)));
                for member in members {
                    known.of_trial[member as usize] = place;
                    known.rates[place as usize].push(trials.list[member as usize].rate);
                }
            }
        }
        known.rates.iter_mut().for_each(|rates| rates.sort_unstable());
        known
    }

    /// Returns the possible wires of a trial, ascending.
    pub(super) fn of_trial(&self, trial: u32) -> &[Chance] {
        &self.sets[self.of_trial[trial as usize] as usize]
    }

    /// Returns true if the wire is possible for some trial.
    pub(super) fn has(&self, wire: u32) -> bool {
        self.of_wire.contains_key(&wire)
    }

    /// Returns true if two wires are on the same parts of the paths of all trials.
    pub(super) fn is_alike(&self, one: u32, other: u32) -> bool {
        let sets = |wire: u32| self.of_wire.get(&wire).map_or(&[][..], |sets| sets);
        let is_equal = |(one, other): (&(u32, f64), &(u32, f64))| one.0 == other.0 && (one.1 - other.1).abs() < 1e-6;
        sets(one).len() == sets(other).len() && sets(one).iter().zip(sets(other)).all(is_equal)
    }

    /// Returns the number of trials for which the wire is possible.
    pub(super) fn count(&self, wire: u32) -> u32 {
        let sets = self.of_wire.get(&wire).into_iter().flatten();
        sets.map(|&(set, _)| self.rates[set as usize].len() as u32).sum()
    }

    /// Returns the ends of the transfers above a rate for which the wire is possible, and its part of their paths.
    pub(super) fn pairs_above(&self, wire: u32, rate: u64) -> impl Iterator<Item = ([NodeId; 2], f64)> {
        let sets = self.of_wire.get(&wire).into_iter().flatten();
        let of_set = move |&(set, part): &(u32, f64)| {
            let pairs = self.pairs[set as usize].iter().filter(move |&&(_, most)| most > rate);
            pairs.map(move |&(pair, _)| (pair, part))
        };
        sets.flat_map(of_set)
    }

    /// Returns the number of trials above a rate that should use a wire, if all paths are equally likely.
    pub(super) fn expected_above(&self, wire: u32, rate: u64) -> f64 {
        self.sum_above(wire, rate, |part| part)
    }

    /// Returns the negative logarithm of the probability that no trial above a rate uses a wire.
    pub(super) fn surprise_above(&self, wire: u32, rate: u64) -> f64 {
        self.sum_above(wire, rate, |part| -(1.0 - part).max(f64::EPSILON).ln())
    }

    /// Returns a sum over the trials above a rate.
    fn sum_above(&self, wire: u32, rate: u64, of_part: impl Fn(f64) -> f64) -> f64 {
        let of_set = |&(set, part): &(u32, f64)| {
            let rates = &self.rates[set as usize];
            of_part(part) * (rates.len() - rates.partition_point(|&other| other <= rate)) as f64
        };
        self.of_wire.get(&wire).map_or(0.0, |sets| sets.iter().map(of_set).sum())
    }
}
