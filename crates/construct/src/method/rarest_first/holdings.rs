//! Which terminal holds, and which still lacks, which message.

use lockstep_schedule::{MessageId, Messages, Receivers};
use lockstep_topology::NodeId;

use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::relay_tree::RelayTree;
use crate::kit::task::SchedulingTask;

/// The holdings of all terminals, between steps and inside one.
///
/// Two bits for each pair of terminal and message, in a row of words a terminal, or three if not everything lacked is
/// wanted; and the number of terminals that are served with each message, in a row of all messages for each binary digit,
/// so that the rarest of many is found by a few operations on words.
#[derive(Clone, Debug)]
pub(super) struct Holdings {
    words: usize,
    /// Held at the start of the step.
    held: Vec<u64>,
    /// Neither held nor on its way.
    lacked: Vec<u64>,
    /// The deliveries that have to be made; empty if all have.
    wanted: Vec<u64>,
    /// Digits of the number of terminals that hold each message, are about to or never want it, the highest first.
    served: Vec<u64>,
    /// Messages that each terminal lacks and wants.
    need: Vec<u32>,
    /// All deliveries that have to be made.
    left: u64,
}

/// Words that are counted at once.
const BLOCK: usize = 8;

impl Holdings {
    /// Bytes of the two bits for each pair of terminal and message.
    pub(super) fn bytes(task: &SchedulingTask<'_>) -> u64 {
        let words = task.messages().len().div_ceil(64) as u64;
        2 * size_of::<u64>() as u64 * words * task.topology().terminal_count() as u64
    }

    /// What is held and lacked before the first step. Terminals that must pass a message on want it, too, and so do those
    /// to which a kept transfer brings it.
    pub(super) fn new(task: &SchedulingTask<'_>, kept: Option<FixedTransfers<'_>>) -> Self {
        let mut tree: Option<(NodeId, RelayTree)> = None;
        Self::with_wants(task, kept, |messages, message, want| {
            let source = messages.source(message);
            if messages.receivers(message) == Receivers::AllOthers {
                return messages.receivers_iter(message).for_each(want);
            }
            let tree = match &mut tree {
                Some((root, tree)) if *root == source => tree,
                other => &mut other.insert((source, RelayTree::new(task, source))).1,
            };
            messages.receivers_iter(message).flat_map(|receiver| tree.route(receiver)).for_each(want);
        })
    }

