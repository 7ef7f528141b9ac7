//! Shortest paths by length.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Graph;

/// The shortest paths from one source at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// By node, from the source of the search; infinite where no path leads.
    pub(super) distance: Vec<f64>,
    /// The node before each on its path.
    pub(super) before: Vec<u32>,
    /// The class of the arc from there.
    pub(super) class: Vec<u32>,
    /// Distances, whose bits are in the same order, and nodes.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Tree {
    /// Searches from one source, with the class of each arc and the length of each class. Dijkstra's algorithm.
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
                if farther < self.distance[neighbour as usize] {
                    self.distance[neighbour as usize] = farther;
                    self.before[neighbour as usize] = node;
                    self.class[neighbour as usize] = class;
                    self.queue.push(Reverse((farther.to_bits(), neighbour)));
                }
            }
        }
    }
}
