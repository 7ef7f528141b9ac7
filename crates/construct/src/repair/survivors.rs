//! What faults leave of a schedule.

use lockstep_schedule::{MessageId, NotFound, Problem, Schedule, Transfer};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::portfolio::ENGINE;

/// The transfers of a schedule that are still legal on a network with more failures, under the message numbers of there.
///
/// No two of them are in conflict, each of their senders holds the message in its step, and none brings a message to where
/// it has been. There is no step without a transfer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survivors {
    schedule: Schedule,
}

impl Survivors {
    /// The transfers; not all messages need get to their receivers.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }
}

/// The most bytes that say who holds what: 4 GiB.
const MAX_HELD_BYTES: u64 = 4 << 30;

/// What is left of a valid schedule of `before` on the network of `after`, where more nodes and channels have failed.
///
/// That is the transfers whose channels all work, between terminals that are left, of messages that their senders still
/// receive in time. Messages of failed terminals are gone, and others have other numbers then. StepMask in which nothing is
/// left are gone too, and what came after them comes that much earlier.
///
/// Both problems distribute their messages, and ask the same collective under the same rules of the same network but for
/// failures. A collective of [custom](lockstep_schedule::Collective::custom) messages is the same if all that
/// fails is left out: failed receivers, messages of failed sources, and messages without any receiver left. Takes time in
/// proportion to the channel uses. Memory: 20 bytes a message, and two bits for each terminal and message of a broadcast.
///
/// # Errors
///
/// [`NotFound::Unsupported`], if the collectives cannot be the same, or take too much memory.
pub fn survivors(before: &Problem<'_>, schedule: &Schedule, after: &Problem<'_>) -> Result<Survivors, NotFound> {
    let numbers = numbers(before, after).ok_or_else(|| unsupported("the collective is another one"))?;
    let mut holders =
        SurvivorHoldings::new(after).ok_or_else(|| unsupported("too many messages; repair fewer at a time"))?;
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
        // Only now, so that nothing is passed on in the step in which it arrives.
        arrived.drain(..).for_each(|(message, receiver)| holders.receive(message, receiver));
    }
    Ok(Survivors { schedule: rest })
}

/// The ranks of the terminals at the ends of a path, if it is left. One that was a shortest path is one still: failures
/// only make distances longer.
fn ends(topology: &Topology, path: &[ChannelId]) -> Option<(usize, usize)> {
    let (&first, &last) = (path.first()?, path.last()?);
    let is_left = path.iter().all(|&channel| topology.is_working(channel));
    is_left.then(|| topology.terminal_rank(topology.tail(first)).zip(topology.terminal_rank(topology.head(last))))?
}

fn unsupported(why: &str) -> NotFound {
    NotFound::Unsupported { engine: ENGINE, why: why.to_owned() }
}

/// The new number of each message, if it is left; `None` if these are not the messages of the other problem.
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

/// Who holds which message, by ranks of terminals.
enum SurvivorHoldings {
    /// Of scatter messages only the last terminal on their way. `relays` says whether there may be others than the target.
    Scatter { at: Vec<u32>, next: Vec<u32>, target: Vec<u32>, relays: bool },
    /// Of others a bit for each terminal and message, a row of words a terminal.
    Broadcast { words: usize, held: Vec<u64>, promised: Vec<u64> },
}

impl SurvivorHoldings {
    /// `None` if they take too much memory.
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
            let (word, bit) = place(message);
            held[source(message) * words + word] |= bit;
        }
        Some(Self::Broadcast { words, promised: held.clone(), held })
    }

    /// Whether a transfer can be made that is of use; from then on it is.
    fn send(&mut self, message: MessageId, sender: usize, receiver: usize) -> bool {
        match self {
            Self::Scatter { at, next, target, relays } => {
                let (at, target, next) = (at[message.index()], target[message.index()], &mut next[message.index()]);
                // A broadcast that was passed on is no more, if it has become a direct scatter.
                let is_allowed = *relays || receiver as u32 == target;
                let is_here = at as usize == sender && *next == at && at != target && is_allowed;
                if is_here {
                    *next = receiver as u32;
                }
                is_here
            }
            Self::Broadcast { words, held, promised } => {
                let (word, bit) = place(message);
                let promised = &mut promised[receiver * *words + word];
                let is_new = held[sender * *words + word] & bit != 0 && *promised & bit == 0;
                if is_new {
                    *promised |= bit;
                }
                is_new
            }
        }
    }

    fn receive(&mut self, message: MessageId, receiver: usize) {
        match self {
            Self::Scatter { at, .. } => at[message.index()] = receiver as u32,
            Self::Broadcast { words, held, .. } => {
                let (word, bit) = place(message);
                held[receiver * *words + word] |= bit;
            }
        }
    }
}

/// The word of a message in a row, and its bit there.
fn place(message: MessageId) -> (usize, u64) {
    (message.index() / 64, 1 << (message.index() % 64))
}
