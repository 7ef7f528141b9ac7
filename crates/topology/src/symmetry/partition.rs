//! Colour refinement of ordered partitions.

use std::collections::VecDeque;

use crate::{ChannelId, NodeId, Topology};

/// An ordered partition of the nodes into cells.
///
/// A cell is a range of places. Refinement depends on places only, so it commutes with automorphisms: it maps
/// equivalent partitions to equivalent partitions. Memory: 16 bytes per node.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    /// The node at each place.
    order: Vec<u32>,
    place: Vec<u32>,
    /// The first place of the cell of each node.
    start: Vec<u32>,
    /// The end of the cell that starts at each place, 0 if no cell starts there.
    end: Vec<u32>,
}

impl Partition {
    /// Returns the coarsest equitable partition that separates roles: all nodes of a cell have the same capacity of
    /// channels from and to each cell.
    pub(super) fn new(topology: &Topology, refiner: &mut ColourRefiner<'_>) -> Self {
        let nodes = topology.node_count();
        // Each failed node has a cell of its own, so that it is fixed.
        let role = |&number: &u32| {
            let node = NodeId::new(number);
            (topology.is_terminal(node), topology.routes(node), topology.has_failed(node).then_some(node))
        };
        let mut order: Vec<u32> = (0..nodes as u32).collect();
        order.sort_by_key(role);
        let mut partition =
            Self { place: vec![0; nodes], start: vec![0; nodes], end: vec![0; nodes], order: order.clone() };
        let mut first = 0;
        for cell in order.chunk_by(|one, other| role(one) == role(other)) {
            for (place, &node) in (first..).zip(cell) {
                partition.place[node as usize] = place;
                partition.start[node as usize] = first;
            }
            refiner.splitters.push_back(first);
            let end = first + cell.len() as u32;
            partition.end[first as usize] = end;
            first = end;
        }
        refiner.refine(&mut partition, |_| true);
        partition
    }

    /// Returns true if both partitions have cells at the same places.
    pub(super) fn has_cells_of(&self, other: &Self) -> bool {
        self.end == other.end
    }

    /// Returns the nodes by place.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the nodes of the cell that starts at this place.
    pub(super) fn cell(&self, start: u32) -> &[u32] {
        &self.order[start as usize..self.end[start as usize] as usize]
    }

    /// Returns true if the cell of a node contains no other node.
    pub(super) fn is_singleton(&self, node: u32) -> bool {
        let start = self.start[node as usize];
        self.end[start as usize] == start + 1
    }

    /// Returns the start of the first largest cell, or `None` if all cells are single nodes.
    pub(super) fn largest_cell(&self) -> Option<u32> {
        let starts = (0..self.end.len() as u32).filter(|&start| self.end[start as usize] > start + 1);
        starts.max_by_key(|&start| (self.end[start as usize] - start, std::cmp::Reverse(start)))
    }

    /// Returns the refined partition after splitting a node from its larger cell, and the trace of its refinement.
    pub(super) fn individualised(&self, node: u32, refiner: &mut ColourRefiner<'_>) -> (Self, Trace) {
        let mut trace = Trace::new();
        let records = |found| {
            trace.push(found);
            true
        };
        let next = self.individualised_if(node, refiner, records).expect("every trace is accepted");
        (next, trace)
    }

    /// Returns the refined partition after splitting a node from its larger cell; `None` as soon as its refinement differs
    /// from this trace. A node with another trace is not equivalent.
    pub(super) fn individualised_as(&self, node: u32, refiner: &mut ColourRefiner<'_>, trace: &Trace) -> Option<Self> {
        let mut expected = trace.iter();
        self.individualised_if(node, refiner, |found| expected.next() == Some(&found))
    }

    fn individualised_if(
        &self,
        node: u32,
        refiner: &mut ColourRefiner<'_>,
        accepts: impl FnMut(u64) -> bool,
    ) -> Option<Self> {
        let mut partition = self.clone();
        let start = partition.start[node as usize];
        partition.swap(node, start);
        let end = std::mem::replace(&mut partition.end[start as usize], start + 1);
        partition.end[start as usize + 1] = end;
        for place in start + 1..end {
            partition.start[partition.order[place as usize] as usize] = start + 1;
        }
        refiner.work += self.order.len() as u64;
        refiner.splitters.push_back(start);
        refiner.refine(&mut partition, accepts).then_some(partition)
    }

    /// Exchanges a node with the node at this place.
    fn swap(&mut self, node: u32, place: u32) {
        let (before, other) = (self.place[node as usize], self.order[place as usize]);
        self.order.swap(before as usize, place as usize);
        self.place[node as usize] = place;
        self.place[other as usize] = before;
    }
}

/// What a refinement does, as one number per splitter. It depends on places only, so equivalent partitions have equal
/// traces.
pub(super) type Trace = Vec<u64>;

