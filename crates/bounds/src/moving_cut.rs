//! A cut that changes by one node at a time, with the messages that must cross it and the channels that can carry them.

use fixedbitset::FixedBitSet;
use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};
use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::demand::Demand;
use crate::pipeline::ceil_steps;
use crate::transfer_rules::TransferRules;

/// Crossings of the border of a node set: into the set, out of it, and in both directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Crossings {
    pub(crate) into: u64,
    pub(crate) out: u64,
    pub(crate) both: u64,
}

impl Crossings {
    /// Returns the numbers of transfers that a terminal can finish, start, and both in one step.
    pub(crate) fn limits(rules: TransferRules<'_>, terminal: NodeId) -> Self {
        let (into, out) = (rules.receive_limit(terminal), rules.send_limit(terminal));
        Self { into, out, both: rules.common_limit(terminal) }
    }

    /// Returns the crossings of a border with members on both sides of a number of messages of an all-reduce.
    pub(crate) fn of_all_reduce(messages: u64) -> Self {
        Self { into: messages, out: messages, both: 2 * messages }
    }

    fn along(self, direction: Direction) -> u64 {
        match direction {
            Direction::In => self.into,
            Direction::Out => self.out,
            Direction::Both => self.both,
        }
    }

    /// Returns the largest number of steps that these messages take at these limits, and the direction that takes them.
    pub(crate) fn steps(self, limits: Self) -> Option<(u32, Direction)> {
        let steps = |direction| Some((ceil_steps(self.along(direction), limits.along(direction))?, direction));
        // Ties go to the last entry.
        [Direction::Both, Direction::Out, Direction::In].into_iter().filter_map(steps).max_by_key(|&(steps, _)| steps)
    }

    /// Returns the bound that these messages prove at these limits if they cross the border of `nodes`.
    pub(crate) fn bound(self, limits: Self, nodes: Vec<NodeId>, rule: Rule) -> Option<LowerBound> {
        let (steps, direction) = self.steps(limits)?;
        let (messages, per_step) = (self.along(direction), limits.along(direction));
        Some(LowerBound { steps, rule, certificate: Certificate::Cut { nodes, direction, messages, per_step } })
    }
}

/// A node set with the channels and messages that cross its border.
///
/// To add or remove a node takes time linear in its channels and its listed messages. Memory: up to 24 bytes per
/// channel.
pub(crate) struct MovingCut<'a, 'p> {
    topology: &'a Topology,
    rules: TransferRules<'a>,
    inside: FixedBitSet,
    len: usize,
    /// The exclusive or of the numbers of the nodes inside: the number of the node if there is only one.
    numbers: u32,
    border: Border,
    resources: Crossings,
    messages: CrossingMessages<'a, 'p>,
}

impl<'a, 'p> MovingCut<'a, 'p> {
    /// Starts with the empty set.
    pub(crate) fn new(problem: &Problem<'a>, demand: &'p Demand<'a>) -> Self {
        let (topology, rules) = (problem.topology(), TransferRules::new(problem));
        Self {
            topology,
            rules,
            inside: FixedBitSet::with_capacity(topology.node_count()),
            len: 0,
            numbers: 0,
            border: Border::new(rules),
            resources: Crossings::default(),
            messages: CrossingMessages::new(problem, demand),
        }
    }

    /// Returns the number of nodes in the set.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the set.
    pub(crate) fn inside(&self) -> &FixedBitSet {
        &self.inside
    }

    /// Adds a node to the set, or removes it.
    pub(crate) fn flip(&mut self, node: NodeId) {
        let topology = self.topology;
        let enters = !self.inside.contains(node.index());
        self.resources = match &mut self.border {
            Border::Links(links) => links.crossings_after(self.resources, node, &self.inside),
            Border::Shared(shared) => shared.crossings_after(self.resources, topology, node, &self.inside),
        };
        self.messages.flip(node, enters, topology.is_terminal(node));
        self.inside.set(node.index(), enters);
        self.numbers ^= node.number();
        if enters { self.len += 1 } else { self.len -= 1 }
    }

    /// Changes the set to `target`.
    pub(crate) fn become_set(&mut self, target: &FixedBitSet) {
        let moves: Vec<usize> = self.inside.symmetric_difference(target).collect();
        for node in moves {
            self.flip(NodeId::from_index(node));
        }
    }

    /// Changes the set to the nodes for which `is_inside` returns true.
    pub(crate) fn become_nodes(&mut self, is_inside: impl Fn(usize) -> bool) {
        for node in 0..self.inside.len() {
            if is_inside(node) != self.inside.contains(node) {
                self.flip(NodeId::from_index(node));
            }
        }
    }

