//! Direct transfers: a path and a step per orbit of messages.

use lockstep_topology::{ChannelId, NodeId};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::quotient::{OrbitSlot, QuotientNetwork};
use super::usage_board::{UsageBoard, UsageCell};
use crate::kit::distances::{UNREACHED, fill_distances};

/// The maximum number of partial paths visited per pair.
const MAX_VISITS: usize = 1 << 12;

/// The paths of one message per orbit. Among paths with the same slots, only one is kept.
#[derive(Debug, Default)]
pub(super) struct PathChoices {
    /// The end of each pair's paths.
    end: Vec<u32>,
    /// The end of each path's channels.
    path_end: Vec<u32>,
    channels: Vec<ChannelId>,
    /// The end of each path's slots.
    slot_end: Vec<u32>,
    slots: Vec<OrbitSlot>,
}

impl PathChoices {
    /// Returns up to `max_paths` random shortest paths per pair whose images do not conflict; `None` if some pair has
    /// none.
    pub(super) fn new(
        quotient: &QuotientNetwork<'_>,
        pairs: &[[NodeId; 2]],
        max_paths: usize,
        rng: &mut impl Rng,
    ) -> Option<Self> {
        let topology = quotient.task.topology();
        let mut distance = vec![UNREACHED; topology.node_count()];
        let mut queue = Vec::new();
        let mut source = None;
        let mut choices = Self::default();
        for &[from, to] in pairs {
            if source.replace(from) != Some(from) {
                fill_distances(quotient.task, [from], &mut distance, &mut queue);
            }
            let (path, found) = (Vec::new(), Vec::new());
            let mut enumeration =
                PathEnumeration { quotient, distance: &distance, from, max_paths, visits: 0, path, found };
            enumeration.extend_from(to, rng);
            if enumeration.found.is_empty() {
                return None;
            }
            for (slots, path) in enumeration.found {
                choices.slots.extend(slots.into_iter().chain(quotient.ports(from, to)));
                choices.slot_end.push(choices.slots.len() as u32);
                choices.channels.extend(path);
                choices.path_end.push(choices.channels.len() as u32);
            }
            choices.end.push(choices.path_end.len() as u32);
        }
        Some(choices)
    }

    /// Returns the number of pairs.
    pub(super) fn len(&self) -> usize {
        self.end.len()
    }

    /// Returns the number of channels on one path per pair, for all pairs together.
    pub(super) fn hops(&self) -> usize {
        (0..self.len()).map(|pair| self.channels(self.of(pair).start).len()).sum()
    }

    /// Returns the numbers of the paths of a pair.
    pub(super) fn of(&self, pair: usize) -> std::ops::Range<usize> {
        row(&self.end, pair)
    }

    /// Returns the slots that a path uses.
    #[inline]
    pub(super) fn slots(&self, path: usize) -> &[OrbitSlot] {
        &self.slots[row(&self.slot_end, path)]
    }

    /// Returns the channels of a path.
    pub(super) fn channels(&self, path: usize) -> &[ChannelId] {
        &self.channels[row(&self.path_end, path)]
    }
}

/// The placement of an item, a message.
#[derive(Clone, Debug)]
pub(super) struct ItemPlacement {
    /// The cells that the item uses, each once.
    pub(super) cells: Vec<UsageCell>,
    /// The number of the path.
    pub(super) path: usize,
    pub(super) step: usize,
}

/// The placements of direct transfers: a path and a step per message.
#[derive(Debug)]
pub(super) struct DirectPlacement<'a> {
    choices: &'a PathChoices,
    chunks: usize,
    /// The move number until which each step is banned for each message.
    banned_until: Vec<u32>,
    /// Scratch space: the excess of a path in each step.
    sum: Vec<i16>,
}

impl<'a> DirectPlacement<'a> {
    /// Returns the placements for `chunks` messages per pair.
    pub(super) fn new(choices: &'a PathChoices, chunks: usize, steps: usize) -> Self {
        let banned_until = vec![0; choices.len() * chunks * steps];
        Self { choices, chunks, banned_until, sum: vec![0; steps] }
    }

    /// Returns the number of items.
    pub(super) fn count(&self) -> usize {
        self.choices.len() * self.chunks
    }

