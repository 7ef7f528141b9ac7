//! Longer paths for messages that would otherwise crowd a channel.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_schedule::StopReason;
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use super::ways::{Detours, Ways};
use crate::slots::{Slot, wire};
use crate::task::Task;

/// How often crowded messages look for another path, among the shortest and then among all.
const ROUNDS: usize = 32;

/// Messages that look for a path between two looks at the budget.
const STRIDE: usize = 256;

/// The paths longer than a shortest one that messages turn to when no channel is to be used in more than so many steps:
/// none, if shortest paths can be chosen that way.
///
/// A channel costs the more the nearer it is to that many uses, sixteen times as much with each one.
///
/// **Source**: negotiated congestion (McMurchie and Ebeling, *`PathFinder`*, 1995); exponential prices as in Aspnes, Azar,
/// Fiat, Plotkin and Waarts, *On-line routing of virtual circuits* (1997).
///
/// # Errors
///
/// The reason to stop.
pub(super) fn detours(
    task: &Task<'_>,
    ways: &Ways,
    steps: u32,
    rng: &mut impl Rng,
    stop: impl Fn() -> Option<StopReason>,
) -> Result<Detours, StopReason> {
    let mut routes = Routes::new(task, ways, steps);
    let mut detours = Detours::new();
    for round in 0..2 * ROUNDS {
        let mut crowded = routes.crowded();
        if crowded.is_empty() {
            break;
        }
        for place in (1..crowded.len()).rev() {
            crowded.swap(place, rng.random_range(0..=place));
        }
        for messages in crowded.chunks(STRIDE) {
            if let Some(reason) = stop() {
                return Err(reason);
            }
            for &message in messages {
                routes.lift(message);
                if round < ROUNDS {
                    routes.follow_shortest(message, rng);
                } else if routes.follow_any(message, rng) > routes.shortest_length(message) {
                    detours.insert((ways.pair(message), routes.path[message as usize].clone()));
                }
                routes.put(message);
            }
        }
    }
    Ok(detours)
}

/// A path of each message, at no time.
struct Routes<'a> {
    task: &'a Task<'a>,
    ways: &'a Ways,
    steps: u32,
    /// Uses of each resource.
    load: Vec<u32>,
    /// No channels before the first choice.
    path: Vec<Vec<ChannelId>>,
    /// The least cost to each node or place, and how to get there.
    reached: Vec<(u64, u32)>,
    heap: BinaryHeap<Reverse<(u64, NodeId)>>,
}

const UNREACHED: (u64, u32) = (u64::MAX, 0);

impl<'a> Routes<'a> {
    fn new(task: &'a Task<'a>, ways: &'a Ways, steps: u32) -> Self {
        let nodes = task.topology().node_count();
        Self {
            task,
            ways,
            steps,
            load: vec![0; task.topology().resource_count()],
            path: vec![Vec::new(); ways.message_count()],
            reached: vec![UNREACHED; nodes.max(ways.most_places())],
            heap: BinaryHeap::new(),
        }
    }

    /// The messages without a path, or with one over a resource that is used too often.
    fn crowded(&self) -> Vec<u32> {
        let is_crowded = |path: &[ChannelId]| {
            path.is_empty() || path.iter().any(|&channel| self.load[wire(self.task, channel) as usize] > self.steps)
        };
        (0..).zip(&self.path).filter(|(_, path)| is_crowded(path)).map(|(message, _)| message).collect()
    }

    fn lift(&mut self, message: u32) {
        for &channel in &self.path[message as usize] {
            self.load[wire(self.task, channel) as usize] -= 1;
        }
    }

    fn put(&mut self, message: u32) {
        for &channel in &self.path[message as usize] {
            self.load[wire(self.task, channel) as usize] += 1;
        }
    }

    /// Channels of a shortest path.
    fn shortest_length(&self, message: u32) -> usize {
        self.ways.length(message) as usize - self.ways.of(message).ports().count()
    }

    /// What one more use costs; ties are broken at random.
    fn price(&self, slot: Slot, rng: &mut impl Rng) -> u64 {
        let over = (self.load[slot as usize] + 2).saturating_sub(self.steps);
        (1 << (4 + 4 * over.min(9))) + u64::from(rng.random::<u8>() % 4)
    }

    /// Chooses a cheapest one of the shortest paths.
    fn follow_shortest(&mut self, message: u32, rng: &mut impl Rng) {
        let way = self.ways.of(message);
        self.reached[0] = (0, 0);
        for place in 1..way.place_count() {
            let arcs = (way.first_arc(place)..).zip(way.into(place));
            let cost = |(via, arc): (u32, &super::ways::Arc)| {
                let own = if arc.channel.is_some() { self.price(arc.slot, rng) } else { 0 };
                (self.reached[arc.tail as usize].0 + own, via)
            };
            self.reached[place] = arcs.map(cost).min().expect("every place is reached");
        }
        let path = &mut self.path[message as usize];
        path.clear();
        let mut place = way.place_count() - 1;
        while place != 0 {
            let arc = self.ways.arc(self.reached[place].1);
            path.extend(arc.channel);
            place = arc.tail as usize;
        }
        path.reverse();
    }

    /// Chooses a cheapest one of all paths; its length.
    fn follow_any(&mut self, message: u32, rng: &mut impl Rng) -> usize {
        let topology = self.task.topology();
        let (source, target) = self.ways.ends(message);
        self.reached.fill(UNREACHED);
        self.reached[source.index()] = (0, 0);
        self.heap.clear();
        self.heap.push(Reverse((0, source)));
        while let Some(Reverse((cost, node))) = self.heap.pop() {
            if node == target {
                break;
            }
            let is_stale = cost > self.reached[node.index()].0;
            if is_stale || node != source && !topology.routes(node) {
                continue;
            }
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                let cost = cost + self.price(wire(self.task, channel), rng);
                if cost < self.reached[head.index()].0 {
                    self.reached[head.index()] = (cost, channel.number());
                    self.heap.push(Reverse((cost, head)));
                }
            }
        }
        let path = &mut self.path[message as usize];
        path.clear();
        let mut node = target;
        while node != source {
            let channel = ChannelId::new(self.reached[node.index()].1);
            path.push(channel);
            node = topology.tail(channel);
        }
        path.reverse();
        path.len()
    }
}