/// Adds a value to a number that stands for a sequence of values.
fn mix(sequence: u64, value: u64) -> u64 {
    // The multiplier is 2^64 divided by the golden ratio.
    (sequence.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Refines partitions until they are equitable.
#[derive(Debug)]
pub(super) struct ColourRefiner<'a> {
    topology: &'a Topology,
    /// Starts of the cells that have not been used to split others.
    splitters: VecDeque<u32>,
    is_queued: Vec<bool>,
    /// Capacity of the channels between each node and the current splitter.
    count: Vec<u64>,
    /// Number of nodes and channels visited so far.
    pub(super) work: u64,
}

impl<'a> ColourRefiner<'a> {
    pub(super) fn new(topology: &'a Topology) -> Self {
        let nodes = topology.node_count();
        Self { topology, splitters: VecDeque::new(), is_queued: vec![false; nodes], count: vec![0; nodes], work: 0 }
    }

    /// Refines the partition by the queued splitters in `O(M log N)` time, while `accepts` accepts the numbers of its
    /// [trace](Trace). Returns whether it accepts all of them.
    fn refine(&mut self, partition: &mut Partition, mut accepts: impl FnMut(u64) -> bool) -> bool {
        let topology = self.topology;
        for &start in &self.splitters {
            self.is_queued[start as usize] = true;
        }
        let (mut splitter, mut touched) = (Vec::new(), Vec::new());
        while let Some(start) = self.splitters.pop_front() {
            self.is_queued[start as usize] = false;
            splitter.clear();
            splitter.extend_from_slice(partition.cell(start));
            let mut trace = u64::from(start);
            for is_forward in [false, true] {
                for &node in &splitter {
                    let node = NodeId::new(node);
                    let other_end = |channel: ChannelId| {
                        if is_forward { topology.head(channel) } else { topology.tail(channel) }
                    };
                    let channels = if is_forward { topology.out_channels(node) } else { topology.in_channels(node) };
                    self.work += channels.len() as u64;
                    for &channel in channels {
                        let other = other_end(channel);
                        if self.count[other.index()] == 0 {
                            touched.push(other.number());
                        }
                        self.count[other.index()] += u64::from(topology.capacity(channel));
                    }
                }
                let key = |&node: &u32| (partition.start[node as usize], self.count[node as usize]);
                touched.sort_unstable_by_key(key);
                let mut rest = &touched[..];
                while let Some(&first) = rest.first() {
                    let cell = partition.start[first as usize];
                    let (inside, others) =
                        rest.split_at(rest.partition_point(|&node| partition.start[node as usize] == cell));
                    self.split(partition, cell, inside, &mut trace);
                    rest = others;
                }
                for node in touched.drain(..) {
                    self.count[node as usize] = 0;
                }
            }
            if !accepts(trace) {
                for start in self.splitters.drain(..) {
                    self.is_queued[start as usize] = false;
                }
                return false;
            }
        }
        true
    }

    /// Splits a cell by the counts of its nodes. `counted` are the nodes with a positive count, by ascending count.
    fn split(&mut self, partition: &mut Partition, cell: u32, counted: &[u32], trace: &mut u64) {
        let end = partition.end[cell as usize];
        *trace = mix(mix(*trace, cell.into()), counted.len() as u64);
        *trace = counted.iter().fold(*trace, |trace, &node| mix(trace, self.count[node as usize]));
        for (&node, place) in counted.iter().rev().zip((cell..end).rev()) {
            partition.swap(node, place);
        }
        let first_counted = end - counted.len() as u32;
        let starts_part = |place: u32| {
            place > cell && {
                let count = |place: u32| self.count[partition.order[place as usize] as usize];
                count(place) != count(place - 1)
            }
        };
        let starts: Vec<u32> = (first_counted..end).filter(|&place| starts_part(place)).collect();
        if starts.is_empty() {
            return;
        }
        let mut parts = Vec::with_capacity(starts.len() + 1);
        let ends = starts.iter().copied().chain([end]);
        for (start, end) in [cell].into_iter().chain(starts.iter().copied()).zip(ends) {
            partition.end[start as usize] = end;
            if start != cell {
                for place in start..end {
                    partition.start[partition.order[place as usize] as usize] = start;
                }
            }
            parts.push((end - start, std::cmp::Reverse(start)));
        }
        // Hopcroft's rule: one part can be skipped, because the whole cell and the other parts imply its counts.
        let skipped = if self.is_queued[cell as usize] { Some(cell) } else { parts.iter().max().map(|part| part.1.0) };
        for (_, std::cmp::Reverse(start)) in parts {
            if Some(start) != skipped {
                self.is_queued[start as usize] = true;
                self.splitters.push_back(start);
            }
        }
    }
}
