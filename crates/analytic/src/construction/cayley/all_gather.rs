//! All-gather: a spanning tree that grows by one element per generator and step.

use lockstep_schedule::{BaseSchedule, Budget};
use lockstep_topology::CayleyGraph;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::group_table::GroupTable;

/// The largest number of trees that are grown, each in another order. The first one is nearly always the lowest.
const TRIES: u64 = 8;

/// Returns the transfers of the message of element 0 in an all-gather.
///
/// On all hypercubes, tori and circulant graphs that were tried, the number of steps is `max(ceil((N - 1) / d),
/// diameter)` for `N` elements and `d` generators, which is optimal. On other graphs it is rarely one more.
///
/// Returns `None` for more than 64 generators or 2^26 pairs of an element and a generator, if the generators do not
/// reach all elements, and when the budget ends. Takes `O(N d^2)` time at most, and about `20 N d` bytes.
///
/// ```
/// use lockstep_schedule::Budget;
///
/// let torus = "torus:64x64".parse()?;
/// let base = lockstep_analytic::cayley::all_gather(&torus, &Budget::unlimited()).expect("a torus of 4096 nodes");
/// assert_eq!((base.step_count(), base.transfer_count()), (4095_usize.div_ceil(4), 4095));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn all_gather(graph: &CayleyGraph, budget: &Budget) -> Option<BaseSchedule> {
    base(&GroupTable::of_graph(graph)?, budget)
}

/// Returns the tree of element 0, the lowest of several; `None` if the budget ends before the first one is complete.
pub(super) fn base(steps: &GroupTable, budget: &Budget) -> Option<BaseSchedule> {
    // A step informs one element per generator, at a distance that grows by one.
    let fewest = (steps.element_count() - 1).div_ceil(steps.degree()).max(steps.diameter() as usize);
    let mut best = TreeGrowth::new(steps, 0).grow(budget)?;
    for seed in 1..TRIES {
        if best.step_count() <= fewest {
            break;
        }
        let Some(other) = TreeGrowth::new(steps, seed).grow(budget) else { break };
        if other.step_count() < best.step_count() {
            best = other;
        }
    }
    Some(best)
}

const UNMATCHED: u8 = u8::MAX;

/// An edge from an informed element to another one.
#[derive(Clone, Copy)]
struct GrowthEdge {
    sender: u32,
    receiver: u32,
}

/// A tree that grows from element 0. Every step is a maximum matching of generators with new elements.
///
/// New elements with the fewest informed neighbours come first. The tree spreads, and the last elements have informed
/// neighbours along every generator.
struct TreeGrowth<'a> {
    steps: &'a GroupTable,
    informed: Vec<bool>,
    /// For each element, the number of generators that lead to it from informed elements.
    informed_neighbours: Vec<u8>,
    /// The possible edges, one stack per generator and number of informed neighbours of the receiver. Entries may be
    /// outdated.
    hops: Vec<Vec<GrowthEdge>>,
    /// The first edges along each generator, at most one per generator. With that number, one remains for a generator
    /// in every matching.
    candidates: Vec<Vec<GrowthEdge>>,
    /// The generator that is matched with each new element.
    owner: Vec<u8>,
    /// The random stream that shuffles the stacks.
    random: Option<ChaCha8Rng>,
}

impl<'a> TreeGrowth<'a> {
    fn new(steps: &'a GroupTable, seed: u64) -> Self {
        let (elements, degree) = (steps.element_count(), steps.degree());
        Self {
            steps,
            informed: vec![false; elements],
            informed_neighbours: vec![0; elements],
            hops: vec![Vec::new(); degree * (degree + 1)],
            candidates: vec![Vec::new(); degree],
            owner: vec![UNMATCHED; elements],
            random: (seed > 0).then(|| ChaCha8Rng::seed_from_u64(seed)),
        }
    }

