//! Which contributions each terminal holds, in a reduction.
//!
//! Blocks do not influence each other, so the verifier sorts the transfers by block, and each thread reads one block after
//! the other. Most blocks are forests, which need one number per terminal ([`Forest`]). All others need the sets
//! themselves ([`SetTable`]).

use std::ops::Range;

use lockstep_topology::NodeId;

use super::case::{PlacedTransfer, ScheduleCase};
use super::findings::Findings;
use crate::messages::MessageId;
use crate::parallel::map_parts;
use crate::pattern::Pattern;
use crate::violation::Violation;

/// The memory of the verifier of reductions.
#[derive(Clone, Copy)]
pub(super) struct SumLimits {
    /// Maximum number of transfers that are sorted at a time, unless one block has more.
    pub(super) transfers: usize,
    /// Maximum number of words of the sets in memory, unless one word per terminal takes more.
    pub(super) words: usize,
}

impl SumLimits {
    /// 256 MiB of transfers and 256 MiB of sets.
    pub(super) const STANDARD: Self = Self { transfers: 1 << 24, words: 1 << 25 };
}

/// Adds the violations of rules 2 and 5, and returns the number of redundant transfers.
pub(super) fn verify(case: &ScheduleCase<'_>, findings: &mut Findings, limits: SumLimits) -> u64 {
    let words = limits.words / case.useful_threads();
    verify_blocks(case, findings, limits, &|block, scratch, found| {
        let forest = scratch.forest.verify(block);
        forest.unwrap_or_else(|| scratch.sets.verify(case, block, words, found))
    })
}

/// Verifies every block by its sets, as [`verify`] does where a block is no forest.
#[cfg(test)]
pub(super) fn verify_sets(case: &ScheduleCase<'_>, findings: &mut Findings, limits: SumLimits) -> u64 {
    verify_blocks(case, findings, limits, &|block, scratch, found| {
        scratch.sets.verify(case, block, limits.words, found)
    })
}

/// A transfer of a block between terminals, by their ranks.
#[derive(Clone, Copy, Default)]
struct Move {
    /// Number of earlier steps that are not empty. There are fewer than 2^32, because there are fewer transfers.
    stamp: u32,
    /// The place of the transfer in its step.
    place: u32,
    from: u32,
    to: u32,
}

/// The transfers of one block, in time order, and its terminals.
struct Block<'a> {
    message: MessageId,
    moves: &'a [Move],
    /// The ranks of the terminals that contribute.
    contributors: &'a [u32],
    /// The ranks of the terminals that must hold all contributions at the end.
    goals: &'a [u32],
}

/// The tables of both verifiers of a block, for all blocks of a thread one after the other.
struct Scratch {
    forest: Forest,
    sets: SetTable,
}

/// Returns the number of redundant transfers of the block, and adds its violations.
type VerifyBlock<'v> = dyn Fn(&Block<'_>, &mut Scratch, &mut Findings) -> u64 + Sync + 'v;

