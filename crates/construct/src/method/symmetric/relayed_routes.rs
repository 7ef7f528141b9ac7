//! Relayed messages: a route and a step per hop, for each orbit of messages.

use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};

use super::quotient::{OrbitSlot, QuotientNetwork};
use super::tabu::{ItemPlacement, PlacementItems};
use super::usage_board::{UsageBoard, UsageCell};
use crate::kit::distances::UNREACHED;

/// The cost of a banned cell.
const BANNED: i16 = 1 << 12;

/// The maximum number of channels on the shortest routes of all pairs.
const MAX_HOPS: usize = 1 << 20;

/// A channel of a shortest route. Nodes are numbered by distance from the source.
#[derive(Clone, Copy, Debug)]
struct RelayHop {
    tail: u32,
    head: u32,
    channel: ChannelId,
}

/// All shortest routes of one message per orbit, from terminal to terminal.
#[derive(Debug, Default)]
pub(super) struct RelayRoutes {
    /// The end of each pair's hops.
    end: Vec<u32>,
    /// The hops of each pair by ascending head.
    hops: Vec<RelayHop>,
    /// The slots of the ports of each hop.
    ports: Vec<Vec<OrbitSlot>>,
    /// The number of hops of a shortest route of each pair.
    length: Vec<u32>,
}

impl RelayRoutes {
    /// Returns the routes of all pairs; `None` if relays do not reach a receiver, or there are too many hops.
    pub(super) fn new(quotient: &QuotientNetwork<'_>, pairs: &[[NodeId; 2]]) -> Option<Self> {
        let topology = quotient.task.topology();
        let mut routes = Self::default();
        let mut number = vec![u32::MAX; topology.node_count()];
        let mut from = None;
        let mut distance = Vec::new();
        for &[source, receiver] in pairs {
            if from.replace(source) != Some(source) {
                distance = terminal_distances(topology, source);
            }
            if distance[receiver.index()] == UNREACHED {
                return None;
            }
            routes.length.push(distance[receiver.index()]);
            routes.add(quotient, &distance, source, receiver, &mut number);
            if routes.hops.len() > MAX_HOPS {
                return None;
            }
        }
        Some(routes)
    }

    /// Adds the hops between two terminals.
    fn add(
        &mut self,
        quotient: &QuotientNetwork<'_>,
        distance: &[u32],
        source: NodeId,
        receiver: NodeId,
        number: &mut [u32],
    ) {
        let topology = quotient.task.topology();
        let mut nodes = vec![receiver];
        number[receiver.index()] = 0;
        let mut next = 0;
        while let Some(&node) = nodes.get(next) {
            next += 1;
            for &channel in topology.in_channels(node) {
                let tail = topology.tail(channel);
                let is_near = distance[tail.index()].checked_add(1) == Some(distance[node.index()]);
                if is_near && number[tail.index()] == u32::MAX {
                    number[tail.index()] = 0;
                    nodes.push(tail);
                }
            }
        }
        debug_assert_eq!(nodes.last(), Some(&source), "the source is nearest to itself");
        for (position, node) in (0..).zip(nodes.iter().rev()) {
            number[node.index()] = position;
        }
        for &head in nodes.iter().rev() {
            for &channel in topology.in_channels(head) {
                let tail = topology.tail(channel);
                if number[tail.index()] < number[head.index()] && distance[tail.index()] < distance[head.index()] {
                    self.hops.push(RelayHop { tail: number[tail.index()], head: number[head.index()], channel });
                    self.ports.push(quotient.ports(tail, head).collect());
                }
            }
        }
        self.end.push(self.hops.len() as u32);
        for node in nodes {
            number[node.index()] = u32::MAX;
        }
    }

    /// Returns the number of pairs.
    pub(super) fn len(&self) -> usize {
        self.end.len()
    }

    /// Returns the number of hops on one route per pair, for all pairs together.
    pub(super) fn hops(&self) -> usize {
        self.length.iter().map(|&length| length as usize).sum()
    }

    /// Returns the number of hops of the longest route.
    pub(super) fn longest(&self) -> usize {
        self.length.iter().max().map_or(0, |&length| length as usize)
    }

    /// Returns the slots that a hop uses.
    fn slots(&self, quotient: &QuotientNetwork<'_>, hop: usize) -> impl Iterator<Item = OrbitSlot> {
        [quotient.resource_slot(self.hops[hop].channel)].into_iter().chain(self.ports[hop].iter().copied())
    }

    /// Returns the hops of a pair.
    fn of(&self, pair: usize) -> std::ops::Range<usize> {
        let start = pair.checked_sub(1).map_or(0, |before| self.end[before]);
        start as usize..self.end[pair] as usize
    }
}

/// Returns the distance of each node from a terminal over terminals.
fn terminal_distances(topology: &Topology, source: NodeId) -> Vec<u32> {
    let mut distance = vec![UNREACHED; topology.node_count()];
    distance[source.index()] = 0;
    let mut queue = vec![source];
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for &channel in topology.out_channels(node) {
            let head = topology.head(channel);
            if topology.is_terminal(head) && distance[head.index()] == UNREACHED {
                distance[head.index()] = distance[node.index()] + 1;
                queue.push(head);
            }
        }
    }
    distance
}

