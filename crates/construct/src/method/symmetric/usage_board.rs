//! The uses of each slot in each step during a tabu search.

use super::quotient::OrbitSlot;

/// The number of a slot and step.
pub(super) type UsageCell = u32;

/// The number of uses of each slot in each step. Memory: 2 bytes per slot and step.
#[derive(Debug)]
pub(super) struct UsageBoard {
    steps: usize,
    /// The excess of each cell after one more use: uses plus 1 minus capacity. A cell has room if it is below 1.
    excess: Vec<i16>,
}

impl UsageBoard {
    /// Returns an empty board for slots with these capacities.
    pub(super) fn new(capacities: &[i16], steps: usize) -> Self {
        let row = |&capacity: &i16| std::iter::repeat_n(1 - capacity, steps);
        Self { steps, excess: capacities.iter().flat_map(row).collect() }
    }

    /// Returns the number of steps.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// Returns the step of a cell.
    pub(super) fn step(&self, cell: UsageCell) -> usize {
        cell as usize % self.steps
    }

    /// Returns the cell of a slot and step.
    pub(super) fn cell(&self, slot: OrbitSlot, step: usize) -> UsageCell {
        (slot as usize * self.steps + step) as UsageCell
    }

    /// Returns the excess of a slot in each step.
    #[inline]
    pub(super) fn row(&self, slot: OrbitSlot) -> &[i16] {
        &self.excess[slot as usize * self.steps..][..self.steps]
    }

    /// Returns the number of uses beyond capacity, over all these cells.
    pub(super) fn conflicts(&self, cells: &[UsageCell]) -> i64 {
        cells.iter().map(|cell| i64::from((self.excess[*cell as usize] - 1).max(0))).sum()
    }

    /// Adds one use of each cell.
    pub(super) fn add(&mut self, cells: &[UsageCell]) {
        for &cell in cells {
            self.excess[cell as usize] += 1;
        }
    }

    /// Removes one use of each cell.
    pub(super) fn remove(&mut self, cells: &[UsageCell]) {
        for &cell in cells {
            self.excess[cell as usize] -= 1;
        }
    }
}
