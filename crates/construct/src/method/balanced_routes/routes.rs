//! Routes that load all channels and ports evenly.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use lockstep_schedule::MessageId;
use rand::Rng;
use rand::seq::SliceRandom;

use super::channel_prices::ChannelPrices;
use super::demands::RoutingDemands;
use super::terminal_graph::{TerminalGraph, fill_distances};
use crate::kit::congestion_prices::{FULL, TieNoise};
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::transfer_log::TransferLog;

/// Number of passes over all messages. The prices rise more steeply near the limit in each pass.
const PASSES: u32 = 4;

/// The minimum width of the price curve: the number of steps below the limit at which a price is less than half.
const MIN_WIDTH: u32 = 2;

/// Number of passes over congested messages without progress after which the search ends.
const MAX_IDLE_PASSES: u32 = 200;

/// The maximum number of route changes per message.
const CHANGES_PER_MESSAGE: u64 = 8;

/// The number of route changes in addition.
const EXTRA_CHANGES: u64 = 1 << 11;

/// Number of messages of a source between two checks of the budget.
const CHECK_INTERVAL: usize = 64;

/// The cost of each channel on a detour, in addition to its price.
const HOP: u64 = FULL / 16;

/// Units of work per channel of a search for a shortest path, of a search for any path, and per check of a message.
const SHORTEST_WORK: u64 = 2;
const DETOUR_WORK: u64 = 4;
const CHECK_WORK: u64 = 4;

/// The route of each message, as channels in order.
#[derive(Clone, Debug)]
pub(super) struct RouteSet {
    end: Vec<u32>,
    channels: Vec<u32>,
}

impl RouteSet {
    /// Returns the number of messages.
    pub(super) fn len(&self) -> usize {
        self.end.len()
    }

    /// Returns the channels of all routes, one route after the other.
    pub(super) fn hops(&self) -> &[u32] {
        &self.channels
    }

    /// Returns the range of a message's hops among [all hops](Self::hops).
    #[inline]
    pub(super) fn hop_range(&self, message: usize) -> Range<usize> {
        let start = message.checked_sub(1).map_or(0, |before| self.end[before]);
        start as usize..self.end[message] as usize
    }

    /// Returns the transfers, given the step of each hop.
    pub(super) fn to_log(&self, graph: &TerminalGraph, step_of: &[u32]) -> Result<TransferLog, MethodError> {
        let mut log = TransferLog::default();
        for message in 0..self.len() {
            for hop in self.hop_range(message) {
                log.push(MessageId::from_index(message), step_of[hop], &[graph.original(self.channels[hop])])?;
            }
        }
        Ok(log)
    }
}