    /// Returns the complete tree, or `None` when the budget ends.
    fn grow(mut self, budget: &Budget) -> Option<BaseSchedule> {
        let degree = self.steps.degree();
        let mut base = BaseSchedule::new();
        let mut left = self.steps.element_count() - 1;
        let mut new = vec![0];
        while left > 0 {
            if budget.interruption().is_some() {
                return None;
            }
            self.inform(&new);
            for generator in 0..degree {
                self.augment(generator, &mut 0);
            }
            base.begin_step();
            new.clear();
            for generator in 0..degree {
                if let Some(hop) = self.take_matched(generator) {
                    base.push(BaseSchedule::BROADCAST, hop.sender, &[generator as u16]);
                    new.push(hop.receiver as usize);
                }
            }
            left -= new.len();
        }
        Some(base)
    }

    fn inform(&mut self, new: &[usize]) {
        for &element in new {
            self.informed[element] = true;
            for next in self.steps.neighbours(element) {
                self.informed_neighbours[next] += 1;
            }
        }
        for &element in new {
            for (generator, next) in self.steps.neighbours(element).enumerate() {
                if !self.informed[next] {
                    self.put(generator, GrowthEdge { sender: element as u32, receiver: next as u32 });
                }
            }
        }
    }

    /// Returns the index of the stack for edges along a generator to receivers with the same number of informed
    /// neighbours.
    fn stack(&self, generator: usize, receiver: usize) -> usize {
        generator * (self.steps.degree() + 1) + usize::from(self.informed_neighbours[receiver])
    }

    /// Puts an edge on its stack: on top or, in shuffled trees, at a random position.
    fn put(&mut self, generator: usize, hop: GrowthEdge) {
        let stack = self.stack(generator, hop.receiver as usize);
        let stack = &mut self.hops[stack];
        stack.push(hop);
        if let Some(random) = &mut self.random {
            let top = stack.len() - 1;
            stack.swap(random.random_range(0..=top), top);
        }
    }

    /// Returns the receiver of a candidate of a generator. Candidates are taken from the stacks on demand.
    fn candidate(&mut self, generator: usize, place: usize) -> Option<usize> {
        let degree = self.steps.degree();
        let stacks = generator * (degree + 1)..(generator + 1) * (degree + 1);
        for stack in stacks {
            while place == self.candidates[generator].len()
                && place < degree
                && let Some(hop) = self.hops[stack].pop()
            {
                let receiver = hop.receiver as usize;
                if self.informed[receiver] {
                    continue;
                }
                if self.stack(generator, receiver) == stack {
                    self.candidates[generator].push(hop);
                } else {
                    self.put(generator, hop);
                }
            }
        }
        self.candidates[generator].get(place).map(|hop| hop.receiver as usize)
    }

    /// Matches a generator with a receiver along an augmenting path. `visited` has the generators that were visited.
    fn augment(&mut self, generator: usize, visited: &mut u64) -> bool {
        *visited |= 1 << generator;
        let mut place = 0;
        while let Some(receiver) = self.candidate(generator, place) {
            if self.owner[receiver] == UNMATCHED {
                self.owner[receiver] = generator as u8;
                return true;
            }
            place += 1;
        }
        for place in 0..place {
            let receiver = self.candidates[generator][place].receiver as usize;
            let owner = usize::from(self.owner[receiver]);
            if *visited >> owner & 1 == 0 && self.augment(owner, visited) {
                self.owner[receiver] = generator as u8;
                return true;
            }
        }
        false
    }

    /// Returns the matched edge of a generator, and puts its other candidates back.
    fn take_matched(&mut self, generator: usize) -> Option<GrowthEdge> {
        let mut candidates = std::mem::take(&mut self.candidates[generator]);
        let mut matched = None;
        while let Some(hop) = candidates.pop() {
            if usize::from(self.owner[hop.receiver as usize]) == generator {
                matched = Some(hop);
            } else {
                self.put(generator, hop);
            }
        }
        self.candidates[generator] = candidates;
        matched
    }
}
