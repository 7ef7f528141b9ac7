//! The messages that each terminal holds, lacks and needs.

use std::ops::Range;

use lockstep_schedule::{MessageId, Messages, Receivers};
use lockstep_topology::NodeId;

use super::word_sets::{BLOCK, count_common, narrow, narrow_to_least, pick};
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::relay_tree::RelayTree;
use crate::kit::task::SchedulingTask;

/// The messages that each terminal holds at the start of the step, and those that it still lacks.
///
/// Invariants: a message that is neither held nor lacked is promised. `need` and `left` count the lacked messages that
/// must be delivered. `served` counts, per message, the terminals that do not need it any more.
///
/// Memory: two bits per terminal and message, in one row of words per terminal; three bits if terminals may also relay
/// messages that they do not need. `served` is stored as one row of all messages per binary digit, so that a few
/// operations on words find the rarest of many messages.
#[derive(Clone, Debug)]
pub(super) struct Holdings {
    words: usize,
    /// The messages held at the start of the step.
    held: Vec<u64>,
    /// The messages that are neither held nor promised.
    lacked: Vec<u64>,
    /// The lacked messages that must be delivered; empty if that is all of them.
    required: Vec<u64>,
    /// The binary digits of the number of served terminals per message, highest digit first.
    served: Vec<u64>,
    /// Number of required messages that each terminal lacks.
    need: Vec<u32>,
    /// Number of deliveries that are still to be made.
    left: u64,
}

/// Number of words of most samples, together with [`BLOCK`].
const TWO_BLOCKS: usize = 2 * BLOCK;

/// The rarest message is chosen among this number of messages, in a row of more than [`BLOCK`] words that has them.
const ENOUGH: u32 = 64;

impl Holdings {
    /// Returns the memory of the two bits per terminal and message, in bytes.
    pub(super) fn bytes(task: &SchedulingTask<'_>) -> u64 {
        let words = task.messages().len().div_ceil(64) as u64;
        2 * size_of::<u64>() as u64 * words * task.topology().terminal_count() as u64
    }

    /// Returns the holdings before the first step. Terminals on a shortest path to a receiver need the message too, and
    /// so do the receivers of fixed transfers.
    pub(super) fn new(task: &SchedulingTask<'_>, fixed: Option<FixedTransfers<'_>>) -> Self {
        let mut tree: Option<(NodeId, RelayTree)> = None;
        Self::with_needs(task, fixed, |messages, message, need| {
            let source = messages.source(message);
            if messages.receivers(message) == Receivers::AllOthers {
                return messages.receivers_iter(message).for_each(need);
            }
            let tree = match &mut tree {
                Some((root, tree)) if *root == source => tree,
                other => &mut other.insert((source, RelayTree::new(task, source))).1,
            };
            messages.receivers_iter(message).flat_map(|receiver| tree.route(receiver)).for_each(need);
        })
    }

