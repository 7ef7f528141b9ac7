//! Shortest paths from one source, by Dijkstra's algorithm.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_topology::NodeId;

use super::capacitated_network::CapacitatedNetwork;

/// A tree of shortest paths from one source to all nodes. It reuses the memory of earlier trees: about 40 bytes per
/// node.
#[derive(Clone, Default)]
pub(super) struct ShortestPaths {
    /// The length of a shortest path to each node; infinite if there is none.
    pub(super) distance: Vec<f64>,
    /// The last channel of that path.
    pub(super) last: Vec<u32>,
    /// The nodes reached, each after its predecessor on its path.
    pub(super) order: Vec<u32>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl ShortestPaths {
    /// Computes the shortest legal paths for finite, non-negative lengths of channels.
    ///
    /// For integer lengths with sums below 2^53, the distances are exact.
    pub(super) fn compute(&mut self, network: &CapacitatedNetwork, length: impl Fn(usize) -> f64, source: NodeId) {
        self.distance.clear();
        self.distance.resize(network.node_count(), f64::INFINITY);
        self.distance[source.index()] = 0.0;
        self.last.resize(network.node_count(), 0);
        self.order.clear();
        self.queue.push(Reverse((0, source.number())));
        while let Some(Reverse((bits, node))) = self.queue.pop() {
            let distance = f64::from_bits(bits);
            if distance > self.distance[node as usize] {
                continue;
            }
            self.order.push(node);
            for channel in network.leaving(node, source) {
                let (head, farther) = (network.head(channel), distance + length(channel));
                if farther < self.distance[head as usize] {
                    self.distance[head as usize] = farther;
                    self.last[head as usize] = channel as u32;
                    // The order of non-negative floats is the order of their bits.
                    self.queue.push(Reverse((farther.to_bits(), head)));
                }
            }
        }
    }
}
