//! Which terminal holds, and which still lacks, which message.

use lockstep_schedule::Receivers;
use lockstep_topology::NodeId;

use crate::relay::RelayTree;
use crate::task::Task;

/// The holdings of all terminals, between steps and inside one.
///
/// Two bits for each pair of terminal and message, in a row of words a terminal; and the number of holders of each
/// message, bit by bit in rows of all messages, so that the rarest of many is found with a few operations on words.
#[derive(Clone, Debug)]
pub(crate) struct Stock {
    words: usize,
    /// Held at the start of the step.
    held: Vec<u64>,
    /// Neither held nor on its way.
    lacked: Vec<u64>,
    /// Terminals that hold each message or are about to: a row for each binary digit, the highest first.
    holders: Vec<u64>,
    /// Messages that each terminal lacks.
    lacked_count: Vec<u32>,
    /// All deliveries to be made.
    left: u64,
}

impl Stock {
    /// Bytes of the two bits for each pair of terminal and message.
    pub(crate) fn bytes(task: &Task<'_>) -> u64 {
        let words = task.messages().len().div_ceil(64) as u64;
        2 * size_of::<u64>() as u64 * words * task.topology().terminal_count() as u64
    }

    /// What is held and lacked before the first step. Terminals that must pass a message on lack it, too.
    pub(crate) fn new(task: &Task<'_>) -> Self {
        let (messages, terminals) = (task.messages(), task.topology().terminal_count());
        let words = messages.len().div_ceil(64);
        let (mut held, mut lacked) = (vec![0; terminals * words], vec![0; terminals * words]);
        let mut tree: Option<(NodeId, RelayTree)> = None;
        for message in messages.ids() {
            let (word, bit) = place(message.number());
            let mark = |bits: &mut [u64], node| bits[task.rank(node) * words + word] |= bit;
            let source = messages.source(message);
            mark(&mut held, source);
            if messages.receivers(message) == Receivers::AllOthers {
                messages.receivers_iter(message).for_each(|receiver| mark(&mut lacked, receiver));
                continue;
            }
            let tree = match &mut tree {
                Some((root, tree)) if *root == source => tree,
                other => &mut other.insert((source, RelayTree::new(task, source))).1,
            };
            for receiver in messages.receivers_iter(message) {
                tree.route(receiver).into_iter().for_each(|stop| mark(&mut lacked, stop));
            }
        }
        let count = |row: &[u64]| row.iter().map(|word| word.count_ones()).sum();
        let lacked_count: Vec<u32> = lacked.chunks_exact(words).map(count).collect();
        let left = lacked_count.iter().copied().map(u64::from).sum();
        let digits = (usize::BITS - terminals.leading_zeros()) as usize;
        let mut holders = vec![0; digits * words];
        // Everybody's source is one holder.
        holders[(digits - 1) * words..].fill(u64::MAX);
        Self { words, held, lacked, holders, lacked_count, left }
    }

    /// Number of deliveries still to be made.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Number of messages that a terminal lacks.
    #[inline]
    pub(crate) fn lacked_count(&self, terminal: usize) -> u32 {
        self.lacked_count[terminal]
    }

    /// Number of terminals that hold a message or are about to.
    pub(crate) fn holder_count(&self, message: u32) -> u32 {
        let (word, bit) = place(message);
        let digits = self.holders.chunks_exact(self.words);
        digits.fold(0, |count, digit| count << 1 | u32::from(digit[word] & bit != 0))
    }

    /// Whether a terminal holds a message at the start of the step.
    #[inline]
    pub(crate) fn holds(&self, terminal: usize, message: u32) -> bool {
        let (word, bit) = place(message);
        self.held[terminal * self.words + word] & bit != 0
    }

    /// Whether a terminal holds any message at the start of the step.
    pub(crate) fn holds_any(&self, terminal: usize) -> bool {
        self.row(&self.held, terminal).iter().any(|&word| word != 0)
    }

    #[inline]
    fn row<'a>(&self, bits: &'a [u64], terminal: usize) -> &'a [u64] {
        &bits[terminal * self.words..(terminal + 1) * self.words]
    }

    /// What one terminal holds and another one lacks, a word after the other.
    #[inline]
    fn useful(&self, from: usize, to: usize) -> impl Iterator<Item = u64> {
        self.row(&self.held, from).iter().zip(self.row(&self.lacked, to)).map(|(held, lacked)| held & lacked)
    }

    /// Number of messages that one terminal holds and another one lacks.
    #[inline]
    pub(crate) fn useful_count(&self, from: usize, to: usize) -> u32 {
        self.useful(from, to).map(u64::count_ones).sum()
    }

    /// The message with the fewest holders that one terminal holds and another one lacks; `salt` decides ties. `pool` is
    /// scratch space.
    pub(crate) fn rarest(&self, from: usize, to: usize, salt: u32, pool: &mut Vec<u64>) -> Option<u32> {
        pool.clear();
        pool.extend(self.useful(from, to));
        for digit in self.holders.chunks_exact(self.words) {
            if pool.iter().zip(digit).fold(0, |any, (word, digit)| any | word & !digit) != 0 {
                pool.iter_mut().zip(digit).for_each(|(word, digit)| *word &= !digit);
            }
        }
        pick(pool, salt)
    }

    /// Decides that a terminal gets a message in this step.
    pub(crate) fn promise(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place(message);
        self.lacked[terminal * self.words + word] &= !bit;
        self.lacked_count[terminal] -= 1;
        self.left -= 1;
        // One more, with the carry upwards from the lowest digit.
        for digit in self.holders.chunks_exact_mut(self.words).rev() {
            digit[word] ^= bit;
            if digit[word] & bit != 0 {
                break;
            }
        }
    }

    /// Takes a promise back.
    pub(crate) fn withdraw(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place(message);
        self.lacked[terminal * self.words + word] |= bit;
        self.lacked_count[terminal] += 1;
        self.left += 1;
        for digit in self.holders.chunks_exact_mut(self.words).rev() {
            digit[word] ^= bit;
            if digit[word] & bit == 0 {
                break;
            }
        }
    }

    /// Hands over what was promised.
    #[inline]
    pub(crate) fn arrive(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place(message);
        self.held[terminal * self.words + word] |= bit;
    }

    /// Takes back what arrived: it is promised again.
    #[inline]
    pub(crate) fn depart(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place(message);
        self.held[terminal * self.words + word] &= !bit;
    }
}

/// The word of a message in a row, and its bit there.
#[inline]
fn place(message: u32) -> (usize, u64) {
    (message as usize / 64, 1 << (message % 64))
}

/// One of the messages of a row: the first one from a place on that `salt` gives.
#[inline]
fn pick(row: &[u64], salt: u32) -> Option<u32> {
    let start = (u64::from(salt) * row.len() as u64 >> 32) as usize;
    let mut words = (start..row.len()).chain(0..start);
    let place = words.find(|&place| row[place] != 0)?;
    let turn = salt % u64::BITS;
    let bit = (row[place].rotate_right(turn).trailing_zeros() + turn) % u64::BITS;
    Some(place as u32 * u64::BITS + bit)
}
