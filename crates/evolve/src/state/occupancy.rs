//! The users of every resource in every step, and the conflicts between them.

use crate::space::SearchSpace;

/// The occupancy of all cells, a *cell* being one resource in one step.
///
/// Invariants, for a cell of capacity `k` with `u` users:
///
/// - its `load` is `u - k + 1`, so a further user adds `max(0, load)` conflicts;
/// - `users` is the exclusive or of the users' numbers, so it names the user where there is only one;
/// - its bit in `full` is set if and only if `load` is positive;
/// - `conflicts` is the sum of `max(0, load) * max(0, load - 1) / 2` over all cells.
///
/// Memory: 6 bytes and one bit per cell.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Occupancy {
    load: Vec<i16>,
    users: Vec<u32>,
    /// `words` words per resource, one bit per step.
    full: Vec<u64>,
    words: usize,
    steps: usize,
    conflicts: u64,
}

impl Occupancy {
    /// Creates the occupancy of a space in which no delivery is placed.
    pub(super) fn new(space: &SearchSpace<'_>) -> Self {
        let steps = space.step_count() as usize;
        let words = steps.div_ceil(64);
        let cells = space.resource_count() * steps;
        let mut occupancy = Self {
            load: vec![0; cells],
            users: vec![0; cells],
            full: vec![0; space.resource_count() * words],
            words,
            steps,
            conflicts: 0,
        };
        occupancy.clear(space);
        occupancy
    }

    /// Removes all users.
    pub(super) fn clear(&mut self, space: &SearchSpace<'_>) {
        for (resource, row) in self.load.chunks_exact_mut(self.steps).enumerate() {
            row.fill(1 - space.capacity(resource).cast_signed());
        }
        self.users.fill(0);
        self.full.fill(0);
        self.conflicts = 0;
    }

    pub(super) fn conflicts(&self) -> u64 {
        self.conflicts
    }

    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    #[inline]
    fn cell(&self, resource: u32, step: u32) -> usize {
        resource as usize * self.steps + step as usize
    }

    /// Returns the position in `full` of the word that holds a step, and the bit of the step.
    #[inline]
    fn full_bit(&self, resource: u32, step: u32) -> (usize, u64) {
        (resource as usize * self.words + step as usize / 64, 1 << (step % 64))
    }

    /// Adds a user to the cells of a path; returns true if it is in conflict there.
    ///
    /// Calls `in_conflict` with the user of each cell of capacity 1 that had one user before.
    #[inline]
    pub(super) fn add(
        &mut self,
        space: &SearchSpace<'_>,
        user: usize,
        path: u32,
        step: u32,
        mut in_conflict: impl FnMut(u32),
    ) -> bool {
        let mut clashes = false;
        for &resource in space.resources(path) {
            let cell = self.cell(resource, step);
            let load = self.load[cell];
            if load > 0 {
                self.conflicts += u64::from(load.cast_unsigned());
                clashes = true;
                if load == 1 && space.capacity(resource as usize) == 1 {
                    in_conflict(self.users[cell]);
                }
            }
            self.load[cell] = load + 1;
            self.users[cell] ^= user as u32;
            if load >= 0 {
                let (word, bit) = self.full_bit(resource, step);
                self.full[word] |= bit;
            }
        }
        clashes
    }

    /// Removes a user from the cells of a path.
    #[inline]
    pub(super) fn remove(&mut self, space: &SearchSpace<'_>, user: usize, path: u32, step: u32) {
        for &resource in space.resources(path) {
            let cell = self.cell(resource, step);
            let load = self.load[cell] - 1;
            self.load[cell] = load;
            self.users[cell] ^= user as u32;
            if load > 0 {
                self.conflicts -= u64::from(load.cast_unsigned());
            } else {
                let (word, bit) = self.full_bit(resource, step);
                self.full[word] &= !bit;
            }
        }
    }

    /// Returns the number of conflicts that one more user of these resources in `step` would add.
    #[inline]
    pub(super) fn cost(&self, resources: &[u32], step: u32) -> u64 {
        let load = |&resource: &u32| self.load[self.cell(resource, step)].max(0).cast_unsigned();
        resources.iter().map(load).map(u64::from).sum()
    }

    /// Returns true if a cell has more users than its capacity.
    pub(super) fn is_overloaded(&self, resource: u32, step: u32) -> bool {
        self.load[self.cell(resource, step)] > 1
    }

    /// Returns true if one more user of a cell would be in conflict.
    #[inline]
    pub(super) fn is_full(&self, resource: u32, step: u32) -> bool {
        self.load[self.cell(resource, step)] > 0
    }

    /// Returns the only user of a cell of capacity 1.
    #[inline]
    pub(super) fn only_user(&self, space: &SearchSpace<'_>, resource: u32, step: u32) -> Option<usize> {
        let cell = self.cell(resource, step);
        (self.load[cell] == 1 && space.capacity(resource as usize) == 1).then(|| self.users[cell] as usize)
    }

    /// Sets, for every step, the bit in `one` if at least one of the resources is full, and in `two` if at least two
    /// are.
    #[inline]
    pub(super) fn full_steps(&self, resources: &[u32], one: &mut [u64], two: &mut [u64]) {
        one.fill(0);
        two.fill(0);
        for &resource in resources {
            let row = &self.full[resource as usize * self.words..(resource as usize + 1) * self.words];
            for ((one, two), &full) in one.iter_mut().zip(two.iter_mut()).zip(row) {
                *two |= *one & full;
                *one |= full;
            }
        }
    }
}
