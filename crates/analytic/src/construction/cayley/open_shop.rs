//! The steps in which generators serve words: a unit open shop with words as jobs and generators as machines.

use lockstep_schedule::Budget;

use super::balanced_words::WordCounts;

/// Visits the steps in which generators serve words, as pairs of an element and a generator; `None` when the budget
/// ends.
///
/// No step has a generator or an element twice. The number of steps is minimal: the larger of the most uses of a
/// generator and the longest word. Every step serves all generators and words whose remaining work equals the number of
/// remaining steps. By König's theorem this is possible. Takes `O(d)` to `O(d^3)` time per step, and one pass over all
/// words for each of the last steps, whose number is the length of the longest word.
///
/// # Source
///
/// Gonzalez, Sahni, *Open shop scheduling to minimize finish time*, Journal of the ACM 23 (1976), with unit steps.
pub(super) fn steps(words: &WordCounts, budget: &Budget, mut serve: impl FnMut(&[(u32, u16)])) -> Option<()> {
    let mut shop = OpenShop::new(words);
    let mut served = Vec::new();
    while shop.left > 0 {
        if budget.interruption().is_some() {
            return None;
        }
        shop.step(&mut served);
        serve(&served);
    }
    Some(())
}

const IDLE: u32 = u32::MAX;
const FREE: u8 = u8::MAX;

/// The remaining work of an open shop, and the matching of the current step.
struct OpenShop {
    degree: usize,
    /// Number of remaining steps.
    left: u64,
    /// The remaining uses of each generator by each word, one row per element.
    count: Vec<u16>,
    /// The remaining length of each word, which is the sum of its row.
    length: Vec<u16>,
    /// The remaining uses of each generator, which is the sum of its column.
    load: Vec<u64>,
    longest: u64,
    /// For each generator, the elements whose words still need it, longer words last.
    queue: Vec<Vec<u32>>,
    /// The element that each generator serves in this step.
    served: Vec<u32>,
    /// The generator that serves each element in this step.
    server: Vec<u8>,
    /// The elements whose remaining length equals the number of remaining steps.
    urgent: Vec<u32>,
}

impl OpenShop {
    fn new(words: &WordCounts) -> Self {
        let (elements, degree) = (words.element_count(), words.degree());
        let load = words.loads();
        let length: Vec<u16> = (0..elements).map(|element| words.word(element).iter().sum()).collect();
        let longest = length.iter().copied().max().unwrap_or(0).into();
        let mut order: Vec<u32> = (0..elements as u32).collect();
        order.sort_by_key(|&element| length[element as usize]);
        let needs = |generator: usize| {
            let all = order.iter().copied();
            all.filter(|&element| words.word(element as usize)[generator] > 0).collect()
        };
        Self {
            degree,
            left: load.iter().copied().max().unwrap_or(0).max(longest),
            count: (0..elements).flat_map(|element| words.word(element)).copied().collect(),
            queue: (0..degree).map(needs).collect(),
            length,
            load,
            longest,
            served: vec![IDLE; degree],
            server: vec![FREE; elements],
            urgent: Vec::new(),
        }
    }

    fn step(&mut self, served: &mut Vec<(u32, u16)>) {
        self.urgent.clear();
        if self.left <= self.longest {
            let urgent = (0..self.length.len()).filter(|&element| u64::from(self.length[element]) == self.left);
            self.urgent.extend(urgent.map(|element| element as u32));
        }
        for place in 0..self.urgent.len() {
            self.augment_element(self.urgent[place] as usize, &mut 0);
        }
        // Generators that must work come first. They may take a word from one that may be idle.
        for must in [true, false] {
            for generator in 0..self.degree {
                if self.must_work(generator) == must && self.served[generator] == IDLE {
                    self.augment_generator(generator, must, &mut 0);
                }
            }
        }
        served.clear();
        for generator in 0..self.degree {
            let element = std::mem::replace(&mut self.served[generator], IDLE);
            if element == IDLE {
                continue;
            }
            served.push((element, generator as u16));
            self.finish(element as usize, generator);
        }
        self.left -= 1;
    }