    /// Returns the holdings before the first step if every terminal may relay every message. Terminals then also lack
    /// messages that they do not need.
    pub(super) fn with_all_relays(task: &SchedulingTask<'_>, fixed: Option<FixedTransfers<'_>>) -> Self {
        let needs = |messages: Messages<'_>, message, need: &mut dyn FnMut(NodeId)| {
            messages.receivers_iter(message).for_each(need);
        };
        let holdings = Self::with_needs(task, fixed, needs);
        let lacked = holdings.held.iter().map(|word| !word).collect();
        Self { required: holdings.lacked, lacked, ..holdings }
    }

    fn with_needs(
        task: &SchedulingTask<'_>,
        fixed: Option<FixedTransfers<'_>>,
        mut needs: impl FnMut(Messages<'_>, MessageId, &mut dyn FnMut(NodeId)),
    ) -> Self {
        let (messages, terminals) = (task.messages(), task.topology().terminal_count());
        let words = messages.len().div_ceil(64);
        let (mut held, mut lacked) = (vec![0; terminals * words], vec![0; terminals * words]);
        for message in messages.ids() {
            let (word, bit) = bit_of(message.number());
            held[task.rank(messages.source(message)) * words + word] |= bit;
            needs(messages, message, &mut |node| lacked[task.rank(node) * words + word] |= bit);
        }
        for (_, transfer) in fixed.iter().flat_map(|fixed| fixed.transfers()) {
            let (word, bit) = bit_of(transfer.message.number());
            let row = task.receiver(transfer.path) * words + word;
            lacked[row] |= bit & !held[row];
        }
        let count = |row: &[u64]| row.iter().map(|word| word.count_ones()).sum();
        let need: Vec<u32> = lacked.chunks_exact(words).map(count).collect();
        let left = need.iter().copied().map(u64::from).sum();
        let digits = (usize::BITS - terminals.leading_zeros()) as usize;
        let mut served = vec![0; digits * words];
        for (exponent, digit) in served.chunks_exact_mut(words).rev().enumerate() {
            digit.fill(if terminals >> exponent & 1 == 1 { u64::MAX } else { 0 });
        }
        // Subtract one per terminal that lacks a message; the borrow moves up from the lowest digit.
        for row in lacked.chunks_exact(words) {
            for (word, &lacking) in row.iter().enumerate() {
                let mut borrow = lacking;
                for digit in served.chunks_exact_mut(words).rev() {
                    digit[word] ^= borrow;
                    borrow &= digit[word];
                    if borrow == 0 {
                        break;
                    }
                }
            }
        }
        Self { words, held, lacked, required: Vec::new(), served, need, left }
    }

    /// Returns the number of words of a row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Returns the number of deliveries that are still to be made.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Returns the number of required messages that a terminal lacks.
    #[inline]
    pub(super) fn need(&self, terminal: usize) -> u32 {
        self.need[terminal]
    }

    /// Returns true if a terminal accepts further messages.
    #[inline]
    pub(super) fn accepts_more(&self, terminal: usize) -> bool {
        self.need[terminal] > 0 || !self.required.is_empty()
    }

    /// Returns the number of terminals that do not need a message any more.
    pub(super) fn served_count(&self, message: u32) -> u32 {
        let (word, bit) = bit_of(message);
        let digits = self.served.chunks_exact(self.words);
        digits.fold(0, |count, digit| count << 1 | u32::from(digit[word] & bit != 0))
    }

    /// Returns true if a terminal holds a message at the start of the step.
    #[inline]
    pub(super) fn holds(&self, terminal: usize, message: u32) -> bool {
        let (word, bit) = bit_of(message);
        self.held[terminal * self.words + word] & bit != 0
    }

    /// Returns true if a terminal holds any message at the start of the step.
    pub(super) fn holds_any(&self, terminal: usize) -> bool {
        self.row(&self.held, terminal).iter().any(|&word| word != 0)
    }

    #[inline]
    fn row<'a>(&self, bits: &'a [u64], terminal: usize) -> &'a [u64] {
        &bits[terminal * self.words..(terminal + 1) * self.words]
    }

    /// Returns the number of messages that one terminal holds and another lacks, or any number from `enough` on if it
    /// is at least `enough`.
    #[inline]
    pub(super) fn useful_count(&self, from: usize, to: usize, enough: u32) -> u32 {
        let (held, lacked) = (self.row(&self.held, from), self.row(&self.lacked, to));
        let mut count = 0;
        // The count is checked once per block, so that the compiler can use vector registers inside a block.
        for (held, lacked) in held.chunks(BLOCK).zip(lacked.chunks(BLOCK)) {
            count += count_common(held, lacked);
            if count >= enough {
                break;
            }
        }
        count
    }

    /// Fills `pool` with the messages that one terminal holds and another lacks, in some words of their rows; only required
    /// ones if there are any.
    #[inline]
    fn collect(&self, from: usize, to: usize, words: Range<usize>, pool: &mut Vec<u64>) {
        let (held, lacked) = (&self.row(&self.held, from)[words.clone()], &self.row(&self.lacked, to)[words.clone()]);
        pool.clear();
        pool.extend(held.iter().zip(lacked).map(|(held, lacked)| held & lacked));
        if !self.required.is_empty() {
            narrow(pool, &self.row(&self.required, to)[words], 0);
        }
    }

    /// Returns the number of messages that a terminal and some others all lack.
    pub(super) fn lacked_by_all(&self, terminal: usize, others: &[u32]) -> u32 {
        let lacked = |word: usize| {
            let all = others.iter().map(|&other| self.lacked[other as usize * self.words + word]);
            all.fold(self.lacked[terminal * self.words + word], |both, lacked| both & lacked)
        };
        (0..self.words).map(|word| lacked(word).count_ones()).sum()
    }

    /// Returns a message that one terminal holds and another lacks; a required one if there is any. `salt` selects it.
    /// `pool` is scratch space. Takes `O(M / 64)` time for `M` messages.
    pub(super) fn any(&self, from: usize, to: usize, salt: u32, pool: &mut Vec<u64>) -> Option<u32> {
        self.collect(from, to, 0..self.words, pool);
        pick(pool, salt)
    }

    /// Returns the one of those messages that most terminals still need; `salt` breaks ties. If possible, each of the `others`
    /// lacks it too. If there are many messages and no `others`, the choice is among [`ENOUGH`] or more of them that are next
    /// to each other; `salt` selects them. `pool` is scratch space. Takes `O(M (log T + O) / 64)` time for `M` messages, `T`
    /// terminals and `O` others, and `O(log T)` time where many messages are held and lacked.
    pub(super) fn rarest(&self, from: usize, to: usize, others: &[u32], salt: u32, pool: &mut Vec<u64>) -> Option<u32> {
        let sample = if others.is_empty() { self.sample(from, to, salt) } else { 0..self.words };
        let first = sample.start as u32 * u64::BITS;
        self.collect(from, to, sample.clone(), pool);
        for &other in others {
            narrow(pool, &self.row(&self.lacked, other as usize)[sample.clone()], 0);
        }
        let digits = self.served.chunks_exact(self.words).map(|digit| &digit[sample.clone()]);
        match pool.len() {
            BLOCK => narrow_to_least::<BLOCK>(pool, digits),
            TWO_BLOCKS => narrow_to_least::<TWO_BLOCKS>(pool, digits),
            _ => digits.for_each(|digit| narrow(pool, digit, u64::MAX)),
        }
        pick(pool, salt).map(|message| first + message)
    }

    /// Returns the words of a sample: blocks from the one that `salt` selects on, and then those before it, until they have
    /// [`ENOUGH`] messages that one terminal holds and another lacks.
    #[inline]
    fn sample(&self, from: usize, to: usize, salt: u32) -> Range<usize> {
        if self.words <= BLOCK || !self.required.is_empty() {
            return 0..self.words;
        }
        let (held, lacked) = (self.row(&self.held, from), self.row(&self.lacked, to));
        let count = |block: usize| -> u32 {
            let words = block * BLOCK..self.words.min((block + 1) * BLOCK);
            count_common(&held[words.clone()], &lacked[words])
        };
        let blocks = self.words.div_ceil(BLOCK);
        let start = ((u64::from(salt) * blocks as u64) >> u32::BITS) as usize;
        let (mut sample, mut useful) = (start..start, 0);
        while useful < ENOUGH && sample.end < blocks {
            useful += count(sample.end);
            sample.end += 1;
        }
        while useful < ENOUGH && sample.start > 0 {
            sample.start -= 1;
            useful += count(sample.start);
        }
        sample.start * BLOCK..self.words.min(sample.end * BLOCK)
    }

    /// Returns the number of words visited by one [search](Self::rarest) among many messages.
    pub(super) fn words_per_search(&self) -> usize {
        let rows = 1 + self.served.len().checked_div(self.words).unwrap_or(0);
        rows * if self.required.is_empty() { self.words.min(2 * BLOCK) } else { self.words }
    }

    /// Promises a lacked message to a terminal.
    pub(super) fn promise(&mut self, terminal: usize, message: u32) {
        let (word, bit) = bit_of(message);
        self.lacked[terminal * self.words + word] &= !bit;
        if !self.is_required(terminal, message) {
            return;
        }
        self.need[terminal] -= 1;
        self.left -= 1;
        // Add one; the carry moves up from the lowest digit.
        for digit in self.served.chunks_exact_mut(self.words).rev() {
            digit[word] ^= bit;
            if digit[word] & bit != 0 {
                break;
            }
        }
    }

    /// Withdraws a promise.
    pub(super) fn withdraw(&mut self, terminal: usize, message: u32) {
        let (word, bit) = bit_of(message);
        self.lacked[terminal * self.words + word] |= bit;
        if !self.is_required(terminal, message) {
            return;
        }
        self.need[terminal] += 1;
        self.left += 1;
        // Subtract one; the borrow moves up from the lowest digit.
        for digit in self.served.chunks_exact_mut(self.words).rev() {
            digit[word] ^= bit;
            if digit[word] & bit == 0 {
                break;
            }
        }
    }

    #[inline]
    fn is_required(&self, terminal: usize, message: u32) -> bool {
        let (word, bit) = bit_of(message);
        self.required.is_empty() || self.required[terminal * self.words + word] & bit != 0
    }

    /// Turns a promise into a held message.
    #[inline]
    pub(super) fn arrive(&mut self, terminal: usize, message: u32) {
        let (word, bit) = bit_of(message);
        self.held[terminal * self.words + word] |= bit;
    }

    /// Turns a held message back into a promise.
    #[inline]
    pub(super) fn depart(&mut self, terminal: usize, message: u32) {
        let (word, bit) = bit_of(message);
        self.held[terminal * self.words + word] &= !bit;
    }
}