    /// Returns the number of steps that the set proves, and the direction that proves them.
    pub(crate) fn steps(&self) -> Option<(u32, Direction)> {
        self.messages.crossing().steps(self.limits())
    }

    /// Returns true if the set proves more than this number of steps. Faster than [`MovingCut::steps`].
    pub(crate) fn exceeds(&self, steps: u32) -> bool {
        let (messages, limits) = (self.messages.crossing(), self.limits());
        let is_above = |messages: u64, limit: u64| limit > 0 && messages > limit.saturating_mul(steps.into());
        is_above(messages.into, limits.into)
            || is_above(messages.out, limits.out)
            || is_above(messages.both, limits.both)
    }

    /// Returns the number of messages that must enter the set, and the number that can enter it in one step.
    pub(crate) fn entries(&self) -> [u64; 2] {
        [self.messages.crossing().into, self.limits().into]
    }

    /// Returns the bound that the set proves.
    pub(crate) fn bound(&self, rule: Rule) -> Option<LowerBound> {
        let nodes = self.inside.ones().map(NodeId::from_index).collect();
        self.messages.crossing().bound(self.limits(), nodes, rule)
    }

    /// Returns the crossings possible in one step: by resources, and by ports if the set is one terminal.
    fn limits(&self) -> Crossings {
        let alone = (self.len == 1).then_some(NodeId::new(self.numbers));
        let terminal = alone.filter(|&node| self.topology.is_terminal(node));
        terminal.map_or(self.resources, |terminal| Crossings::limits(self.rules, terminal))
    }
}

/// The channels that can cross the border of a node set.
enum Border {
    /// Every resource is one channel.
    Links(Links),
    /// Some channels share a resource.
    Shared(SharedResources),
}

impl Border {
    fn new(rules: TransferRules<'_>) -> Self {
        let topology = rules.topology;
        let is_useful = |channel| topology.is_working(channel) && rules.carries(channel);
        if topology.resource_count() == topology.channel_count() {
            return Self::Links(Links::new(topology, is_useful));
        }
        let resource = |channel| is_useful(channel).then(|| topology.resource(channel));
        Self::Shared(SharedResources {
            resource: topology.channel_numbers().map(resource).collect(),
            channels: vec![[0; 2]; topology.resource_count()],
        })
    }
}

struct SharedResources {
    /// The resource of each channel that carries transfers.
    resource: Vec<Option<ResourceId>>,
    /// The number of channels per resource that lead into the set, and out of it.
    channels: Vec<[u32; 2]>,
}

impl SharedResources {
    /// Returns the capacities across the border after the node enters or leaves the set.
    fn crossings_after(
        &mut self,
        mut crossings: Crossings,
        topology: &Topology,
        node: NodeId,
        inside: &FixedBitSet,
    ) -> Crossings {
        let enters = !inside.contains(node.index());
        for &channel in topology.out_channels(node) {
            let to_inside = inside.contains(topology.head(channel).index());
            self.count(&mut crossings, topology, channel, to_inside, enters != to_inside);
        }
        for &channel in topology.in_channels(node) {
            let from_inside = inside.contains(topology.tail(channel).index());
            self.count(&mut crossings, topology, channel, !from_inside, enters != from_inside);
        }
        crossings
    }

    /// Counts a channel that starts or stops crossing the border.
    fn count(&mut self, sums: &mut Crossings, topology: &Topology, channel: ChannelId, into: bool, starts: bool) {
        let Some(resource) = self.resource[channel.index()] else { return };
        let crossings = &mut self.channels[resource.index()];
        let before = crossings.map(|count| u64::from(count > 0));
        let count = &mut crossings[usize::from(!into)];
        *count = if starts { *count + 1 } else { *count - 1 };
        let after = crossings.map(|count| u64::from(count > 0));
        let capacity = u64::from(topology.resource_capacity(resource));
        let change = |sum: u64, after: u64, before: u64| sum + capacity * after - capacity * before;
        sums.into = change(sums.into, after[0], before[0]);
        sums.out = change(sums.out, after[1], before[1]);
        sums.both = change(sums.both, after[0] | after[1], before[0] | before[1]);
    }
}

/// The capacities between each node and each of its neighbours.
struct Links {
    /// The start of the links of each node in `links`.
    start: Vec<u32>,
    links: Vec<Link>,
}

