//! The steps in which a message has a free path, and the conflicts in other steps.

use lockstep_model::UserTable;
use rand::{Rng, RngExt};

use super::path_dag::{PathDag, PathDags};

/// Marks a path without a message in conflict.
const NONE: u32 = u32::MAX;

/// The number of levels: paths with 0, 1, ... full slots are told apart up to `LEVELS - 1`.
pub(super) const LEVELS: usize = 4;

/// Per level, the steps of a word in which some path has at most that number of full slots.
pub(super) type WordLevels = [u64; LEVELS];

/// Weights are multiples of this unit, so that smaller noise breaks ties.
const UNIT: u64 = 1 << 4;

/// Scratch space for searches along the paths of one message.
#[derive(Debug)]
pub(super) struct FreeSlotSearch {
    /// The steps in which each vertex is reached, per level.
    levels: Vec<WordLevels>,
    /// A cheapest path to each vertex.
    cheapest: Vec<CheapestPath>,
    /// The numbers of the arcs of a path, last arc first.
    pub(super) trail: Vec<u32>,
    /// Units of work, see [`AttemptContext::count`](crate::kit::request::AttemptContext::count).
    pub(super) work: u64,
}

/// Units of work per arc of a search for free steps, and for the cheapest path.
const FREE_WORK: u64 = 2;
const PRICE_WORK: u64 = 4;

/// A cheapest path to a vertex.
#[derive(Clone, Copy, Debug)]
struct CheapestPath {
    cost: u64,
    /// The last arc.
    via: u32,
    /// The last message in conflict.
    last: u32,
}

impl FreeSlotSearch {
    pub(super) fn new(dags: &PathDags) -> Self {
        let vertices = dags.max_vertex_count();
        Self {
            levels: vec![[0; LEVELS]; vertices],
            cheapest: vec![CheapestPath { cost: 0, via: 0, last: NONE }; vertices],
            trail: Vec::with_capacity(dags.longest()),
            work: 0,
        }
    }

    /// Returns the steps of a word in which some path has at most 0, 1, 2, ... full slots. Takes `O(A)` time for `A`
    /// arcs, for all 64 steps together.
    #[inline]
    pub(super) fn free_steps(&mut self, dag: PathDag<'_>, full: &[u64]) -> WordLevels {
        let levels = &mut self.levels[..dag.vertex_count()];
        levels[0] = [u64::MAX; LEVELS];
        self.work += FREE_WORK * u64::from(dag.arc_count());
        for vertex in 1..dag.vertex_count() {
            let mut here = [0; LEVELS];
            for arc in dag.arcs_into(vertex) {
                let (before, free) = (levels[arc.tail as usize], !full[arc.slot as usize]);
                here[0] |= before[0] & free;
                for level in 1..LEVELS {
                    here[level] |= before[level - 1] | before[level] & free;
                }
            }
            levels[vertex] = here;
        }
        levels[dag.vertex_count() - 1]
    }

    /// Finds a random path that is free in a step; leaves it in `trail`. [`free_steps`](Self::free_steps) must have
    /// found the step.
    pub(super) fn trace_free(&mut self, dag: PathDag<'_>, full: &[u64], step: u32, rng: &mut impl Rng) {
        self.trail.clear();
        let mut vertex = dag.vertex_count() - 1;
        while vertex != 0 {
            let (mut chosen, mut count) = (0, 0);
            let arcs = dag.arcs_into(vertex);
            for (number, arc) in arcs.iter().enumerate() {
                let free = self.levels[arc.tail as usize][0] & !full[arc.slot as usize];
                if free >> (step % u64::BITS) & 1 == 1 {
                    count += 1;
                    if count == 1 || rng.random_range(0..count) == 0 {
                        chosen = number;
                    }
                }
            }
            self.trail.push(dag.first_arc(vertex) + chosen as u32);
            vertex = arcs[chosen].tail as usize;
        }
    }

