//! RouteSet that load all channels and ports about alike.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::congestion_prices::{CongestionPrices, FULL};
use super::demands::Demands;
use super::terminal_graph::{TerminalGraph, search};
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;

/// Passes over all messages, with prices that rise more and more steeply near the limit.
const PASSES: u32 = 4;

/// Steps below the limit at which a price is less than half, at the least.
const STEEPEST: u32 = 2;

/// Passes over the messages on crowded channels without progress before the search ends.
const PATIENCE: u32 = 200;

/// RouteSet changed on crowded channels, for each message and for all, before the search ends.
const CHANGES: (u64, u64) = (8, 1 << 11);

/// What each channel of a route costs beside its price where detours are looked for.
const HOP: u64 = FULL / 16;

/// TieNoise that breaks ties among prices is shorter than this.
const NOISE_BITS: u32 = 12;

/// The route of each message, as channels in order.
#[derive(Clone, Debug)]
pub(super) struct RouteSet {
    end: Vec<u32>,
    channels: Vec<u32>,
}

impl RouteSet {
    /// Number of messages.
    pub(super) fn len(&self) -> usize {
        self.end.len()
    }

    /// The channels of all routes, one route after the other.
    pub(super) fn hops(&self) -> &[u32] {
        &self.channels
    }

    /// The places of a message's channels among [all](Self::hops).
    #[inline]
    pub(super) fn places(&self, message: usize) -> Range<usize> {
        let start = message.checked_sub(1).map_or(0, |before| self.end[before]);
        start as usize..self.end[message] as usize
    }
}