fn verify_blocks(
    case: &ScheduleCase<'_>,
    findings: &mut Findings,
    limits: SumLimits,
    verify_block: &VerifyBlock<'_>,
) -> u64 {
    let count = case.messages.len();
    // If some message never moves, only those that move get a row, so that a small schedule of many messages takes no
    // longer.
    let known = (case.schedule.transfer_count() < count).then(|| moved_messages(case));
    let rows = known.as_ref().map_or(count, Vec::len);
    let row_of = |message: MessageId| match &known {
        None => message.index(),
        Some(moved) => moved.partition_point(|&other| other < message),
    };
    let message_of = |row: usize| known.as_ref().map_or(MessageId::from_index(row), |moved| moved[row]);
    // The start of each row's transfers, then the end of the last one. Transfers that join no terminals leave gaps.
    let mut start = vec![0u32; rows + 1];
    let all = case.steps().flat_map(|(_, step)| step.messages());
    for &message in all.filter(|message| message.index() < count) {
        start[row_of(message) + 1] += 1;
    }
    for row in 0..rows {
        start[row + 1] += start[row];
    }
    report_unknown(case, findings);
    let terminals = case.topology.terminal_count();
    // The messages from the row before on.
    let first_message = |row: usize| row.checked_sub(1).map_or(0, |before| message_of(before).number() + 1);
    let (mut redundant, mut first) = (0, 0);
    while first < rows {
        let base = start[first] as usize;
        let fits = |&end: &usize| start[end] as usize - base <= limits.transfers;
        let end = (first + 1..=rows).take_while(fits).last().unwrap_or(first + 1);
        let mut moves = vec![Move::default(); start[end] as usize - base];
        let mut cursor = start[first..end].to_vec();
        for_each_move(case, |message, found| {
            if let Some(cursor) = row_of(message).checked_sub(first).and_then(|row| cursor.get_mut(row)) {
                moves[*cursor as usize - base] = found;
                *cursor += 1;
            }
        });
        let limit = findings.limit;
        let verify_rows = |rows: Range<usize>| {
            let mut scratch = Scratch { forest: Forest::new(terminals), sets: SetTable::new(terminals) };
            let mut ends = BlockEnds::default();
            let (mut redundant, mut findings) = (0, Findings::new(limit));
            for row in rows {
                if case.stops() {
                    break;
                }
                let message = message_of(row);
                report_unmoved(case, first_message(row)..message.number(), &mut findings);
                ends.set(case, message);
                let moves = &moves[start[row] as usize - base..cursor[row - first] as usize - base];
                let block = Block { message, moves, contributors: &ends.contributors, goals: ends.goals(case) };
                let mut found = Findings::new(limit);
                redundant += verify_block(&block, &mut scratch, &mut found);
                findings.merge(found);
            }
            (redundant, findings)
        };
        for (count, found) in map_parts(case.shares(first..end, usize::MAX), verify_rows) {
            redundant += count;
            findings.merge(found);
        }
        first = end;
    }
    report_unmoved(case, first_message(rows)..count as u32, findings);
    redundant
}

/// Returns the messages of the collective that some transfer moves, ascending.
fn moved_messages(case: &ScheduleCase<'_>) -> Vec<MessageId> {
    let all = case.steps().flat_map(|(_, step)| step.messages());
    let mut moved: Vec<MessageId> = all.copied().filter(|message| message.index() < case.messages.len()).collect();
    moved.sort_unstable();
    moved.dedup();
    moved
}

/// Visits the transfers of known messages between terminals, in time order.
fn for_each_move(case: &ScheduleCase<'_>, mut visit: impl FnMut(MessageId, Move)) {
    let rank = |node| case.topology.terminal_rank(node).expect("the ends of a transfer are terminals") as u32;
    let busy_steps = case.steps().map(|(_, step)| step).filter(|step| !step.is_empty());
    for (stamp, transfers) in (0..).zip(busy_steps) {
        for (place, transfer) in (0..).zip(transfers.iter()) {
            if transfer.message.index() < case.messages.len()
                && let Some((from, to)) = case.ends(transfer)
            {
                visit(transfer.message, Move { stamp, place, from: rank(from), to: rank(to) });
            }
        }
    }
}

/// Reports the transfers of messages that do not exist.
fn report_unknown(case: &ScheduleCase<'_>, findings: &mut Findings) {
    for (step, transfers) in case.steps() {
        for (place, transfer) in transfers.iter().enumerate() {
            if findings.is_full() {
                return;
            }
            if transfer.message.index() >= case.messages.len() {
                let at = case.place(PlacedTransfer { step, place, transfer });
                findings.add(Violation::UnknownMessage { at, message_count: case.messages.len() });
            }
        }
    }
}

/// Reports messages without a transfer.
fn report_unmoved(case: &ScheduleCase<'_>, messages: Range<u32>, findings: &mut Findings) {
    for message in messages.map(MessageId::new) {
        let mut ends = BlockEnds::default();
        ends.set(case, message);
        for &goal in ends.goals(case) {
            if findings.misses_enough() {
                return;
            }
            let lacks = |&rank: &u32| rank != goal;
            let first = ends.contributors.iter().copied().find(lacks).expect("a message has a receiver");
            report_incomplete(case, message, [goal, first], ends.contributors.len() as u32 - 1, findings);
        }
    }
}

