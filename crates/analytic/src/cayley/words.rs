//! Shortest words, chosen so that all generators are used alike.

use lockstep_schedule::Budget;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::steps::Steps;

/// The most words of an element between which to choose.
const CHOICES: usize = 16;
/// How often the choice is upset when it cannot be improved.
const UPSETS: u32 = 256;

/// One shortest word for each element, as the number of times that it has each generator: the order does not matter in
/// an abelian group.
///
/// Memory: 2 bytes an element and generator.
pub(super) struct Words {
    degree: usize,
    count: Vec<u16>,
}

impl Words {
    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    pub(super) fn element_count(&self) -> usize {
        self.count.len() / self.degree
    }

    /// How often the word of an element has each generator.
    pub(super) fn word(&self, element: usize) -> &[u16] {
        &self.count[element * self.degree..][..self.degree]
    }

    /// How often each generator is in all words together.
    pub(super) fn loads(&self) -> Vec<u64> {
        let mut loads = vec![0; self.degree];
        for word in self.count.chunks_exact(self.degree) {
            add(&mut loads, word);
        }
        loads
    }
}

fn add(loads: &mut [u64], word: &[u16]) {
    loads.iter_mut().zip(word).for_each(|(load, &count)| *load += u64::from(count));
}

/// Words whose most used generator is used as rarely as a local search finds.
pub(super) fn balanced(steps: &Steps, budget: &Budget) -> Words {
    let degree = steps.degree();
    let mut choices = choices(steps);
    let mut count = vec![0; steps.element_count() * degree];
    for (row, words) in count.chunks_exact_mut(degree).zip(&mut choices) {
        row.copy_from_slice(&words[..degree]);
        if words.len() == degree {
            *words = Vec::new();
        }
    }
    let words = Words { degree, count };
    let open: Vec<(usize, Vec<u16>)> = choices.into_iter().enumerate().filter(|(_, words)| !words.is_empty()).collect();
    let fair = steps.distance_sum().div_ceil(degree as u64).max(steps.diameter().into());
    Balance { loads: words.loads(), words, open }.improve(fair, budget)
}

/// Up to [`CHOICES`] shortest words of each element, one after the other.
fn choices(steps: &Steps) -> Vec<Vec<u16>> {
    let degree = steps.degree();
    let mut choices: Vec<Vec<u16>> = vec![Vec::new(); steps.element_count()];
    choices[0] = vec![0; degree];
    let mut longer = Vec::new();
    for element in steps.order() {
        let words = std::mem::take(&mut choices[element]);
        for (generator, next) in steps.neighbours(element).enumerate() {
            if steps.distance(next) != steps.distance(element) + 1 {
                continue;
            }
            for word in words.chunks_exact(degree) {
                longer.clear();
                longer.extend_from_slice(word);
                longer[generator] += 1;
                let known = &mut choices[next];
                if known.len() < CHOICES * degree && known.chunks_exact(degree).all(|word| word != longer) {
                    known.reserve_exact(degree);
                    known.extend_from_slice(&longer);
                }
            }
        }
        choices[element] = words;
    }
    choices
}

/// A choice of words, and those elements for which there are several.
struct Balance {
    words: Words,
    loads: Vec<u64>,
    open: Vec<(usize, Vec<u16>)>,
}

impl Balance {
    fn improve(mut self, fair: u64, budget: &Budget) -> Words {
        let mut random = ChaCha8Rng::seed_from_u64(0);
        self.descend();
        let mut best = (self.most(), self.words.count.clone());
        for _ in 0..UPSETS {
            if best.0 <= fair || self.open.is_empty() || budget.stop_after(0).is_some() {
                break;
            }
            for _ in 0..3 {
                let place = random.random_range(0..self.open.len());
                let choice = random.random_range(0..self.open[place].1.len() / self.words.degree);
                self.choose(place, choice);
            }
            self.descend();
            if self.most() < best.0 {
                best = (self.most(), self.words.count.clone());
            }
        }
        Words { count: best.1, ..self.words }
    }

