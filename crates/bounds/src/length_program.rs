//! The linear program for lengths: cutting planes are the resources and ports that trees of transfers use.

use crate::dual_simplex::{DualSimplex, LpOutcome};

/// The largest number of variables.
const MAX_VARIABLES: usize = 600;

/// Operations for all linear programs of a number of steps: a tenth of a second.
const WORK: u64 = 1 << 27;

/// The relative amount by which lengths must exceed a number of steps. Rounding to integers must not use it up.
const MARGIN: f64 = 1e-4;

/// The amount per place by which an inequality may be violated.
const TOLERANCE: f64 = 1e-8;

/// A search for lengths by which the shortest trees of all messages are long.
///
/// The variables are the lengths of all places with a capacity, then for each source the total length of the shortest
/// trees of its messages. The places together cover one unit of length per place on average.
///
/// # Source
///
/// Kelley, "The cutting-plane method for solving convex programs", *J. SIAM* 8 (1960).
pub(crate) struct LengthProgram {
    program: DualSimplex,
    /// The inequalities that always hold: the lengths that are covered, and those that the trees must cover.
    /// [`DualSimplex`] drops them while they are loose.
    fixed: Vec<(Vec<f64>, f64)>,
    /// The places with a capacity.
    places: Vec<usize>,
    capacity: Vec<u64>,
    /// The sum of all lengths, each times its capacity.
    covered: f64,
    parts: usize,
    /// The current lengths of all places.
    pub(crate) lengths: Vec<f64>,
    work_left: u64,
}

impl LengthProgram {
    /// Starts with equal lengths; `None` if there are too many variables.
    pub(crate) fn new(capacity: &[u64], parts: usize) -> Option<Self> {
        let places: Vec<usize> = (0..capacity.len()).filter(|&place| capacity[place] > 0).collect();
        let variables = places.len() + parts;
        if variables > MAX_VARIABLES {
            return None;
        }
        let mut row: Vec<f64> = places.iter().map(|&place| capacity[place] as f64).collect();
        let covered = row.iter().sum();
        row.resize(variables, 0.0);
        let program = DualSimplex::new(variables);
        let lengths = capacity.iter().map(|&capacity| f64::from(u8::from(capacity > 0))).collect();
        let capacity = capacity.to_vec();
        let fixed = vec![(row, covered)];
        Some(Self { program, fixed, places, capacity, covered, parts, lengths, work_left: WORK })
    }

    /// Requires that all trees together are longer than this multiple of all places together.
    pub(crate) fn require(&mut self, steps: f64) {
        let mut row = vec![0.0; self.places.len() + self.parts];
        row[self.places.len()..].fill(-1.0);
        self.fixed.truncate(1);
        self.fixed.push((row, -steps * (1.0 + MARGIN) * self.covered));
    }

    /// Returns true if trees of this total length by the current lengths are long enough.
    pub(crate) fn suffices(&self, distance: f64, steps: f64) -> bool {
        let lengths = self.lengths.iter().zip(&self.capacity);
        distance
            > steps * (1.0 + MARGIN / 2.0) * lengths.map(|(length, &capacity)| length * capacity as f64).sum::<f64>()
    }

    /// Limits the total length of the trees of a source: no more than these numbers of uses of all places.
    pub(crate) fn limit(&mut self, part: usize, used: &[f64]) {
        let mut row: Vec<f64> = self.places.iter().map(|&place| -used[place]).collect();
        row.resize(self.places.len() + self.parts, 0.0);
        row[self.places.len() + part] = 1.0;
        self.program.add(&row, 0.0);
    }

    /// Counts other work.
    pub(crate) fn spend(&mut self, work: u64) -> Option<()> {
        self.work_left = self.work_left.checked_sub(work)?;
        Some(())
    }

    /// Removes limits that do not matter now.
    pub(crate) fn remove_loose(&mut self) {
        self.program.remove_loose();
    }

    /// Finds the next lengths; `None` if there are none, or the work is used up.
    pub(crate) fn solve(&mut self) -> Option<()> {
        loop {
            let LpOutcome::Point(point) = self.program.solve(&mut self.work_left)? else { return None };
            let sum = |row: &[f64]| row.iter().zip(&point).map(|(cell, value)| cell * value).sum::<f64>();
            let is_violated = |(row, bound): &&(Vec<f64>, f64)| sum(row) > bound + TOLERANCE * self.covered;
            let Some((row, bound)) = self.fixed.iter().find(is_violated) else {
                self.places.iter().zip(&point).for_each(|(&place, &length)| self.lengths[place] = length);
                return Some(());
            };
            self.program.add(row, *bound);
        }
    }
}

/// Returns the lengths as integers, of which the largest is `greatest`. They are 0 where there is no capacity. `None` if
/// all are 0.
#[expect(clippy::cast_sign_loss, reason = "no length is negative")]
pub(crate) fn whole_lengths(lengths: &[f64], capacity: &[u64], greatest: u32) -> Option<Vec<u32>> {
    let used = || lengths.iter().zip(capacity).map(|(&length, &capacity)| if capacity > 0 { length } else { 0.0 });
    let scale = f64::from(greatest) / Some(used().fold(0.0, f64::max)).filter(|&largest| largest > 0.0)?;
    Some(used().map(|length| (length * scale).round() as u32).collect())
}

/// Returns largest integer lengths to try, ascending: the first that prove as much as `greatest` make the smallest
/// certificate.
pub(crate) fn length_sizes(greatest: u32) -> impl Iterator<Item = u32> {
    (1..=12).chain((4..greatest.ilog2()).map(|bits| 1 << bits)).filter(move |&size| size < greatest)
}

/// Returns the lengths, or none if all are 0.
pub(crate) fn without_zeros(lengths: Vec<u32>) -> Vec<u32> {
    if lengths.iter().all(|&length| length == 0) { Vec::new() } else { lengths }
}
