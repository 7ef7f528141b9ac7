//! Cayley digraphs of metacyclic groups with random generators.

use lockstep_metrics::StageLoads;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::channel_rule::ChannelRule;

/// A split metacyclic group: the pairs `(a, i)` of a row and a column, where `(a, i) * (b, j)` is
/// `(a + multiplier^i * b, i + j)`. The number of an element is `columns * a + i`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Group {
    rows: u32,
    columns: u32,
    multiplier: u32,
}

impl Group {
    /// Returns all groups of this order with at least as many rows as columns. Those of one column are cyclic.
    pub(super) fn of_order(order: u32) -> Vec<Self> {
        let sizes =
            (1..=order).filter(|columns| order.is_multiple_of(*columns)).map(|columns| (order / columns, columns));
        let groups = sizes.take_while(|(rows, columns)| rows >= columns).flat_map(|(rows, columns)| {
            let multipliers = (1..rows.max(2)).filter(move |&multiplier| power(multiplier, columns, rows) == 1 % rows);
            multipliers.map(move |multiplier| Self { rows, columns, multiplier })
        });
        groups.collect()
    }

    fn order(self) -> u32 {
        self.rows * self.columns
    }

    /// Returns the inverse of an element.
    fn inverse(self, element: u32) -> u32 {
        let Self { rows, columns, multiplier } = self;
        let (row, column) = (element / columns, (columns - element % columns) % columns);
        let row = u64::from(rows - row) * u64::from(power(multiplier, column, rows)) % u64::from(rows);
        row as u32 * columns + column
    }

    /// Returns the spec of the Cayley digraph with these generators.
    fn spec(self, generators: &[u32]) -> String {
        let Self { rows, columns, multiplier } = self;
        let generators: Vec<String> = generators.iter().map(u32::to_string).collect();
        match columns {
            1 => format!("circulant-digraph:{rows},{}", generators.join(",")),
            _ => format!("metacyclic:{rows},{columns},{multiplier},{}", generators.join(",")),
        }
    }
}

/// Returns `base^exponent` modulo `modulus`.
fn power(base: u32, exponent: u32, modulus: u32) -> u32 {
    let modulus = u64::from(modulus);
    let (mut power, mut square, mut rest) = (1 % modulus, u64::from(base) % modulus, exponent);
    while rest > 0 {
        if rest % 2 == 1 {
            power = power * square % modulus;
        }
        square = square * square % modulus;
        rest /= 2;
    }
    power as u32
}

/// A Cayley digraph with the loads of its breadth-first broadcast.
pub(super) struct Sample {
    pub(super) spec: String,
    pub(super) loads: StageLoads,
}

/// Cayley digraphs of one group, by random generators.
pub(super) struct GroupSearch {
    group: Group,
    generators: Vec<u32>,
    /// By generator and column of an element: the row that the product moves by.
    shifts: Vec<u32>,
    distances: Vec<u32>,
    queue: Vec<u32>,
    random: ChaCha8Rng,
}

/// Number of elements drawn for one set of generators, at most. A full-duplex set may need the few elements that are their own
/// inverses.
const MOST_DRAWS: usize = 1 << 10;

/// Marks an element that is not reached.
const UNREACHED: u32 = u32::MAX;

impl GroupSearch {
    pub(super) fn new(group: Group, random: ChaCha8Rng) -> Self {
        Self { group, generators: Vec::new(), shifts: Vec::new(), distances: Vec::new(), queue: Vec::new(), random }
    }

    /// Draws `degree` generators; `degree` is less than the order. For full-duplex links, the inverse of each is one of them.
    /// Returns their digraph, unless it has more than `most_stages` stages or is disconnected.
    pub(super) fn draw(&mut self, degree: u32, channels: ChannelRule, most_stages: u32) -> Option<Sample> {
        let group = self.group;
        self.draw_generators(degree as usize, channels)?;
        self.generators.sort_unstable();
        self.shifts.clear();
        for generator in &self.generators {
            let step = u64::from(generator / group.columns);
            let mut power = 1;
            for _ in 0..group.columns {
                self.shifts.push((step * power % u64::from(group.rows)) as u32);
                power = power * u64::from(group.multiplier) % u64::from(group.rows);
            }
        }
        if !self.reaches_all_within(most_stages) {
            return None;
        }
        // The node of the identity receives from the inverses of the generators. A shortest path from the inverse of `v` leads
        // through that of `g` if `v * g^-1` is closer to the identity than `v`.
        let sources = (1..group.order()).map(|element| {
            let distance = self.distances[element as usize];
            let leads =
                |(place, quotient): (usize, u32)| usize::from(self.distances[quotient as usize] < distance) << place;
            (distance as usize, self.quotients(element).enumerate().map(leads).sum())
        });
        let loads = StageLoads::at_node(&vec![1; degree as usize], sources);
        Some(Sample { spec: group.spec(&self.generators), loads })
    }

