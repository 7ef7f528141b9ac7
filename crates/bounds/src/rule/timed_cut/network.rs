//! The network over time.

use lockstep_paths::FlowNetwork;
use lockstep_schedule::Ports;
use lockstep_topology::NodeId;

use super::labels::{Labels, Wiring};

/// A flow network with a copy of every node for some moments of time, the first and the last step among them. Units wait
/// from one moment to the next, and cross channels in the steps between.
///
/// With every time from 0 to the number of steps a moment, flows are those of the network over time. With fewer, many
/// steps become one arc inside of a moment, and units may make their way in no time: least cuts are then cuts of the
/// network over time, too, but those only whose labels are moments.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    network: FlowNetwork,
    /// By arc.
    capacities: Vec<u32>,
    nodes: usize,
    /// Ascending, from 0 to the number of steps.
    moments: Vec<u32>,
    groups: Vec<Group>,
    ports: Ports,
    /// Where the arcs from the source and to the sink begin.
    ends: usize,
}

/// Steps that begin at (or after) one moment and end at (or before) the next.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: u32,
    count: u32,
    /// The places of the moments before and after.
    moments: [usize; 2],
}

/// Arcs of a network of so many moments.
pub(super) fn arc_count(wiring: &Wiring<'_>, moments: usize) -> usize {
    let nodes = wiring.terminals().count();
    let ports = if wiring.ports == Ports::All { 0 } else { 4 * nodes };
    moments * (nodes + 2 * wiring.channels().len() + ports)
}

impl Timed {
    /// A network of so many steps and at most so many moments, of which every terminal can get and give units at the first
    /// and the last.
    pub(super) fn new(wiring: &Wiring<'_>, steps: u32, most_moments: usize) -> Self {
        let moments: Vec<u32> = if (steps as usize) < most_moments {
            (0..=steps).collect()
        } else {
            let half = (most_moments / 2).max(1) as u32;
            (0..half).chain(steps - half + 1..=steps).collect()
        };
        let pairs = moments.windows(2).enumerate();
        let groups: Vec<Group> = pairs
            .flat_map(|(place, pair)| {
                let within = Group { first: pair[0] + 1, count: pair[1] - pair[0] - 1, moments: [place, place] };
                let between = Group { first: pair[1], count: 1, moments: [place, place + 1] };
                [within, between]
            })
            .filter(|group| group.count > 0)
            .collect();
        let nodes = wiring.node_count();
        let copies = moments.len() + if wiring.ports == Ports::All { 0 } else { 2 * groups.len() };
        let mut timed = Self {
            network: FlowNetwork::new(nodes * copies + 2),
            capacities: Vec::new(),
            nodes,
            moments,
            groups,
            ports: wiring.ports,
            ends: 0,
        };
        timed.add_groups(wiring);
        timed.ends = timed.network.arc_count();
        for node in wiring.terminals() {
            timed.add_arc(timed.source(), timed.holding(node, 0), 0);
            timed.add_arc(timed.holding(node, timed.moments.len() - 1), timed.sink(), 0);
        }
        // Brings the arcs into rows, once for all copies.
        timed.network.max_flow(timed.source(), timed.sink());
        timed
    }

    fn add_groups(&mut self, wiring: &Wiring<'_>) {
        for moment in 1..self.moments.len() {
            for node in wiring.terminals() {
                self.add_arc(self.holding(node, moment - 1), self.holding(node, moment), u32::MAX);
            }
        }
        for place in 0..self.groups.len() {
            let Group { count, moments: [before, after], .. } = self.groups[place];
            if self.ports != Ports::All {
                for node in wiring.terminals() {
                    let [starts, ends] =
                        wiring.limits(node).map(|limit| u32::try_from(limit * u64::from(count)).unwrap_or(u32::MAX));
                    self.add_arc(self.holding(node, before), self.sending(node, place), starts);
                    self.add_arc(self.receiving(node, place), self.holding(node, after), ends);
                }
            }
            for [tail, head] in wiring.channels() {
                let (from, to) = match self.ports {
                    Ports::All => (self.holding(tail, before), self.holding(head, after)),
                    Ports::Limit(_) => (self.sending(tail, place), self.receiving(head, place)),
                };
                self.add_arc(from, to, count);
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
        let copies = self.moments.len() + if self.ports == Ports::All { 0 } else { 2 * self.groups.len() };
        copies * self.nodes
    }

    fn sink(&self) -> usize {
        self.source() + 1
    }

    /// The labels of a least cut, if units from terminals at the first moment do not all get to terminals at the last one:
    /// `units` gives for each terminal, in ascending order, what enters and what leaves.
    pub(super) fn least_cut(&mut self, units: impl Iterator<Item = [u32; 2]>) -> Option<Labels> {
        let mut total = 0;
        for (place, [enters, leaves]) in units.enumerate() {
            let ends = self.ends + 2 * place;
            self.capacities[ends..ends + 2].copy_from_slice(&[enters, leaves]);
            total += u64::from(enters);
        }
        let Self { network, capacities, .. } = self;
        network.reset(|arc| capacities[arc.index()]);
        let (source, sink) = (self.source(), self.sink());
        (self.network.max_flow(source, sink) < total).then(|| self.labels())
    }

    fn labels(&self) -> Labels {
        let never = self.moments[self.moments.len() - 1] + 1;
        let is_near = |place: usize| self.network.is_on_source_side(place);
        let nodes = || (0..self.nodes).map(NodeId::from_index);
        let hold = |node| (0..self.moments.len()).find(|&moment| is_near(self.holding(node, moment)));
        let holds: Vec<u32> = nodes().map(|node| hold(node).map_or(never, |moment| self.moments[moment])).collect();
        if self.ports == Ports::All {
            return Labels { steps: never - 1, holds, sends: Vec::new(), receives: Vec::new() };
        }
        let first = |place: Option<usize>| place.map_or(never, |group| self.groups[group].first);
        let groups = 0..self.groups.len();
        let sends = nodes().map(|node| first(groups.clone().find(|&group| is_near(self.sending(node, group)))));
        let receives = nodes()
            .zip(&holds)
            .map(|(node, &held)| first(groups.clone().find(|&group| is_near(self.receiving(node, group)))).min(held));
        Labels { steps: never - 1, sends: sends.collect(), receives: receives.collect(), holds }
    }
}
