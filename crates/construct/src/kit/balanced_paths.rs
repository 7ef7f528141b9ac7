//! A shortest path per message, so that all resources have about the same load.

use lockstep_model::{Routes, Slots};
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::Rng;
use rand::seq::SliceRandom;

use super::congestion_prices::{CongestionPrices, TieNoise};
use super::distances::{DistanceScratch, SourceDistances, UNREACHED};
use super::method_error::MethodError;
use super::request::AttemptContext;
use super::task::SchedulingTask;

/// The first pass has prices that fall to half at this part of the limit: one eighth.
const FIRST_WIDTH_BITS: u32 = 3;

/// The number of such parts in all passes. Each is half of the one before.
const WIDTHS: u32 = 8;

/// Units of work per channel of a message's path in one pass.
const PATH_WORK: u64 = 4;

/// Returns a shortest path per message. Some passes visit all sources in random order. The prices rise more steeply near the
/// limit in later passes. Each pass finds the cheapest shortest paths from a source to all nodes, in `O(M)` time, and moves
/// the messages for which the new path is cheaper. A first attempt may end after the deadline, so that its schedule can be
/// [completed](AttemptContext::check_completion).
///
/// # Errors
///
/// [`MethodError::Unsupported`], if a receiver cannot be reached in one transfer; [`MethodError::TooLarge`], if all
/// paths together have more channels than a schedule can hold; otherwise as [`AttemptContext::check`].
///
/// # Source
///
/// Prices exponential in the load: Aspnes, Azar, Fiat, Plotkin and Waarts, *On-line routing of virtual circuits
/// with applications to load balancing and machine scheduling* (1997).
pub(crate) fn balanced_paths(
    task: &SchedulingTask<'_>,
    slots: &Slots,
    passes: u32,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Result<Routes, MethodError> {
    let distances = SourceDistances::new(task)?;
    let (by_source, mut paths) = PathRows::unknown(task, &distances)?;
    let least = paths.channels.len() as u64 / task.topology().capacity_sum().max(1) + 1;
    let mut prices = CongestionPrices::new(slots.resource_capacities());
    let mut tree = CheapestPaths::new(task, slots);
    let mut scratch = DistanceScratch::default();
    let mut of_sources: Vec<&[(NodeId, NodeId, u32)]> = by_source.chunk_by(|one, other| one.0 == other.0).collect();
    for pass in 0..passes {
        let limit = prices.steps().max(u32::try_from(least).map_err(|_| MethodError::TooLarge)?);
        prices.set_limit(limit, (limit >> (FIRST_WIDTH_BITS + WIDTHS * pass / passes)).max(1));
        of_sources.shuffle(rng);
        for &messages in &of_sources {
            context.check_preparation()?;
            let source = messages[0].0;
            let mut work = tree.search(source, distances.from(source, &mut scratch), &prices, TieNoise::new(rng));
            for &(_, target, message) in messages {
                let path = paths.path_mut(message);
                work += PATH_WORK * path.len() as u64;
                if pass == 0 || tree.is_cheaper(target, path, &mut prices) {
                    tree.copy_path(target, path);
                }
                tree.add(path, &mut prices);
            }
            context.count(work);
        }
    }
    Ok(Routes::of_paths(slots, (0..paths.end.len() as u32).map(|message| paths.path(message))))
}

/// A path per message, which changes in its place.
struct PathRows {
    end: Vec<u32>,
    channels: Vec<ChannelId>,
}

impl PathRows {
    /// Returns the source, the receiver and the number of each message, by source, and paths of the right lengths.
    #[expect(clippy::type_complexity, reason = "the parts are named where they are used")]
    fn unknown(
        task: &SchedulingTask<'_>,
        distances: &SourceDistances<'_>,
    ) -> Result<(Vec<(NodeId, NodeId, u32)>, Self), MethodError> {
        let messages = task.messages();
        let mut scratch = DistanceScratch::default();
        let (mut by_source, mut end, mut channels) =
            (Vec::with_capacity(messages.len()), Vec::with_capacity(messages.len()), 0u32);
        for message in messages.ids() {
            let source = messages.source(message);
            let receiver = messages.receivers_iter(message).next().expect("a message has a receiver");
            let distance = distances.from(source, &mut scratch)[receiver.index()];
            if distance == UNREACHED {
                return Err(MethodError::Unsupported);
            }
            channels = channels.checked_add(distance).ok_or(MethodError::TooLarge)?;
            end.push(channels);
            by_source.push((source, receiver, message.number()));
        }
        if u64::from(channels) + 2 * messages.len() as u64 > u64::from(u32::MAX) {
            return Err(MethodError::TooLarge);
        }
        by_source.sort_by_key(|&(source, ..)| source);
        Ok((by_source, Self { end, channels: vec![ChannelId::new(0); channels as usize] }))
    }

    fn range(&self, message: u32) -> std::ops::Range<usize> {
        let start = (message as usize).checked_sub(1).map_or(0, |before| self.end[before]);
        start as usize..self.end[message as usize] as usize
    }

    /// Returns the path of a message.
    fn path(&self, message: u32) -> &[ChannelId] {
        &self.channels[self.range(message)]
    }

    fn path_mut(&mut self, message: u32) -> &mut [ChannelId] {
        let range = self.range(message);
        &mut self.channels[range]
    }
}

/// The cheapest of the shortest paths from one source to all nodes.
struct CheapestPaths<'a> {
    task: &'a SchedulingTask<'a>,
    slots: &'a Slots,
    topology: &'a Topology,
    /// The cost of the path to each node, and its last channel.
    cost: Vec<u64>,
    via: Vec<ChannelId>,
    /// The reached nodes, nearest first.
    order: Vec<NodeId>,
    /// The end of the nodes of each distance in `order`.
    level_end: Vec<u32>,
}

