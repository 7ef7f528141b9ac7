//! Direct transfers: a path and a step for each orbit of messages.

use lockstep_topology::{ChannelId, NodeId};
use rand::Rng;
use rand::seq::SliceRandom;

use super::orbits::{Orbits, Slot};
use crate::distance::{UNREACHED, search};

/// Paths kept of each pair.
const MAX_PATHS: usize = 64;

/// Partial paths looked at for each pair.
const MAX_LOOKS: usize = 1 << 12;

/// The paths that the message of each orbit may take, those that use the same slots once.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// Where the paths of each pair end.
    end: Vec<u32>,
    path_end: Vec<u32>,
    channels: Vec<ChannelId>,
    slot_end: Vec<u32>,
    slots: Vec<Slot>,
}

impl Choices {
    /// Shortest paths between the pairs of which no translates meet; `None` if there is none for one of them.
    pub(super) fn new(orbits: &Orbits<'_>, pairs: &[[NodeId; 2]], rng: &mut impl Rng) -> Option<Self> {
        let topology = orbits.task.topology();
        let mut distance = vec![UNREACHED; topology.node_count()];
        let mut queue = Vec::new();
        let mut source = None;
        let mut choices = Self::default();
        for &[from, to] in pairs {
            if source.replace(from) != Some(from) {
                search(orbits.task, [from], &mut distance, &mut queue);
            }
            let mut trace = Trace { orbits, distance: &distance, from, looks: 0, path: Vec::new(), found: Vec::new() };
            trace.back_from(to, rng);
            if trace.found.is_empty() {
                return None;
            }
            for (slots, path) in trace.found {
                choices.slots.extend(slots.into_iter().chain(orbits.ports(from, to)));
                choices.slot_end.push(choices.slots.len() as u32);
                choices.channels.extend(path);
                choices.path_end.push(choices.channels.len() as u32);
            }
            choices.end.push(choices.path_end.len() as u32);
        }
        Some(choices)
    }

    /// Number of pairs.
    pub(super) fn len(&self) -> usize {
        self.end.len()
    }

    /// The numbers of the paths of a pair.
    pub(super) fn of(&self, pair: usize) -> std::ops::Range<usize> {
        row(&self.end, pair)
    }

    /// The slots that a path uses.
    #[inline]
    pub(super) fn slots(&self, path: usize) -> &[Slot] {
        &self.slots[row(&self.slot_end, path)]
    }

    pub(super) fn channels(&self, path: usize) -> &[ChannelId] {
        &self.channels[row(&self.path_end, path)]
    }
}

fn row(end: &[u32], number: usize) -> std::ops::Range<usize> {
    let start = number.checked_sub(1).map_or(0, |before| end[before]);
    start as usize..end[number] as usize
}

/// Shortest paths from one terminal, found from their ends.
struct Trace<'a> {
    orbits: &'a Orbits<'a>,
    distance: &'a [u32],
    from: NodeId,
    looks: usize,
    /// The last channels of a path, the very last one first.
    path: Vec<ChannelId>,
    /// Slots in ascending order, and the channels.
    found: Vec<(Vec<Slot>, Vec<ChannelId>)>,
}

impl Trace<'_> {
    fn back_from(&mut self, node: NodeId, rng: &mut impl Rng) {
        self.looks += 1;
        if node == self.from {
            let mut slots: Vec<Slot> = self.path.iter().map(|&channel| self.orbits.wire(channel)).collect();
            slots.sort_unstable();
            if self.found.iter().all(|(other, _)| *other != slots) {
                self.found.push((slots, self.path.iter().rev().copied().collect()));
            }
            return;
        }
        let topology = self.orbits.task.topology();
        let mut channels = topology.in_channels(node).to_vec();
        channels.shuffle(rng);
        for channel in channels {
            let tail = topology.tail(channel);
            let is_on_the_way = self.distance[tail.index()].checked_add(1) == Some(self.distance[node.index()])
                && (tail == self.from || self.orbits.task.crosses(tail));
            let slot = self.orbits.wire(channel);
            if !is_on_the_way || self.path.iter().any(|&later| self.orbits.wire(later) == slot) {
                continue;
            }
            if self.looks >= MAX_LOOKS || self.found.len() >= MAX_PATHS {
                return;
            }
            self.path.push(channel);
            self.back_from(tail, rng);
            self.path.pop();
        }
    }
}
