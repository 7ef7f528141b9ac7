//! In which steps a message could go, and what would be in its way.

use rand::{Rng, RngExt};

use super::occupancy::{NOBODY, Occupancy, WORD};
use super::path_dag::{PathDag, PathDags};

/// Full slots on a way are told apart up to one less than this.
pub(super) const LEVELS: usize = 4;

/// For each number of full slots, the steps of a word in which some way has at most so many.
pub(super) type BlockLevels = [u64; LEVELS];

/// Weights are multiples of this, so that noise below it breaks ties.
const UNIT: u64 = 1 << 4;

/// Scratch space for searches along the ways of one message.
#[derive(Debug)]
pub(super) struct FreeSlotSearch {
    /// For each place the steps in which it is reached.
    levels: Vec<BlockLevels>,
    /// For each place a cheapest way there.
    cheapest: Vec<CheapestPath>,
    /// The numbers of the arcs of a way, from its end.
    pub(super) trail: Vec<u32>,
}

/// A cheapest way to a place.
#[derive(Clone, Copy, Debug)]
struct CheapestPath {
    cost: u64,
    /// The last arc.
    via: u32,
    /// Who is in the way last.
    last: u32,
}

impl FreeSlotSearch {
    pub(super) fn new(ways: &PathDags) -> Self {
        let places = ways.most_places();
        Self {
            levels: vec![[0; LEVELS]; places],
            cheapest: vec![CheapestPath { cost: 0, via: 0, last: NOBODY }; places],
            trail: Vec::with_capacity(ways.longest()),
        }
    }

    /// The steps of a word in which some way has no, at most one, two, ... full slots.
    ///
    /// Takes time in proportion to the arcs, all steps of the word at once.
    #[inline]
    pub(super) fn search(&mut self, way: PathDag<'_>, full: &[u64]) -> BlockLevels {
        let levels = &mut self.levels[..way.place_count()];
        levels[0] = [u64::MAX; LEVELS];
        for place in 1..way.place_count() {
            let mut here = [0; LEVELS];
            for arc in way.into(place) {
                let (before, free) = (levels[arc.tail as usize], !full[arc.slot as usize]);
                here[0] |= before[0] & free;
                for level in 1..LEVELS {
                    here[level] |= before[level - 1] | before[level] & free;
                }
            }
            levels[place] = here;
        }
        levels[way.place_count() - 1]
    }

    /// Leaves a random way that is free in a step in `trail`; [`search`](Self::search) has found one in its word.
    pub(super) fn follow_free(&mut self, way: PathDag<'_>, full: &[u64], step: u32, rng: &mut impl Rng) {
        self.trail.clear();
        let mut place = way.place_count() - 1;
        while place != 0 {
            let (mut chosen, mut count) = (0, 0);
            let arcs = way.into(place);
            for (number, arc) in arcs.iter().enumerate() {
                let free = self.levels[arc.tail as usize][0] & !full[arc.slot as usize];
                if free >> (step % WORD) & 1 == 1 {
                    count += 1;
                    if count == 1 || rng.random_range(0..count) == 0 {
                        chosen = number;
                    }
                }
            }
            self.trail.push(way.first_arc(place) + chosen as u32);
            place = arcs[chosen].tail as usize;
        }
    }

    /// About the least weight of messages that must leave to make room in a step: one that is met again later on counts
    /// again.
    pub(super) fn price(
        &mut self,
        way: PathDag<'_>,
        timetable: &Occupancy<'_>,
        step: u32,
        weight: &[u32],
        rng: &mut impl Rng,
    ) -> u64 {
        let cheapest = &mut self.cheapest[..way.place_count()];
        cheapest[0] = CheapestPath { cost: 0, via: 0, last: NOBODY };
        let mut noise = rng.random::<u64>();
        for place in 1..way.place_count() {
            let mut best = CheapestPath { cost: u64::MAX, via: 0, last: NOBODY };
            for (via, arc) in (way.first_arc(place)..).zip(way.into(place)) {
                let CheapestPath { mut cost, mut last, .. } = cheapest[arc.tail as usize];
                if timetable.is_full(arc.slot, step) {
                    let users = timetable.users(arc.slot, step);
                    let lightest = lightest(users, weight);
                    if lightest != last {
                        cost += u64::from(weight[lightest as usize]) * UNIT;
                        last = lightest;
                    }
                }
                noise = noise.rotate_left(7);
                cost += noise % 16;
                if cost < best.cost {
                    best = CheapestPath { cost, via, last };
                }
            }
            cheapest[place] = best;
        }
        cheapest[way.place_count() - 1].cost / UNIT
    }

