//! Shortest paths from one source, and flows along and beside them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_topology::NodeId;

use super::network::Network;

/// Shortest paths from one source to all nodes, with the memory of earlier ones: about 60 bytes a node.
#[derive(Clone, Default)]
pub(super) struct Tree {
    /// The length of a shortest path to each node; infinite where none leads.
    pub(super) distance: Vec<f64>,
    /// The last channel of that path.
    last: Vec<u32>,
    /// The nodes reached, each behind the one before it on its path.
    order: Vec<u32>,
    /// Where each node stands in the order.
    place: Vec<u32>,
    /// The fewest channels to each node, where these count.
    hops: Vec<u32>,
    /// What has to get to each node, to stay or to go on.
    wanted: Vec<f64>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Tree {
    /// Finds the shortest legal paths for lengths of channels that are finite and not negative.
    ///
    /// With whole numbers below 2^53 in sum, the distances are exact.
    pub(super) fn grow(&mut self, network: &Network, length: &[f64], source: NodeId) {
        self.clear(network, source);
        if network.is_minimal {
            self.by_hops(network, |channel| length[channel], source);
        } else {
            self.by_length(network, length, source);
        }
    }

    fn clear(&mut self, network: &Network, source: NodeId) {
        self.distance.clear();
        self.distance.resize(network.node_count(), f64::INFINITY);
        self.distance[source.index()] = 0.0;
        self.last.resize(network.node_count(), 0);
        self.place.resize(network.node_count(), 0);
        self.order.clear();
    }

    fn push(&mut self, node: u32) {
        self.place[node as usize] = self.order.len() as u32;
        self.order.push(node);
    }

    /// The algorithm of Dijkstra.
    fn by_length(&mut self, network: &Network, length: &[f64], source: NodeId) {
        self.queue.push(Reverse((0, source.number())));
        while let Some(Reverse((bits, node))) = self.queue.pop() {
            let distance = f64::from_bits(bits);
            if distance > self.distance[node as usize] {
                continue;
            }
            self.push(node);
            for channel in network.leaving(node, source) {
                let (head, farther) = (network.head(channel), distance + length[channel]);
                if farther < self.distance[head as usize] {
                    self.distance[head as usize] = farther;
                    self.last[head as usize] = channel as u32;
                    // Numbers that are not negative are ordered as their bits are.
                    self.queue.push(Reverse((farther.to_bits(), head)));
                }
            }
        }
    }

    /// The shortest of the paths of fewest channels: a search in layers.
    fn by_hops(&mut self, network: &Network, length: impl Fn(usize) -> f64, source: NodeId) {
        self.hops.clear();
        self.hops.resize(network.node_count(), u32::MAX);
        self.hops[source.index()] = 0;
        self.push(source.number());
        let mut next = 0;
        while let Some(&node) = self.order.get(next) {
            next += 1;
            let (hops, distance) = (self.hops[node as usize] + 1, self.distance[node as usize]);
            for channel in network.leaving(node, source) {
                let head = network.head(channel);
                if self.hops[head as usize] == u32::MAX {
                    self.hops[head as usize] = hops;
                    self.push(head);
                }
                let farther = distance + length(channel);
                if self.hops[head as usize] == hops && farther < self.distance[head as usize] {
                    self.distance[head as usize] = farther;
                    self.last[head as usize] = channel as u32;
                }
            }
        }
    }

    /// Sets what each channel carries if every receiver gets one message over paths of the fewest channels, and every
    /// node gets equal parts over all channels by which such paths come in.
    pub(super) fn spread(
        &mut self,
        network: &Network,
        source: NodeId,
        receivers: impl Iterator<Item = NodeId>,
        flow: &mut [f32],
    ) {
        self.clear(network, source);
        self.by_hops(network, |_| 0.0, source);
        self.want(receivers);
        flow.fill(0.0);
        // Paths come in from the nodes a channel nearer that let messages pass.
        let nearer = |tree: &Self, channel: u32, node: u32| {
            let tail = network.tail(channel as usize);
            let is_layer = tree.hops[tail as usize].checked_add(1) == Some(tree.hops[node as usize]);
            is_layer && !network.leaving(tail, source).is_empty()
        };
        for place in (1..self.order.len()).rev() {
            let node = self.order[place];
            let wanted = self.wanted[node as usize];
            let ways = network.entering(node).iter().filter(|&&channel| nearer(self, channel, node)).count();
            for &channel in network.entering(node) {
                if wanted > 0.0 && nearer(self, channel, node) {
                    let part = wanted / ways as f64;
                    flow[channel as usize] = part as f32;
                    self.wanted[network.tail(channel as usize) as usize] += part;
                }
            }
        }
    }

    /// Sets what each channel should rather carry: at every node, each channel off the tree gives `willing` times the
    /// relative length of the detour to the channel of the tree, or all it has.
    ///
    /// All that comes to a node from farther nodes goes to the tree, so that no flow goes round in a circle. By the lengths
    /// given, the sum over all channels is no greater than before.
    pub(super) fn shift(
        &mut self,
        network: &Network,
        length: &[f64],
        willing: f64,
        receivers: impl Iterator<Item = NodeId>,
        flow: &[f32],
        better: &mut [f32],
    ) {
        self.want(receivers);
        better.fill(0.0);
        for place in (1..self.order.len()).rev() {
            let node = self.order[place] as usize;
            let wanted = self.wanted[node];
            if wanted <= 0.0 {
                continue;
            }
            let (last, entering) = (self.last[node] as usize, network.entering(node as u32));
            let comes: f64 = entering.iter().map(|&channel| f64::from(flow[channel as usize])).sum();
            let still = if comes > wanted { wanted / comes } else { 1.0 };
            let mut rest = wanted;
            for channel in entering.iter().map(|&channel| channel as usize) {
                let tail = network.tail(channel) as usize;
                if channel == last || flow[channel] <= 0.0 || self.place[tail] as usize >= place {
                    continue;
                }
                let detour = (self.distance[tail] + length[channel] - self.distance[node]).max(0.0);
                let away = if detour > 0.0 { willing * detour / (length[channel] + length[last]) } else { 0.0 };
                let stays = (f64::from(flow[channel]) - away).max(0.0) * still;
                better[channel] = stays as f32;
                self.wanted[tail] += stays;
                rest -= stays;
            }
            better[last] = rest.max(0.0) as f32;
            self.wanted[network.tail(last) as usize] += rest.max(0.0);
        }
    }

    fn want(&mut self, receivers: impl Iterator<Item = NodeId>) {
        self.wanted.clear();
        self.wanted.resize(self.distance.len(), 0.0);
        receivers.for_each(|receiver| self.wanted[receiver.index()] += 1.0);
    }
}
