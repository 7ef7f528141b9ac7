//! The nearest senders of a terminal in one step.

use lockstep_schedule::Routing;
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};

use super::step_plan::StepPlan;

/// Breadth-first search against the channels; scratch space.
#[derive(Debug)]
pub(super) struct SenderSearch {
    /// Distance to the target, `UNSEEN` outside a search.
    distance: Vec<u32>,
    /// The least price of a path of that length from the node to the target.
    price: Vec<u32>,
    /// The first channel of such a path.
    via: Vec<ChannelId>,
    queue: Vec<NodeId>,
    /// The path found.
    path: Vec<ChannelId>,
}

const UNSEEN: u32 = u32::MAX;

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SenderQuery {
    pub(super) target: NodeId,
    pub(super) routing: Routing,
    /// The most that a path may cost.
    pub(super) limit: u32,
}

/// A terminal that could send: price of the path, value, tie; the node; what it would send.
type SenderOffer<T> = ((u32, u32, u32), NodeId, T);

impl SenderSearch {
    pub(super) fn new(node_count: usize) -> Self {
        Self {
            distance: vec![UNSEEN; node_count],
            price: vec![0; node_count],
            via: vec![ChannelId::new(0); node_count],
            queue: Vec::new(),
            path: Vec::new(),
        }
    }

    /// The legal path of the last search that found something.
    pub(super) fn path(&self) -> &[ChannelId] {
        &self.path
    }

    /// The best of the nearest terminals from which free channels lead to the target, the one with the least value; if
    /// there is none, the one of all from which a path costs least. Ties at random. `value` is `None` for terminals that
    /// are of no use.
    ///
    /// Under minimal routing the channels must make a shortest path of the network; nodes out of reach are searched only
    /// for the distances that decide this.
    pub(super) fn nearest<T>(
        &mut self,
        draft: &StepPlan<'_>,
        wanted: SenderQuery,
        rng: &mut impl Rng,
        mut value: impl FnMut(usize) -> Option<(u32, T)>,
    ) -> Option<T> {
        let SenderQuery { target, limit, .. } = wanted;
        self.queue.push(target);
        self.distance[target.index()] = 0;
        self.price[target.index()] = 0;
        let mut best: Option<SenderOffer<T>> = None;
        let mut level = 0..1;
        let is_free = |best: &Option<SenderOffer<T>>| best.as_ref().is_some_and(|&((price, ..), ..)| price == 0);
        while !is_free(&best) && self.queue[level.clone()].iter().any(|node| self.price[node.index()] <= limit) {
            for place in level.clone() {
                self.expand(draft, place, wanted, rng);
            }
            level = level.end..self.queue.len();
            for place in level.clone() {
                let node = self.queue[place];
                let limit = best.as_ref().map_or(limit, |&((price, ..), ..)| price);
                let Some(offer) = self.offer(draft, node, limit, rng, &mut value) else { continue };
                if best.as_ref().is_none_or(|(least, ..)| offer.0 < *least) && self.is_legal(draft, node) {
                    best = Some(offer);
                }
            }
        }
        let found = best.map(|(_, node, what)| {
            self.trace(draft.task().topology(), node);
            what
        });
        for node in self.queue.drain(..) {
            self.distance[node.index()] = UNSEEN;
        }
        found
    }

    /// Looks at the channels into a node of the queue, from a random one on.
    fn expand(&mut self, draft: &StepPlan<'_>, place: usize, wanted: SenderQuery, rng: &mut impl Rng) {
        let topology = draft.task().topology();
        let head = self.queue[place];
        let channels = topology.in_channels(head);
        if channels.is_empty() || place > 0 && !topology.routes(head) {
            return;
        }
        let (before, after) = channels.split_at(rng.random_range(0..channels.len()));
        let (distance, price) = (self.distance[head.index()] + 1, self.price[head.index()]);
        for &channel in after.iter().chain(before) {
            let tail = topology.tail(channel);
            let price = price.saturating_add(draft.channel_price(channel));
            if self.distance[tail.index()] == UNSEEN && (price <= wanted.limit || wanted.routing == Routing::Minimal) {
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

    /// What a node has to offer.
    fn offer<T>(
        &self,
        draft: &StepPlan<'_>,
        node: NodeId,
        limit: u32,
        rng: &mut impl Rng,
        mut value: impl FnMut(usize) -> Option<(u32, T)>,
    ) -> Option<SenderOffer<T>> {
        let terminal = draft.task().topology().terminal_rank(node)?;
        let price = self.price[node.index()].saturating_add(draft.port_price(terminal));
        if price > limit {
            return None;
        }
        let (value, what) = value(terminal)?;
        Some(((price, value, rng.random()), node, what))
    }

    /// Whether the path from a node crosses no bus twice.
    fn is_legal(&mut self, draft: &StepPlan<'_>, node: NodeId) -> bool {
        self.trace(draft.task().topology(), node);
        !draft.task().repeats_a_resource(&self.path)
    }

    /// Writes the path from a node in reach to the target.
    fn trace(&mut self, topology: &Topology, mut node: NodeId) {
        self.path.clear();
        while node != self.queue[0] {
            let channel = self.via[node.index()];
            self.path.push(channel);
            node = topology.head(channel);
        }
    }
}
