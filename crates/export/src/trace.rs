//! The chunks that every transfer reads and writes, before scratch memory has offsets.
//!
//! Messages do not influence each other, so they are followed one after the other through the schedule.

use lockstep_schedule::{MessageId, Problem, Schedule, Transfer};

use crate::layout::Layout;
use crate::program::{Combine, Receives, Slot};

/// The place of a chunk at a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Place {
    /// In the input or output.
    Fixed(Slot),
    /// In scratch memory: the index of a [`ScratchValue`].
    Scratch(u32),
}

/// A chunk in the scratch memory of a rank, from the step that writes it first to the last step that uses it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScratchValue {
    pub(crate) rank: u32,
    pub(crate) first_step: u32,
    pub(crate) last_step: u32,
}

/// A transfer that changes what its receiver holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) step: u32,
    /// The index of the transfer in its step.
    pub(crate) place_in_step: u32,
    pub(crate) sender: u32,
    pub(crate) receiver: u32,
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) combine: Combine,
}

/// A local operation on one chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalMove {
    pub(crate) step: u32,
    pub(crate) rank: u32,
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) combine: Combine,
}

/// All moves of a schedule, by message and then by step. Transfers that bring nothing new are left out.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) moves: Vec<Move>,
    /// Copies at the beginning of a step.
    pub(crate) copies: Vec<LocalMove>,
    /// Copies and additions of received chunks at the end of a step.
    pub(crate) endings: Vec<LocalMove>,
    pub(crate) values: Vec<ScratchValue>,
}

impl Trace {
    /// Follows all messages of a valid schedule. `O(T + M P)` time for `T` transfers and `M` messages of `P` ranks; for a
    /// reduction, times `P / 64`, with `P² / 8` bytes.
    pub(crate) fn of(problem: &Problem<'_>, schedule: &Schedule, layout: &Layout<'_>) -> Self {
        let mut trace = Self::default();
        let ranks = problem.topology().terminal_count();
        let mut state = MessageState { held: vec![None; ranks], goal: vec![None; ranks], sets: Sets::default() };
        for (message, hops) in hops_by_message(problem, schedule, layout) {
            state.begin(&mut trace, layout, message);
            if layout.reduces() {
                state.sets.begin(ranks, &layout.origins(message));
                for step in hops.chunk_by(|one, next| one.step == next.step) {
                    state.reduce(&mut trace, step);
                }
            } else {
                for hop in hops {
                    state.deliver(&mut trace, hop);
                }
            }
        }
        trace
    }

    /// Replaces receives that a target does not support: the chunk arrives in scratch memory, and a local operation of the
    /// same step copies or adds it.
    pub(crate) fn stage(&mut self, receives: Receives) {
        let uses = match receives {
            Receives::Direct => return,
            Receives::Staged => self.reads(),
            Receives::Fresh => self.first_uses(),
        };
        for found in &mut self.moves {
            let (rank, step) = (found.receiver, found.step);
            let is_used = match receives {
                Receives::Staged => uses.binary_search(&(rank, found.to, step)).is_ok(),
                _ => uses[uses.partition_point(|one| (one.0, one.1) < (rank, found.to))].2 < 2 * step + 1,
            };
            if found.combine == Combine::Add || is_used {
                let staged = Place::Scratch(self.values.len() as u32);
                self.values.push(ScratchValue { rank, first_step: step, last_step: step });
                self.endings.push(LocalMove { step, rank, from: staged, to: found.to, combine: found.combine });
                (found.to, found.combine) = (staged, Combine::Copy);
            }
        }
    }

    /// Returns rank, place and step of all sends, ascending.
    fn reads(&self) -> Vec<(u32, Place, u32)> {
        let mut reads: Vec<_> = self.moves.iter().map(|found| (found.sender, found.from, found.step)).collect();
        reads.sort_unstable();
        reads
    }