    /// The same if every terminal may pass on every message: it lacks what it does not want, too.
    pub(super) fn open(task: &SchedulingTask<'_>, kept: Option<FixedTransfers<'_>>) -> Self {
        let wants = |messages: Messages<'_>, message, want: &mut dyn FnMut(NodeId)| {
            messages.receivers_iter(message).for_each(want);
        };
        let stock = Self::with_wants(task, kept, wants);
        let lacked = stock.held.iter().map(|word| !word).collect();
        Self { wanted: stock.lacked, lacked, ..stock }
    }

    fn with_wants(
        task: &SchedulingTask<'_>,
        kept: Option<FixedTransfers<'_>>,
        mut wants: impl FnMut(Messages<'_>, MessageId, &mut dyn FnMut(NodeId)),
    ) -> Self {
        let (messages, terminals) = (task.messages(), task.topology().terminal_count());
        let words = messages.len().div_ceil(64);
        let (mut held, mut lacked) = (vec![0; terminals * words], vec![0; terminals * words]);
        for message in messages.ids() {
            let (word, bit) = place(message.number());
            held[task.rank(messages.source(message)) * words + word] |= bit;
            wants(messages, message, &mut |node| lacked[task.rank(node) * words + word] |= bit);
        }
        for (_, made) in kept.iter().flat_map(|kept| kept.transfers()) {
            let (word, bit) = place(made.message.number());
            let row = task.receiver(made.path) * words + word;
            lacked[row] |= bit & !held[row];
        }
        let count = |row: &[u64]| row.iter().map(|word| word.count_ones()).sum();
        let need: Vec<u32> = lacked.chunks_exact(words).map(count).collect();
        let left = need.iter().copied().map(u64::from).sum();
        let digits = (usize::BITS - terminals.leading_zeros()) as usize;
        let mut served = vec![0; digits * words];
        for (place, digit) in served.chunks_exact_mut(words).rev().enumerate() {
            digit.fill(if terminals >> place & 1 == 1 { u64::MAX } else { 0 });
        }
        // One less for each terminal that lacks a message, with the borrow upwards from the lowest digit.
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
        Self { words, held, lacked, wanted: Vec::new(), served, need, left }
    }

    /// Number of deliveries that still have to be made.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Number of messages that a terminal lacks and wants.
    #[inline]
    pub(super) fn need(&self, terminal: usize) -> u32 {
        self.need[terminal]
    }

    /// Whether a terminal can be given anything that it lacks.
    #[inline]
    pub(super) fn takes_more(&self, terminal: usize) -> bool {
        self.need[terminal] > 0 || !self.wanted.is_empty()
    }

    /// Number of terminals that hold a message, are about to or never want it.
    pub(super) fn served_count(&self, message: u32) -> u32 {
        let (word, bit) = place(message);
        let digits = self.served.chunks_exact(self.words);
        digits.fold(0, |count, digit| count << 1 | u32::from(digit[word] & bit != 0))
    }

    /// Whether a terminal holds a message at the start of the step.
    #[inline]
    pub(super) fn holds(&self, terminal: usize, message: u32) -> bool {
        let (word, bit) = place(message);
        self.held[terminal * self.words + word] & bit != 0
    }

    /// Whether a terminal holds any message at the start of the step.
    pub(super) fn holds_any(&self, terminal: usize) -> bool {
        self.row(&self.held, terminal).iter().any(|&word| word != 0)
    }

    #[inline]
    fn row<'a>(&self, bits: &'a [u64], terminal: usize) -> &'a [u64] {
        &bits[terminal * self.words..(terminal + 1) * self.words]
    }

    /// Number of messages that one terminal holds and another one lacks, as far as it is less than `enough`; else a
    /// number that is not.
    #[inline]
    pub(super) fn useful_count(&self, from: usize, to: usize, enough: u32) -> u32 {
        let (held, lacked) = (self.row(&self.held, from), self.row(&self.lacked, to));
        let mut count = 0;
        // Whole blocks between two looks at the count go through vector registers.
        for (held, lacked) in held.chunks(BLOCK).zip(lacked.chunks(BLOCK)) {
            count += held.iter().zip(lacked).map(|(held, lacked)| (held & lacked).count_ones()).sum::<u32>();
            if count >= enough {
                break;
            }
        }
        count
    }

    /// Leaves in `pool` what one terminal holds and another one lacks, or what the latter wants of it if there is any.
    #[inline]
    fn collect(&self, from: usize, to: usize, pool: &mut Vec<u64>) {
        let (held, lacked) = (self.row(&self.held, from), self.row(&self.lacked, to));
        pool.clear();
        pool.extend(held.iter().zip(lacked).map(|(held, lacked)| held & lacked));
        if !self.wanted.is_empty() {
            narrow(pool, self.row(&self.wanted, to), 0);
        }
    }

    /// A message that one terminal holds and another one lacks, a wanted one if there is any; `salt` says which. `pool`
    /// is scratch space.
    pub(super) fn any(&self, from: usize, to: usize, salt: u32, pool: &mut Vec<u64>) -> Option<u32> {
        self.collect(from, to, pool);
        pick(pool, salt)
    }

    /// The one of those messages that most terminals still want; `salt` decides ties. `pool` is scratch space.
    ///
    /// Takes time in proportion to all messages over 64, times the digits of the number of terminals.
    pub(super) fn rarest(&self, from: usize, to: usize, salt: u32, pool: &mut Vec<u64>) -> Option<u32> {
        self.collect(from, to, pool);
        self.served.chunks_exact(self.words).for_each(|digit| narrow(pool, digit, u64::MAX));
        pick(pool, salt)
    }

    /// Decides that a terminal gets a message in this step.
    pub(super) fn promise(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place(message);
        self.lacked[terminal * self.words + word] &= !bit;
        if !self.is_wanted(terminal, message) {
            return;
        }
        self.need[terminal] -= 1;
        self.left -= 1;
        // One more, with the carry upwards from the lowest digit.
        for digit in self.served.chunks_exact_mut(self.words).rev() {
            digit[word] ^= bit;
            if digit[word] & bit != 0 {
                break;
            }
        }
    }

    /// Takes a promise back.
    pub(super) fn withdraw(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place(message);
        self.lacked[terminal * self.words + word] |= bit;
        if !self.is_wanted(terminal, message) {
            return;
        }
        self.need[terminal] += 1;
        self.left += 1;
        // One less, with the borrow upwards from the lowest digit.
        for digit in self.served.chunks_exact_mut(self.words).rev() {
            digit[word] ^= bit;
            if digit[word] & bit == 0 {
                break;
            }
        }
    }

    #[inline]
    fn is_wanted(&self, terminal: usize, message: u32) -> bool {
        let (word, bit) = place(message);
        self.wanted.is_empty() || self.wanted[terminal * self.words + word] & bit != 0
    }

    /// Hands over what was promised.
    #[inline]
    pub(super) fn arrive(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place(message);
        self.held[terminal * self.words + word] |= bit;
    }

    /// Takes back what arrived: it is only promised again.
    #[inline]
    pub(super) fn depart(&mut self, terminal: usize, message: u32) {
        let (word, bit) = place(message);
        self.held[terminal * self.words + word] &= !bit;
    }
}

