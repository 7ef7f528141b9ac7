//! Shortest paths from one source, and flows along and near them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_topology::NodeId;

use super::capacitated_network::CapacitatedNetwork;

/// A tree of shortest paths from one source to all nodes. It reuses the memory of earlier trees: about 60 bytes per
/// node.
#[derive(Clone, Default)]
pub(super) struct ShortestPaths {
    /// The length of a shortest path to each node; infinite if there is none.
    pub(super) distance: Vec<f64>,
    /// The last channel of that path.
    last: Vec<u32>,
    /// The nodes reached, each after its predecessor on its path.
    order: Vec<u32>,
    /// The place of each node in the order.
    place: Vec<u32>,
    /// The smallest number of channels to each node, if minimal routing requires it.
    hops: Vec<u32>,
    /// The flow that must reach each node, to end or to continue there.
    required: Vec<f64>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl ShortestPaths {
    /// Computes the shortest legal paths for finite, non-negative lengths of channels.
    ///
    /// For integer lengths with sums below 2^53, the distances are exact.
    pub(super) fn compute(&mut self, network: &CapacitatedNetwork, length: &[f64], source: NodeId) {
        self.clear(network, source);
        if network.is_minimal {
            self.by_hops(network, |channel| length[channel], source);
        } else {
            self.by_length(network, length, source);
        }
    }

    fn clear(&mut self, network: &CapacitatedNetwork, source: NodeId) {
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

    /// Runs Dijkstra's algorithm.
    fn by_length(&mut self, network: &CapacitatedNetwork, length: &[f64], source: NodeId) {
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
                    // The order of non-negative floats is the order of their bits.
                    self.queue.push(Reverse((farther.to_bits(), head)));
                }
            }
        }
    }

    /// Searches layer by layer for the shortest among the paths with the fewest channels.
    fn by_hops(&mut self, network: &CapacitatedNetwork, length: impl Fn(usize) -> f64, source: NodeId) {
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

    /// Sets the flow of each channel to a routing over paths with the fewest channels. Every receiver receives one
    /// message, and every node receives equal parts over all channels on such paths.
    pub(super) fn spread(
        &mut self,
        network: &CapacitatedNetwork,
        source: NodeId,
        receivers: impl Iterator<Item = NodeId>,
        flow: &mut [f32],
    ) {
        self.clear(network, source);
        self.by_hops(network, |_| 0.0, source);
        self.set_required(receivers);
        flow.fill(0.0);
        // Paths enter from nodes that are one channel nearer and that messages may leave.
        let nearer = |paths: &Self, channel: u32, node: u32| {
            let tail = network.tail(channel as usize);
            let is_layer = paths.hops[tail as usize].checked_add(1) == Some(paths.hops[node as usize]);
            is_layer && !network.leaving(tail, source).is_empty()
        };
        for place in (1..self.order.len()).rev() {
            let node = self.order[place];
            let required = self.required[node as usize];
            let channel_count = network.entering(node).iter().filter(|&&channel| nearer(self, channel, node)).count();
            for &channel in network.entering(node) {
                if required > 0.0 && nearer(self, channel, node) {
                    let part = required / channel_count as f64;
                    flow[channel as usize] = part as f32;
                    self.required[network.tail(channel as usize) as usize] += part;
                }
            }
        }
    }

    /// Computes a better flow: at every node, each channel that is not on the tree passes a part of its flow to the
    /// channel of the tree: `shift_rate` times the relative length of the detour, or all.
    ///
    /// Flow that enters a node from farther nodes moves to the tree completely, so no flow runs in a cycle. The total
    /// length does not grow.
    pub(super) fn shift(
        &mut self,
        network: &CapacitatedNetwork,
        length: &[f64],
        shift_rate: f64,
        receivers: impl Iterator<Item = NodeId>,
        flow: &[f32],
        better: &mut [f32],
    ) {
        self.set_required(receivers);
        better.fill(0.0);
        for place in (1..self.order.len()).rev() {
            let node = self.order[place] as usize;
            let required = self.required[node];
            if required <= 0.0 {
                continue;
            }
            let (last, entering) = (self.last[node] as usize, network.entering(node as u32));
            let incoming: f64 = entering.iter().map(|&channel| f64::from(flow[channel as usize])).sum();
            let kept = if incoming > required { required / incoming } else { 1.0 };
            let mut rest = required;
            for channel in entering.iter().map(|&channel| channel as usize) {
                let tail = network.tail(channel) as usize;
                if channel == last || flow[channel] <= 0.0 || self.place[tail] as usize >= place {
                    continue;
                }
                let detour = (self.distance[tail] + length[channel] - self.distance[node]).max(0.0);
                let away = if detour > 0.0 { shift_rate * detour / (length[channel] + length[last]) } else { 0.0 };
                let stays = (f64::from(flow[channel]) - away).max(0.0) * kept;
                better[channel] = stays as f32;
                self.required[tail] += stays;
                rest -= stays;
            }
            better[last] = rest.max(0.0) as f32;
            self.required[network.tail(last) as usize] += rest.max(0.0);
        }
    }

    fn set_required(&mut self, receivers: impl Iterator<Item = NodeId>) {
        self.required.clear();
        self.required.resize(self.distance.len(), 0.0);
        receivers.for_each(|receiver| self.required[receiver.index()] += 1.0);
    }
}