    /// Returns rank, place and time of all operations, ascending. The times are steps, doubled: even numbers are reads and
    /// copies, and odd ones are the receives of the same step.
    fn first_uses(&self) -> Vec<(u32, Place, u32)> {
        let sends = self.moves.iter().map(|found| (found.sender, found.from, 2 * found.step));
        let receives = self.moves.iter().map(|found| (found.receiver, found.to, 2 * found.step + 1));
        let ends = |found: &LocalMove| [found.from, found.to].map(|place| (found.rank, place, 2 * found.step));
        let mut uses: Vec<_> = sends.chain(receives).chain(self.copies.iter().flat_map(ends)).collect();
        uses.sort_unstable();
        uses
    }

    fn scratch(&mut self, rank: u32, step: u32) -> Place {
        self.values.push(ScratchValue { rank, first_step: step, last_step: step });
        Place::Scratch(self.values.len() as u32 - 1)
    }

    fn touch(&mut self, place: Place, step: u32) {
        if let Place::Scratch(value) = place {
            self.values[value as usize].last_step = step;
        }
    }
}

/// A transfer of the message that is followed, by ranks.
#[derive(Clone, Copy)]
struct Hop {
    step: u32,
    place_in_step: u32,
    sender: u32,
    receiver: u32,
}

/// Returns the transfers of every message in time order.
fn hops_by_message<'s>(
    problem: &Problem<'s>,
    schedule: &'s Schedule,
    layout: &Layout<'_>,
) -> impl Iterator<Item = (MessageId, Vec<Hop>)> + use<'s> {
    let mut hops = vec![Vec::new(); problem.messages().len()];
    let topology = problem.topology();
    for (step, transfers) in schedule.steps() {
        for (place, Transfer { message, path }) in transfers.iter().enumerate() {
            let [first, last] =
                [path.first(), path.last()].map(|end| *end.expect("a path of a valid schedule has a channel"));
            hops[message.index()].push(Hop {
                step: step as u32,
                place_in_step: place as u32,
                sender: layout.rank(topology.tail(first)),
                receiver: layout.rank(topology.head(last)),
            });
        }
    }
    hops.into_iter().enumerate().map(|(message, hops)| (MessageId::from_index(message), hops))
}

/// What every rank holds of one message.
struct MessageState {
    /// Per rank: where it holds the message or a partial sum.
    held: Vec<Option<Place>>,
    /// Per rank: where the message must be at the end, or where the rank adds contributions.
    goal: Vec<Option<Place>>,
    sets: Sets,
}

impl MessageState {
    fn begin(&mut self, trace: &mut Trace, layout: &Layout<'_>, message: MessageId) {
        self.held.fill(None);
        self.goal.fill(None);
        for rank in layout.origins(message) {
            let initial = Place::Fixed(layout.initial(message, rank));
            self.held[rank as usize] = Some(initial);
            if layout.overwrites_inputs() {
                let to = trace.scratch(rank, 0);
                trace.copies.push(LocalMove { step: 0, rank, from: initial, to, combine: Combine::Copy });
                self.held[rank as usize] = Some(to);
            }
        }
        for rank in layout.goals(message) {
            self.goal[rank as usize] = Some(Place::Fixed(layout.goal(message, rank)));
        }
    }

    /// Adds the move of a transfer that copies the message to a rank without it.
    fn deliver(&mut self, trace: &mut Trace, hop: Hop) {
        let Hop { step, place_in_step, sender, receiver } = hop;
        if self.held[receiver as usize].is_some() {
            return;
        }
        let from = self.held[sender as usize].expect("a sender of a valid schedule holds the message");
        trace.touch(from, step);
        let to = self.goal[receiver as usize].unwrap_or_else(|| trace.scratch(receiver, step));
        self.held[receiver as usize] = Some(to);
        trace.moves.push(Move { step, place_in_step, sender, receiver, from, to, combine: Combine::Copy });
    }