struct Link {
    neighbour: NodeId,
    /// The capacity of the channels to the neighbour, and of those from it.
    out: u32,
    into: u32,
}

impl Link {
    /// Adds the capacities of another link to the same neighbour. Returns false if there is none, or no room for them.
    fn absorbs(&mut self, other: &Self) -> bool {
        let sums = (self.out.checked_add(other.out), self.into.checked_add(other.into));
        if let (true, (Some(out), Some(into))) = (self.neighbour == other.neighbour, sums) {
            (self.out, self.into) = (out, into);
            return true;
        }
        false
    }
}

impl Links {
    fn new(topology: &Topology, is_useful: impl Fn(ChannelId) -> bool) -> Self {
        let (mut start, mut links, mut around) = (vec![0], Vec::new(), Vec::new());
        for node in topology.nodes() {
            for &channel in topology.out_channels(node).iter().filter(|&&channel| is_useful(channel)) {
                around.push(Link { neighbour: topology.head(channel), out: topology.capacity(channel), into: 0 });
            }
            for &channel in topology.in_channels(node).iter().filter(|&&channel| is_useful(channel)) {
                around.push(Link { neighbour: topology.tail(channel), out: 0, into: topology.capacity(channel) });
            }
            around.sort_unstable_by_key(|link| link.neighbour);
            around.dedup_by(|next, kept| kept.absorbs(next));
            links.append(&mut around);
            start.push(links.len() as u32);
        }
        Self { start, links }
    }

    /// Returns the capacities across the border after the node enters or leaves the set.
    fn crossings_after(&self, before: Crossings, node: NodeId, inside: &FixedBitSet) -> Crossings {
        let links = &self.links[self.start[node.index()] as usize..self.start[node.index() + 1] as usize];
        // To and from the neighbours outside, and to and from those inside.
        let mut sums = [[0; 2]; 2];
        for link in links {
            let sums = &mut sums[usize::from(inside.contains(link.neighbour.index()))];
            sums[0] += u64::from(link.out);
            sums[1] += u64::from(link.into);
        }
        let [[to_outside, from_outside], [to_inside, from_inside]] = sums;
        let (into, out) = if inside.contains(node.index()) {
            (before.into + to_inside - from_outside, before.out + from_inside - to_outside)
        } else {
            (before.into + from_outside - to_inside, before.out + to_outside - from_inside)
        };
        Crossings { into, out, both: into + out }
    }
}

/// The messages that must cross the border of a node set.
pub(crate) struct CrossingMessages<'a, 'p> {
    demand: &'p Demand<'a>,
    chunks: u64,
    terminals_inside: u64,
    sources_inside: u64,
    listed: Option<ListedMessages>,
}

impl<'a, 'p> CrossingMessages<'a, 'p> {
    /// Starts with the empty set.
    pub(crate) fn new(problem: &Problem<'_>, demand: &'p Demand<'a>) -> Self {
        let listed = matches!(demand, Demand::Listed { .. }).then(|| ListedMessages::new(problem, demand));
        let chunks = u64::from(problem.messages().chunks());
        Self { demand, chunks, terminals_inside: 0, sources_inside: 0, listed }
    }

    /// Adds a node to the set, or removes it.
    pub(crate) fn flip(&mut self, node: NodeId, enters: bool, is_terminal: bool) {
        let change = |count: &mut u64| if enters { *count += 1 } else { *count -= 1 };
        match self.demand {
            Demand::Broadcast { sources, terminals } | Demand::Scatter { sources, terminals } => {
                if is_terminal {
                    change(&mut self.terminals_inside);
                    if sources.len() == terminals.len() || *sources == [node] {
                        change(&mut self.sources_inside);
                    }
                }
            }
            Demand::Listed { .. } => {
                if let Some(listed) = &mut self.listed {
                    listed.flip(node, enters);
                }
            }
        }
    }

    /// Returns the messages with a source on one side and a receiver on the other.
    pub(crate) fn crossing(&self) -> Crossings {
        let (into, out) = match (self.demand, &self.listed) {
            (Demand::Broadcast { sources, terminals } | Demand::Scatter { sources, terminals }, _) => {
                let sources_outside = sources.len() as u64 - self.sources_inside;
                let terminals_outside = terminals.len() as u64 - self.terminals_inside;
                let messages = |sources: u64, receivers: u64| match self.demand {
                    Demand::Scatter { .. } => sources * receivers,
                    _ => sources * receivers.min(1),
                };
                (messages(sources_outside, self.terminals_inside), messages(self.sources_inside, terminals_outside))
            }
            (Demand::Listed { .. }, listed) => listed.as_ref().map_or((0, 0), |listed| (listed.into, listed.out)),
        };
        Crossings { into: into * self.chunks, out: out * self.chunks, both: (into + out) * self.chunks }
    }
}

