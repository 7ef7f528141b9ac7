//! The nearest senders of a terminal in one step.

use lockstep_schedule::Routing;
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};

use super::usage::Usage;

/// Breadth-first search against the channels; scratch space.
#[derive(Debug)]
pub(crate) struct Search {
    /// Distance to the target, `UNSEEN` outside a search.
    distance: Vec<u32>,
    /// Whether a path of free channels of that length leads from the node to the target.
    open: Vec<bool>,
    /// The first channel of such a path.
    via: Vec<ChannelId>,
    queue: Vec<NodeId>,
    /// The path found.
    path: Vec<ChannelId>,
}

const UNSEEN: u32 = u32::MAX;

impl Search {
    pub(crate) fn new(node_count: usize) -> Self {
        Self {
            distance: vec![UNSEEN; node_count],
            open: vec![false; node_count],
            via: vec![ChannelId::new(0); node_count],
            queue: Vec::new(),
            path: Vec::new(),
        }
    }

    /// The legal path of the last search that found something.
    pub(crate) fn path(&self) -> &[ChannelId] {
        &self.path
    }

    /// The best of the nearest terminals from which free channels lead to `target`: the one with the least value, ties
    /// at random. `value` is `None` for terminals that are of no use.
    ///
    /// Under minimal routing those channels must make a shortest path of the network; closed nodes are searched only
    /// for the distances that decide this.
    pub(crate) fn nearest<T>(
        &mut self,
        usage: &Usage<'_>,
        target: NodeId,
        routing: Routing,
        rng: &mut impl Rng,
        mut value: impl FnMut(usize) -> Option<(u32, T)>,
    ) -> Option<T> {
        self.queue.push(target);
        self.distance[target.index()] = 0;
        self.open[target.index()] = true;
        let mut found = None;
        let mut level = 0..1;
        while found.is_none() && self.queue[level.clone()].iter().any(|node| self.open[node.index()]) {
            for place in level.clone() {
                self.expand(usage, place, routing, rng);
            }
            level = level.end..self.queue.len();
            found = self.best(usage, level.clone(), rng, &mut value);
        }
        for node in self.queue.drain(..) {
            self.distance[node.index()] = UNSEEN;
        }
        found
    }

    /// Looks at the channels into a node of the queue, from a random one on.
    fn expand(&mut self, usage: &Usage<'_>, place: usize, routing: Routing, rng: &mut impl Rng) {
        let topology = usage.task().topology();
        let head = self.queue[place];
        let channels = topology.in_channels(head);
        if channels.is_empty() || place > 0 && !topology.routes(head) {
            return;
        }
        let (before, after) = channels.split_at(rng.random_range(0..channels.len()));
        let (distance, open) = (self.distance[head.index()] + 1, self.open[head.index()]);
        for &channel in after.iter().chain(before) {
            let passes = open && usage.is_free(channel);
            let tail = topology.tail(channel);
            if self.distance[tail.index()] == UNSEEN && (passes || routing == Routing::Minimal) {
                self.distance[tail.index()] = distance;
                self.open[tail.index()] = false;
                self.queue.push(tail);
            }
            if passes && self.distance[tail.index()] == distance && !self.open[tail.index()] {
                self.open[tail.index()] = true;
                self.via[tail.index()] = channel;
            }
        }
    }

    /// The best open terminal of a level; its path is left in `path`.
    fn best<T>(
        &mut self,
        usage: &Usage<'_>,
        level: std::ops::Range<usize>,
        rng: &mut impl Rng,
        mut value: impl FnMut(usize) -> Option<(u32, T)>,
    ) -> Option<T> {
        let task = usage.task();
        let mut best: Option<((u32, u32), NodeId, T)> = None;
        for place in level {
            let node = self.queue[place];
            let Some(terminal) = task.topology().terminal_rank(node).filter(|_| self.open[node.index()]) else {
                continue;
            };
            if !usage.may_send(terminal) {
                continue;
            }
            let Some((value, what)) = value(terminal) else { continue };
            let key = (value, rng.random::<u32>());
            if best.as_ref().is_some_and(|(least, ..)| key >= *least) {
                continue;
            }
            self.trace(task.topology(), node);
            if !task.repeats_a_resource(&self.path) {
                best = Some((key, node, what));
            }
        }
        best.map(|(_, node, what)| {
            self.trace(task.topology(), node);
            what
        })
    }

    /// Writes the path from an open node to the target.
    fn trace(&mut self, topology: &Topology, mut node: NodeId) {
        self.path.clear();
        while node != self.queue[0] {
            let channel = self.via[node.index()];
            self.path.push(channel);
            node = topology.head(channel);
        }
    }
}
