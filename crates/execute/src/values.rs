//! Values of chunks: sums of contributions.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::program::{Contribution, Contributors};

/// How a value came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TracedValue {
    /// The contents of memory that nothing has written.
    Undefined,
    /// A contribution.
    Input(Contribution),
    /// The sum of two values with smaller numbers.
    Sum([u32; 2]),
}

/// The number of a value in [`Values`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value(u32);

impl Value {
    /// The contents of memory that nothing has written.
    pub(crate) const UNDEFINED: Self = Self(0);

    /// Returns the number of the value: its index in [`Values::origins`].
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// Greatest number of contributions in a message.
const MAX_LISTED: usize = 8;

/// A value: how it came about, and its random sum. Equal multisets of contributions have equal sums; different ones have
/// equal sums with probability 2^-64.
struct Entry {
    origin: Origin,
    sum: u64,
}

#[derive(Clone, Copy)]
enum Origin {
    Undefined,
    Input(Contribution),
    Sum(Value, Value),
}

/// All values of an execution.
pub(crate) struct Values {
    rank_count: u32,
    entries: Vec<Entry>,
    inputs: BTreeMap<Contribution, Value>,
    random: ChaCha8Rng,
    /// The sum over all ranks of each chunk.
    totals: BTreeMap<u32, u64>,
}

impl Values {
    pub(crate) fn new(rank_count: u32, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let entries = vec![Entry { origin: Origin::Undefined, sum: random.next_u64() }];
        Self { rank_count, entries, inputs: BTreeMap::new(), random, totals: BTreeMap::new() }
    }

    /// Returns the value of a contribution.
    pub(crate) fn input(&mut self, contribution: Contribution) -> Value {
        if let Some(&value) = self.inputs.get(&contribution) {
            return value;
        }
        let sum = self.random.next_u64();
        let value = self.push(Entry { origin: Origin::Input(contribution), sum });
        self.inputs.insert(contribution, value);
        value
    }

    /// Returns the sum of two values.
    pub(crate) fn add(&mut self, left: Value, right: Value) -> Value {
        let sum = self.sum(left).wrapping_add(self.sum(right));
        self.push(Entry { origin: Origin::Sum(left, right), sum })
    }

    /// Returns true if the value is the sum of the contributors.
    pub(crate) fn is(&mut self, value: Value, contributors: Contributors) -> bool {
        let expected = match contributors {
            Contributors::One(contribution) => {
                let input = self.input(contribution);
                self.sum(input)
            }
            Contributors::AllRanks { chunk } => self.total(chunk),
        };
        self.sum(value) == expected
    }

    /// Returns how each value came about, by its number.
    pub(crate) fn origins(&self) -> Vec<TracedValue> {
        let origin = |entry: &Entry| match entry.origin {
            Origin::Undefined => TracedValue::Undefined,
            Origin::Input(contribution) => TracedValue::Input(contribution),
            Origin::Sum(left, right) => TracedValue::Sum([left.number(), right.number()]),
        };
        self.entries.iter().map(origin).collect()
    }

    /// Returns the contributions of a value as text, at most [`MAX_LISTED`] of them.
    pub(crate) fn describe(&self, value: Value) -> String {
        let (mut stack, mut listed) = (vec![value], Vec::new());
        while let Some(next) = stack.pop() {
            if listed.len() == MAX_LISTED {
                listed.push("more".to_owned());
                break;
            }
            match self.entries[next.0 as usize].origin {
                Origin::Undefined => listed.push("undefined data".to_owned()),
                Origin::Input(contribution) => listed.push(describe(contribution)),
                Origin::Sum(left, right) => stack.extend([right, left]),
            }
        }
        listed.join(" + ")
    }

    /// Returns the sum of a chunk of all ranks.
    fn total(&mut self, chunk: u32) -> u64 {
        if let Some(&total) = self.totals.get(&chunk) {
            return total;
        }
        let mut total = 0_u64;
        for rank in 0..self.rank_count {
            let input = self.input(Contribution { rank, chunk });
            total = total.wrapping_add(self.sum(input));
        }
        self.totals.insert(chunk, total);
        total
    }

    fn sum(&self, value: Value) -> u64 {
        self.entries[value.0 as usize].sum
    }

    fn push(&mut self, entry: Entry) -> Value {
        let value = Value(u32::try_from(self.entries.len()).expect("every value is a chunk of an instruction"));
        self.entries.push(entry);
        value
    }
}

/// Returns the name of a contribution.
pub(crate) fn describe(contribution: Contribution) -> String {
    format!("chunk {} of rank {}", contribution.chunk, contribution.rank)
}

/// Returns the names of contributors.
pub(crate) fn describe_contributors(contributors: Contributors) -> String {
    match contributors {
        Contributors::One(contribution) => describe(contribution),
        Contributors::AllRanks { chunk } => format!("the sum of chunk {chunk} of all ranks"),
    }
}
