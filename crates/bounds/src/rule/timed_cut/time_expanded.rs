//! The time-expanded network.

use lockstep_paths::FlowNetwork;
use lockstep_topology::NodeId;

use super::cut_labels::{CutLabels, TimedCapacities};

/// A flow network with a copy of every node for each of some moments of time, which include the first and the last one.
/// Units wait from one moment to the next, and cross channels in the steps between. Under wormhole switching, they cross
/// several channels in one step.
///
/// If every time from 0 to the number of steps is a moment, then flows are those of the full time-expanded network.
/// Otherwise, several steps become one arc inside a moment, and units may take no time. Minimum cuts are then still
/// cuts of the full network, but only those whose labels are moments.
#[derive(Clone, Debug)]
pub(super) struct TimeExpandedNetwork {
    network: FlowNetwork,
    /// The capacity of each arc.
    capacities: Vec<u32>,
    nodes: usize,
    /// The moments, ascending from 0 to the number of steps.
    moments: Vec<u32>,
    groups: Vec<StepGroup>,
    /// Whether each node has vertices of its own for sending and receiving.
    has_ports: bool,
    /// The nodes that a transfer passes within a step.
    routing_nodes: Vec<NodeId>,
    /// The place of the first arc from the source or to the sink.
    ends: usize,
}

/// Successive steps between two moments, or inside a moment, that share their arcs.
#[derive(Clone, Copy, Debug)]
struct StepGroup {
    first: u32,
    count: u32,
    /// The places of the moments before and after.
    moments: [usize; 2],
}

/// Returns the number of arcs of a network with this number of moments.
pub(super) fn arc_count(capacities: &TimedCapacities<'_>, moments: usize) -> usize {
    let nodes = capacities.terminals().count();
    let ports = if capacities.has_ports { 4 * nodes + 2 * capacities.routing_nodes().count() } else { 0 };
    moments * (nodes + 2 * capacities.channels().len() + ports)
}

impl TimeExpandedNetwork {
    /// Builds a network of `steps` steps and at most `max_moments` moments. Units enter at the first moment, and leave
    /// at the last one, at every terminal.
    pub(super) fn new(capacities: &TimedCapacities<'_>, steps: u32, max_moments: usize) -> Self {
        let moments: Vec<u32> = if (steps as usize) < max_moments {
            (0..=steps).collect()
        } else {
            let half = (max_moments / 2).max(1) as u32;
            (0..half).chain(steps - half + 1..=steps).collect()
        };
        let pairs = moments.windows(2).enumerate();
        let groups: Vec<StepGroup> = pairs
            .flat_map(|(place, pair)| {
                let within = StepGroup { first: pair[0] + 1, count: pair[1] - pair[0] - 1, moments: [place, place] };
                let between = StepGroup { first: pair[1], count: 1, moments: [place, place + 1] };
                [within, between]
            })
            .filter(|group| group.count > 0)
            .collect();
        let nodes = capacities.node_count();
        let copies = moments.len() + if capacities.has_ports { 2 * groups.len() } else { 0 };
        let mut expanded = Self {
            network: FlowNetwork::new(nodes * copies + 2),
            capacities: Vec::new(),
            nodes,
            moments,
            groups,
            has_ports: capacities.has_ports,
            routing_nodes: capacities.routing_nodes().collect(),
            ends: 0,
        };
        expanded.add_groups(capacities);
        expanded.ends = expanded.network.arc_count();
        for node in capacities.terminals() {
            expanded.add_arc(expanded.source(), expanded.holding(node, 0), 0);
            expanded.add_arc(expanded.holding(node, expanded.moments.len() - 1), expanded.sink(), 0);
        }
        // The first flow sorts the arcs, so that copies need not.
        expanded.network.max_flow(expanded.source(), expanded.sink());
        expanded
    }