/// The placements of relayed messages: a step per hop.
#[derive(Debug)]
pub(super) struct RelayPlacement<'a> {
    quotient: &'a QuotientNetwork<'a>,
    routes: &'a RelayRoutes,
    chunks: usize,
    /// The move number until which each cell is banned for each message.
    banned_until: Vec<u32>,
    steps: usize,
    cells: usize,
    /// Scratch space: the excess of each hop of a message in each step.
    price: Vec<i16>,
    /// Scratch space: the least excess of a route to each node before each step.
    cost: Vec<i16>,
}

impl<'a> RelayPlacement<'a> {
    /// Returns the placements for `chunks` messages per pair.
    pub(super) fn new(quotient: &'a QuotientNetwork<'a>, routes: &'a RelayRoutes, chunks: usize, steps: usize) -> Self {
        let cells = quotient.capacities().len() * steps;
        let banned_until = vec![0; routes.len() * chunks * cells];
        Self { quotient, routes, chunks, banned_until, steps, cells, price: Vec::new(), cost: Vec::new() }
    }
}

impl PlacementItems for RelayPlacement<'_> {
    /// The channels in order, with their steps.
    type Route = Vec<(ChannelId, usize)>;

    fn count(&self) -> usize {
        self.routes.len() * self.chunks
    }

    fn work(&self) -> usize {
        // Each hop has a channel, and maybe ports.
        let slots = self.routes.hops.len() + self.routes.ports.iter().map(Vec::len).sum::<usize>();
        (self.routes.hops.len() + slots) * self.steps / self.routes.len()
    }

    fn length(&self, item: usize) -> usize {
        self.routes.length[item / self.chunks] as usize
    }

    fn cheapest(
        &mut self,
        board: &UsageBoard,
        item: usize,
        now: u32,
        _enough: i64,
        rng: &mut impl Rng,
    ) -> Option<(ItemPlacement<Self::Route>, i64)> {
        let steps = board.steps();
        let hops = self.routes.of(item / self.chunks);
        let nodes = self.routes.hops[hops.end - 1].head as usize + 1;
        self.cost.clear();
        self.cost.resize(nodes * (steps + 1), i16::MAX);
        self.cost[..=steps].fill(0);
        self.price.clear();
        self.price.resize(hops.len() * steps, 0);
        for (hop, price) in hops.clone().zip(self.price.chunks_exact_mut(steps)) {
            for slot in self.routes.slots(self.quotient, hop) {
                let banned = &self.banned_until[item * self.cells + slot as usize * steps..][..steps];
                for ((price, &excess), &until) in price.iter_mut().zip(board.row(slot)).zip(banned) {
                    *price = price.saturating_add(excess.max(0)).saturating_add(if until >= now { BANNED } else { 0 });
                }
            }
        }
        for (index, hop) in hops.clone().enumerate() {
            let RelayHop { tail, head, .. } = self.routes.hops[hop];
            let (before, after) = self.cost.split_at_mut(head as usize * (steps + 1));
            let tail = &before[tail as usize * (steps + 1)..][..steps];
            let price = &self.price[index * steps..][..steps];
            for ((cost, &tail), &price) in after[1..=steps].iter_mut().zip(tail).zip(price) {
                *cost = (*cost).min(tail.saturating_add(price));
            }
            let is_last = hop + 1 == hops.end || self.routes.hops[hop + 1].head != head;
            if is_last {
                (1..=steps).for_each(|step| after[step] = after[step].min(after[step - 1]));
            }
        }
        let cost = self.cost[(nodes - 1) * (steps + 1) + steps];
        if cost >= BANNED {
            return None;
        }
        let mut route = Vec::new();
        let (mut node, mut step) = (nodes - 1, steps);
        let mut cells = Vec::new();
        while node > 0 {
            let at = |node: usize, step: usize| self.cost[node * (steps + 1) + step];
            let here = at(node, step);
            // The choices: to arrive a step earlier, or by any hop in this step.
            let mut choices = 0;
            let mut chosen = None;
            if step > 0 && at(node, step - 1) == here {
                choices = 1;
            }
            let first = self.routes.hops[hops.clone()].partition_point(|hop| (hop.head as usize) < node);
            for (index, hop) in hops.clone().enumerate().skip(first) {
                let RelayHop { tail, head, .. } = self.routes.hops[hop];
                if head as usize != node || step == 0 {
                    break;
                }
                if at(tail as usize, step - 1).saturating_add(self.price[index * steps + step - 1]) == here {
                    choices += 1;
                    if rng.random_range(0..choices) == 0 {
                        chosen = Some(hop);
                    }
                }
            }
            if choices == 0 {
                return None;
            }
            step -= 1;
            if let Some(hop) = chosen {
                cells.extend(self.routes.slots(self.quotient, hop).map(|slot| board.cell(slot, step)));
                route.push((self.routes.hops[hop].channel, step));
                node = self.routes.hops[hop].tail as usize;
            }
        }
        route.reverse();
        Some((ItemPlacement { cells, route }, i64::from(cost)))
    }

    fn ban(&mut self, board: &UsageBoard, item: usize, cells: &[UsageCell], until: u32) {
        for cell in cells.iter().filter(|&&cell| board.is_over(cell)) {
            self.banned_until[item * self.cells + *cell as usize] = until;
        }
    }
}
