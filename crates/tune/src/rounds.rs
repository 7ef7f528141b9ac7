//! The messages of an algorithm in rounds.

use crate::blocks::Blocks;

/// A message from one rank to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The data.
    pub blocks: Blocks,
}

/// What a receiver does with a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The message replaces the blocks of the receiver.
    Copy,
    /// The receiver adds the message to its blocks.
    Add,
}

/// Messages that are sent at the same time. All senders send what they held before the round.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// The messages of the first time.
    pub messages: &'a [Message],
    /// What receivers do.
    pub effect: Effect,
    /// How many times the round takes place, one after another.
    pub times: u32,
    /// What is added to the first block of every message from one time to the next.
    pub shift: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RoundEnd {
    end: usize,
    effect: Effect,
    times: u32,
    shift: i64,
}

/// The rounds of a part of an algorithm.
///
/// The data of the collective consists of equal [blocks](Self::blocks). In an all-to-all, every rank has its own blocks: the
/// block `j` of rank `r` is the message to rank `r + j`, and a received block has the number that it had at its sender.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rounds {
    ranks: u32,
    blocks: u32,
    ends: Vec<RoundEnd>,
    messages: Vec<Message>,
}

impl Rounds {
    /// Begins without rounds.
    pub(crate) fn new(ranks: u32, blocks: u32) -> Self {
        Self { ranks, blocks, ends: Vec::new(), messages: Vec::new() }
    }

    /// Adds a round. One without messages is left out.
    pub(crate) fn push(&mut self, effect: Effect, messages: impl IntoIterator<Item = Message>) {
        self.push_times(effect, 1, 0, messages);
    }

    /// Adds a round that takes place several times, each with blocks that are `shift` further.
    pub(crate) fn push_times(
        &mut self,
        effect: Effect,
        times: u32,
        shift: i64,
        messages: impl IntoIterator<Item = Message>,
    ) {
        let start = self.messages.len();
        self.messages.extend(messages);
        if self.messages.len() > start && times > 0 {
            self.ends.push(RoundEnd { end: self.messages.len(), effect, times, shift });
        } else {
            self.messages.truncate(start);
        }
    }

    /// Adds all rounds of another part with the same blocks.
    pub(crate) fn append(&mut self, other: &Self) {
        let start = self.messages.len();
        self.messages.extend_from_slice(&other.messages);
        self.ends.extend(other.ends.iter().map(|round| RoundEnd { end: start + round.end, ..*round }));
    }

    /// Returns the rounds backwards in time, each message from its receiver to its sender. A distribution of data becomes a
    /// collection of data with the effect `effect`.
    pub(crate) fn reversed(&self, effect: Effect) -> Self {
        let mut reversed = Self::new(self.ranks, self.blocks);
        let rounds: Vec<Round<'_>> = self.iter().collect();
        for round in rounds.into_iter().rev() {
            let offset = round.shift * i64::from(round.times - 1);
            let messages = round.messages.iter().map(|message| Message {
                from: message.to,
                to: message.from,
                blocks: Blocks { first: self.moved(message.blocks.first, offset), ..message.blocks },
            });
            reversed.push_times(effect, round.times, -round.shift, messages);
        }
        reversed
    }

    /// Returns the rounds without one message.
    #[cfg(test)]
    pub(crate) fn without(&self, message: usize) -> Self {
        let mut fewer = self.clone();
        fewer.messages.remove(message);
        fewer.ends.iter_mut().filter(|round| round.end > message).for_each(|round| round.end -= 1);
        fewer
    }

    /// Returns the block that is `offset` further than another one.
    pub(crate) fn moved(&self, block: u32, offset: i64) -> u32 {
        (i64::from(block) + offset).rem_euclid(i64::from(self.blocks)) as u32
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Returns the number of blocks that make up the size of the collective.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns the rounds in the order of time.
    pub fn iter(&self) -> impl Iterator<Item = Round<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|round| round.end));
        starts.zip(&self.ends).map(|(start, round)| Round {
            messages: &self.messages[start..round.end],
            effect: round.effect,
            times: round.times,
            shift: round.shift,
        })
    }

    /// Returns all messages of all rounds, each once.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }
}

/// How the messages of a part of an algorithm are cut into segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Segments {
    /// Messages are sent whole.
    Whole,
    /// Segments follow each other through the rounds, one round behind: a pipeline.
    Pipelined,
    /// All rounds take place with the first segment, then with the next one.
    InTurn,
}

/// A part of an algorithm. The next part begins when it has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phase {
    /// The messages.
    pub rounds: Rounds,
    /// How messages are cut. The segment size of the algorithm is that of the messages.
    pub segments: Segments,
}

impl Phase {
    /// Returns a part whose messages are sent whole.
    pub(crate) fn whole(rounds: Rounds) -> Self {
        Self { rounds, segments: Segments::Whole }
    }

    /// Returns a part whose messages are cut.
    pub(crate) fn pipelined(rounds: Rounds) -> Self {
        Self { rounds, segments: Segments::Pipelined }
    }
}
