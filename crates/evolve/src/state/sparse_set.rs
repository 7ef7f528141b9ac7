//! A set of small numbers from which one can be drawn at random.

/// A set of numbers below a fixed limit, in an order that only insertions and removals change.
///
/// Insertion, removal, the membership test and access by position take `O(1)` time. Memory: 4 bytes per number below
/// the limit, and 4 bytes per member.
///
/// # Source
///
/// Briggs, Torczon, *An efficient representation for sparse sets*, ACM Letters on Programming Languages and Systems 2
/// (1993).
#[derive(Clone, Debug)]
pub(crate) struct SparseSet {
    members: Vec<u32>,
    /// The position of each number in `members`, or [`ABSENT`].
    position: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl SparseSet {
    /// Creates an empty set for numbers below `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        Self { members: Vec::new(), position: vec![ABSENT; limit] }
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    #[cfg(test)]
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.position[number as usize] != ABSENT
    }

    /// Returns the members in their order.
    pub(crate) fn members(&self) -> &[u32] {
        &self.members
    }

    /// Adds a number at the end. Does nothing if it is a member.
    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        let position = &mut self.position[number as usize];
        if *position == ABSENT {
            *position = self.members.len() as u32;
            self.members.push(number);
        }
    }

    /// Removes a member; the last member takes its position.
    ///
    /// # Panics
    ///
    /// If the number is not a member.
    pub(crate) fn remove(&mut self, number: u32) {
        let position = std::mem::replace(&mut self.position[number as usize], ABSENT) as usize;
        self.members.swap_remove(position);
        if let Some(&moved) = self.members.get(position) {
            self.position[moved as usize] = position as u32;
        }
    }

    /// Removes and returns the last member.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let number = self.members.pop()?;
        self.position[number as usize] = ABSENT;
        Some(number)
    }

    /// Removes all members. Takes `O(limit)` time.
    pub(crate) fn clear(&mut self) {
        self.members.clear();
        self.position.fill(ABSENT);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_sparse_set_holds_what_an_ordered_set_holds(changes in prop::collection::vec((0..20u32, 0..4u8), 0..80)) {
            let (mut set, mut expected) = (SparseSet::new(20), BTreeSet::new());
            for (number, change) in changes {
                match change {
                    0 if set.contains(number) => {
                        set.remove(number);
                        expected.remove(&number);
                    }
                    1 => {
                        let popped = set.pop();
                        prop_assert_eq!(popped.is_none(), expected.is_empty());
                        prop_assert!(popped.is_none_or(|popped| expected.remove(&popped)));
                    }
                    _ => {
                        set.insert(number);
                        expected.insert(number);
                    }
                }
                prop_assert_eq!(set.members().iter().copied().collect::<BTreeSet<_>>(), expected.clone());
                prop_assert_eq!(set.len(), expected.len());
                prop_assert!((0..20).all(|number| set.contains(number) == expected.contains(&number)));
            }
            set.clear();
            prop_assert!(set.is_empty() && (0..20).all(|number| !set.contains(number)));
        }
    }
}
