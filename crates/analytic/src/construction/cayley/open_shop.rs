//! When each generator serves each word: a unit open shop, words being the jobs and generators the machines.

use lockstep_schedule::Budget;

use super::balanced_words::WordCounts;

/// GroupTable in which generators serve words, as pairs of an element and a generator; or `None` when the budget ends.
///
/// No step has a generator or an element twice, and there are as few steps as can be: the most that one generator
/// serves, or the longest word. Every step serves all generators and words that have as much left as there are steps;
/// that it can is König's theorem. Takes `O(d)` to `O(d^3)` time a step, and that of reading all words for each of the
/// last steps, as many as the longest word has generators.
///
/// **Source**: Gonzalez, Sahni, *Open shop scheduling to minimize finish time*, Journal of the ACM 23 (1976), with steps
/// of one unit.
pub(super) fn steps(words: &WordCounts, budget: &Budget, mut serve: impl FnMut(&[(u32, u16)])) -> Option<()> {
    let mut shop = OpenShop::new(words);
    let mut served = Vec::new();
    while shop.left > 0 {
        if budget.stop_after(0).is_some() {
            return None;
        }
        shop.step(&mut served);
        serve(&served);
    }
    Some(())
}

const NOBODY: u32 = u32::MAX;
const FREE: u8 = u8::MAX;

struct OpenShop {
    degree: usize,
    /// Number of steps that are left.
    left: u64,
    /// How often a word needs each generator still, a row an element.
    count: Vec<u16>,
    /// The sums of the rows, and of the columns.
    length: Vec<u16>,
    load: Vec<u64>,
    longest: u64,
    /// The elements whose words need a generator still, longer words last.
    queue: Vec<Vec<u32>>,
    /// The element that a generator serves in this step.
    served: Vec<u32>,
    /// The generator that serves an element in this step.
    server: Vec<u8>,
    /// The elements whose words have as much left as there are steps.
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
            served: vec![NOBODY; degree],
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
            self.serve(self.urgent[place] as usize, &mut 0);
        }
        // Generators that must work first; they may take a word from one that may rest.
        for must in [true, false] {
            for generator in 0..self.degree {
                if self.must_work(generator) == must && self.served[generator] == NOBODY {
                    self.work(generator, must, &mut 0);
                }
            }
        }
        served.clear();
        for generator in 0..self.degree {
            let element = std::mem::replace(&mut self.served[generator], NOBODY);
            if element == NOBODY {
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

    /// Finds a generator for an urgent element, if other urgent ones can change theirs; each generator is asked once.
    fn serve(&mut self, element: usize, asked: &mut u64) -> bool {
        for generator in 0..self.degree {
            if self.count[element * self.degree + generator] == 0 || *asked >> generator & 1 == 1 {
                continue;
            }
            *asked |= 1 << generator;
            let rival = self.served[generator];
            if rival == NOBODY || self.serve(rival as usize, asked) {
                self.assign(generator, element);
                return true;
            }
        }
        false
    }

    /// Finds an element for a generator, if others that are asked, once each, can change theirs or, where this one must
    /// work, rest.
    fn work(&mut self, generator: usize, must: bool, asked: &mut u64) -> bool {
        *asked |= 1 << generator;
        let places = 0..self.degree + self.urgent.len();
        let free = places.clone().filter_map(|place| self.candidate(generator, place));
        let found = free.into_iter().find(|&element| self.server[element] == FREE).or_else(|| {
            places.into_iter().find_map(|place| {
                let element = self.candidate(generator, place)?;
                let rival = usize::from(self.server[element]);
                if *asked >> rival & 1 == 1 {
                    return None;
                }
                if must && !self.must_work(rival) {
                    self.served[rival] = NOBODY;
                    return Some(element);
                }
                self.work(rival, must, asked).then_some(element)
            })
        });
        if let Some(element) = found {
            self.assign(generator, element);
        }
        found.is_some()
    }

    /// One of the elements that may use a generator: as many that wait for it as there are generators, so that one is
    /// left however the others choose, and those that are urgent.
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
            let place = queue.iter().rposition(|&one| one as usize == element).expect("it needed the generator");
            queue.swap_remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// König's theorem: as many steps as the largest degree, whatever the jobs.
        #[test]
        fn no_step_is_lost(degree in 1usize..6, count in prop::collection::vec(0u16..6, 0..60)) {
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
