//! The transfers of a schedule that survive faults.

use lockstep_schedule::{MessageId, NotFound, Problem, Schedule, Transfer};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::kit::method::ENGINE;

/// The transfers of a schedule that are still legal after faults, with the message numbers of the new problem.
///
/// The transfers do not conflict, each sender holds the message in its step, and no transfer leads to an earlier
/// holder. Every step has a transfer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survivors {
    schedule: Schedule,
}

impl Survivors {
    /// Returns the surviving transfers. Some messages may not reach their receivers.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }
}

/// The maximum size of the table of terminals and messages: 4 GiB.
const MAX_HELD_BYTES: u64 = 4 << 30;

/// Returns the transfers of a valid schedule of `before` that survive in `after`, where more nodes and channels have
/// failed.
///
/// A transfer survives if all its channels and both terminals work and its sender still receives the message in time.
/// Messages of failed terminals are dropped, so the other messages may have new numbers. Empty steps are removed.
///
/// Both problems distribute their messages. They must have the same collective, rules and network, except for the
/// failures. A collective of [custom](lockstep_schedule::Collective::custom) messages is the same without its failed
/// receivers, messages of failed sources, and messages without a working receiver. A message with a new source is another one. Takes `O(C)` time for `C` channel
/// uses. Memory: 20 bytes per message, and two bits per terminal and message of a broadcast.
///
/// # Errors
///
/// [`NotFound::Unsupported`], if the collectives differ, or the table takes more than 4 GiB.
pub fn survivors(before: &Problem<'_>, schedule: &Schedule, after: &Problem<'_>) -> Result<Survivors, NotFound> {
    let numbers = numbers(before, after).ok_or_else(|| unsupported("the two problems have different collectives"))?;
    let mut holders = SurvivorHoldings::new(after).ok_or_else(|| {
        unsupported("the table of terminals and messages takes more than 4 GiB; repair fewer messages at a time")
    })?;
    let mut rest = Schedule::new();
    let mut arrived = Vec::new();
    for (_, step) in schedule.steps() {
        for Transfer { message, path } in step.iter() {
            let Some(&Some(message)) = numbers.get(message.index()) else { continue };
            let Some((sender, receiver)) = ends(after.topology(), path) else { continue };
            if holders.send(message, sender, receiver) {
                if arrived.is_empty() {
                    rest.begin_step();
                }
                rest.push(message, path);
                arrived.push((message, receiver));
            }
        }
        // Arrivals count from the next step on.
        arrived.drain(..).for_each(|(message, receiver)| holders.receive(message, receiver));
    }
    Ok(Survivors { schedule: rest })
}

/// Returns the ranks of the terminals at the ends of a path, if it works. A shortest path stays one, because failures
/// only increase distances.
fn ends(topology: &Topology, path: &[ChannelId]) -> Option<(usize, usize)> {
    let (&first, &last) = (path.first()?, path.last()?);
    let is_left = path.iter().all(|&channel| topology.is_working(channel));
    is_left.then(|| topology.terminal_rank(topology.tail(first)).zip(topology.terminal_rank(topology.head(last))))?
}

fn unsupported(why: &str) -> NotFound {
    NotFound::Unsupported { engine: ENGINE, why: why.to_owned() }
}

/// Returns the new number of each message, if it survives; `None` if the messages differ otherwise.
fn numbers(before: &Problem<'_>, after: &Problem<'_>) -> Option<Vec<Option<MessageId>>> {
    let (old, new, topology) = (before.messages(), after.messages(), after.topology());
    let is_terminal = |node: NodeId| node.index() < topology.node_count() && topology.is_terminal(node);
    let mut ids = new.ids();
    let numbers: Option<Vec<Option<MessageId>>> = old
        .ids()
        .map(|message| {
            let is_left = is_terminal(old.source(message)) && old.receivers_iter(message).any(is_terminal);
            if is_left { ids.next().filter(|&id| new.source(id) == old.source(message)).map(Some) } else { Some(None) }
        })
        .collect();
    numbers.filter(|_| ids.len() == 0)
}

/// The holders of each message, by rank.
enum SurvivorHoldings {
    /// A scatter: the last holder of each message. Only with `relays` may it differ from the target.
    Scatter { at: Vec<u32>, next: Vec<u32>, target: Vec<u32>, relays: bool },
    /// A broadcast: one bit per terminal and message, as one row of words per terminal.
    Broadcast { words: usize, held: Vec<u64>, promised: Vec<u64> },
}

impl SurvivorHoldings {
    /// Returns the holders before the first step; `None` if the table is too large.
    fn new(problem: &Problem<'_>) -> Option<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let rank = |node| topology.terminal_rank(node).expect("messages go from terminal to terminal");
        let source = |message| rank(messages.source(message));
        if messages.is_scatter() {
            let target = |message| messages.receivers_iter(message).next().map_or(u32::MAX, |node| rank(node) as u32);
            let at: Vec<u32> = messages.ids().map(|message| source(message) as u32).collect();
            let (target, relays) = (messages.ids().map(target).collect(), !problem.model().is_direct());
            return Some(Self::Scatter { next: at.clone(), at, target, relays });
        }
        let (words, terminals) = (messages.len().div_ceil(64), topology.terminal_count());
        if 2 * size_of::<u64>() as u64 * words as u64 * terminals as u64 > MAX_HELD_BYTES {
            return None;
        }
        let mut held = vec![0; words * terminals];
        for message in messages.ids() {
            let (word, bit) = bit_of(message);
            held[source(message) * words + word] |= bit;
        }
        Some(Self::Broadcast { words, promised: held.clone(), held })
    }

    /// Records a transfer if it is legal and useful, and returns whether it is.
    fn send(&mut self, message: MessageId, sender: usize, receiver: usize) -> bool {
        match self {
            Self::Scatter { at, next, target, relays } => {
                let (at, target, next) = (at[message.index()], target[message.index()], &mut next[message.index()]);
                // A broadcast with one receiver left is a scatter, which may forbid relays.
                let is_allowed = *relays || receiver as u32 == target;
                let is_here = at as usize == sender && *next == at && at != target && is_allowed;
                if is_here {
                    *next = receiver as u32;
                }
                is_here
            }
            Self::Broadcast { words, held, promised } => {
                let (word, bit) = bit_of(message);
                let promised = &mut promised[receiver * *words + word];
                let is_new = held[sender * *words + word] & bit != 0 && *promised & bit == 0;
                if is_new {
                    *promised |= bit;
                }
                is_new
            }
        }
    }

    /// Records the arrival of a message.
    fn receive(&mut self, message: MessageId, receiver: usize) {
        match self {
            Self::Scatter { at, .. } => at[message.index()] = receiver as u32,
            Self::Broadcast { words, held, .. } => {
                let (word, bit) = bit_of(message);
                held[receiver * *words + word] |= bit;
            }
        }
    }
}

/// Returns the word of a message within a row, and its bit in that word.
fn bit_of(message: MessageId) -> (usize, u64) {
    (message.index() / 64, 1 << (message.index() % 64))
}