/// Reports that a terminal lacks `lacking` contributions, one of them that of a contributor.
#[cold]
fn report_incomplete(
    case: &ScheduleCase<'_>,
    message: MessageId,
    [receiver, contributor]: [u32; 2],
    lacking: u32,
    findings: &mut Findings,
) {
    let [receiver, contributor] = [receiver, contributor].map(|rank| case.node(terminal(case, rank)));
    findings.add(Violation::Incomplete { message: case.message(message), receiver, contributor, lacking });
}

fn terminal(case: &ScheduleCase<'_>, rank: u32) -> NodeId {
    case.topology.terminals()[rank as usize]
}

/// The ranks of the ends of a block: the source first, then the receivers. All of them contribute.
#[derive(Default)]
struct BlockEnds {
    contributors: Vec<u32>,
    /// The message whose ends these are, before it is split into chunks.
    original: Option<u32>,
}

impl BlockEnds {
    fn set(&mut self, case: &ScheduleCase<'_>, message: MessageId) {
        let original = message.number() / case.messages.chunks();
        if self.original == Some(original) {
            return;
        }
        self.original = Some(original);
        self.contributors.clear();
        let nodes = [case.messages.source(message)].into_iter().chain(case.messages.receivers_iter(message));
        let rank = |node| case.topology.terminal_rank(node).expect("the ends of a message are terminals") as u32;
        self.contributors.extend(nodes.map(rank));
    }

    fn goals(&self, case: &ScheduleCase<'_>) -> &[u32] {
        match case.problem.collective().pattern() {
            Pattern::ReduceBroadcast => &self.contributors,
            _ => &self.contributors[..1],
        }
    }
}

/// The verifier of blocks that are forests, at O(1) per transfer.
///
/// In a forest, a terminal sends what it holds once before all contributions are together, after everything that it
/// adds has arrived. So the sets of all terminals that have not sent yet are disjoint, and their sizes decide.
struct Forest {
    /// Number of contributions that each terminal holds.
    held: Vec<u32>,
    /// Whether a terminal has sent less than all contributions.
    has_sent: Vec<bool>,
    arrivals: Vec<(u32, u32)>,
}

impl Forest {
    fn new(terminals: usize) -> Self {
        Self { held: vec![0; terminals], has_sent: vec![false; terminals], arrivals: Vec::new() }
    }

    /// Returns the number of redundant transfers of a valid forest; `None` for every other block, valid or not.
    fn verify(&mut self, block: &Block<'_>) -> Option<u64> {
        for &rank in block.contributors {
            self.held[rank as usize] = 1;
        }
        let redundant = self.run(block);
        let touched = block.moves.iter().flat_map(|found| [found.from, found.to]);
        for rank in touched.chain(block.contributors.iter().copied()) {
            self.held[rank as usize] = 0;
            self.has_sent[rank as usize] = false;
        }
        redundant
    }

    fn run(&mut self, block: &Block<'_>) -> Option<u64> {
        let all = block.contributors.len() as u32;
        let mut redundant = 0;
        for step in block.moves.chunk_by(|one, next| one.stamp == next.stamp) {
            self.arrivals.clear();
            for &Move { from, to, .. } in step {
                let held = self.held[from as usize];
                if held < all && (held == 0 || std::mem::replace(&mut self.has_sent[from as usize], true)) {
                    return None;
                }
                self.arrivals.push((to, held));
            }
            // Arrivals count only now, so that no sum is passed on in the step in which it arrives.
            for &(to, arrived) in &self.arrivals {
                let held = &mut self.held[to as usize];
                if arrived == all {
                    redundant += u64::from(*held == all);
                    *held = all;
                } else if self.has_sent[to as usize] || *held == all {
                    return None;
                } else {
                    *held += arrived;
                }
            }
        }
        block.goals.iter().all(|&goal| self.held[goal as usize] == all).then_some(redundant)
    }
}

