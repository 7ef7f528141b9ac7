//! The messages that each terminal holds, lacks and needs.

use lockstep_schedule::{MessageId, Messages, Receivers};
use lockstep_topology::NodeId;

use super::message_table::{MessageTable, TerminalCounts, narrow};
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::relay_tree::RelayTree;
use crate::kit::task::SchedulingTask;

/// The messages that each terminal holds at the start of the step, and those that it still lacks.
///
/// Invariants: a message that is neither held nor lacked is promised. `need` and `left` count the lacked messages that
/// must be delivered. `served` counts, per message, the terminals that do not need it any more.
///
/// Memory: two bits per terminal and message; three bits if terminals may also relay messages that they do not need.
#[derive(Clone, Debug)]
pub(super) struct Holdings {
    /// The messages held at the start of the step.
    held: MessageTable,
    /// The messages that are neither held nor promised.
    lacked: MessageTable,
    /// The lacked messages that must be delivered; `None` if that is all of them.
    required: Option<MessageTable>,
    served: TerminalCounts,
    /// Number of required messages that each terminal lacks.
    need: Vec<u32>,
    /// Number of deliveries that are still to be made.
    left: u64,
    /// The word at which all searches of this step begin, if there are many messages.
    first_word: Option<usize>,
    /// The number of messages at which a search among many messages ends.
    enough: u32,
}

/// All messages are compared if their sets have at most this number of words.
const FEW_WORDS: usize = 8;

/// All messages are compared for a terminal that needs at most this number of them: no later choice makes up for a bad one.
const FEW_NEEDED: u32 = 96;

