//! Shortest paths by length.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::graph::Graph;

/// The shortest paths from one source, with reusable buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct ShortestPathTree {
    /// Distance of each node from the source, or infinity.
    pub(super) distance: Vec<f64>,
    /// Predecessor of each node.
    pub(super) before: Vec<u32>,
    /// Class of the arc from the predecessor.
    pub(super) class: Vec<u32>,
    /// Bits of distances, which have the same order, and nodes.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl ShortestPathTree {
    /// Runs Dijkstra's algorithm from one source. O(M log N).
    ///
    /// Ties between paths are broken differently for each source, to spread the load.
    pub(super) fn search(&mut self, graph: &Graph, classes: &[u32], lengths: &[f64], source: u32) {
        self.distance.clear();
        self.distance.resize(graph.node_count(), f64::INFINITY);
        self.before.resize(graph.node_count(), 0);
        self.class.resize(graph.node_count(), 0);
        self.distance[source as usize] = 0.0;
        self.queue.push(Reverse((0, source)));
        while let Some(Reverse((bits, node))) = self.queue.pop() {
            let distance = f64::from_bits(bits);
            if distance > self.distance[node as usize] || (node != source && !graph.routes(node)) {
                continue;
            }
            for (&neighbour, &class) in graph.neighbours(node).iter().zip(&classes[graph.row(node)]) {
                let farther = distance + lengths[class as usize];
                let known = self.distance[neighbour as usize];
                if farther < known {
                    self.distance[neighbour as usize] = farther;
                    self.before[neighbour as usize] = node;
                    self.class[neighbour as usize] = class;
                    self.queue.push(Reverse((farther.to_bits(), neighbour)));
                } else if farther <= known
                    // A length may be lost by rounding. The comparison prevents cycles.
                    && distance < known
                    && spread(source, node) < spread(source, self.before[neighbour as usize])
                {
                    self.before[neighbour as usize] = node;
                    self.class[neighbour as usize] = class;
                }
            }
        }
    }
}

/// Returns a hash of source and node, for breaking ties.
fn spread(source: u32, node: u32) -> u32 {
    let mixed = (source.wrapping_mul(0x85EB_CA6B) ^ node).wrapping_mul(0x9E37_79B1);
    (mixed ^ mixed >> 15).wrapping_mul(0xC2B2_AE35)
}
