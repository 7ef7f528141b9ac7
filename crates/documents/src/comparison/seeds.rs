//! The seeds of a comparison: a new sample in each run, unless the first seed is given.

use std::hash::{BuildHasher, RandomState};

/// Consecutive seeds of random node numbers and random choices.
#[derive(Clone, Copy)]
pub(super) struct Seeds {
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Seeds {
    /// Returns `count` seeds. Without a first seed, it comes from the random state of the standard library, which the
    /// operating system seeds.
    pub(super) fn new(first: Option<u32>, count: u32) -> Self {
        let first = first.unwrap_or_else(|| RandomState::new().hash_one(()) as u32);
        Self { first, count }
    }

    /// Iterates over the seeds, at most `most` of them.
    pub(super) fn iter(self, most: Option<u32>) -> impl Iterator<Item = u64> {
        let (first, count) = (u64::from(self.first), most.map_or(self.count, |most| most.min(self.count)));
        first..first + u64::from(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_new_in_each_run_unless_given() {
        let random: std::collections::BTreeSet<u32> = (0..16).map(|_| Seeds::new(None, 1).first).collect();
        assert!(random.len() > 1, "{random:?}");
        assert_eq!(Seeds::new(Some(u32::MAX), 3).iter(Some(2)).collect::<Vec<_>>(), [4_294_967_295, 4_294_967_296]);
        assert_eq!(Seeds::new(Some(7), 3).iter(None).collect::<Vec<_>>(), [7, 8, 9]);
    }
}