/// A search among many messages ends with the word in which it has this number of messages to choose from, times the number of
/// messages per terminal: the messages of one source are next to each other, and often equally rare.
const ENOUGH: u32 = 12;

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
        Self { lacked: holdings.held.complement(), required: Some(holdings.lacked), ..holdings }
    }

    fn with_needs(
        task: &SchedulingTask<'_>,
        fixed: Option<FixedTransfers<'_>>,
        mut needs: impl FnMut(Messages<'_>, MessageId, &mut dyn FnMut(NodeId)),
    ) -> Self {
        let (messages, terminals) = (task.messages(), task.topology().terminal_count());
        let mut held = MessageTable::new(terminals, messages.len());
        let mut lacked = held.clone();
        for message in messages.ids() {
            held.insert(task.rank(messages.source(message)), message.number());
            needs(messages, message, &mut |node| lacked.insert(task.rank(node), message.number()));
        }
        for (_, transfer) in fixed.iter().flat_map(|fixed| fixed.transfers()) {
            let (receiver, message) = (task.receiver(transfer.path), transfer.message.number());
            if !held.contains(receiver, message) {
                lacked.insert(receiver, message);
            }
        }
        let need_of = |terminal| (0..lacked.word_count()).map(|word| lacked.word(terminal, word).count_ones()).sum();
        let need: Vec<u32> = (0..terminals).map(need_of).collect();
        let left = need.iter().copied().map(u64::from).sum();
        let served = TerminalCounts::without(&lacked);
        let enough = ENOUGH.saturating_mul(messages.len().div_ceil(terminals) as u32);
        Self { held, lacked, required: None, served, need, left, first_word: None, enough }
    }

    /// Begins a step. Among many messages, all its searches begin at the same word, so that they read a small part of the
    /// tables.
    pub(super) fn begin_step(&mut self, step: u32) {
        let words = self.held.word_count();
        self.first_word = (words > FEW_WORDS).then_some(step as usize % words);
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
        self.need[terminal] > 0 || self.required.is_some()
    }

    /// Returns the number of terminals that do not need a message any more.
    pub(super) fn served_count(&self, message: u32) -> u32 {
        self.served.count(message)
    }

    /// Returns true if a terminal holds a message at the start of the step.
    #[inline]
    pub(super) fn holds(&self, terminal: usize, message: u32) -> bool {
        self.held.contains(terminal, message)
    }

    /// Returns true if a terminal holds any message at the start of the step.
    pub(super) fn holds_any(&self, terminal: usize) -> bool {
        (0..self.held.word_count()).any(|word| self.held.word(terminal, word) != 0)
    }

    /// Returns all words in the order of a search. Among few messages, `salt` selects the first one.
    #[inline]
    fn words(&self, salt: u32) -> impl Iterator<Item = usize> + use<> {
        let words = self.held.word_count();
        let first = self.first_word.unwrap_or(((u64::from(salt) * words as u64) >> u32::BITS) as usize);
        (first..words).chain(0..first)
    }

    /// Returns the messages of a word that one terminal holds and another lacks.
    #[inline]
    fn useful(&self, from: usize, to: usize, word: usize) -> u64 {
        self.held.word(from, word) & self.lacked.word(to, word)
    }

    /// Returns the number of messages for a terminal that a search compares at least.
    #[inline]
    fn enough(&self, to: usize) -> u32 {
        if self.first_word.is_some() && self.need[to] > FEW_NEEDED { self.enough } else { u32::MAX }
    }

    /// Returns the number of messages that one terminal holds and another lacks, or any number from `enough` on if it
    /// is at least `enough`.
    #[inline]
    pub(super) fn useful_count(&self, from: usize, to: usize, enough: u32) -> u32 {
        let (mut count, enough) = (0, enough.min(self.enough(to)));
        for word in self.words(0) {
            count += self.useful(from, to, word).count_ones();
            if count >= enough {
                break;
            }
        }
        count
    }

    /// Returns the number of messages that a terminal and some others all lack.
    pub(super) fn lacked_by_all(&self, terminal: usize, others: &[u32]) -> u32 {
        let lacked = |word: usize| {
            let of_others = others.iter().map(|&other| self.lacked.word(other as usize, word));
            of_others.fold(self.lacked.word(terminal, word), |all, lacked| all & lacked)
        };
        (0..self.lacked.word_count()).map(|word| lacked(word).count_ones()).sum()
    }

    /// Returns a message that one terminal holds and another lacks; a required one if there is any. `salt` selects it. Takes
    /// `O(M / 64)` time for `M` messages.
    pub(super) fn any(&self, from: usize, to: usize, salt: u32) -> Option<u32> {
        self.least(from, to, 1, salt, |_, _| 0)
    }

    /// Returns the one of those messages that most terminals still need; `salt` breaks ties. If possible, each of the `others`
    /// lacks it too. If there are many messages and no `others`, the choice is among [enough](ENOUGH) of them. Takes
    /// `O(M (log T + O) / 64)` time for `M` messages, `T` terminals and `O` others, and `O(log T)` time where many messages are
    /// held and lacked.
    pub(super) fn rarest(&self, from: usize, to: usize, others: &[u32], salt: u32) -> Option<u32> {
        let enough = if others.is_empty() { self.enough(to) } else { u32::MAX };
        self.least(from, to, enough, salt, |word, set| {
            let lacked = others.iter().map(|&other| self.lacked.word(other as usize, word));
            let misses = lacked.fold(0, |misses, lacked| misses << 1 | u64::from(!narrow(set, lacked)));
            misses << u32::BITS | u64::from(self.served.narrow_to_least(word, set))
        })
    }

    /// Returns the useful message with the least value, a required one if there is any. `narrow_to_least` narrows a set of
    /// messages of one word to those with the least value, and returns this value. The search ends after `enough` messages.
    #[inline]
    fn least(
        &self,
        from: usize,
        to: usize,
        enough: u32,
        salt: u32,
        narrow_to_least: impl Fn(usize, &mut u64) -> u64,
    ) -> Option<u32> {
        let enough = if self.required.is_some() { u32::MAX } else { enough };
        let (mut best, mut least, mut count) = (None, (true, u64::MAX), 0);
        for word in self.words(salt) {
            let mut set = self.useful(from, to, word);
            if set == 0 {
                continue;
            }
            count += set.count_ones();
            let is_optional = self.required.as_ref().is_some_and(|required| !narrow(&mut set, required.word(to, word)));
            let value = (is_optional, narrow_to_least(word, &mut set));
            if best.is_none() || value < least {
                (best, least) = (Some((word, set)), value);
            }
            if count >= enough {
                break;
            }
        }
        let (word, set) = best?;
        let turn = salt % u64::BITS;
        let bit = (set.rotate_right(turn).trailing_zeros() + turn) % u64::BITS;
        Some(word as u32 * u64::BITS + bit)
    }

    /// Returns the number of words visited by one [search](Self::rarest).
    pub(super) fn words_per_search(&self, others: usize) -> usize {
        let words = self.held.word_count();
        let sample = if self.required.is_none() { words.min(2 * FEW_WORDS) } else { words };
        sample * (1 + self.served.digit_count()) + words * others
    }

    /// Promises a lacked message to a terminal.
    pub(super) fn promise(&mut self, terminal: usize, message: u32) {
        self.lacked.remove(terminal, message);
        if self.is_required(terminal, message) {
            self.need[terminal] -= 1;
            self.left -= 1;
            self.served.add(message);
        }
    }

    /// Withdraws a promise.
    pub(super) fn withdraw(&mut self, terminal: usize, message: u32) {
        self.lacked.insert(terminal, message);
        if self.is_required(terminal, message) {
            self.need[terminal] += 1;
            self.left += 1;
            self.served.remove(message);
        }
    }

    #[inline]
    fn is_required(&self, terminal: usize, message: u32) -> bool {
        self.required.as_ref().is_none_or(|required| required.contains(terminal, message))
    }

    /// Turns a promise into a held message.
    #[inline]
    pub(super) fn arrive(&mut self, terminal: usize, message: u32) {
        self.held.insert(terminal, message);
    }

    /// Turns a held message back into a promise.
    #[inline]
    pub(super) fn depart(&mut self, terminal: usize, message: u32) {
        self.held.remove(terminal, message);
    }
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
            for (from, to) in [(0, 1), (1, 0), (5, 69), (69, 5)] {
                let useful: Vec<usize> = (0..140).filter(|&m| has[from][m] && !has[to][m]).collect();
                prop_assert_eq!(holdings.useful_count(from, to, u32::MAX) as usize, useful.len());
                prop_assert_eq!(holdings.useful_count(from, to, 5) >= 5, useful.len() >= 5);
                let least = useful.iter().map(|&m| served[m]).min();
                let rarest = holdings.rarest(from, to, &[], salt);
                prop_assert_eq!(rarest.map(|message| served[message as usize]), least);
                prop_assert!(rarest.is_none_or(|message| useful.contains(&(message as usize))));
                let is_new = |&&m: &&usize| !has[2][m];
                let least_of_new = useful.iter().filter(is_new).map(|&m| served[m]).min();
                let rarest = holdings.rarest(from, to, &[2], salt);
                prop_assert_eq!(rarest.map(|message| served[message as usize]), least_of_new.or(least));
                prop_assert!(rarest.is_none_or(|message| least_of_new.is_none() || !has[2][message as usize]));
                let lacked = (0..140).filter(|&m| !has[to][m] && !has[2][m] && !has[7][m]).count();
                prop_assert_eq!(holdings.lacked_by_all(to, &[2, 7]) as usize, lacked);
                let any = holdings.any(from, to, salt);
                prop_assert!(any.map_or(useful.is_empty(), |message| useful.contains(&(message as usize))));
            }
        }
    }

    /// Few messages are all compared. Of many, the one found is among the rarest: [`ENOUGH`] others or more are not rarer.
    fn check_sample(held: &[u32], step: u32, salt: u32) -> Result<(), TestCaseError> {
        let network: Topology = "ring:600".parse().unwrap();
        let collective = Collective::all_gather();
        let problem = Problem::new(&network, &collective, CommunicationModel::store_and_forward()).unwrap();
        let mut holdings = Holdings::new(&SchedulingTask::new(&problem).unwrap(), None);
        // Each message is held by as many other terminals as said, and those of few terminals by terminal 0.
        let mut useful = Vec::new();
        for (message, &holders) in (0..600).zip(held.iter().cycle()) {
            let owner = message as usize;
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
        holdings.begin_step(step);
        let found = holdings.rarest(0, 1, &[], salt).unwrap();
        prop_assert!(useful.contains(&found));
        let not_rarer = useful.iter().filter(|&&other| holdings.served_count(other) >= holdings.served_count(found));
        prop_assert!(not_rarer.count() >= useful.len().min(ENOUGH as usize));
        Ok(())
    }

    proptest! {
        #[test]
        fn the_rarest_message_of_a_sample_is_found(
            held in prop::collection::vec(0..12u32, 1..200), step in 0..100u32, salt: u32,
        ) {
            check_sample(&held, step, salt)?;
        }
    }
}
