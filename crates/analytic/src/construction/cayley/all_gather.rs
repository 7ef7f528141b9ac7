//! All-gather: a tree that grows, if it can, by as many elements a step as there are generators.

use lockstep_schedule::{BaseSchedule, Budget};
use lockstep_topology::CayleyGraph;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::group_table::GroupTable;

/// How many trees are grown, each in another order, until one is as low as can be. The first one nearly always is.
const TRIES: u64 = 8;

/// What the message of element 0 does in an all-gather: `max(ceil((N - 1) / d), diameter)` steps for `N` elements and `d`
/// generators on all hypercubes, tori and circulant graphs that were tried, which no schedule beats, and rarely one more
/// elsewhere.
///
/// `None` past 64 generators or 2^26 pairs of an element and a generator, where the generators do not lead to all
/// elements, and when the budget ends. Takes `O(N d^2)` time at most and about `20 N d` bytes.
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

/// The tree of element 0, the lowest of several; `None` when the budget ends before the first one is grown.
pub(super) fn base(steps: &GroupTable, budget: &Budget) -> Option<BaseSchedule> {
    // A step informs one element a generator, and gets one generator further.
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

const NOBODY: u8 = u8::MAX;

/// From an informed element to one that need not be.
#[derive(Clone, Copy)]
struct GrowthEdge {
    sender: u32,
    receiver: u32,
}

/// A tree that grows from element 0, every step by a largest matching of generators and new elements.
///
/// New elements with the fewest informed neighbours go first. That spreads the tree, and what is left to the end are
/// elements between informed ones, which every generator leads to.
struct TreeGrowth<'a> {
    steps: &'a GroupTable,
    informed: Vec<bool>,
    /// Number of informed elements from which one generator leads to each element.
    ways: Vec<u8>,
    /// What may be sent along a generator, in a stack for each generator and number of ways to the receiver. Entries may
    /// be out of date: the receiver informed by now, or with more ways.
    hops: Vec<Vec<GrowthEdge>>,
    /// The first hops along each generator, at most as many as there are generators: with so many, one is left for a
    /// generator however the others choose.
    candidates: Vec<Vec<GrowthEdge>>,
    /// The generator that is matched with a new element.
    owner: Vec<u8>,
    /// What shuffles the stacks.
    random: Option<ChaCha8Rng>,
}

impl<'a> TreeGrowth<'a> {
    fn new(steps: &'a GroupTable, seed: u64) -> Self {
        let (elements, degree) = (steps.element_count(), steps.degree());
        Self {
            steps,
            informed: vec![false; elements],
            ways: vec![0; elements],
            hops: vec![Vec::new(); degree * (degree + 1)],
            candidates: vec![Vec::new(); degree],
            owner: vec![NOBODY; elements],
            random: (seed > 0).then(|| ChaCha8Rng::seed_from_u64(seed)),
        }
    }

    /// The whole tree, or `None` when the budget ends.
    fn grow(mut self, budget: &Budget) -> Option<BaseSchedule> {
        let degree = self.steps.degree();
        let mut base = BaseSchedule::new();
        let mut left = self.steps.element_count() - 1;
        let mut new = vec![0];
        while left > 0 {
            if budget.stop_after(0).is_some() {
                return None;
            }
            self.inform(&new);
            for generator in 0..degree {
                self.claim(generator, &mut 0);
            }
            base.begin_step();
            new.clear();
            for generator in 0..degree {
                if let Some(hop) = self.dismiss(generator) {
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
                self.ways[next] += 1;
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

    /// The place of the stack of hops along a generator to elements with as many ways as this one.
    fn stack(&self, generator: usize, receiver: usize) -> usize {
        generator * (self.steps.degree() + 1) + usize::from(self.ways[receiver])
    }

    /// Puts a hop on top of its stack or, where trees are to differ, anywhere in it.
    fn put(&mut self, generator: usize, hop: GrowthEdge) {
        let stack = self.stack(generator, hop.receiver as usize);
        let stack = &mut self.hops[stack];
        stack.push(hop);
        if let Some(random) = &mut self.random {
            let top = stack.len() - 1;
            stack.swap(random.random_range(0..=top), top);
        }
    }

    /// The receiver of one of the candidates of a generator, which are taken from its stacks when they are needed.
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

    /// Finds a receiver for a generator, if others that are asked, once each, can make room.
    fn claim(&mut self, generator: usize, asked: &mut u64) -> bool {
        *asked |= 1 << generator;
        let mut place = 0;
        while let Some(receiver) = self.candidate(generator, place) {
            if self.owner[receiver] == NOBODY {
                self.owner[receiver] = generator as u8;
                return true;
            }
            place += 1;
        }
        for place in 0..place {
            let receiver = self.candidates[generator][place].receiver as usize;
            let owner = usize::from(self.owner[receiver]);
            if *asked >> owner & 1 == 0 && self.claim(owner, asked) {
                self.owner[receiver] = generator as u8;
                return true;
            }
        }
        false
    }

    /// Puts the candidates of a generator back but the one whose receiver it claimed, and returns that one.
    fn dismiss(&mut self, generator: usize) -> Option<GrowthEdge> {
        let mut candidates = std::mem::take(&mut self.candidates[generator]);
        let mut claimed = None;
        while let Some(hop) = candidates.pop() {
            if usize::from(self.owner[hop.receiver as usize]) == generator {
                claimed = Some(hop);
            } else {
                self.put(generator, hop);
            }
        }
        self.candidates[generator] = candidates;
        claimed
    }
}