    /// Adds the moves of a step of a reduction.
    fn reduce(&mut self, trace: &mut Trace, hops: &[Hop]) {
        let sent_from: Vec<Option<Place>> = hops.iter().map(|hop| self.held[hop.sender as usize]).collect();
        let mut order: Vec<usize> = (0..hops.len()).collect();
        order.sort_by_key(|&hop| hops[hop].receiver);
        for group in order.chunk_by(|&one, &next| hops[one].receiver == hops[next].receiver) {
            let receiver = hops[group[0]].receiver;
            let kept = match self.sets.arrive(hops, group) {
                Arrival::Nothing => continue,
                Arrival::Replaces(hop) => {
                    let to = self.home(trace, receiver, hops[hop].step);
                    self.held[receiver as usize] = Some(to);
                    vec![(hop, to, Combine::Copy)]
                }
                Arrival::Adds => {
                    let step = hops[group[0]].step;
                    let to = self.home(trace, receiver, step);
                    let old = self.held[receiver as usize].replace(to);
                    if let Some(from) = old.filter(|&old| old != to) {
                        trace.copies.push(LocalMove { step, rank: receiver, from, to, combine: Combine::Copy });
                    }
                    let first = if old.is_none() { Combine::Copy } else { Combine::Add };
                    let combines = std::iter::once(first).chain(std::iter::repeat(Combine::Add));
                    group.iter().zip(combines).map(|(&hop, combine)| (hop, to, combine)).collect()
                }
            };
            for (hop, to, combine) in kept {
                let from = sent_from[hop].expect("a sender of a valid schedule holds a contribution");
                let Hop { step, place_in_step, sender, receiver } = hops[hop];
                trace.touch(from, step);
                trace.touch(to, step);
                trace.moves.push(Move { step, place_in_step, sender, receiver, from, to, combine });
            }
        }
        self.sets.end_step();
    }

    /// Returns the place where a rank adds contributions: that of the result, otherwise scratch memory.
    fn home(&mut self, trace: &mut Trace, rank: u32, step: u32) -> Place {
        *self.goal[rank as usize].get_or_insert_with(|| trace.scratch(rank, step))
    }
}

/// The effect of all transfers of a step to one receiver.
enum Arrival {
    /// The receiver holds all of it.
    Nothing,
    /// One of them, given by its index, contains everything that the receiver gets and holds.
    Replaces(usize),
    /// All of them are disjoint, also from what the receiver holds.
    Adds,
}

/// The contributions that every rank holds of one message, a bit each.
#[derive(Default)]
struct Sets {
    /// Words per rank.
    width: usize,
    words: Vec<u64>,
    /// The sets of receivers after the step, with their ranks.
    next: Vec<(u32, Vec<u64>)>,
}

impl Sets {
    fn begin(&mut self, ranks: usize, contributors: &[u32]) {
        self.width = contributors.len().div_ceil(64);
        self.words.clear();
        self.words.resize(ranks * self.width, 0);
        for (bit, &rank) in contributors.iter().enumerate() {
            self.words[rank as usize * self.width + bit / 64] |= 1 << (bit % 64);
        }
    }

    fn of(&self, rank: u32) -> &[u64] {
        &self.words[rank as usize * self.width..][..self.width]
    }

    /// Decides about the transfers `group` of a step to one receiver. Their arrival counts after the step.
    fn arrive(&mut self, hops: &[Hop], group: &[usize]) -> Arrival {
        let receiver = hops[group[0]].receiver;
        let mut union = self.of(receiver).to_vec();
        let mut overlaps = false;
        for &hop in group {
            for (word, arriving) in union.iter_mut().zip(self.of(hops[hop].sender)) {
                overlaps |= *word & arriving != 0;
                *word |= arriving;
            }
        }
        if union == self.of(receiver) {
            return Arrival::Nothing;
        }
        let all = group.iter().copied().find(|&hop| self.of(hops[hop].sender) == union);
        self.next.push((receiver, union));
        match all {
            Some(hop) if overlaps => Arrival::Replaces(hop),
            _ => Arrival::Adds,
        }
    }

    fn end_step(&mut self) {
        for (rank, set) in self.next.drain(..) {
            self.words[rank as usize * self.width..][..self.width].copy_from_slice(&set);
        }
    }
}