    /// Draws distinct generators. Returns `None` if the draws do not complete a set with all inverses.
    fn draw_generators(&mut self, degree: usize, channels: ChannelRule) -> Option<()> {
        self.generators.clear();
        // Enough to draw all elements of a small group.
        for _ in 0..MOST_DRAWS {
            if self.generators.len() == degree {
                return Some(());
            }
            let element = self.random.random_range(1..self.group.order());
            let inverse = if channels == ChannelRule::FullDuplex { self.group.inverse(element) } else { element };
            let count = if inverse == element { 1 } else { 2 };
            if !self.generators.contains(&element) && self.generators.len() + count <= degree {
                self.generators.extend([element, inverse].into_iter().take(count));
            }
        }
        None
    }

    /// Returns the products of an element and each generator.
    fn products(&self, element: u32) -> impl Iterator<Item = u32> {
        let Group { rows, columns, .. } = self.group;
        let (row, column) = (element / columns, element % columns);
        self.generators.iter().zip(self.shifts.chunks_exact(columns as usize)).map(move |(generator, shifts)| {
            let (row, column) = (row + shifts[column as usize], column + generator % columns);
            let wrapped = |sum: u32, side: u32| if sum >= side { sum - side } else { sum };
            wrapped(row, rows) * columns + wrapped(column, columns)
        })
    }

    /// Returns the products of an element and the inverse of each generator.
    fn quotients(&self, element: u32) -> impl Iterator<Item = u32> {
        let Group { rows, columns, .. } = self.group;
        let (row, column) = (element / columns, element % columns);
        self.generators.iter().zip(self.shifts.chunks_exact(columns as usize)).map(move |(generator, shifts)| {
            let less =
                |number: u32, part: u32, side: u32| if number >= part { number - part } else { number + side - part };
            let column = less(column, generator % columns, columns);
            less(row, shifts[column as usize], rows) * columns + column
        })
    }

    /// Returns true if every element is a product of at most `most` generators.
    fn reaches_all_within(&mut self, most: u32) -> bool {
        let order = self.group.order() as usize;
        let (mut distances, mut queue) = (std::mem::take(&mut self.distances), std::mem::take(&mut self.queue));
        distances.clear();
        distances.resize(order, UNREACHED);
        distances[0] = 0;
        queue.clear();
        queue.push(0);
        let mut next = 0;
        while let Some(&element) = queue.get(next).filter(|&&element| distances[element as usize] < most) {
            next += 1;
            let distance = distances[element as usize] + 1;
            for product in self.products(element) {
                if distances[product as usize] == UNREACHED {
                    distances[product as usize] = distance;
                    queue.push(product);
                }
            }
            if queue.len() == order {
                break;
            }
        }
        let reaches_all = queue.len() == order;
        (self.distances, self.queue) = (distances, queue);
        reaches_all
    }
}

#[cfg(test)]
mod tests {
    use lockstep_metrics::Graph;
    use lockstep_topology::Topology;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn groups_of_order_eight() {
        let groups = Group::of_order(8);
        let found: Vec<[u32; 3]> = groups.iter().map(|group| [group.rows, group.columns, group.multiplier]).collect();
        assert_eq!(found, [[8, 1, 1], [4, 2, 1], [4, 2, 3]]);
    }

    #[test]
    fn drawn_digraphs_have_the_loads_of_their_specs() {
        for group in [8, 12, 21, 32].into_iter().flat_map(Group::of_order) {
            let mut search = GroupSearch::new(group, ChaCha8Rng::seed_from_u64(1));
            let drawn =
                [(1, ChannelRule::Any), (3, ChannelRule::Any), (4, ChannelRule::Any), (4, ChannelRule::FullDuplex)];
            for (degree, channels) in drawn {
                for sample in (0..3).filter_map(|_| search.draw(degree, channels, 9)) {
                    let network: Topology = sample.spec.parse().unwrap();
                    assert!(channels == ChannelRule::Any || Graph::of(&network).is_symmetric(), "{}", sample.spec);
                    assert_eq!(network.name(), sample.spec);
                    assert_eq!(StageLoads::new(&network).as_ref(), Ok(&sample.loads), "{}", sample.spec);
                    assert!(sample.loads.loads().len() <= 9);
                }
            }
        }
    }
}