/// The word of a message in a row, and its bit there.
#[inline]
fn place(message: u32) -> (usize, u64) {
    (message as usize / 64, 1 << (message % 64))
}

/// Leaves of a set only what is in another one too, or not in it under the mask of all ones; everything if that is
/// nothing.
#[inline]
fn narrow(set: &mut [u64], other: &[u64], mask: u64) {
    if set.iter().zip(other).fold(0, |any, (word, other)| any | word & (other ^ mask)) != 0 {
        set.iter_mut().zip(other).for_each(|(word, other)| *word &= other ^ mask);
    }
}

/// One of the messages of a row: the first one from a place on that `salt` gives.
#[inline]
fn pick(row: &[u64], salt: u32) -> Option<u32> {
    let start = ((u64::from(salt) * row.len() as u64) >> u32::BITS) as usize;
    let mut words = (start..row.len()).chain(0..start);
    let place = words.find(|&place| row[place] != 0)?;
    let turn = salt % u64::BITS;
    let bit = (row[place].rotate_right(turn).trailing_zeros() + turn) % u64::BITS;
    Some(place as u32 * u64::BITS + bit)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::Topology;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Beside a list of who has what, through any promises, most of which are kept and some withdrawn.
        #[test]
        fn the_rarest_message_is_wanted_by_most(
            promises in prop::collection::vec((0..70usize, 0..140u32, 0..4), 0..2000), salt: u32,
        ) {
            let network: Topology = "ring:70".parse().unwrap();
            let collective = Collective::all_gather().with_chunks(2.try_into().unwrap());
            let problem = Problem::new(&network, &collective, CommunicationModel::store_and_forward()).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let mut stock = Holdings::new(&task, None);
            let mut has: Vec<Vec<bool>> = (0..70).map(|terminal| (0..140).map(|m| m / 2 == terminal).collect()).collect();
            for (terminal, message, fate) in promises {
                if !has[terminal][message as usize] {
                    stock.promise(terminal, message);
                    if fate == 0 {
                        stock.withdraw(terminal, message);
                    } else {
                        stock.arrive(terminal, message);
                        has[terminal][message as usize] = true;
                    }
                }
            }
            let served: Vec<u32> = (0..140).map(|m| has.iter().map(|row| u32::from(row[m])).sum()).collect();
            prop_assert!((0..140).all(|message| stock.served_count(message) == served[message as usize]));
            let all: u64 = has.iter().flatten().map(|&has| u64::from(!has)).sum();
            prop_assert_eq!(stock.left(), all);
            let mut pool = Vec::new();
            for (from, to) in [(0, 1), (1, 0), (5, 69), (69, 5)] {
                let useful: Vec<usize> = (0..140).filter(|&m| has[from][m] && !has[to][m]).collect();
                prop_assert_eq!(stock.useful_count(from, to, u32::MAX) as usize, useful.len());
                prop_assert_eq!(stock.useful_count(from, to, 5) >= 5, useful.len() >= 5);
                let least = useful.iter().map(|&m| served[m]).min();
                let rarest = stock.rarest(from, to, salt, &mut pool);
                prop_assert_eq!(rarest.map(|message| served[message as usize]), least);
                prop_assert!(rarest.is_none_or(|message| useful.contains(&(message as usize))));
                let any = stock.any(from, to, salt, &mut pool);
                prop_assert!(any.map_or(useful.is_empty(), |message| useful.contains(&(message as usize))));
            }
        }
    }

    /// Every one of several messages is picked by some salt.
    #[test]
    fn salt_decides_between_equals() {
        let row = [0, 1 << 63 | 1, 0, 1 << 17];
        let mut picked: Vec<u32> = (0..4096u32).filter_map(|salt| pick(&row, salt.wrapping_mul(0x9E37_79B9))).collect();
        picked.sort_unstable();
        picked.dedup();
        assert_eq!(picked, [64, 127, 3 * 64 + 17]);
        assert_eq!(pick(&[0, 0], 7), None);
    }
}
