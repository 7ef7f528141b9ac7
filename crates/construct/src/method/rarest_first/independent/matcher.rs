//! The messages that one terminal receives in a step.

use super::super::broadcast_context::IncomingChannel;
use super::message_blocks::{MessageBlocks, MessageSet, RarityClasses, difference, include, is_empty, pick};

/// Marks a channel that brings no message.
pub(super) const NONE: u32 = u32::MAX;

/// The maximum number of channels into a terminal.
pub(super) const MAX_CHANNELS: usize = 64;

/// A terminal that needs at most this number of messages per channel compares all of them: no later choice makes up for a bad
/// one.
const FEW_PER_CHANNEL: usize = 24;

/// What all terminals hold at the start of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepStart<'a> {
    pub(super) held: &'a MessageBlocks,
    pub(super) classes: &'a RarityClasses,
    /// The block at which all searches begin.
    pub(super) first_block: usize,
}

/// A maximum matching of the channels into a terminal and the messages that they can bring. It prefers rare messages.
#[derive(Debug)]
pub(super) struct Matcher {
    /// The message that each channel brings, or [`NONE`].
    brought: [u32; MAX_CHANNELS],
    /// The messages of the first block that each channel can bring and the terminal lacks.
    offers: [MessageSet; MAX_CHANNELS],
    /// The messages of the first block that some channel brings.
    taken: MessageSet,
}

/// The terminal of a matching.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiver<'a> {
    pub(super) terminal: usize,
    pub(super) incoming: &'a [IncomingChannel],
    /// Number of messages that it needs.
    pub(super) need: u32,
    /// A random number that breaks ties.
    pub(super) salt: u64,
}

impl Matcher {
    pub(super) fn new() -> Self {
        Self {
            brought: [NONE; MAX_CHANNELS],
            offers: [MessageSet::default(); MAX_CHANNELS],
            taken: MessageSet::default(),
        }
    }

    /// Matches the channels into a terminal. Returns the message of each channel, or [`NONE`].
    ///
    /// # Source
    ///
    /// Kuhn, *The Hungarian method for the assignment problem*, 1955: paths that alternate between channels and messages.
    pub(super) fn matching(&mut self, start: StepStart<'_>, receiver: Receiver<'_>) -> &[u32] {
        let channels = receiver.incoming.len();
        self.brought[..channels].fill(NONE);
        self.taken = MessageSet::default();
        let own = start.held.set(receiver.terminal, start.first_block);
        for (offer, incoming) in self.offers.iter_mut().zip(receiver.incoming) {
            *offer = difference(start.held.set(incoming.neighbour as usize, start.first_block), own);
        }
        let first = receiver.salt as usize % channels.max(1);
        let mut left = receiver.need;
        for place in (first..channels).chain(0..first) {
            if left == 0 {
                break;
            }
            left -= u32::from(self.fill(start, receiver, place, &mut 0));
        }
        &self.brought[..channels]
    }

    /// Finds a message for a channel. Other channels may exchange theirs. `visited` has the channels that cannot get another
    /// message, as bits. Returns false if there is none.
    fn fill(&mut self, start: StepStart<'_>, receiver: Receiver<'_>, place: usize, visited: &mut u64) -> bool {
        if let Some(message) = self.rarest(start, receiver, place) {
            self.brought[place] = message;
            include(&mut self.taken, start.first_block, message);
            return true;
        }
        *visited |= 1 << place;
        let neighbour = receiver.incoming[place].neighbour as usize;
        for other in 0..receiver.incoming.len() {
            let message = self.brought[other];
            if message == NONE || *visited >> other & 1 == 1 || !start.held.contains(neighbour, message) {
                continue;
            }
            (self.brought[place], self.brought[other]) = (message, NONE);
            if self.fill(start, receiver, other, visited) {
                return true;
            }
            (self.brought[place], self.brought[other]) = (NONE, message);
        }
        false
    }

    /// Returns a message of the rarest class that the channel can bring, the terminal lacks and no other channel brings. If the
    /// terminal needs many messages, the choice is among those of one block.
    #[inline]
    fn rarest(&self, start: StepStart<'_>, receiver: Receiver<'_>, place: usize) -> Option<u32> {
        let StepStart { held, classes, first_block } = start;
        let neighbour = receiver.incoming[place].neighbour as usize;
        let channels = receiver.incoming.len();
        let is_wide = receiver.need as usize > FEW_PER_CHANNEL * channels;
        let (mut best, mut least) = (None, u32::MAX);
        for block in (first_block..held.block_count()).chain(0..first_block) {
            let mut set = if block == first_block {
                difference(&self.offers[place], &self.taken)
            } else {
                let mut taken = *held.set(receiver.terminal, block);
                // Channels without a message bring none of this block.
                self.brought[..channels].iter().for_each(|&message| include(&mut taken, block, message));
                difference(held.set(neighbour, block), &taken)
            };
            if is_empty(&set) {
                continue;
            }
            let class = classes.narrow_to_rarest(block, &mut set);
            if class < least {
                (best, least) = (Some((block, set)), class);
            }
            if is_wide || class == 0 {
                break;
            }
        }
        best.map(|(block, set)| pick(&set, block, receiver.salt.rotate_left(8 * place as u32)))
    }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::ChannelId;
    use proptest::prelude::*;

    use super::*;

    /// Returns the size of a maximum matching, by all choices of one channel after the other.
    fn largest(offers: &[Vec<u32>], taken: &mut Vec<u32>) -> u32 {
        let Some((first, rest)) = offers.split_first() else { return 0 };
        let mut best = largest(rest, taken);
        for &message in first {
            if !taken.contains(&message) {
                taken.push(message);
                best = best.max(1 + largest(rest, taken));
                taken.pop();
            }
        }
        best
    }

    proptest! {
        /// Over up to five channels from four neighbours, with messages of three blocks.
        #[test]
        fn as_many_messages_arrive_as_any_choice_allows(
            held in prop::collection::vec((0..5usize, 0..8u32), 0..24), neighbours in prop::collection::vec(1..5u32, 0..6),
            need in 1..6u32, first_block in 0..3usize, holders in prop::collection::vec(1..6u32, 1300), salt: u64,
        ) {
            let mut table = MessageBlocks::new(5, holders.len());
            for &(terminal, number) in &held {
                table.insert(terminal, 170 * number);
            }
            let mut classes = RarityClasses::new(5, holders.len());
            classes.update(&holders);
            let incoming: Vec<IncomingChannel> =
                (0..).zip(&neighbours).map(|(channel, &neighbour)| IncomingChannel { channel: ChannelId::new(channel), neighbour }).collect();
            let useful = |&neighbour: &u32| {
                let is_useful = |&message: &u32| table.contains(neighbour as usize, message) && !table.contains(0, message);
                (0..8).map(|number| 170 * number).filter(is_useful).collect::<Vec<u32>>()
            };
            let offers: Vec<Vec<u32>> = neighbours.iter().map(useful).collect();
            let start = StepStart { held: &table, classes: &classes, first_block };
            let mut matcher = Matcher::new();
            let brought = matcher.matching(start, Receiver { terminal: 0, incoming: &incoming, need, salt });
            let mut messages: Vec<u32> = brought.iter().copied().filter(|&message| message != NONE).collect();
            prop_assert!(brought.iter().zip(&offers).all(|(message, offer)| *message == NONE || offer.contains(message)));
            prop_assert_eq!(messages.len() as u32, need.min(largest(&offers, &mut Vec::new())));
            messages.sort_unstable();
            messages.dedup();
            prop_assert_eq!(messages.len(), brought.iter().filter(|&&message| message != NONE).count());
        }
    }
}
