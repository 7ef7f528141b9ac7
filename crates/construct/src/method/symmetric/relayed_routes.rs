//! Messages that are passed on: a step for each channel of a route, for each orbit of messages.

use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};

use super::quotient::{OrbitSlot, QuotientNetwork};
use super::tabu::{Placement, PlacementItems, UsageBoard, UsageCell};
use crate::kit::distances::UNREACHED;

/// What a banned cell costs.
const BANNED: i16 = 1 << 12;

/// The most channels of the shortest routes of all pairs.
const MAX_HOPS: usize = 1 << 20;

/// A channel of a shortest route; nodes are numbered by their distance from the source.
#[derive(Clone, Copy, Debug)]
struct RelayHop {
    tail: u32,
    head: u32,
    channel: ChannelId,
}

/// All shortest routes of the message of each orbit, from terminal to terminal.
#[derive(Debug, Default)]
pub(super) struct RelayRoutes {
    /// Where the hops of each pair end.
    end: Vec<u32>,
    /// By ascending head.
    hops: Vec<RelayHop>,
    /// The slots of the ports of each hop.
    ports: Vec<Vec<OrbitSlot>>,
    length: Vec<u32>,
}

impl RelayRoutes {
    /// `None` where relays do not lead to a receiver, or there are too many.
    pub(super) fn new(quotient: &QuotientNetwork<'_>, pairs: &[[NodeId; 2]]) -> Option<Self> {
        let topology = quotient.task.topology();
        let mut routes = Self::default();
        let mut number = vec![u32::MAX; topology.node_count()];
        let mut from = None;
        let mut distance = Vec::new();
        for &[source, receiver] in pairs {
            if from.replace(source) != Some(source) {
                distance = hops_from(topology, source);
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
        for (place, node) in (0..).zip(nodes.iter().rev()) {
            number[node.index()] = place;
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

    /// Number of pairs.
    pub(super) fn len(&self) -> usize {
        self.end.len()
    }

    /// Channels of the routes of all pairs, one of each.
    pub(super) fn hops(&self) -> usize {
        self.length.iter().map(|&length| length as usize).sum()
    }

    pub(super) fn longest(&self) -> usize {
        self.length.iter().max().map_or(0, |&length| length as usize)
    }

    /// The slots that a hop uses.
    fn slots(&self, quotient: &QuotientNetwork<'_>, hop: usize) -> impl Iterator<Item = OrbitSlot> {
        [quotient.wire(self.hops[hop].channel)].into_iter().chain(self.ports[hop].iter().copied())
    }

    fn of(&self, pair: usize) -> std::ops::Range<usize> {
        let start = pair.checked_sub(1).map_or(0, |before| self.end[before]);
        start as usize..self.end[pair] as usize
    }
}

/// Channels from a terminal to each terminal, by way of terminals.
fn hops_from(topology: &Topology, source: NodeId) -> Vec<u32> {
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

/// A step for each hop of each message.
#[derive(Debug)]
pub(super) struct RelayPlacement<'a> {
    quotient: &'a QuotientNetwork<'a>,
    routes: &'a RelayRoutes,
    chunks: usize,
    /// Until when each message does not use each cell again.
    banned_until: Vec<u32>,
    steps: usize,
    cells: usize,
    /// The excess of each hop of a message in each step.
    price: Vec<i16>,
    /// The least excess by which a message is at each node before each step.
    cost: Vec<i16>,
}

impl<'a> RelayPlacement<'a> {
    /// So many messages for each pair.
    pub(super) fn new(quotient: &'a QuotientNetwork<'a>, routes: &'a RelayRoutes, chunks: usize, steps: usize) -> Self {
        let cells = quotient.capacities().len() * steps;
        let banned_until = vec![0; routes.len() * chunks * cells];
        Self { quotient, routes, chunks, banned_until, steps, cells, price: Vec::new(), cost: Vec::new() }
    }
}

impl PlacementItems for RelayPlacement<'_> {
    /// The channels crossed, in order.
    type Route = Vec<(ChannelId, usize)>;

    fn count(&self) -> usize {
        self.routes.len() * self.chunks
    }

    fn work(&self) -> usize {
        2 * self.routes.hops.len() * self.steps / self.routes.len()
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
    ) -> Option<(Placement<Self::Route>, i64)> {
        let steps = board.steps();
        let hops = self.routes.of(item / self.chunks);
        let places = self.routes.hops[hops.end - 1].head as usize + 1;
        self.cost.clear();
        self.cost.resize(places * (steps + 1), i16::MAX);
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
        for (place, hop) in hops.clone().enumerate() {
            let RelayHop { tail, head, .. } = self.routes.hops[hop];
            let (before, after) = self.cost.split_at_mut(head as usize * (steps + 1));
            let tail = &before[tail as usize * (steps + 1)..][..steps];
            let price = &self.price[place * steps..][..steps];
            for ((cost, &tail), &price) in after[1..=steps].iter_mut().zip(tail).zip(price) {
                *cost = (*cost).min(tail.saturating_add(price));
            }
            let is_last = hop + 1 == hops.end || self.routes.hops[hop + 1].head != head;
            if is_last {
                (1..=steps).for_each(|step| after[step] = after[step].min(after[step - 1]));
            }
        }
        let cost = self.cost[(places - 1) * (steps + 1) + steps];
        if cost >= BANNED {
            return None;
        }
        let mut route = Vec::new();
        let (mut node, mut step) = (places - 1, steps);
        let mut cells = Vec::new();
        while node > 0 {
            let at = |node: usize, step: usize| self.cost[node * (steps + 1) + step];
            let here = at(node, step);
            // To be there a step earlier, or to come by any hop now.
            let mut ways = 0;
            let mut chosen = None;
            if step > 0 && at(node, step - 1) == here {
                ways = 1;
            }
            let first = self.routes.hops[hops.clone()].partition_point(|hop| (hop.head as usize) < node);
            for (place, hop) in hops.clone().enumerate().skip(first) {
                let RelayHop { tail, head, .. } = self.routes.hops[hop];
                if head as usize != node || step == 0 {
                    break;
                }
                if at(tail as usize, step - 1).saturating_add(self.price[place * steps + step - 1]) == here {
                    ways += 1;
                    if rng.random_range(0..ways) == 0 {
                        chosen = Some(hop);
                    }
                }
            }
            if ways == 0 {
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
        Some((Placement { cells, route }, i64::from(cost)))
    }

    fn ban(&mut self, board: &UsageBoard, item: usize, cells: &[UsageCell], until: u32) {
        for cell in cells.iter().filter(|&&cell| board.is_over(cell)) {
            self.banned_until[item * self.cells + *cell as usize] = until;
        }
    }
}
