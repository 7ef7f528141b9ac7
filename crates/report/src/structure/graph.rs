//! The simple undirected graph of a network.

use lockstep_topology::{NodeId, Topology};

use crate::layered_layout::neighbours;

/// Neighbours of each node, ascending, without directions and multiplicities.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) neighbours: Vec<Vec<usize>>,
}

impl Graph {
    pub(super) fn new(topology: &Topology) -> Self {
        let of = |node| sorted(neighbours(topology, node).map(NodeId::index).collect());
        Self { neighbours: topology.nodes().map(of).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Returns the nodes that are no leaves, ascending, and the only neighbour of each leaf. A leaf has one neighbour, which
    /// has more.
    pub(super) fn without_leaves(&self) -> (Vec<usize>, Vec<Option<usize>>) {
        let owner = |row: &Vec<usize>| match row[..] {
            [only] if self.neighbours[only].len() > 1 => Some(only),
            _ => None,
        };
        let owners: Vec<_> = self.neighbours.iter().map(owner).collect();
        let core = (0..self.len()).filter(|&node| owners[node].is_none()).collect();
        (core, owners)
    }

    /// Returns the graph of some nodes, which are ascending.
    pub(super) fn part(&self, nodes: &[usize]) -> Self {
        let place = |node: &usize| nodes.binary_search(node).ok();
        Self {
            neighbours: nodes.iter().map(|&node| self.neighbours[node].iter().filter_map(place).collect()).collect(),
        }
    }

    /// Returns all edges, as pairs of ascending nodes.
    pub(super) fn edges(&self) -> Vec<[usize; 2]> {
        let of = |(node, row): (usize, &Vec<usize>)| {
            row.iter().filter(|&&other| other > node).map(|&other| [node, other]).collect::<Vec<_>>()
        };
        self.neighbours.iter().enumerate().flat_map(of).collect()
    }

    /// Returns the nodes that two nodes have as neighbours.
    pub(super) fn common(&self, one: usize, other: usize) -> Vec<usize> {
        let row = &self.neighbours[other];
        self.neighbours[one].iter().copied().filter(|node| row.binary_search(node).is_ok()).collect()
    }

    /// Returns the distances from a node; `None` if a node is not connected with it.
    pub(super) fn distances(&self, source: usize) -> Option<Vec<u32>> {
        let mut distance = vec![u32::MAX; self.len()];
        let mut queue = vec![source];
        distance[source] = 0;
        let mut done = 0;
        while let Some(&node) = queue.get(done) {
            done += 1;
            for &other in &self.neighbours[node] {
                if distance[other] == u32::MAX {
                    distance[other] = distance[node] + 1;
                    queue.push(other);
                }
            }
        }
        (done == self.len()).then_some(distance)
    }

    /// Returns the order of the nodes along a path or around a cycle; `None` for other graphs.
    pub(super) fn line(&self) -> Option<Vec<usize>> {
        let start = (0..self.len()).find(|&node| self.neighbours[node].len() == 1).unwrap_or(0);
        let mut order = vec![start];
        let mut is_seen = vec![false; self.len()];
        is_seen[start] = true;
        while let Some(&next) = self.neighbours[*order.last()?].iter().find(|&&next| !is_seen[next]) {
            is_seen[next] = true;
            order.push(next);
        }
        let is_line = self.neighbours.iter().all(|row| row.len() <= 2);
        (is_line && order.len() == self.len()).then_some(order)
    }
}

/// Returns the numbers in ascending order without repetitions.
pub(super) fn sorted(mut numbers: Vec<usize>) -> Vec<usize> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Sets that are joined.
#[derive(Debug)]
pub(super) struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    /// Creates sets of one element each.
    pub(super) fn new(count: usize) -> Self {
        Self { parent: (0..count).collect() }
    }

    /// Returns the smallest element of a set.
    pub(super) fn find(&mut self, mut element: usize) -> usize {
        while self.parent[element] != element {
            self.parent[element] = self.parent[self.parent[element]];
            element = self.parent[element];
        }
        element
    }

    pub(super) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.parent[one.max(other)] = one.min(other);
    }

    /// Returns the number of the set of each element, and the number of sets. Sets are numbered by their smallest elements.
    pub(super) fn numbers(mut self) -> (Vec<usize>, usize) {
        let roots: Vec<usize> = (0..self.parent.len()).map(|element| self.find(element)).collect();
        let distinct = sorted(roots.clone());
        let place = |root: &usize| distinct.binary_search(root).unwrap_or(0);
        (roots.iter().map(place).collect(), distinct.len())
    }
}
