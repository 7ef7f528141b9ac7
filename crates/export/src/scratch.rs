//! Offsets of scratch memory.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::trace::ScratchValue;

/// The offset of every scratch value, and the size of the scratch memory of every rank.
#[derive(Debug)]
pub(crate) struct ScratchOffsets {
    pub(crate) offsets: Vec<u32>,
    pub(crate) sizes: Vec<u32>,
}

impl ScratchOffsets {
    /// Gives every value the smallest offset that is free in all its steps. An offset is free from the step after the
    /// last use of its value; without `reuse` it stays in use. `O(V log V)` time for `V` values.
    pub(crate) fn of(values: &[ScratchValue], ranks: usize, reuse: bool) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&value| (values[value].rank, values[value].first_step, value));
        let mut found = Self { offsets: vec![0; values.len()], sizes: vec![0; ranks] };
        for of_rank in order.chunk_by(|&one, &next| values[one].rank == values[next].rank) {
            let size = &mut found.sizes[values[of_rank[0]].rank as usize];
            let mut free = BTreeSet::new();
            let mut used = BinaryHeap::new();
            for &value in of_rank {
                let ScratchValue { first_step, last_step, .. } = values[value];
                while let Some(&Reverse((last, offset))) = used.peek()
                    && last < first_step
                    && reuse
                {
                    used.pop();
                    free.insert(offset);
                }
                let offset = free.pop_first().unwrap_or_else(|| {
                    *size += 1;
                    *size - 1
                });
                used.push(Reverse((last_step, offset)));
                found.offsets[value] = offset;
            }
        }
        found
    }
}
