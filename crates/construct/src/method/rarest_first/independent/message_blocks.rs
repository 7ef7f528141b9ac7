//! The messages that each terminal holds, and how rare they are, in blocks of 512 messages.

/// A set of messages of one block, one bit per message.
pub(super) type MessageSet = [u64; WORDS];

/// Number of words per block: a set is one line of the cache.
const WORDS: usize = 8;

/// Number of messages per block.
const BLOCK: u32 = WORDS as u32 * u64::BITS;

/// The messages that each terminal holds.
///
/// The sets of all terminals for one block are next to each other: a step that begins all searches at one block reads a
/// small part of the table. Memory: one bit per terminal and message.
#[derive(Debug)]
pub(super) struct MessageBlocks {
    terminals: usize,
    sets: Vec<MessageSet>,
}

impl MessageBlocks {
    /// Returns the table of empty sets for a number of messages.
    pub(super) fn new(terminals: usize, messages: usize) -> Self {
        Self { terminals, sets: vec![[0; WORDS]; terminals * messages.div_ceil(BLOCK as usize)] }
    }

    /// Returns the number of blocks.
    pub(super) fn block_count(&self) -> usize {
        self.sets.len() / self.terminals
    }

    /// Returns the messages of a block that a terminal holds.
    #[inline]
    pub(super) fn set(&self, terminal: usize, block: usize) -> &MessageSet {
        &self.sets[block * self.terminals + terminal]
    }

    #[inline]
    pub(super) fn contains(&self, terminal: usize, message: u32) -> bool {
        let (block, word, bit) = place_of(message);
        self.set(terminal, block)[word] & bit != 0
    }

    #[inline]
    pub(super) fn insert(&mut self, terminal: usize, message: u32) {
        let (block, word, bit) = place_of(message);
        self.sets[block * self.terminals + terminal][word] |= bit;
    }

    #[inline]
    pub(super) fn remove(&mut self, terminal: usize, message: u32) {
        let (block, word, bit) = place_of(message);
        self.sets[block * self.terminals + terminal][word] &= !bit;
    }
}

/// Returns the messages of a block that one set has and the other one lacks.
#[inline]
pub(super) fn difference(set: &MessageSet, other: &MessageSet) -> MessageSet {
    std::array::from_fn(|word| set[word] & !other[word])
}

/// Adds a message to a set of messages of a block, if it belongs to that block.
#[inline]
pub(super) fn include(set: &mut MessageSet, block: usize, message: u32) {
    let (of, word, bit) = place_of(message);
    if of == block {
        set[word] |= bit;
    }
}

#[inline]
pub(super) fn is_empty(set: &MessageSet) -> bool {
    set.iter().fold(0, |all, word| all | word) == 0
}

/// Returns a message of a set that is not empty. `salt` selects it.
#[inline]
pub(super) fn pick(set: &MessageSet, block: usize, salt: u64) -> u32 {
    let turn = (salt % u64::from(u64::BITS)) as u32;
    let first = (salt / u64::from(u64::BITS)) as usize % WORDS;
    let filled = (0..WORDS).fold(0u8, |filled, word| filled | u8::from(set[word] != 0) << word);
    let word = (filled.rotate_right(first as u32).trailing_zeros() as usize + first) % WORDS;
    let bit = (set[word].rotate_right(turn).trailing_zeros() + turn) % u64::BITS;
    block as u32 * BLOCK + word as u32 * u64::BITS + bit
}

/// Returns the block of a message, the word in it, and the bit in that word.
#[inline]
fn place_of(message: u32) -> (usize, usize, u64) {
    ((message / BLOCK) as usize, (message % BLOCK / u64::BITS) as usize, 1 << (message % u64::BITS))
}

/// Number of binary digits of a class.
const DIGITS: usize = 3;

/// The class of each message: eight classes of about equal size, those with the fewest holders first. Messages with equally
/// many holders are in the same class.
#[derive(Debug)]
pub(super) struct RarityClasses {
    /// The digits of the messages of each block, highest first.
    digits: Vec<[MessageSet; DIGITS]>,
    /// Scratch space: the number of messages with fewer holders, by number of holders.
    rarer: Vec<u32>,
}

