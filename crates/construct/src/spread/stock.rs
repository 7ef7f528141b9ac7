//! Which terminal holds, and which still lacks, which message.

use lockstep_schedule::Receivers;
use lockstep_topology::NodeId;

use crate::relay::RelayTree;
use crate::task::Task;

/// The holdings of all terminals, between steps and inside one.
///
/// Two bits for each pair of terminal and message, in a row of words a terminal.
#[derive(Clone, Debug)]
pub(crate) struct Stock {
    words: usize,
    /// Held at the start of the step.
    held: Vec<u64>,
    /// Neither held nor on its way.
    lacked: Vec<u64>,
    /// Terminals that hold each message or are about to.
    holder_count: Vec<u32>,
    /// Messages that each terminal lacks.
    lacked_count: Vec<u32>,
    /// All deliveries to be made.
    left: u64,
    /// Terminal and message of each delivery of the step.
    arriving: Vec<(u32, u32)>,
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
            let (word, bit) = (message.index() / 64, 1 << (message.index() % 64));
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
        Self { words, held, lacked, holder_count: vec![1; messages.len()], lacked_count, left, arriving: Vec::new() }
    }

    /// Number of deliveries still to be made.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Number of messages that a terminal lacks.
    pub(crate) fn lacked_count(&self, terminal: usize) -> u32 {
        self.lacked_count[terminal]
    }

    /// Number of terminals that hold a message or are about to.
    pub(crate) fn holder_count(&self, message: u32) -> u32 {
        self.holder_count[message as usize]
    }

    /// Whether a terminal holds a message at the start of the step.
    pub(crate) fn holds(&self, terminal: usize, message: u32) -> bool {
        self.held[terminal * self.words + message as usize / 64] >> (message % 64) & 1 == 1
    }

    /// Whether a terminal holds any message at the start of the step.
    pub(crate) fn holds_any(&self, terminal: usize) -> bool {
        self.held[terminal * self.words..(terminal + 1) * self.words].iter().any(|&word| word != 0)
    }

    /// What one terminal holds and another one lacks, a word after the other.
    #[inline]
    fn useful(&self, from: usize, to: usize) -> impl Iterator<Item = u64> {
        let row = |terminal| terminal * self.words..(terminal + 1) * self.words;
        self.held[row(from)].iter().zip(&self.lacked[row(to)]).map(|(held, lacked)| held & lacked)
    }

    /// Number of messages that one terminal holds and another one lacks.
    pub(crate) fn useful_count(&self, from: usize, to: usize) -> u32 {
        self.useful(from, to).map(u64::count_ones).sum()
    }

    /// The message with the fewest holders that one terminal holds and another one lacks; `salt` decides ties.
    pub(crate) fn rarest(&self, from: usize, to: usize, salt: u32) -> Option<u32> {
        let mut best: Option<(u32, u32, u32)> = None;
        for (place, mut word) in self.useful(from, to).enumerate() {
            while word != 0 {
                let message = place as u32 * u64::BITS + word.trailing_zeros();
                word &= word - 1;
                // Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4) as a cheap shuffle.
                let tie = (message ^ salt).wrapping_mul(0x9E37_79B9);
                let key = (self.holder_count[message as usize], tie, message);
                best = Some(best.map_or(key, |best| best.min(key)));
            }
        }
        best.map(|(_, _, message)| message)
    }

    /// Decides that a terminal gets a message in this step.
    pub(crate) fn promise(&mut self, terminal: usize, message: u32) {
        self.lacked[terminal * self.words + message as usize / 64] &= !(1 << (message % 64));
        self.holder_count[message as usize] += 1;
        self.lacked_count[terminal] -= 1;
        self.left -= 1;
        self.arriving.push((terminal as u32, message));
    }

    /// Ends the step; the number of deliveries made in it.
    pub(crate) fn arrive(&mut self) -> usize {
        for &(terminal, message) in &self.arriving {
            self.held[terminal as usize * self.words + message as usize / 64] |= 1 << (message % 64);
        }
        let count = self.arriving.len();
        self.arriving.clear();
        count
    }
}