    /// Returns about the least weight of messages that must leave so that a path is free in a step. A message in
    /// several conflicts may count several times.
    pub(super) fn price(
        &mut self,
        dag: PathDag<'_>,
        occupancy: &UserTable<'_, u64>,
        step: u32,
        weight: &[u32],
        rng: &mut impl Rng,
    ) -> u64 {
        let cheapest = &mut self.cheapest[..dag.vertex_count()];
        cheapest[0] = CheapestPath { cost: 0, via: 0, last: NONE };
        self.work += PRICE_WORK * u64::from(dag.arc_count());
        let mut noise = rng.random::<u64>();
        for vertex in 1..dag.vertex_count() {
            let mut best = CheapestPath { cost: u64::MAX, via: 0, last: NONE };
            for (via, arc) in (dag.first_arc(vertex)..).zip(dag.arcs_into(vertex)) {
                let CheapestPath { mut cost, mut last, .. } = cheapest[arc.tail as usize];
                if !occupancy.timetable().is_free(arc.slot, step) {
                    let users = occupancy.users(arc.slot, step);
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
            cheapest[vertex] = best;
        }
        cheapest[dag.vertex_count() - 1].cost / UNIT
    }

    /// Leaves the path with the last [`price`](Self::price) in `trail`.
    pub(super) fn trace_cheapest(&mut self, dag: PathDag<'_>, dags: &PathDags) {
        self.trail.clear();
        let mut vertex = dag.vertex_count() - 1;
        while vertex != 0 {
            let via = self.cheapest[vertex].via;
            self.trail.push(via);
            vertex = dags.arc(via).tail as usize;
        }
    }
}

/// Returns the user with the least weight of a full slot.
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
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::kit::task::SchedulingTask;
    use crate::kit::testing::any_network;
    use crate::method::path_colouring::path_dag::{Detours, PathArc};

    /// Returns all paths to a vertex.
    fn all_paths(dag: PathDag<'_>, vertex: usize) -> Vec<Vec<PathArc>> {
        if vertex == 0 {
            return vec![Vec::new()];
        }
        let arcs = dag.arcs_into(vertex).iter();
        arcs.flat_map(|&arc| {
            let before = all_paths(dag, arc.tail as usize);
            before.into_iter().map(move |path| [path, vec![arc]].concat())
        })
        .collect()
    }

    proptest! {
        #![proptest_config(lockstep_topology::strategy::cases(64))]

        #[test]
        fn levels_and_prices_are_those_of_the_best_path(
            topology in any_network(8), full in prop::collection::vec(any::<u64>(), 1..20), seed: u64,
        ) {
            let collective = Collective::all_to_all();
            let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let slots = task.slots();
            let dags = PathDags::new(&task, &slots, &Detours::new()).unwrap();
            let (mut search, mut rng) = (FreeSlotSearch::new(&dags), ChaCha8Rng::seed_from_u64(seed));
            let full: Vec<u64> = full.iter().copied().cycle().take(slots.len()).collect();
            // Every use has its own user, so that no message is in two conflicts.
            let mut occupancy = UserTable::new(&slots, u64::BITS, u32::MAX).unwrap();
            let mut weight = Vec::new();
            for (slot, steps) in (0..).zip(&full) {
                for step in (0..u64::BITS).filter(|step| steps >> step & 1 == 1) {
                    for _ in 0..slots.capacity(slot) {
                        occupancy.add(slot, step, weight.len() as u32);
                        weight.push(rng.random_range(1..9));
                    }
                }
            }
            for message in 0..dags.message_count() as u32 {
                let dag = dags.of(message);
                let levels = search.free_steps(dag, &full);
                let all = all_paths(dag, dag.vertex_count() - 1);
                for step in 0..u64::BITS {
                    let is_conflict = |arc: &&PathArc| !occupancy.timetable().is_free(arc.slot, step);
                    let least = all.iter().map(|path| path.iter().filter(is_conflict).count()).min().unwrap();
                    for (level, steps) in levels.iter().enumerate() {
                        prop_assert_eq!(steps >> step & 1 == 1, least <= level);
                    }
                    let weight_of = |arc: &PathArc| {
                        let users = occupancy.users(arc.slot, step).iter();
                        users.map(|&user| u64::from(weight[user as usize])).min().unwrap()
                    };
                    let price = |path: &Vec<PathArc>| path.iter().filter(is_conflict).map(weight_of).sum::<u64>();
                    let cheapest = all.iter().map(price).min().unwrap();
                    // The noise is less than one unit per slot.
                    let found = search.price(dag, &occupancy, step, &weight, &mut rng);
                    prop_assert!((cheapest..=cheapest + u64::from(dags.length(message))).contains(&found));
                    if least == 0 {
                        search.trace_free(dag, &full, step, &mut rng);
                        prop_assert!(search.trail.iter().all(|&arc| occupancy.timetable().is_free(dags.arc(arc).slot, step)));
                    }
                }
            }
        }
    }
}
