//! All-gather: a tree that grows, if it can, by as many elements a step as there are generators.

use lockstep_schedule::{BaseSchedule, Budget};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::steps::Steps;

/// How many trees are grown, each in another order, until one is as low as can be. The first one nearly always is.
const TRIES: u64 = 8;

/// The tree of element 0, the lowest of several.
pub(super) fn base(steps: &Steps, budget: &Budget) -> Option<BaseSchedule> {
    let fewest = fewest_steps(steps);
    let mut best: Option<BaseSchedule> = None;
    for seed in 0..TRIES {
        let Some(base) = Growth::new(steps, seed).grow(budget) else { break };
        if best.as_ref().is_none_or(|best| base.step_count() < best.step_count()) {
            best = Some(base);
        }
        if best.as_ref().is_some_and(|best| best.step_count() <= fewest) {
            break;
        }
    }
    best
}

/// The number of steps that no tree can beat: a step informs an element a generator, and goes one generator further.
pub(super) fn fewest_steps(steps: &Steps) -> usize {
    (steps.element_count() - 1).div_ceil(steps.degree()).max(steps.diameter() as usize)
}

const NOBODY: u8 = u8::MAX;

/// A tree that grows from element 0, every step by a largest matching of generators and new elements.
///
/// New elements with the fewest informed neighbours go first. That spreads the tree, and what is left to the end are
/// elements between informed ones, which every generator leads to.
struct Growth<'a> {
    steps: &'a Steps,
    informed: Vec<bool>,
    /// Number of informed elements from which one generator leads to each element.
    ways: Vec<u8>,
    /// Informed elements that may send along a generator, in a stack for each generator and number of ways to what it
    /// leads to. Entries may be out of date: the other end informed by now, or with more ways.
    senders: Vec<Vec<u32>>,
    /// The first senders of each generator, as many as there are generators: with so many, one is left for a generator
    /// however the others choose.
    candidates: Vec<Vec<u32>>,
    /// The generator that is matched with a new element.
    owner: Vec<u8>,
    /// What shuffles the stacks.
    random: Option<ChaCha8Rng>,
}

impl<'a> Growth<'a> {
    fn new(steps: &'a Steps, seed: u64) -> Self {
        let (elements, degree) = (steps.element_count(), steps.degree());
        Self {
            steps,
            informed: vec![false; elements],
            ways: vec![0; elements],
            senders: vec![Vec::new(); degree * (degree + 1)],
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
            (0..degree).for_each(|generator| self.call(generator));
            let mut order: Vec<usize> = (0..degree).collect();
            order.sort_by_key(|&generator| self.candidates[generator].len());
            for generator in order {
                self.claim(generator, &mut 0);
            }
            base.begin_step();
            new.clear();
            for generator in 0..degree {
                if let Some(sender) = self.dismiss(generator) {
                    base.push(BaseSchedule::BROADCAST, sender, &[generator as u16]);
                    new.push(self.steps.next(sender as usize, generator));
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
                if self.informed[next] {
                    continue;
                }
                let stack = self.stack(generator, next);
                stack.push(element as u32);
                let top = stack.len() - 1;
                if let Some(random) = &mut self.random {
                    let place = random.random_range(0..=top);
                    self.stack(generator, next).swap(place, top);
                }
            }
        }
    }

    /// The senders along a generator to elements with as many ways as this one.
    fn stack(&mut self, generator: usize, next: usize) -> &mut Vec<u32> {
        &mut self.senders[generator * (self.steps.degree() + 1) + usize::from(self.ways[next])]
    }

    /// Takes the candidates of a generator from its stacks.
    fn call(&mut self, generator: usize) {
        let degree = self.steps.degree();
        let mut called = std::mem::take(&mut self.candidates[generator]);
        for ways in 1..=degree {
            while called.len() < degree
                && let Some(sender) = self.senders[generator * (degree + 1) + ways].pop()
            {
                let next = self.steps.next(sender as usize, generator);
                if usize::from(self.ways[next]) > ways && !self.informed[next] {
                    self.stack(generator, next).push(sender);
                } else if !self.informed[next] {
                    called.push(sender);
                }
            }
        }
        self.candidates[generator] = called;
    }

    /// Finds a new element for a generator, if others that are asked, once each, can make room.
    fn claim(&mut self, generator: usize, asked: &mut u64) -> bool {
        *asked |= 1 << generator;
        let next =
            |growth: &Self, place: usize| growth.steps.next(growth.candidates[generator][place] as usize, generator);
        let candidates = 0..self.candidates[generator].len();
        let free = candidates.clone().find(|&place| self.owner[next(self, place)] == NOBODY);
        let found = free.or_else(|| {
            candidates.into_iter().find(|&place| {
                let owner = usize::from(self.owner[next(self, place)]);
                *asked >> owner & 1 == 0 && self.claim(owner, asked)
            })
        });
        if let Some(place) = found {
            let next = next(self, place);
            self.owner[next] = generator as u8;
        }
        found.is_some()
    }

    /// Puts the candidates of a generator back but the one whose new element it claimed, and returns that one.
    fn dismiss(&mut self, generator: usize) -> Option<u32> {
        let mut called = std::mem::take(&mut self.candidates[generator]);
        let mut sender = None;
        while let Some(candidate) = called.pop() {
            let next = self.steps.next(candidate as usize, generator);
            if usize::from(self.owner[next]) == generator {
                sender = Some(candidate);
            } else {
                self.stack(generator, next).push(candidate);
            }
        }
        self.candidates[generator] = called;
        sender
    }
}