    /// Leaves the way with the last [`price`](Self::price) in `trail`.
    pub(super) fn follow_cheapest(&mut self, way: PathDag<'_>, ways: &PathDags) {
        self.trail.clear();
        let mut place = way.place_count() - 1;
        while place != 0 {
            let via = self.cheapest[place].via;
            self.trail.push(via);
            place = ways.arc(via).tail as usize;
        }
    }
}

/// The user of least weight of a full slot.
#[inline]
pub(super) fn lightest(users: &[u32], weight: &[u32]) -> u32 {
    match *users {
        [user] => user,
        _ => users.iter().copied().min_by_key(|&user| weight[user as usize]).expect("a full slot has users"),
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::strategy::{any_topology, shuffled};
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::kit::capacities::Capacities;
    use crate::kit::task::SchedulingTask;
    use crate::method::path_colouring::path_dag::{Detours, PathArc};

    /// All ways to a place, one by one.
    fn all_ways(way: PathDag<'_>, place: usize) -> Vec<Vec<PathArc>> {
        if place == 0 {
            return vec![Vec::new()];
        }
        let arcs = way.into(place).iter();
        arcs.flat_map(|&arc| {
            let before = all_ways(way, arc.tail as usize);
            before.into_iter().map(move |way| [way, vec![arc]].concat())
        })
        .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn levels_and_prices_are_those_of_the_best_way(
            topology in any_topology(8).prop_flat_map(shuffled), full in prop::collection::vec(any::<u64>(), 1..20), seed: u64,
        ) {
            let collective = Collective::all_to_all();
            let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let capacities = Capacities::new(&task);
            let ways = PathDags::new(&task, &capacities, &Detours::new()).unwrap();
            let (mut reach, mut rng) = (FreeSlotSearch::new(&ways), ChaCha8Rng::seed_from_u64(seed));
            let full: Vec<u64> = full.iter().copied().cycle().take(capacities.len()).collect();
            // Every use has a user of its own, so that none is met twice.
            let mut timetable = Occupancy::new(&capacities, WORD).unwrap();
            let mut weight = Vec::new();
            for (slot, steps) in (0..).zip(&full) {
                for step in (0..WORD).filter(|step| steps >> step & 1 == 1) {
                    timetable.add(slot, step, weight.len() as u32);
                    weight.push(rng.random_range(1..9));
                }
            }
            for message in 0..ways.message_count() as u32 {
                let way = ways.of(message);
                let levels = reach.search(way, &full);
                let all = all_ways(way, way.place_count() - 1);
                for step in 0..WORD {
                    let in_the_way = |arc: &&PathArc| timetable.is_full(arc.slot, step);
                    let least = all.iter().map(|way| way.iter().filter(in_the_way).count()).min().unwrap();
                    for (level, steps) in levels.iter().enumerate() {
                        prop_assert_eq!(steps >> step & 1 == 1, least <= level);
                    }
                    let weight_of = |arc: &PathArc| u64::from(weight[timetable.users(arc.slot, step)[0] as usize]);
                    let price = |way: &Vec<PathArc>| way.iter().filter(in_the_way).map(weight_of).sum::<u64>();
                    let cheapest = all.iter().map(price).min().unwrap();
                    // Noise is less than a unit a slot.
                    let found = reach.price(way, &timetable, step, &weight, &mut rng);
                    prop_assert!((cheapest..=cheapest + u64::from(ways.length(message))).contains(&found));
                    if least == 0 {
                        reach.follow_free(way, &full, step, &mut rng);
                        prop_assert!(reach.trail.iter().all(|&arc| !timetable.is_full(ways.arc(arc).slot, step)));
                    }
                }
            }
        }
    }
}