/// Returns the word of a message within a row, and its bit in that word.
#[inline]
fn bit_of(message: u32) -> (usize, u64) {
    (message as usize / 64, 1 << (message % 64))
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::Topology;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compared with a plain table, through any promises; most of them arrive and some are withdrawn.
        #[test]
        fn the_rarest_message_is_needed_by_most_terminals(
            promises in prop::collection::vec((0..70usize, 0..140u32, 0..4), 0..2000), salt: u32,
        ) {
            let network: Topology = "ring:70".parse().unwrap();
            let collective = Collective::all_gather().with_chunks(2.try_into().unwrap());
            let problem = Problem::new(&network, &collective, CommunicationModel::store_and_forward()).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let mut holdings = Holdings::new(&task, None);
            let mut has: Vec<Vec<bool>> = (0..70).map(|terminal| (0..140).map(|m| m / 2 == terminal).collect()).collect();
            for (terminal, message, fate) in promises {
                if !has[terminal][message as usize] {
                    holdings.promise(terminal, message);
                    if fate == 0 {
                        holdings.withdraw(terminal, message);
                    } else {
                        holdings.arrive(terminal, message);
                        has[terminal][message as usize] = true;
                    }
                }
            }
            let served: Vec<u32> = (0..140).map(|m| has.iter().map(|row| u32::from(row[m])).sum()).collect();
            prop_assert!((0..140).all(|message| holdings.served_count(message) == served[message as usize]));
            let all: u64 = has.iter().flatten().map(|&has| u64::from(!has)).sum();
            prop_assert_eq!(holdings.left(), all);
            let mut pool = Vec::new();
            for (from, to) in [(0, 1), (1, 0), (5, 69), (69, 5)] {
                let useful: Vec<usize> = (0..140).filter(|&m| has[from][m] && !has[to][m]).collect();
                prop_assert_eq!(holdings.useful_count(from, to, u32::MAX) as usize, useful.len());
                prop_assert_eq!(holdings.useful_count(from, to, 5) >= 5, useful.len() >= 5);
                let least = useful.iter().map(|&m| served[m]).min();
                let rarest = holdings.rarest(from, to, &[], salt, &mut pool);
                prop_assert_eq!(rarest.map(|message| served[message as usize]), least);
                prop_assert!(rarest.is_none_or(|message| useful.contains(&(message as usize))));
                let is_new = |&&m: &&usize| !has[2][m];
                let least_of_new = useful.iter().filter(is_new).map(|&m| served[m]).min();
                let rarest = holdings.rarest(from, to, &[2], salt, &mut pool);
                prop_assert_eq!(rarest.map(|message| served[message as usize]), least_of_new.or(least));
                prop_assert!(rarest.is_none_or(|message| least_of_new.is_none() || !has[2][message as usize]));
                let lacked = (0..140).filter(|&m| !has[to][m] && !has[2][m] && !has[7][m]).count();
                prop_assert_eq!(holdings.lacked_by_all(to, &[2, 7]) as usize, lacked);
                let any = holdings.any(from, to, salt, &mut pool);
                prop_assert!(any.map_or(useful.is_empty(), |message| useful.contains(&(message as usize))));
            }
        }
    }

    /// Few messages are all compared. Of many, the one found is among the rarest: [`ENOUGH`] others or more are not rarer.
    fn check_sample(held: &[u32], salt: u32) -> Result<(), TestCaseError> {
        const CHUNKS: u32 = 150;
        let network: Topology = "complete:10".parse().unwrap();
        let collective = Collective::all_gather().with_chunks(CHUNKS.try_into().unwrap());
        let problem = Problem::new(&network, &collective, CommunicationModel::store_and_forward()).unwrap();
        let mut holdings = Holdings::new(&SchedulingTask::new(&problem).unwrap(), None);
        // Terminal 0 holds its own messages; each of them is held by as many other terminals as said.
        let mut useful = Vec::new();
        for (message, &holders) in (0..CHUNKS * 10).zip(held.iter().cycle()) {
            let owner = (message / CHUNKS) as usize;
            let others = (2..10).filter(|&terminal| terminal != owner).take(holders as usize % 8);
            for terminal in others {
                holdings.promise(terminal, message);
            }
            if owner >= 2 && holders < 4 {
                holdings.promise(0, message);
                holdings.arrive(0, message);
            }
            if owner == 0 || owner >= 2 && holders < 4 {
                useful.push(message);
            }
        }
        let found = holdings.rarest(0, 1, &[], salt, &mut Vec::new()).unwrap();
        prop_assert!(useful.contains(&found));
        let not_rarer = useful.iter().filter(|&&other| holdings.served_count(other) >= holdings.served_count(found));
        prop_assert!(not_rarer.count() >= useful.len().min(ENOUGH as usize));
        Ok(())
    }

    proptest! {
        #[test]
        fn the_rarest_message_of_a_sample_is_found(held in prop::collection::vec(0..12u32, 1..200), salt: u32) {
            check_sample(&held, salt)?;
        }
    }
}
