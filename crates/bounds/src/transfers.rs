//! Shortest transfers between all terminals, by lengths of resources and ports.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_schedule::{Problem, Routing, Switching};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::request::BoundRequest;
use crate::transfer_rules::TransferRules;

/// A transfer as the ranks of its start and its end.
pub(crate) type Ends = [usize; 2];

/// The resources and ports that transfers use.
pub(crate) struct TransferNetwork<'a> {
    pub(crate) topology: &'a Topology,
    rules: TransferRules<'a>,
    switching: Switching,
    /// Whether transfers take paths with the fewest channels.
    is_minimal: bool,
    /// The number of transfers that can use each place in one step: the capacity of each resource, in the order of the
    /// resource numbers; then for the send ports of each terminal, and for its receive ports. It is 0 where a length would prove
    /// nothing: no transfer uses the resource, or the terminal has a port for each resource.
    pub(crate) capacity: Vec<u64>,
}

impl<'a> TransferNetwork<'a> {
    pub(crate) fn new(problem: &Problem<'a>) -> Self {
        let (topology, rules, model) = (problem.topology(), TransferRules::new(problem), problem.model());
        let mut capacity = vec![0; topology.resource_count()];
        for channel in topology.channels().filter(|&channel| rules.carries(channel)) {
            capacity[topology.resource(channel).index()] = topology.capacity(channel).into();
        }
        let limited = |limit: u64, channels: &[ChannelId]| {
            if limit < rules.room(channels.iter().copied()) { limit } else { 0 }
        };
        let terminals = || topology.terminals().iter();
        capacity.extend(terminals().map(|&node| limited(rules.send_limit(node), topology.out_channels(node))));
        capacity.extend(terminals().map(|&node| limited(rules.receive_limit(node), topology.in_channels(node))));
        let is_minimal = model.routing == Routing::Minimal && !topology.has_buses();
        Self { topology, rules, switching: model.switching, is_minimal, capacity }
    }

    /// Returns the lengths of the resources, of the send ports and of the receive ports.
    pub(crate) fn by_kind<'l>(&self, lengths: &'l [u32]) -> [&'l [u32]; 3] {
        let (resources, ports) = lengths.split_at(self.topology.resource_count());
        let (sends, receptions) = ports.split_at(ports.len() / 2);
        [resources, sends, receptions]
    }

    /// Returns the place of the send port of a terminal, by its rank.
    pub(crate) fn send(&self, rank: usize) -> usize {
        self.topology.resource_count() + rank
    }

    /// Returns the place of the receive port of a terminal, by its rank.
    pub(crate) fn receive(&self, rank: usize) -> usize {
        self.topology.resource_count() + self.topology.terminal_count() + rank
    }
}

/// The shortest transfers between all terminals, by rank. It reuses the memory of earlier ones: 8 bytes per pair of
/// terminals, and 4 per pair of a terminal and a node.
#[derive(Default)]
pub(crate) struct Transfers {
    /// By start and end: the length, infinite if there is no transfer.
    pub(crate) length: Vec<f64>,
    /// By start and node: the last channel of a shortest path.
    last: Vec<Option<ChannelId>>,
    /// By node: the number of channels, if transfers take the fewest, and the length from the current start.
    distance: Vec<(u32, f64)>,
    queue: BinaryHeap<Reverse<(u32, u64, usize)>>,
}

impl Transfers {
    /// Computes the shortest legal transfers for finite, non-negative lengths of all places; `None` once the time of the request
    /// is over.
    pub(crate) fn compute(
        &mut self,
        network: &TransferNetwork<'_>,
        lengths: &[f64],
        request: &BoundRequest<'_>,
    ) -> Option<()> {
        let (terminals, nodes) = (network.topology.terminals(), network.topology.node_count());
        self.length.clear();
        self.last.clear();
        self.last.resize(terminals.len() * nodes, None);
        for (rank, start) in terminals.iter().enumerate() {
            if request.is_over() {
                return None;
            }
            self.search(network, lengths, rank);
            for (other, end) in terminals.iter().enumerate() {
                let (_, path) = self.distance[end.index()];
                let ports = lengths[network.send(rank)] + lengths[network.receive(other)];
                self.length.push(if end == start { f64::INFINITY } else { path + ports });
            }
        }
        Some(())
    }

    /// Returns the number of whole units in every length.
    pub(crate) fn rounded_down(&self, unit: u32) -> Vec<f64> {
        self.length.iter().map(|length| (length / f64::from(unit)).floor()).collect()
    }

    /// Searches shortest paths from a terminal, by Dijkstra's algorithm.
    fn search(&mut self, network: &TransferNetwork<'_>, lengths: &[f64], rank: usize) {
        let (topology, start) = (network.topology, network.topology.terminals()[rank]);
        let last = &mut self.last[rank * topology.node_count()..][..topology.node_count()];
        self.distance.clear();
        self.distance.resize(topology.node_count(), (u32::MAX, f64::INFINITY));
        self.distance[start.index()] = (0, 0.0);
        self.queue.push(Reverse((0, 0, start.index())));
        while let Some(Reverse((channels, bits, place))) = self.queue.pop() {
            let (node, length) = (NodeId::from_index(place), f64::from_bits(bits));
            let is_passed = node == start || network.switching.crosses(topology, node);
            if !is_passed || (channels, length) > self.distance[place] {
                continue;
            }
            for &channel in topology.out_channels(node).iter().filter(|&&channel| network.rules.carries(channel)) {
                let head = topology.head(channel).index();
                let farther =
                    (channels + u32::from(network.is_minimal), length + lengths[topology.resource(channel).index()]);
                if farther < self.distance[head] {
                    self.distance[head] = farther;
                    last[head] = Some(channel);
                    // The order of non-negative floats is the order of their bits.
                    self.queue.push(Reverse((farther.0, farther.1.to_bits(), head)));
                }
            }
        }
    }

    /// Adds `times` for each place that the shortest transfer between two terminals uses.
    pub(crate) fn count(&self, network: &TransferNetwork<'_>, [start, end]: Ends, times: f64, used: &mut [f64]) {
        let topology = network.topology;
        used[network.send(start)] += times;
        used[network.receive(end)] += times;
        let [first, mut node] = [start, end].map(|rank| topology.terminals()[rank]);
        while node != first {
            let channel = self.last[start * topology.node_count() + node.index()].expect("the path reaches the node");
            used[topology.resource(channel).index()] += times;
            node = topology.tail(channel);
        }
    }
}