/// Finds routes whose most loaded slot takes few steps, and `target` steps at best. Returns that number of steps and
/// the routes.
///
/// First, all messages are routed several times along the cheapest of their shortest paths. Then only messages on
/// congested channels are rerouted. They may take detours, unless all channels must be full anyway. A formerly
/// congested channel stays expensive for some time, which leads out of local minima. If the budget ends, the search
/// returns the current routes.
///
/// # Errors
///
/// As [`AttemptContext::check`], if the budget ends before every message has a route.
///
/// # Source
///
/// McMurchie and Ebeling, *`PathFinder`: a negotiation-based performance-driven router for FPGAs* (1995).
/// Prices exponential in the load: Aspnes, Azar, Fiat, Plotkin and Waarts, *On-line routing of virtual circuits with
/// applications to load balancing and machine scheduling* (1997).
pub(super) fn balanced(
    graph: &TerminalGraph,
    demands: &RoutingDemands,
    target: u32,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Result<(u32, RouteSet), MethodError> {
    let mut router = CongestionRouter::new(graph, demands, rng);
    router.route_all(target, context)?;
    Ok(router.relieve(target, context))
}

/// Finds routes as [`balanced`], where some routes are given. `known` has one route per message; an empty one is
/// unknown.
pub(super) fn completed(
    graph: &TerminalGraph,
    demands: &RoutingDemands,
    known: &[Vec<u32>],
    target: u32,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> (u32, RouteSet) {
    let mut router = CongestionRouter::new(graph, demands, rng);
    router.route_rest(known, target);
    router.relieve(target, context)
}

/// The search for routes: the current route of each message, and prices that follow from all routes.
struct CongestionRouter<'a, R> {
    graph: &'a TerminalGraph,
    demands: &'a RoutingDemands,
    rng: &'a mut R,
    prices: ChannelPrices<'a>,
    route: Vec<Vec<u32>>,
    /// The order of the sources.
    order: Vec<u32>,
    /// The distances from the current source.
    distance: Vec<u32>,
    /// The cost of the cheapest path to each terminal.
    cost: Vec<u64>,
    /// The last channel on that path.
    via: Vec<u32>,
    /// Scratch space of the searches.
    queue: Vec<u32>,
    is_queued: Vec<bool>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// Units of work, see [`AttemptContext::count`].
    work: u64,
}

impl<'a, R: Rng> CongestionRouter<'a, R> {
    fn new(graph: &'a TerminalGraph, demands: &'a RoutingDemands, rng: &'a mut R) -> Self {
        let terminals = graph.terminal_count();
        Self {
            graph,
            demands,
            rng,
            prices: ChannelPrices::new(graph),
            route: vec![Vec::new(); demands.len()],
            order: (0..demands.sources.len() as u32).collect(),
            distance: vec![0; terminals],
            cost: vec![0; terminals],
            via: vec![0; terminals],
            queue: Vec::new(),
            is_queued: vec![false; terminals],
            heap: BinaryHeap::new(),
            work: 0,
        }
    }

    /// Routes all messages along shortest paths, in several passes.
    fn route_all(&mut self, target: u32, context: &AttemptContext<'_>) -> Result<(), MethodError> {
        let mut limit = target;
        for pass in 0..PASSES {
            self.prices.of_slots.set_limit(limit, (target >> (2 + pass)).max(MIN_WIDTH));
            self.order.shuffle(self.rng);
            for position in 0..self.order.len() {
                let (source, messages) = self.select_source(position);
                for some in messages.chunks(CHECK_INTERVAL) {
                    context.check(0)?;
                    for &message in some {
                        self.reroute(source, message, false);
                    }
                    context.count(std::mem::take(&mut self.work));
                }
            }
            limit = target.max(self.prices.of_slots.steps() - 1);
            if self.prices.of_slots.steps() <= target {
                break;
            }
        }
        Ok(())
    }

    /// Adds the known routes, and finds a shortest path for each other message.
    fn route_rest(&mut self, known: &[Vec<u32>], target: u32) {
        known.iter().flatten().for_each(|&channel| self.prices.add(channel));
        self.route.clone_from_slice(known);
        self.prices.of_slots.set_limit(target, MIN_WIDTH);
        self.order.shuffle(self.rng);
        for position in 0..self.order.len() {
            let (source, messages) = self.select_source(position);
            for &message in messages.iter().filter(|&&message| known[message as usize].is_empty()) {
                self.reroute(source, message, false);
            }
        }
    }

    /// Reroutes messages on congested channels. Returns the routes with the fewest steps, and that number.
    fn relieve(&mut self, target: u32, context: &AttemptContext<'_>) -> (u32, RouteSet) {
        let mut changes = CHANGES_PER_MESSAGE * self.demands.len() as u64 + EXTRA_CHANGES;
        let mut best = (self.prices.of_slots.steps(), self.routes());
        let (mut least_over, mut idle) = (usize::MAX, 0);
        let is_over = || context.check(0).is_err();
        while best.0 > target && idle < MAX_IDLE_PASSES && changes > 0 {
            let limit = best.0 - 1;
            self.prices.of_slots.set_limit(limit, MIN_WIDTH);
            self.prices.of_slots.update_surcharges();
            let detours = u64::from(limit) * self.graph.rate() > self.demands.hops;
            self.order.shuffle(self.rng);
            for position in 0..self.order.len() {
                if is_over() {
                    return best;
                }
                changes = changes.saturating_sub(self.relieve_source(position, detours, &is_over));
                context.count(std::mem::take(&mut self.work));
            }
            let (steps, over) = (self.prices.of_slots.steps(), self.prices.of_slots.over_count());
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

    /// Reroutes the messages of one source that cross congested channels, until the work is over. Returns their number.
    fn relieve_source(&mut self, position: usize, detours: bool, is_over: &dyn Fn() -> bool) -> u64 {
        let (_, messages) = &self.demands.sources[self.order[position] as usize];
        self.work += CHECK_WORK * messages.len() as u64;
        let mut congested: Vec<u32> = messages.iter().copied().filter(|&message| self.is_congested(message)).collect();
        if congested.is_empty() {
            return 0;
        }
        let (source, _) = self.select_source(position);
        congested.shuffle(self.rng);
        let mut changes = 0;
        for some in congested.chunks(CHECK_INTERVAL) {
            if is_over() {
                break;
            }
            for &message in some {
                if self.is_congested(message) {
                    self.reroute(source, message, detours);
                    changes += 1;
                }
            }
        }
        changes
    }

    /// Makes a source of the order the current one. Returns it with its messages.
    fn select_source(&mut self, position: usize) -> (u32, &'a [u32]) {
        let (source, messages) = &self.demands.sources[self.order[position] as usize];
        self.work += self.graph.channel_count() as u64;
        fill_distances(self.graph, *source, &mut self.distance, &mut self.queue);
        (*source, messages)
    }

    fn is_congested(&self, message: u32) -> bool {
        self.route[message as usize].iter().any(|&channel| self.prices.is_congested(channel))
    }

    /// Gives a message of the current source the cheapest route.
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
            node = self.graph.tail(channel);
        }
        route.reverse();
        for &channel in &route {
            self.prices.add(channel);
        }
        self.route[message as usize] = route;
    }

    /// Finds the cheapest of the shortest paths from the current source; leaves it in `via`.
    fn find_shortest(&mut self, target: u32) {
        let Self { graph, rng, prices, distance, cost, via, queue, is_queued, work, .. } = self;
        let noise = TieNoise::new(rng);
        let is_before = |tail: u32, node: u32| distance[tail as usize].checked_add(1) == Some(distance[node as usize]);
        queue.clear();
        queue.push(target);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            *work += SHORTEST_WORK * graph.entering(node).len() as u64;
            for tail in graph.entering(node).iter().map(|&channel| graph.tail(channel)) {
                if is_before(tail, node) && !std::mem::replace(&mut is_queued[tail as usize], true) {
                    queue.push(tail);
                }
            }
        }
        while let Some(node) = queue.pop() {
            is_queued[node as usize] = false;
            let channels = graph.entering(node).iter().filter(|&&channel| is_before(graph.tail(channel), node));
            let cost_by = |&channel: &u32| {
                let before = cost[graph.tail(channel) as usize];
                (before.saturating_add(prices.of(channel) + noise.of(channel)), channel)
            };
            // Only the source has no predecessor.
            (cost[node as usize], via[node as usize]) = channels.map(cost_by).min().unwrap_or_default();
        }
    }

    /// Finds the cheapest path; leaves it in `via`.
    fn find_any(&mut self, source: u32, target: u32) {
        let Self { graph, rng, prices, cost, via, heap, work, .. } = self;
        let noise = TieNoise::new(rng);
        *work += cost.len() as u64;
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
            *work += DETOUR_WORK * graph.leaving(node).len() as u64;
            for channel in graph.leaving(node) {
                let through = reached.saturating_add(HOP + prices.of(channel) + noise.of(channel));
                let head = graph.head(channel);
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