impl<'a> CheapestPaths<'a> {
    fn new(task: &'a SchedulingTask<'a>, slots: &'a Slots) -> Self {
        let nodes = task.topology().node_count();
        Self {
            task,
            slots,
            topology: task.topology(),
            cost: vec![0; nodes],
            via: vec![ChannelId::new(0); nodes],
            order: Vec::new(),
            level_end: Vec::new(),
        }
    }

    /// Finds the paths from a source. Returns the units of work.
    fn search(&mut self, source: NodeId, distance: &[u32], prices: &CongestionPrices<'_>, noise: TieNoise) -> u64 {
        self.sort_by_distance(distance);
        let Self { task, slots, topology, cost, via, order, .. } = self;
        let mut work = order.len() as u64;
        cost[source.index()] = 0;
        for &node in &order[1..] {
            let mut best = (u64::MAX, ChannelId::new(0));
            work += topology.in_channels(node).len() as u64;
            for &channel in topology.in_channels(node) {
                let tail = topology.tail(channel);
                let is_before = distance[tail.index()].checked_add(1) == Some(distance[node.index()]);
                if is_before && (tail == source || task.crosses(tail)) {
                    let price = prices.of(slots.resource(channel)) + noise.of(channel.number());
                    best = best.min((cost[tail.index()].saturating_add(price), channel));
                }
            }
            (cost[node.index()], via[node.index()]) = best;
        }
        work
    }

    /// Lists the reached nodes by distance, in `O(N)` time.
    fn sort_by_distance(&mut self, distance: &[u32]) {
        self.level_end.clear();
        for &distance in distance.iter().filter(|&&distance| distance != UNREACHED) {
            if self.level_end.len() <= distance as usize {
                self.level_end.resize(distance as usize + 1, 0);
            }
            self.level_end[distance as usize] += 1;
        }
        let mut end = 0;
        for level in &mut self.level_end {
            (*level, end) = (end, end + *level);
        }
        self.order.clear();
        self.order.resize(end as usize, NodeId::new(0));
        for (node, &distance) in distance.iter().enumerate().filter(|&(_, &distance)| distance != UNREACHED) {
            let place = &mut self.level_end[distance as usize];
            self.order[*place as usize] = NodeId::from_index(node);
            *place += 1;
        }
    }

    /// Returns the channels of the path to a target, last channel first.
    fn backwards(&self, target: NodeId, length: usize) -> impl Iterator<Item = ChannelId> {
        let first = Some(self.via[target.index()]);
        std::iter::successors(first, |&channel| Some(self.via[self.topology.tail(channel).index()])).take(length)
    }

    /// Removes the uses of an old path. Returns true if the found path to its target is cheaper than that path.
    fn is_cheaper(&self, target: NodeId, path: &[ChannelId], prices: &mut CongestionPrices<'_>) -> bool {
        let slot = |channel| self.slots.resource(channel);
        for &channel in path {
            prices.remove(slot(channel));
        }
        let mut difference = 0i64;
        for (new, &old) in self.backwards(target, path.len()).zip(path.iter().rev()) {
            if new != old {
                difference += prices.of(slot(new)).cast_signed() - prices.of(slot(old)).cast_signed();
            }
        }
        difference < 0
    }

    fn copy_path(&self, target: NodeId, path: &mut [ChannelId]) {
        let length = path.len();
        path.iter_mut().rev().zip(self.backwards(target, length)).for_each(|(old, new)| *old = new);
    }

    fn add(&self, path: &[ChannelId], prices: &mut CongestionPrices<'_>) {
        for &channel in path {
            prices.add(self.slots.resource(channel));
        }
    }
}