    /// Returns the average number of cells visited to place an item.
    pub(super) fn work(&self) -> usize {
        self.choices.slots.len() * self.sum.len() / self.choices.len()
    }

    /// Returns the approximate number of cells that a placement of an item uses.
    pub(super) fn length(&self, item: usize) -> usize {
        self.choices.slots(self.choices.of(item / self.chunks).start).len()
    }

    /// Returns a placement of an item with the least excess, and that excess. Banned placements count only if their excess is
    /// below `enough`; ties are broken at random.
    pub(super) fn cheapest(
        &mut self,
        board: &UsageBoard,
        item: usize,
        now: u32,
        enough: i64,
        rng: &mut impl Rng,
    ) -> Option<(ItemPlacement, i64)> {
        let banned_until = &self.banned_until[item * board.steps()..][..board.steps()];
        let mut best = None;
        let (mut least, mut ties) = (i16::MAX, 0);
        for path in self.choices.of(item / self.chunks) {
            self.sum.fill(0);
            for &slot in self.choices.slots(path) {
                for (sum, &excess) in self.sum.iter_mut().zip(board.row(slot)) {
                    *sum = sum.saturating_add(excess.max(0));
                }
            }
            if self.sum.iter().fold(i16::MAX, |least, &sum| least.min(sum)) > least {
                continue;
            }
            for (step, (&cost, &until)) in self.sum.iter().zip(banned_until).enumerate() {
                if cost > least || until >= now && i64::from(cost) >= enough {
                    continue;
                }
                ties = if cost < least { 1 } else { ties + 1 };
                least = cost;
                if ties == 1 || rng.random_range(0..ties) == 0 {
                    best = Some((path, step));
                }
            }
        }
        let (path, step) = best?;
        let cells = self.choices.slots(path).iter().map(|&slot| board.cell(slot, step)).collect();
        Some((ItemPlacement { cells, path, step }, i64::from(least)))
    }

    /// Bans the step of these cells for an item, until a move number.
    pub(super) fn ban(&mut self, board: &UsageBoard, item: usize, cells: &[UsageCell], until: u32) {
        if let Some(&cell) = cells.first() {
            self.banned_until[item * board.steps() + board.step(cell)] = until;
        }
    }
}

fn row(end: &[u32], number: usize) -> std::ops::Range<usize> {
    let start = number.checked_sub(1).map_or(0, |before| end[before]);
    start as usize..end[number] as usize
}

/// The enumeration of shortest paths from one terminal, from their ends backwards.
struct PathEnumeration<'a> {
    quotient: &'a QuotientNetwork<'a>,
    distance: &'a [u32],
    from: NodeId,
    max_paths: usize,
    visits: usize,
    /// The last channels of the current path, last channel first.
    path: Vec<ChannelId>,
    /// The slots, ascending, and the channels of each path.
    found: Vec<(Vec<OrbitSlot>, Vec<ChannelId>)>,
}

impl PathEnumeration<'_> {
    /// Extends the current path backwards from a node, in random order.
    fn extend_from(&mut self, node: NodeId, rng: &mut impl Rng) {
        self.visits += 1;
        if node == self.from {
            let mut slots: Vec<OrbitSlot> =
                self.path.iter().map(|&channel| self.quotient.resource_slot(channel)).collect();
            slots.sort_unstable();
            if self.found.iter().all(|(other, _)| *other != slots) {
                self.found.push((slots, self.path.iter().rev().copied().collect()));
            }
            return;
        }
        let topology = self.quotient.task.topology();
        let mut channels = topology.in_channels(node).to_vec();
        channels.shuffle(rng);
        for channel in channels {
            let tail = topology.tail(channel);
            let is_on_shortest_path = self.distance[tail.index()].checked_add(1) == Some(self.distance[node.index()])
                && (tail == self.from || self.quotient.task.crosses(tail));
            let slot = self.quotient.resource_slot(channel);
            if !is_on_shortest_path || self.path.iter().any(|&later| self.quotient.resource_slot(later) == slot) {
                continue;
            }
            if self.visits >= MAX_VISITS || self.found.len() >= self.max_paths {
                return;
            }
            self.path.push(channel);
            self.extend_from(tail, rng);
            self.path.pop();
        }
    }
}