/// Facts about a transfer, and about all transfers to its receiver in its step.
#[derive(Clone, Copy, Default)]
struct MoveFacts {
    /// The first transfer to the same receiver in the step, by its index in the block.
    first: u32,
    /// The first contribution that an earlier transfer of the step brings too, or that the receiver holds; the index of
    /// a contributor or [`NONE`].
    repeated: u32,
    /// Whether it carries any contribution.
    is_some: bool,
    /// Whether it carries all contributions that the receiver holds after the step.
    is_all: bool,
    /// Of the first transfer to the receiver: whether the receiver holds more after the step than before.
    grows: bool,
}

/// No contribution, and no row.
const NONE: u32 = u32::MAX;

/// The verifier of any block, by the sets of contributions.
///
/// Whether a receiver adds a set or replaces its own by it, it holds the union of both afterwards. So the sets do not
/// depend on the validity of the schedule, and each range of contributors can be computed alone.
struct SetTable {
    /// The row of each terminal, or [`NONE`].
    row: Vec<u32>,
    /// `width` words per row.
    sets: Vec<u64>,
    /// The sets after the step of the receivers of a step.
    next: Vec<u64>,
    facts: Vec<MoveFacts>,
    /// Per goal: the number of contributions that it lacks, and the first of them.
    lacking: Vec<(u32, u32)>,
}

impl SetTable {
    fn new(terminals: usize) -> Self {
        Self { row: vec![NONE; terminals], sets: Vec::new(), next: Vec::new(), facts: Vec::new(), lacking: Vec::new() }
    }

    /// Adds the violations of a block, and returns its number of redundant transfers.
    fn verify(&mut self, case: &ScheduleCase<'_>, block: &Block<'_>, max_words: usize, findings: &mut Findings) -> u64 {
        let touched = block.moves.iter().flat_map(|found| [found.from, found.to]);
        let mut rows = 0;
        for rank in block.contributors.iter().copied().chain(touched.clone()) {
            let row = &mut self.row[rank as usize];
            if *row == NONE {
                *row = rows as u32;
                rows += 1;
            }
        }
        self.group(block);
        let words = block.contributors.len().div_ceil(64);
        let width = (max_words / rows).clamp(1, words);
        for first_word in (0..words).step_by(width) {
            self.compute(block, rows, first_word * 64, width.min(words - first_word));
        }
        for rank in block.contributors.iter().copied().chain(touched) {
            self.row[rank as usize] = NONE;
        }
        self.report(case, block, findings)
    }

    /// Finds the transfers of each step with the same receiver.
    fn group(&mut self, block: &Block<'_>) {
        self.facts.clear();
        self.lacking.clear();
        self.lacking.resize(block.goals.len(), (0, NONE));
        let mut first_of: Vec<(u32, u32)> = Vec::new();
        for step in block.moves.chunk_by(|one, next| one.stamp == next.stamp) {
            let start = self.facts.len() as u32;
            first_of.clear();
            first_of.extend((start..).zip(step).map(|(index, found)| (found.to, index)));
            first_of.sort_unstable();
            first_of.dedup_by_key(|&mut (to, _)| to);
            for found in step {
                let place = first_of.partition_point(|&(to, _)| to < found.to);
                let first = first_of[place].1;
                self.facts.push(MoveFacts { first, repeated: NONE, is_all: true, ..MoveFacts::default() });
            }
        }
    }