    fn must_work(&self, generator: usize) -> bool {
        self.load[generator] == self.left
    }

    /// Matches an urgent element with a generator along an augmenting path; visits each generator once.
    fn augment_element(&mut self, element: usize, visited: &mut u64) -> bool {
        for generator in 0..self.degree {
            if self.count[element * self.degree + generator] == 0 || *visited >> generator & 1 == 1 {
                continue;
            }
            *visited |= 1 << generator;
            let rival = self.served[generator];
            if rival == IDLE || self.augment_element(rival as usize, visited) {
                self.assign(generator, element);
                return true;
            }
        }
        false
    }

    /// Matches a generator with an element along an augmenting path; visits each generator once.
    ///
    /// A generator that must work may end the path at one that may be idle.
    fn augment_generator(&mut self, generator: usize, must: bool, visited: &mut u64) -> bool {
        *visited |= 1 << generator;
        let places = 0..self.degree + self.urgent.len();
        let free = places.clone().filter_map(|place| self.candidate(generator, place));
        let found = free.into_iter().find(|&element| self.server[element] == FREE).or_else(|| {
            places.into_iter().find_map(|place| {
                let element = self.candidate(generator, place)?;
                let rival = usize::from(self.server[element]);
                if *visited >> rival & 1 == 1 {
                    return None;
                }
                if must && !self.must_work(rival) {
                    self.served[rival] = IDLE;
                    return Some(element);
                }
                self.augment_generator(rival, must, visited).then_some(element)
            })
        });
        if let Some(element) = found {
            self.assign(generator, element);
        }
        found.is_some()
    }

    /// Returns an element that may use a generator: one of the last elements in its queue, or an urgent one.
    ///
    /// The number of candidates from the queue is the number of generators, so one remains in every matching.
    fn candidate(&self, generator: usize, place: usize) -> Option<usize> {
        let queue = &self.queue[generator];
        let element = match place.checked_sub(self.degree) {
            None => *queue.get(queue.len().checked_sub(place + 1)?)?,
            Some(place) => self.urgent[place],
        };
        (self.count[element as usize * self.degree + generator] > 0).then_some(element as usize)
    }

    fn assign(&mut self, generator: usize, element: usize) {
        self.served[generator] = element as u32;
        self.server[element] = generator as u8;
    }

    fn finish(&mut self, element: usize, generator: usize) {
        self.server[element] = FREE;
        self.length[element] -= 1;
        self.load[generator] -= 1;
        let count = &mut self.count[element * self.degree + generator];
        *count -= 1;
        if *count == 0 {
            let queue = &mut self.queue[generator];
            let place = queue.iter().rposition(|&one| one as usize == element).expect("the word has the generator");
            queue.swap_remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// König's theorem: the number of steps is the largest degree, for any jobs.
        #[test]
        fn the_number_of_steps_is_minimal(degree in 1usize..6, count in prop::collection::vec(0u16..6, 0..60)) {
            let mut count = count;
            count.truncate(count.len() / degree * degree);
            let words = WordCounts::new(degree, count.clone());
            let longest = count.chunks_exact(degree).map(|word| word.iter().copied().map(u64::from).sum()).max();
            let most = words.loads().into_iter().max().unwrap().max(longest.unwrap_or(0));
            let mut taken = 0;
            steps(&words, &Budget::unlimited(), |served| {
                taken += 1;
                for (place, &(element, generator)) in served.iter().enumerate() {
                    let apart = |other: &(u32, u16)| other.0 != element && other.1 != generator;
                    assert!(served[..place].iter().all(apart));
                    count[element as usize * degree + usize::from(generator)] -= 1;
                }
            });
            prop_assert_eq!(taken, most);
            prop_assert!(count.iter().all(|&left| left == 0));
        }
    }
}
