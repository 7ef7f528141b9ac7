//! The nearest terminals that can send to a terminal in one step.

use lockstep_paths::{PathId, PathTable};
use lockstep_schedule::Routing;
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};

use super::step_plan::StepPlan;

/// The scratch space of a breadth-first search against the direction of the channels.
#[derive(Debug)]
pub(super) struct SenderSearch {
    /// Distance to the target; `UNSEEN` between searches.
    distance: Vec<u32>,
    /// The lowest price of a shortest path from the node to the target.
    price: Vec<u32>,
    /// The first channel of that path.
    via: Vec<ChannelId>,
    queue: Vec<NodeId>,
    /// The path found.
    path: Vec<ChannelId>,
    /// Units of work, see [`AttemptContext::count`](crate::kit::request::AttemptContext::count).
    work: u64,
}

const UNSEEN: u32 = u32::MAX;

/// Units of work per channel or path.
const VISIT_WORK: u64 = 2;

/// The parameters of one search.
#[derive(Clone, Copy, Debug)]
pub(super) struct SenderQuery {
    pub(super) target: NodeId,
    pub(super) routing: Routing,
    /// The maximum price of a path.
    pub(super) max_price: u32,
}

/// A terminal that can send: price of the path, value, tie; the node; the message that it would send.
type SenderOffer<T> = ((u32, u32, u32), NodeId, T);

/// A path over buses: its price, length, value and tie; its number; the message that its sender would send.
type BusOffer<T> = ((u32, usize, u32, u32), PathId, T);

impl SenderSearch {
    pub(super) fn new(node_count: usize) -> Self {
        Self {
            distance: vec![UNSEEN; node_count],
            price: vec![0; node_count],
            via: vec![ChannelId::new(0); node_count],
            queue: Vec::new(),
            path: Vec::new(),
            work: 0,
        }
    }

    /// Returns the units of work since the last call of [`take_work`](Self::take_work).
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// Returns the units of work since the last call.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// Returns the legal path of the last successful search.
    pub(super) fn path(&self) -> &[ChannelId] {
        &self.path
    }

    /// Finds the nearest terminals with a free path to the target and returns the offer with the least value. Without
    /// any free path, the cheapest path wins. Ties are broken at random. `value` is `None` for terminals without a
    /// useful message.
    ///
    /// Under minimal routing, the path must be a shortest path of the network. Then the search also visits nodes over
    /// expensive channels, because their distances decide which paths are shortest. Takes `O(N + M)` time at most.
    pub(super) fn nearest<T>(
        &mut self,
        plan: &StepPlan<'_>,
        query: SenderQuery,
        rng: &mut impl Rng,
        mut value: impl FnMut(usize) -> Option<(u32, T)>,
    ) -> Option<T> {
        let SenderQuery { target, max_price, .. } = query;
        if let Some(paths) = plan.task().bus_paths() {
            return self.nearest_over_buses(plan, paths, query, rng, value);
        }
        self.queue.push(target);
        self.distance[target.index()] = 0;
        self.price[target.index()] = 0;
        let mut best: Option<SenderOffer<T>> = None;
        let mut level = 0..1;
        let is_free = |best: &Option<SenderOffer<T>>| best.as_ref().is_some_and(|&((price, ..), ..)| price == 0);
        while !is_free(&best) && self.queue[level.clone()].iter().any(|node| self.price[node.index()] <= max_price) {
            for position in level.clone() {
                self.expand(plan, position, query, rng);
            }
            level = level.end..self.queue.len();
            for position in level.clone() {
                let node = self.queue[position];
                let max_price = best.as_ref().map_or(max_price, |&((price, ..), ..)| price);
                let Some(offer) = self.offer(plan, node, max_price, rng, &mut value) else { continue };
                if best.as_ref().is_none_or(|(least, ..)| offer.0 < *least) {
                    best = Some(offer);
                }
            }
        }
        let found = best.map(|(_, node, what)| {
            self.trace(plan.task().topology(), node);
            what
        });
        for node in self.queue.drain(..) {
            self.distance[node.index()] = UNSEEN;
        }
        found
    }

    /// Tries each path to the target. A cheap path wins, then a short one, then the least value.
    fn nearest_over_buses<T>(
        &mut self,
        plan: &StepPlan<'_>,
        paths: &PathTable,
        query: SenderQuery,
        rng: &mut impl Rng,
        mut value: impl FnMut(usize) -> Option<(u32, T)>,
    ) -> Option<T> {
        let mut best: Option<BusOffer<T>> = None;
        for path in paths.towards(query.target).map(PathId::new) {
            self.work += VISIT_WORK;
            let (channels, sender) = (paths.channels(path), plan.task().rank(paths.source(path)));
            let prices = channels.iter().map(|&channel| plan.channel_price(channel)).chain([plan.port_price(sender)]);
            let price = prices.fold(0, u32::saturating_add);
            let key = (price, channels.len());
            let is_worse = best.as_ref().is_some_and(|&((price, length, ..), ..)| key > (price, length));
            if price > query.max_price || is_worse {
                continue;
            }
            let Some((value, what)) = value(sender) else { continue };
            let key = (key.0, key.1, value, rng.random());
            if best.as_ref().is_none_or(|&(least, ..)| key < least) {
                best = Some((key, path, what));
            }
        }
        let (_, path, what) = best?;
        self.path.clear();
        self.path.extend_from_slice(paths.channels(path));
        Some(what)
    }

    /// Visits the channels into a queued node, from a random one on.
    fn expand(&mut self, plan: &StepPlan<'_>, position: usize, query: SenderQuery, rng: &mut impl Rng) {
        let topology = plan.task().topology();
        let head = self.queue[position];
        let channels = topology.in_channels(head);
        if channels.is_empty() || position > 0 && !topology.routes(head) {
            return;
        }
        self.work += VISIT_WORK * channels.len() as u64;
        let (before, after) = channels.split_at(rng.random_range(0..channels.len()));
        let (distance, price) = (self.distance[head.index()] + 1, self.price[head.index()]);
        for &channel in after.iter().chain(before) {
            let tail = topology.tail(channel);
            let price = price.saturating_add(plan.channel_price(channel));
            if self.distance[tail.index()] == UNSEEN && (price <= query.max_price || query.routing == Routing::Minimal)
            {
                self.distance[tail.index()] = distance;
                self.price[tail.index()] = u32::MAX;
                self.queue.push(tail);
            }
            if self.distance[tail.index()] == distance && price < self.price[tail.index()] {
                self.price[tail.index()] = price;
                self.via[tail.index()] = channel;
            }
        }
    }

    /// Returns the offer of a node, if its path costs at most `max_price`.
    fn offer<T>(
        &self,
        plan: &StepPlan<'_>,
        node: NodeId,
        max_price: u32,
        rng: &mut impl Rng,
        mut value: impl FnMut(usize) -> Option<(u32, T)>,
    ) -> Option<SenderOffer<T>> {
        let terminal = plan.task().topology().terminal_rank(node)?;
        let price = self.price[node.index()].saturating_add(plan.port_price(terminal));
        if price > max_price {
            return None;
        }
        let (value, what) = value(terminal)?;
        Some(((price, value, rng.random()), node, what))
    }

    /// Writes the path from a visited node to the target into `path`.
    fn trace(&mut self, topology: &Topology, mut node: NodeId) {
        self.path.clear();
        while node != self.queue[0] {
            let channel = self.via[node.index()];
            self.path.push(channel);
            node = topology.head(channel);
        }
    }
}