    /// Computes the facts of all transfers for `width` words of contributors.
    fn compute(&mut self, block: &Block<'_>, rows: usize, first_contributor: usize, width: usize) {
        let Self { row, sets, next, facts, lacking } = self;
        let contributors = &block.contributors[first_contributor..];
        let contributors = &contributors[..contributors.len().min(width * 64)];
        let place = |rank: u32| row[rank as usize] as usize * width;
        sets.clear();
        sets.resize(rows * width, 0);
        for (bit, &rank) in contributors.iter().enumerate() {
            sets[place(rank) + bit / 64] |= 1 << (bit % 64);
        }
        let mut start = 0;
        for step in block.moves.chunk_by(|one, next| one.stamp == next.stamp) {
            let facts = &mut facts[start..start + step.len()];
            // Where in `next` the set of each receiver begins, by its first transfer.
            next.clear();
            let mut place_in_next = vec![0; step.len()];
            for (index, found) in step.iter().enumerate() {
                let first = facts[index].first as usize - start;
                if first == index {
                    place_in_next[index] = next.len();
                    next.extend_from_slice(&sets[place(found.to)..][..width]);
                }
                let arriving = &sets[place(found.from)..][..width];
                let union = &mut next[place_in_next[first]..][..width];
                for (word, (union, &arriving)) in union.iter_mut().zip(arriving).enumerate() {
                    let both = *union & arriving;
                    if both != 0 && facts[index].repeated == NONE {
                        facts[index].repeated = (first_contributor + word * 64) as u32 + both.trailing_zeros();
                    }
                    facts[index].is_some |= arriving != 0;
                    *union |= arriving;
                }
            }
            for (index, found) in step.iter().enumerate() {
                let first = facts[index].first as usize - start;
                let union = &next[place_in_next[first]..][..width];
                facts[index].is_all &= sets[place(found.from)..][..width] == *union;
                facts[index].grows |= first == index && sets[place(found.to)..][..width] != *union;
            }
            for (index, found) in step.iter().enumerate() {
                if facts[index].first as usize - start == index {
                    sets[place(found.to)..][..width].copy_from_slice(&next[place_in_next[index]..][..width]);
                }
            }
            start += step.len();
        }
        for (&goal, (lacking, first)) in block.goals.iter().zip(lacking) {
            let set = &sets[place(goal)..][..width];
            for bit in (0..contributors.len()).filter(|bit| set[bit / 64] >> (bit % 64) & 1 == 0) {
                *lacking += 1;
                *first = (*first).min((first_contributor + bit) as u32);
            }
        }
    }

    /// Reports what the facts say, and returns the number of redundant transfers.
    fn report(&self, case: &ScheduleCase<'_>, block: &Block<'_>, findings: &mut Findings) -> u64 {
        // Per first transfer to a receiver: whether an arriving set contains all others.
        let mut has_all = vec![false; self.facts.len()];
        for facts in &self.facts {
            has_all[facts.first as usize] |= facts.is_all;
        }
        // Per first transfer to a receiver: whether a violation is reported. One of each group is enough.
        let mut is_reported = vec![false; self.facts.len()];
        // The same: whether sets overlap, and the number of transfers with contributions.
        let (mut overlaps, mut arrivals) = (vec![false; self.facts.len()], vec![0u64; self.facts.len()]);
        for (facts, &found) in self.facts.iter().zip(block.moves) {
            let first = facts.first as usize;
            arrivals[first] += u64::from(facts.is_some);
            overlaps[first] |= facts.repeated != NONE;
            let [sender, receiver] = [found.from, found.to].map(|rank| terminal(case, rank));
            if !facts.is_some {
                let at = place_of(case, found);
                findings.add(Violation::NotHeld { at, sender: case.node(sender) });
            } else if facts.repeated != NONE && !has_all[first] && !is_reported[first] {
                is_reported[first] = true;
                let contributor = terminal(case, block.contributors[facts.repeated as usize]);
                let [sender, receiver, contributor] = [sender, receiver, contributor].map(|node| case.node(node));
                let at = place_of(case, found);
                findings.add(Violation::CountedTwice { at, sender, receiver, contributor });
            }
        }
        for (&goal, &(lacking, first)) in block.goals.iter().zip(&self.lacking) {
            if lacking > 0 && !findings.misses_enough() {
                let contributor = block.contributors[first as usize];
                report_incomplete(case, block.message, [goal, contributor], lacking, findings);
            }
        }
        let redundant =
            |first: usize| if overlaps[first] { arrivals[first] - u64::from(self.facts[first].grows) } else { 0 };
        (0..self.facts.len()).map(redundant).sum()
    }
}

/// Returns the place of a transfer, for a violation.
#[cold]
fn place_of(case: &ScheduleCase<'_>, found: Move) -> crate::violation::Place {
    let mut busy_steps = case.schedule.steps().filter(|(_, step)| !step.is_empty());
    let (step, transfers) = busy_steps.nth(found.stamp as usize).expect("a transfer has a step");
    let place = found.place as usize;
    case.place(PlacedTransfer { step, place, transfer: transfers.transfer(place) })
}

#[cfg(test)]
mod tests;