impl RarityClasses {
    /// Returns the classes of a number of messages, all of them in the first class. No message has more than `terminals` holders.
    pub(super) fn new(terminals: usize, messages: usize) -> Self {
        let blocks = messages.div_ceil(BLOCK as usize);
        Self { digits: vec![[[0; WORDS]; DIGITS]; blocks], rarer: vec![0; terminals + 2] }
    }

    /// Computes the classes by the number of holders of each message.
    pub(super) fn update(&mut self, holders: &[u32]) {
        self.rarer.fill(0);
        for &count in holders {
            self.rarer[count as usize + 1] += 1;
        }
        for count in 1..self.rarer.len() {
            self.rarer[count] += self.rarer[count - 1];
        }
        self.digits.fill([[0; WORDS]; DIGITS]);
        for (message, &count) in holders.iter().enumerate() {
            let class = (u64::from(self.rarer[count as usize]) << DIGITS) / holders.len() as u64;
            let (block, word, bit) = place_of(message as u32);
            for (digit, set) in self.digits[block].iter_mut().enumerate() {
                set[word] |= if class >> (DIGITS - 1 - digit) & 1 == 1 { bit } else { 0 };
            }
        }
    }

    /// Narrows a set of messages of a block to those of the first class among them, and returns this class.
    #[inline]
    pub(super) fn narrow_to_rarest(&self, block: usize, set: &mut MessageSet) -> u32 {
        self.digits[block].iter().fold(0, |class, digit| {
            let lower = difference(set, digit);
            let has_lower = !is_empty(&lower);
            // Without a branch, because the processor cannot predict it.
            let upper = if has_lower { 0 } else { u64::MAX };
            *set = std::array::from_fn(|word| lower[word] | set[word] & upper);
            class << 1 | u32::from(!has_lower)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compared with a sort of the numbers of holders.
        #[test]
        fn the_rarest_messages_of_a_set_are_those_of_the_first_class(
            holders in prop::collection::vec(1..40u32, 513..1500), chosen in prop::collection::vec(0..1500u32, 1..50), salt: u64,
        ) {
            let mut classes = RarityClasses::new(39, holders.len());
            classes.update(&holders);
            let mut table = MessageBlocks::new(1, holders.len());
            let chosen: Vec<u32> = chosen.into_iter().map(|message| message % holders.len() as u32).collect();
            for &message in &chosen {
                table.insert(0, message);
            }
            let class_of = |message: u32| {
                let rarer = holders.iter().filter(|&&count| count < holders[message as usize]).count();
                (8 * rarer / holders.len()) as u32
            };
            for block in 0..table.block_count() {
                let here: Vec<u32> = chosen.iter().copied().filter(|message| (message / 512) as usize == block).collect();
                let mut set = *table.set(0, block);
                prop_assert_eq!(is_empty(&set), here.is_empty());
                let Some(least) = here.iter().map(|&message| class_of(message)).min() else { continue };
                prop_assert_eq!(classes.narrow_to_rarest(block, &mut set), least);
                let rarest = pick(&set, block, salt);
                prop_assert!(here.contains(&rarest) && class_of(rarest) == least);
                let mut only = MessageSet::default();
                include(&mut only, block + 1, rarest);
                prop_assert!(is_empty(&only));
                include(&mut only, block, rarest);
                prop_assert_eq!(pick(&only, block, !salt), rarest);
            }
        }
    }

    #[test]
    fn a_table_holds_what_was_inserted() {
        let mut table = MessageBlocks::new(3, 1030);
        assert_eq!(table.block_count(), 3);
        for message in [0, 63, 64, 511, 512, 1029] {
            table.insert(1, message);
            assert!(table.contains(1, message) && !table.contains(0, message) && !table.contains(2, message));
            assert!(!table.contains(1, message ^ 2), "{message}");
            table.remove(1, message);
            assert!(!table.contains(1, message));
        }
    }
}