/// The messages of a listed demand that cross the border.
struct ListedMessages {
    /// The start of the messages of each node in `touching`.
    start: Vec<usize>,
    /// The messages of each node, with `true` if it is the source and `false` if it is a receiver.
    touching: Vec<(u32, bool)>,
    states: Vec<MessageState>,
    into: u64,
    out: u64,
}

struct MessageState {
    source_inside: bool,
    receivers: u32,
    receivers_inside: u32,
}

impl MessageState {
    /// Returns 1 if the message must enter the set, and 1 if it must leave it.
    fn crosses(&self) -> [u64; 2] {
        let into = !self.source_inside && self.receivers_inside > 0;
        let out = self.source_inside && self.receivers_inside < self.receivers;
        [into.into(), out.into()]
    }
}

impl ListedMessages {
    fn new(problem: &Problem<'_>, demand: &Demand<'_>) -> Self {
        let requests: Vec<_> = demand.sources().into_iter().flat_map(|source| demand.from(source)).collect();
        let mut touching: Vec<(NodeId, u32, bool)> = Vec::new();
        for (message, request) in (0..).zip(&requests) {
            touching.push((request.source, message, true));
            let receivers = request.receivers.iter().filter(|&&receiver| receiver != request.source);
            touching.extend(receivers.map(|&receiver| (receiver, message, false)));
        }
        touching.sort_unstable();
        let nodes = problem.topology().nodes();
        let mut start: Vec<usize> =
            nodes.map(|node| touching.partition_point(|&(touched, ..)| touched < node)).collect();
        start.push(touching.len());
        let outside = |count| MessageState { source_inside: false, receivers: count, receivers_inside: 0 };
        Self {
            start,
            touching: touching.into_iter().map(|(_, message, is_source)| (message, is_source)).collect(),
            states: requests.iter().map(|request| outside(request.count as u32)).collect(),
            into: 0,
            out: 0,
        }
    }

    fn flip(&mut self, node: NodeId, enters: bool) {
        for &(message, is_source) in &self.touching[self.start[node.index()]..self.start[node.index() + 1]] {
            let state = &mut self.states[message as usize];
            let before = state.crosses();
            if is_source {
                state.source_inside = enters;
            } else if enters {
                state.receivers_inside += 1;
            } else {
                state.receivers_inside -= 1;
            }
            let after = state.crosses();
            self.into = self.into + after[0] - before[0];
            self.out = self.out + after[1] - before[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Ports};
    use lockstep_topology::Topology;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    proptest! {
        /// The check of certificates counts from scratch.
        #[test]
        fn incremental_counts_equal_those_from_scratch(
            spec in select(vec!["kautz:2,3", "mesh:3x4", "omega:4", "full-b-tree:7", "b-tree:8"]),
            half_duplex in any::<bool>(),
            collective in 0..5usize,
            limit in 1..4u32,
            moves in proptest::collection::vec(any::<proptest::sample::Index>(), 1..30),
        ) {
            let mut network: Topology = spec.parse().unwrap();
            if half_duplex {
                network = network.half_duplex();
            }
            let (some, others) = (&network.terminals()[..3], &network.terminals()[1..]);
            let collective = [
                Collective::scatter(some[1]),
                Collective::all_gather(),
                Collective::all_to_all().with_chunks(2.try_into().unwrap()),
                Collective::many_to_many_broadcast(some, others),
                Collective::many_to_many_scatter(others, some),
            ][collective].clone();
            let model = CommunicationModel { ports: Ports::limit(limit).unwrap(), ..CommunicationModel::wormhole() };
            let problem = Problem::new(&network, &collective, model).unwrap();
            let demand = Demand::new(&problem);
            let mut cut = MovingCut::new(&problem, &demand);
            let nodes: Vec<NodeId> = network.nodes().collect();
            for node in moves {
                cut.flip(*node.get(&nodes));
                let steps = cut.steps().map_or(0, |(steps, _)| steps);
                prop_assert_eq!([0, 1, 2, 7].map(|least| cut.exceeds(least)), [0, 1, 2, 7].map(|least| steps > least));
                if let Some(bound) = cut.bound(Rule::Cut) {
                    prop_assert_eq!(bound.check(&problem), Ok(()));
                }
            }
        }
    }
}