    fn add_groups(&mut self, capacities: &TimedCapacities<'_>) {
        for moment in 1..self.moments.len() {
            for node in capacities.terminals() {
                self.add_arc(self.holding(node, moment - 1), self.holding(node, moment), u32::MAX);
            }
        }
        for place in 0..self.groups.len() {
            let StepGroup { count, moments: [before, after], .. } = self.groups[place];
            if self.has_ports {
                for node in capacities.terminals() {
                    let [starts, ends] = capacities
                        .limits(node)
                        .map(|limit| u32::try_from(limit * u64::from(count)).unwrap_or(u32::MAX));
                    self.add_arc(self.holding(node, before), self.sending(node, place), starts);
                    self.add_arc(self.receiving(node, place), self.holding(node, after), ends);
                }
                for node in capacities.routing_nodes() {
                    self.add_arc(self.receiving(node, place), self.sending(node, place), u32::MAX);
                }
            }
            for ([tail, head], capacity) in capacities.channels().zip(capacities.channel_capacities()) {
                let (from, to) = if self.has_ports {
                    (self.sending(tail, place), self.receiving(head, place))
                } else {
                    (self.holding(tail, before), self.holding(head, after))
                };
                self.add_arc(from, to, u32::try_from(capacity * u64::from(count)).unwrap_or(u32::MAX));
            }
        }
    }

    fn add_arc(&mut self, tail: usize, head: usize, capacity: u32) {
        self.network.add_arc(tail, head, capacity);
        self.capacities.push(capacity);
    }

    fn holding(&self, node: NodeId, moment: usize) -> usize {
        moment * self.nodes + node.index()
    }

    fn sending(&self, node: NodeId, group: usize) -> usize {
        (self.moments.len() + 2 * group) * self.nodes + node.index()
    }

    fn receiving(&self, node: NodeId, group: usize) -> usize {
        self.sending(node, group) + self.nodes
    }

    fn source(&self) -> usize {
        let copies = self.moments.len() + if self.has_ports { 2 * self.groups.len() } else { 0 };
        copies * self.nodes
    }

    fn sink(&self) -> usize {
        self.source() + 1
    }

    /// Returns the labels of a minimum cut, if the units from the first moment do not all reach the last one. `units`
    /// are those that enter and leave at each terminal, in ascending order. Also returns `None` if `is_over` returns true
    /// before the flow is maximum.
    pub(super) fn minimum_cut(
        &mut self,
        units: impl Iterator<Item = [u32; 2]>,
        is_over: impl Fn() -> bool,
    ) -> Option<CutLabels> {
        let mut total = 0;
        for (place, [enters, leaves]) in units.enumerate() {
            let ends = self.ends + 2 * place;
            self.capacities[ends..ends + 2].copy_from_slice(&[enters, leaves]);
            total += u64::from(enters);
        }
        let Self { network, capacities, .. } = self;
        network.reset(|arc| capacities[arc.index()]);
        let (source, sink) = (self.source(), self.sink());
        let mut arrived = 0;
        while let Some(more) = self.network.augment(source, sink) {
            arrived += more;
            if is_over() {
                return None;
            }
        }
        (arrived < total).then(|| self.labels())
    }

    fn labels(&self) -> CutLabels {
        let never = self.moments[self.moments.len() - 1] + 1;
        let is_near = |place: usize| self.network.is_on_source_side(place);
        let nodes = || (0..self.nodes).map(NodeId::from_index);
        let hold = |node| (0..self.moments.len()).find(|&moment| is_near(self.holding(node, moment)));
        let holds: Vec<u32> = nodes().map(|node| hold(node).map_or(never, |moment| self.moments[moment])).collect();
        if !self.has_ports {
            return CutLabels { steps: never - 1, holds, sends: Vec::new(), receives: Vec::new() };
        }
        let first = |place: Option<usize>| place.map_or(never, |group| self.groups[group].first);
        let groups = 0..self.groups.len();
        let sends = nodes().map(|node| first(groups.clone().find(|&group| is_near(self.sending(node, group)))));
        let receives = nodes()
            .zip(&holds)
            .map(|(node, &held)| first(groups.clone().find(|&group| is_near(self.receiving(node, group)))).min(held));
        let (sends, mut receives): (Vec<u32>, Vec<u32>) = (sends.collect(), receives.collect());
        // What arrives at a routing node on the near side goes on from there in the same step.
        for node in self.routing_nodes.iter().map(|node| node.index()) {
            receives[node] = receives[node].max(sends[node]);
        }
        CutLabels { steps: never - 1, sends, receives, holds }
    }
}