/// RouteSet whose fullest slot takes few steps; no fewer than `target` are looked for. Also says how many it takes.
///
/// First all messages are routed, some times over, each along the cheapest of its shortest paths. Then only those are
/// that cross crowded channels, and unless all channels must be full by then, detours are allowed. A channel that was
/// crowded before stays dear for some time, which leads out of dead ends.
///
/// When the budget is over, the routes that are there are taken, if all are.
///
/// # Errors
///
/// [`MethodError`], if they are not.
///
/// **Source**: McMurchie and Ebeling, *`PathFinder`: a negotiation-based performance-driven router for FPGAs* (1995);
/// prices exponential in the load: Aspnes, Azar, Fiat, Plotkin and Waarts, *On-line routing of virtual circuits with
/// applications to load balancing and machine scheduling* (1997).
pub(super) fn balanced(
    network: &TerminalGraph,
    demands: &Demands,
    target: u32,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Result<(u32, RouteSet), MethodError> {
    let mut router = CongestionRouter::new(network, demands, rng);
    router.route_all(target, context)?;
    Ok(router.relieve(target, context))
}

/// The same with some routes that are given, one for each message; where it is empty, one is looked for.
pub(super) fn completed(
    network: &TerminalGraph,
    demands: &Demands,
    known: &[Vec<u32>],
    target: u32,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> (u32, RouteSet) {
    let mut router = CongestionRouter::new(network, demands, rng);
    router.route_rest(known, target);
    router.relieve(target, context)
}

struct CongestionRouter<'a, R> {
    network: &'a TerminalGraph,
    demands: &'a Demands,
    rng: &'a mut R,
    prices: CongestionPrices<'a>,
    route: Vec<Vec<u32>>,
    /// The order in which sources are served.
    order: Vec<u32>,
    /// SourceDistances from the source at hand.
    distance: Vec<u32>,
    /// The cost at which each terminal is reached, and the last channel there.
    cost: Vec<u64>,
    via: Vec<u32>,
    /// Search space.
    queue: Vec<u32>,
    is_queued: Vec<bool>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<'a, R: Rng> CongestionRouter<'a, R> {
    fn new(network: &'a TerminalGraph, demands: &'a Demands, rng: &'a mut R) -> Self {
        let terminals = network.terminal_count();
        Self {
            network,
            demands,
            rng,
            prices: CongestionPrices::new(network),
            route: vec![Vec::new(); demands.len()],
            order: (0..demands.sources.len() as u32).collect(),
            distance: vec![0; terminals],
            cost: vec![0; terminals],
            via: vec![0; terminals],
            queue: Vec::new(),
            is_queued: vec![false; terminals],
            heap: BinaryHeap::new(),
        }
    }

    /// RouteSet all messages along shortest paths, some times.
    fn route_all(&mut self, target: u32, context: &AttemptContext<'_>) -> Result<(), MethodError> {
        let mut limit = target;
        for pass in 0..PASSES {
            self.prices.aim(limit, (target >> (2 + pass)).max(STEEPEST));
            self.order.shuffle(self.rng);
            for place in 0..self.order.len() {
                context.check(0)?;
                if context.is_best_effort() {
                    // Where not all have a route yet, there are faster ways to any schedule.
                    return if pass == 0 { Err(MethodError::NoShorter) } else { Ok(()) };
                }
                let (source, messages) = self.restrict_to(place);
                for &message in messages {
                    self.reroute(source, message, false);
                }
            }
            limit = target.max(self.prices.steps() - 1);
            if self.prices.steps() <= target {
                break;
            }
        }
        Ok(())
    }

    /// Takes the routes that are known, and finds a shortest path for each of the others.
    fn route_rest(&mut self, known: &[Vec<u32>], target: u32) {
        known.iter().flatten().for_each(|&channel| self.prices.add(channel));
        self.route.clone_from_slice(known);
        self.prices.aim(target, STEEPEST);
        self.order.shuffle(self.rng);
        for place in 0..self.order.len() {
            let (source, messages) = self.restrict_to(place);
            for &message in messages.iter().filter(|&&message| known[message as usize].is_empty()) {
                self.reroute(source, message, false);
            }
        }
    }

    /// Changes routes over crowded channels, and returns those of the fewest steps met.
    fn relieve(&mut self, target: u32, context: &AttemptContext<'_>) -> (u32, RouteSet) {
        let (for_each, for_all) = CHANGES;
        let mut changes = for_each * self.demands.len() as u64 + for_all;
        let mut best = (self.prices.steps(), self.routes());
        let (mut least_over, mut idle) = (usize::MAX, 0);
        let is_over = || context.is_best_effort() || context.check(0).is_err();
        while best.0 > target && idle < PATIENCE && changes > 0 {
            let limit = best.0 - 1;
            self.prices.aim(limit, STEEPEST);
            self.prices.remember();
            let detours = u64::from(limit) * self.network.rate() > self.demands.hops;
            self.order.shuffle(self.rng);
            for place in 0..self.order.len() {
                if is_over() {
                    return best;
                }
                changes = changes.saturating_sub(self.relieve_source(place, detours));
            }
            let (steps, over) = (self.prices.steps(), self.prices.over_count());
            idle += 1;
            if steps < best.0 {
                best = (steps, self.routes());
                (least_over, idle) = (usize::MAX, 0);
            } else if over < least_over {
                (least_over, idle) = (over, 0);
            }
        }
        best
    }

    /// Changes the routes from one source that cross crowded channels; how many.
    fn relieve_source(&mut self, place: usize, detours: bool) -> u64 {
        let (_, messages) = &self.demands.sources[self.order[place] as usize];
        let mut crowded: Vec<u32> = messages.iter().copied().filter(|&message| self.is_crowded(message)).collect();
        if crowded.is_empty() {
            return 0;
        }
        let (source, _) = self.restrict_to(place);
        crowded.shuffle(self.rng);
        let mut changes = 0;
        for message in crowded {
            if self.is_crowded(message) {
                self.reroute(source, message, detours);
                changes += 1;
            }
        }
        changes
    }

    /// The source at this place of the order, and its messages.
    fn restrict_to(&mut self, place: usize) -> (u32, &'a [u32]) {
        let (source, messages) = &self.demands.sources[self.order[place] as usize];
        search(self.network, *source, &mut self.distance, &mut self.queue);
        (*source, messages)
    }

    fn is_crowded(&self, message: u32) -> bool {
        self.route[message as usize].iter().any(|&channel| self.prices.is_crowded(channel))
    }

    /// Gives a message from the source at hand the cheapest route there is.
    fn reroute(&mut self, source: u32, message: u32, detours: bool) {
        let mut route = std::mem::take(&mut self.route[message as usize]);
        for &channel in &route {
            self.prices.remove(channel);
        }
        route.clear();
        let mut node = self.demands.target[message as usize];
        if detours {
            self.find_any(source, node);
        } else {
            self.find_shortest(node);
        }
        while node != source {
            let channel = self.via[node as usize];
            route.push(channel);
            node = self.network.tail(channel);
        }
        route.reverse();
        for &channel in &route {
            self.prices.add(channel);
        }
        self.route[message as usize] = route;
    }

    /// Leaves the cheapest of the shortest paths from the source at hand in `via`.
    fn find_shortest(&mut self, target: u32) {
        let Self { network, rng, prices, distance, cost, via, queue, is_queued, .. } = self;
        let noise = TieNoise::new(rng);
        let is_before = |tail: u32, node: u32| distance[tail as usize].checked_add(1) == Some(distance[node as usize]);
        queue.clear();
        queue.push(target);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            for tail in network.entering(node).iter().map(|&channel| network.tail(channel)) {
                if is_before(tail, node) && !std::mem::replace(&mut is_queued[tail as usize], true) {
                    queue.push(tail);
                }
            }
        }
        while let Some(node) = queue.pop() {
            is_queued[node as usize] = false;
            let ways = network.entering(node).iter().filter(|&&channel| is_before(network.tail(channel), node));
            let cost_by = |&channel: &u32| {
                let before = cost[network.tail(channel) as usize];
                (before.saturating_add(prices.of(channel) + noise.of(channel)), channel)
            };
            // Only the source has no way in.
            (cost[node as usize], via[node as usize]) = ways.map(cost_by).min().unwrap_or_default();
        }
    }

    /// Leaves the cheapest path in `via`.
    fn find_any(&mut self, source: u32, target: u32) {
        let Self { network, rng, prices, cost, via, heap, .. } = self;
        let noise = TieNoise::new(rng);
        cost.fill(u64::MAX);
        cost[source as usize] = 0;
        heap.clear();
        heap.push(Reverse((0, source)));
        while let Some(Reverse((reached, node))) = heap.pop() {
            if node == target {
                break;
            }
            if reached > cost[node as usize] {
                continue;
            }
            for channel in network.leaving(node) {
                let through = reached.saturating_add(HOP + prices.of(channel) + noise.of(channel));
                let head = network.head(channel);
                if through < cost[head as usize] {
                    cost[head as usize] = through;
                    via[head as usize] = channel;
                    heap.push(Reverse((through, head)));
                }
            }
        }
    }

    fn routes(&self) -> RouteSet {
        let end = self.route.iter().scan(0, |end, route| {
            *end += route.len() as u32;
            Some(*end)
        });
        RouteSet { end: end.collect(), channels: self.route.concat() }
    }
}

/// A little that each channel costs more in one search.
struct TieNoise {
    salt: u64,
}

impl TieNoise {
    fn new(rng: &mut impl Rng) -> Self {
        Self { salt: rng.random() }
    }

    #[inline]
    fn of(&self, channel: u32) -> u64 {
        // Fibonacci hashing.
        (self.salt ^ u64::from(channel)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - NOISE_BITS)
    }
}