    fn most(&self) -> u64 {
        self.loads.iter().copied().max().unwrap_or(0)
    }

    /// Changes one word after the other as long as the sum of the squares of the loads falls.
    fn descend(&mut self) {
        let degree = self.words.degree;
        let mut changed = true;
        while changed {
            changed = false;
            for place in 0..self.open.len() {
                let (element, choices) = &self.open[place];
                let gain = |choice: &[u16]| -> i64 {
                    let terms = self.words.word(*element).iter().zip(choice).zip(&self.loads);
                    terms
                        .map(|((&old, &new), &load)| {
                            let change = i64::from(new) - i64::from(old);
                            change * (2 * load as i64 + change)
                        })
                        .sum()
                };
                let best =
                    choices.chunks_exact(degree).map(gain).enumerate().min_by_key(|&(place, gain)| (gain, place));
                if let Some((choice, gain)) = best
                    && gain < 0
                {
                    self.choose(place, choice);
                    changed = true;
                }
            }
        }
    }

    fn choose(&mut self, place: usize, choice: usize) {
        let degree = self.words.degree;
        let (element, choices) = &self.open[place];
        let word = &mut self.words.count[element * degree..][..degree];
        word.iter().zip(&mut self.loads).for_each(|(&count, load)| *load -= u64::from(count));
        word.copy_from_slice(&choices[choice * degree..][..degree]);
        add(&mut self.loads, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn explore_words() {
        let mut specs: Vec<String> = vec![];
        for d in 2..=13 {
            specs.push(format!("hypercube:{d}"));
        }
        for d in 2..=12 {
            specs.push(format!("folded-hypercube:{d}"));
        }
        for n in 2..=16 {
            for m in n..=20 {
                specs.push(format!("torus:{n}x{m}"));
            }
        }
        for a in 2..=6 {
            for b in a..=7 {
                for c in b..=7 {
                    specs.push(format!("torus:{a}x{b}x{c}"));
                }
            }
        }
        for n in 3..=20 {
            specs.push(format!("ring:{n}"));
        }
        for n in 5..=40 {
            for c in 2..=n / 2 {
                specs.push(format!("circulant:{n},1,{c}"));
            }
        }
        for n in 7..=34 {
            for c in 2..=n / 2 {
                for e in c + 1..=n / 2 {
                    specs.push(format!("circulant:{n},1,{c},{e}"));
                }
            }
        }
        for s in [
            "torus:64x64",
            "torus:16x16x16",
            "circulant:3000,1,100",
            "circulant:2000,1,7,99",
            "torus:2x200",
            "torus:3x199",
            "torus:2x2x2x2x2x50",
            "torus:4x4x4x4x4",
            "torus:4x4x4x4x4x4",
            "torus:3x3x3x3x3x3",
            "torus:2x3x4x5x6",
            "torus:100x7x2",
        ] {
            specs.push(s.into());
        }
        let mut bad = 0;
        let mut total = 0;
        for spec in &specs {
            let graph: lockstep_topology::CayleyGraph = spec.parse().unwrap();
            let steps = Steps::of_graph(&graph).unwrap();
            let t = std::time::Instant::now();
            let w = balanced(&steps, &Budget::unlimited());
            if t.elapsed().as_millis() > 100 {
                println!("slow {spec} {:?}", t.elapsed());
            }
            let most = w.loads().into_iter().max().unwrap();
            // torus: per-axis bound
            let fair = if spec.starts_with("torus") || spec.starts_with("ring") {
                let n: u64 = graph.node_count();
                graph
                    .sides()
                    .iter()
                    .map(|&s| if s < 2 { 0 } else { n / s * (s * s / 4) }.div_ceil(if s == 2 { 1 } else { 2 }))
                    .max()
                    .unwrap()
            } else {
                steps.distance_sum().div_ceil(steps.degree() as u64)
            };
            total += 1;
            if most > fair {
                bad += 1;
                if bad < 200 {
                    println!("{spec}: {most} fair {fair} {:?}", t.elapsed());
                }
            }
        }
        println!("bad {bad} of {total}");
    }
}
