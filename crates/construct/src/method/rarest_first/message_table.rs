//! Sets of messages by terminal, and the number of terminals per message.

/// A set of messages for each terminal, one bit per message.
///
/// Messages are grouped in words of 64. The words of all terminals for the same messages are next to each other: a step that
/// searches few messages reads a small part of the table. Memory: one bit per terminal and message.
#[derive(Clone, Debug)]
pub(super) struct MessageTable {
    terminals: usize,
    words: Vec<u64>,
}

impl MessageTable {
    /// Returns the table of empty sets for a number of messages.
    pub(super) fn new(terminals: usize, messages: usize) -> Self {
        Self { terminals, words: vec![0; terminals * messages.div_ceil(64)] }
    }

    /// Returns the number of words per terminal.
    pub(super) fn word_count(&self) -> usize {
        self.words.len() / self.terminals
    }

    /// Returns a word of a terminal's set.
    #[inline]
    pub(super) fn word(&self, terminal: usize, word: usize) -> u64 {
        self.words[word * self.terminals + terminal]
    }

    /// Returns the table of the messages that are not in the sets.
    pub(super) fn complement(&self) -> Self {
        Self { words: self.words.iter().map(|word| !word).collect(), ..*self }
    }

    #[inline]
    pub(super) fn contains(&self, terminal: usize, message: u32) -> bool {
        let (word, bit) = place_of(message);
        self.word(terminal, word) & bit != 0
    }

    #[inline]
    pub(super) fn insert(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place_of(message);
        self.words[word * self.terminals + terminal] |= bit;
    }

    #[inline]
    pub(super) fn remove(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place_of(message);
        self.words[word * self.terminals + terminal] &= !bit;
    }
}

/// Returns the word of a message, and the bit in that word.
#[inline]
fn place_of(message: u32) -> (usize, u64) {
    (message as usize / 64, 1 << (message % 64))
}

/// The number of terminals per message, as binary digits: a few operations find the least of 64 numbers.
#[derive(Clone, Debug)]
pub(super) struct TerminalCounts {
    digit_count: usize,
    /// The digits of the 64 messages of each word, highest first.
    digits: Vec<u64>,
}

impl TerminalCounts {
    /// Counts the terminals whose set does not contain the message.
    pub(super) fn without(table: &MessageTable) -> Self {
        let digit_count = (usize::BITS - table.terminals.leading_zeros()) as usize;
        let is_one = |place: usize| table.terminals >> (digit_count - 1 - place % digit_count) & 1 == 1;
        let digits = (0..table.word_count() * digit_count).map(|place| if is_one(place) { u64::MAX } else { 0 });
        let mut counts = Self { digit_count, digits: digits.collect() };
        for (word, sets) in table.words.chunks_exact(table.terminals).enumerate() {
            for &messages in sets {
                counts.subtract(word, messages);
            }
        }
        counts
    }

    /// Returns the number of binary digits.
    pub(super) fn digit_count(&self) -> usize {
        self.digit_count
    }

    #[inline]
    fn digits_of(&self, word: usize) -> &[u64] {
        &self.digits[word * self.digit_count..(word + 1) * self.digit_count]
    }

    #[inline]
    fn digits_mut(&mut self, word: usize) -> impl Iterator<Item = &mut u64> {
        self.digits[word * self.digit_count..(word + 1) * self.digit_count].iter_mut().rev()
    }

    /// Returns the number of terminals of a message.
    pub(super) fn count(&self, message: u32) -> u32 {
        let (word, bit) = place_of(message);
        self.digits_of(word).iter().fold(0, |count, digit| count << 1 | u32::from(digit & bit != 0))
    }

    /// Narrows a set of messages of one word to those with the fewest terminals, and returns their number of terminals.
    #[inline]
    pub(super) fn narrow_to_least(&self, word: usize, set: &mut u64) -> u32 {
        self.digits_of(word).iter().fold(0, |count, digit| count << 1 | u32::from(!narrow(set, !digit)))
    }

    /// Counts one more terminal. The carry moves up from the lowest digit.
    #[inline]
    pub(super) fn add(&mut self, message: u32) {
        let (word, bit) = place_of(message);
        for digit in self.digits_mut(word) {
            *digit ^= bit;
            if *digit & bit != 0 {
                break;
            }
        }
    }

    /// Counts one terminal less.
    #[inline]
    pub(super) fn remove(&mut self, message: u32) {
        let (word, bit) = place_of(message);
        self.subtract(word, bit);
    }

    /// Counts one terminal less for some messages of one word. The borrow moves up from the lowest digit.
    #[inline]
    fn subtract(&mut self, word: usize, messages: u64) {
        let mut borrow = messages;
        for digit in self.digits_mut(word) {
            *digit ^= borrow;
            borrow &= *digit;
            if borrow == 0 {
                break;
            }
        }
    }
}

/// Intersects a set with another one and returns true, unless the result would be empty.
#[inline]
pub(super) fn narrow(set: &mut u64, other: u64) -> bool {
    let both = *set & other;
    // Without a branch: it would be taken at random.
    *set = if both == 0 { *set } else { both };
    both != 0
}
