//! The sets of terminals that many messages must enter over few channels.

use lockstep_paths::FlowNetwork;
use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId};

use crate::kit::task::SchedulingTask;

/// Larger networks get no sets: they take a flow per terminal.
const MAX_NODES: usize = 512;

/// Sets of more terminals are left out: each step visits what all of them hold.
const MAX_OTHERS: usize = 31;

/// The tight sets of all terminals.
///
/// The messages from outside of a node set must enter it. The sets with the most such messages per unit of capacity limit the
/// throughput. The tight set of a terminal is the smallest of them that contains it. A schedule without idle channels sends
/// each message into such a set once, and copies it inside.
#[derive(Clone, Debug)]
pub(super) struct TightSets {
    sets: Vec<TightSet>,
}

/// The set of one terminal.
#[derive(Clone, Debug)]
pub(super) struct TightSet {
    /// The ranks of the other terminals of the set, ascending. If there are none, the terminal is alone, or in no such set.
    pub(super) others: Vec<u32>,
    /// The capacity of the channels into the set.
    capacity: u32,
    /// The number of last steps in which a message that enters once cannot reach all terminals of the set.
    late_steps: u32,
    /// The capacity that is lost in these steps. In the last step, a message can still enter once per terminal.
    late_capacity: u32,
}

impl TightSet {
    /// Returns the fewest steps in which a number of messages can enter the set and reach all its terminals.
    pub(super) fn least_steps(&self, messages: u32) -> u32 {
        let are_few = messages <= self.capacity.saturating_mul(self.late_steps);
        messages.saturating_add(if are_few { 0 } else { self.late_capacity }).div_ceil(self.capacity)
    }
}

impl TightSets {
    /// Computes the sets of an all-gather. Returns `None` if all sets are single terminals, if ports or shared resources
    /// limit transfers too, or if the network is too large.
    ///
    /// By Newton's method: a flow per terminal shows whether some set has more messages per capacity than the tightest set
    /// so far.
    ///
    /// # Source
    ///
    /// Dinkelbach, *On nonlinear fractional programming*, Management Science 13 (1967); the sets are those that limit the
    /// throughput in Zhao et al., *`ForestColl`*, arXiv 2402.06787 (2024).
    pub(super) fn new(task: &SchedulingTask<'_>) -> Option<Self> {
        let topology = task.topology();
        let has_other_limits = task.model().ports != Ports::All || topology.resource_count() < topology.channel_count();
        if has_other_limits || topology.node_count() > MAX_NODES {
            return None;
        }
        let mut search = SetSearch::new(task)?;
        let mut sets = Vec::new();
        while let Some(&terminal) = topology.terminals().get(sets.len()) {
            match search.flow_from(terminal)? {
                FlowResult::Set(set) => sets.push(set),
                FlowResult::Tighter => sets.clear(),
            }
        }
        sets.iter().any(|set| !set.others.is_empty()).then_some(Self { sets })
    }

    /// Returns the set of a terminal, if it has other terminals.
    #[inline]
    pub(super) fn of(&self, terminal: usize) -> Option<&TightSet> {
        Some(&self.sets[terminal]).filter(|set| !set.others.is_empty())
    }
}

/// A search for the sets of all terminals.
///
/// Its network has the channels in the opposite direction, and an arc from each node to a sink. For a node set around a
/// terminal, the cut has the capacity into the set times the messages of the tightest set, and the messages from inside
/// times the capacity of the tightest set. It is smaller than that of all nodes if and only if the set is tighter.
struct SetSearch<'a> {
    task: &'a SchedulingTask<'a>,
    /// The working channels, in the order of their arcs.
    channels: Vec<ChannelId>,
    /// The number of messages from each node.
    messages: Vec<u32>,
    network: FlowNetwork,
    /// The messages that must enter the tightest set so far, and the capacity into it.
    tightest: [u32; 2],
}

/// What one flow shows.
enum FlowResult {
    /// No set around the terminal is tighter than the tightest one, and this is the smallest one that is as tight.
    Set(TightSet),
    /// A set around the terminal is tighter. It is the tightest one from now on.
    Tighter,
}

impl<'a> SetSearch<'a> {
    /// Returns `None` if the capacities of the network do not fit.
    fn new(task: &'a SchedulingTask<'a>) -> Option<Self> {
        let topology = task.topology();
        let channels: Vec<ChannelId> = topology.channels().collect();
        let capacity: u64 = channels.iter().map(|&channel| u64::from(topology.capacity(channel))).sum();
        u32::try_from(capacity.checked_mul(task.messages().len() as u64)?).ok()?;
        let mut messages = vec![0; topology.node_count()];
        for message in task.messages().ids() {
            messages[task.messages().source(message).index()] += 1;
        }
        let sink = messages.len();
        let mut network = FlowNetwork::new(sink + 1);
        for &channel in &channels {
            network.add_arc(topology.head(channel).index(), topology.tail(channel).index(), 0);
        }
        for node in 0..sink {
            network.add_arc(node, sink, 0);
        }
        Some(Self { task, channels, messages, network, tightest: [0, 1] })
    }

    /// Computes one maximum flow from a terminal. Returns `None` if no channel leads into a set.
    fn flow_from(&mut self, terminal: NodeId) -> Option<FlowResult> {
        let Self { task, channels, messages, network, tightest } = self;
        let topology = task.topology();
        let [tightest_messages, tightest_capacity] = *tightest;
        network.reset(|arc| match channels.get(arc.index()) {
            Some(&channel) => topology.capacity(channel) * tightest_messages,
            None => messages[arc.index() - channels.len()] * tightest_capacity,
        });
        let flow = network.max_flow(terminal.index(), messages.len());
        let is_in = |node: NodeId| network.is_on_source_side(node.index());
        let entering =
            channels.iter().filter(|&&channel| !is_in(topology.tail(channel)) && is_in(topology.head(channel)));
        let capacity = entering.map(|&channel| topology.capacity(channel)).sum();
        let outside = topology.nodes().filter(|&node| !is_in(node)).map(|node| messages[node.index()]).sum();
        let all: u64 = messages.iter().copied().map(u64::from).sum();
        if flow < all * u64::from(tightest_capacity) {
            *tightest = [outside, capacity];
            return (capacity > 0).then_some(FlowResult::Tighter);
        }
        // Without messages outside, no set around the terminal is as tight as the tightest one.
        let mut others = Vec::new();
        if outside > 0 {
            let terminals = (0..).zip(topology.terminals());
            others.extend(terminals.filter(|&(_, &node)| node != terminal && is_in(node)).map(|(rank, _)| rank));
        }
        others.truncate(if others.len() > MAX_OTHERS { 0 } else { others.len() });
        let mut set = TightSet { others, capacity, late_steps: 0, late_capacity: 0 };
        if !set.others.is_empty() {
            set.late_steps = late_steps(task, is_in);
            let once_per_terminal = capacity / (set.others.len() as u32 + 1);
            set.late_capacity = capacity.saturating_mul(set.late_steps) - once_per_terminal;
        }
        Some(FlowResult::Set(set))
    }
}

/// Returns the number of transfers from the terminals where messages enter a set to the farthest terminal of the set, or 1 if
/// that is 0.
fn late_steps(task: &SchedulingTask<'_>, is_in: impl Fn(NodeId) -> bool) -> u32 {
    let (topology, switching) = (task.topology(), task.model().switching);
    let mut is_reached: Vec<bool> = topology.nodes().map(|node| !is_in(node)).collect();
    let mut senders: Vec<NodeId> = topology.nodes().filter(|&node| !is_in(node)).collect();
    // The first transfer enters the set.
    for transfers in 0_u32.. {
        let (mut visited, mut next, mut receivers) = (senders, 0, Vec::new());
        let starts = visited.len();
        while let Some(&node) = visited.get(next) {
            let goes_on = next < starts || switching.crosses(topology, node);
            next += 1;
            for &channel in topology.out_channels(node).iter().filter(|_| goes_on) {
                let head = topology.head(channel);
                if !std::mem::replace(&mut is_reached[head.index()], true) {
                    visited.push(head);
                    receivers.extend(Some(head).filter(|&head| topology.is_terminal(head)));
                }
            }
        }
        if receivers.is_empty() {
            return transfers.saturating_sub(1).max(1);
        }
        senders = receivers;
    }
    1
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::strategy::{connected_topology, with_capacities};
    use lockstep_topology::{Topology, TopologyBuilder};
    use proptest::prelude::*;

    use super::*;

    fn sets(topology: &Topology) -> Option<TightSets> {
        let collective = Collective::all_gather();
        let problem = Problem::new(topology, &collective, CommunicationModel::store_and_forward()).unwrap();
        TightSets::new(&SchedulingTask::new(&problem).unwrap())
    }

    /// Four pairs in a ring. Inside a pair, the link is wide.
    #[test]
    fn pairs_with_wide_links_are_tight() {
        let mut ring = TopologyBuilder::new("pairs");
        let nodes: Vec<NodeId> = (0..8).map(|place| ring.terminal(place.to_string())).collect();
        for place in 0..8 {
            let link = ring.link(nodes[place], nodes[(place + 1) % 8]);
            ring.set_capacity(link, if place % 2 == 0 { 4 } else { 1 });
        }
        let of_pairs = sets(&ring.build().unwrap()).unwrap();
        for terminal in 0..8 {
            let set = of_pairs.of(terminal).unwrap();
            assert_eq!((&set.others[..], set.capacity), (&[terminal as u32 ^ 1][..], 2));
            // In the last step, each message must enter twice.
            let least = [0, 1, 2, 3, 4, 5].map(|messages| set.least_steps(messages));
            assert_eq!(least, [0, 1, 1, 2, 3, 3]);
        }
        assert!(sets(&"hypercube:3".parse().unwrap()).is_none());
    }

    /// Two servers of three terminals in a row, with one link between them. A message enters at one end.
    #[test]
    fn messages_cross_a_server_after_they_enter() {
        let mut servers = TopologyBuilder::new("servers");
        let nodes = [0, 1, 2, 3, 4, 5].map(|place| servers.terminal(place.to_string()));
        for place in 0..5 {
            let link = servers.link(nodes[place], nodes[place + 1]);
            servers.set_capacity(link, if place == 2 { 1 } else { 4 });
        }
        let sets = sets(&servers.build().unwrap()).unwrap();
        let set = sets.of(0).unwrap();
        assert_eq!((&set.others[..], set.capacity, set.late_steps), (&[1, 2][..], 1, 2));
        assert_eq!([1, 2, 3, 9].map(|messages| set.least_steps(messages)), [1, 2, 5, 11]);
    }

    proptest! {
        /// Compared with all node sets.
        #[test]
        fn no_set_is_tighter(topology in connected_topology(9).prop_flat_map(|network| with_capacities(network, 4))) {
            let nodes = topology.node_count();
            let is_in = |set: usize, node: NodeId| set >> node.index() & 1 == 1;
            let entries = |set: usize| {
                let outside = topology.terminals().iter().filter(|&&node| !is_in(set, node)).count() as u32;
                let into = topology.channels().filter(|&channel| {
                    is_in(set, topology.head(channel)) && !is_in(set, topology.tail(channel))
                });
                (outside, into.map(|channel| topology.capacity(channel)).sum::<u32>())
            };
            let all = 1..(1_usize << nodes) - 1;
            let is_tighter = |(one, into_one): (u32, u32), (other, into_other): (u32, u32)| one * into_other > other * into_one;
            let found = sets(&topology);
            for (rank, &terminal) in topology.terminals().iter().enumerate() {
                let around = || all.clone().filter(|&set| is_in(set, terminal));
                let tightest = all.clone().map(entries).reduce(|best, next| if is_tighter(next, best) { next } else { best });
                let is_tightest = |set: &usize| !is_tighter(tightest.unwrap(), entries(*set));
                let smallest = around().filter(is_tightest).min_by_key(|set| set.count_ones());
                let expected: Vec<u32> = topology.terminals().iter().enumerate()
                    .filter(|&(_, &node)| node != terminal && smallest.is_some_and(|set| is_in(set, node)))
                    .map(|(rank, _)| rank as u32)
                    .collect();
                match &found {
                    None => prop_assert!(expected.is_empty()),
                    Some(sets) => {
                        let found = sets.of(rank);
                        prop_assert_eq!(found.map_or(&[][..], |set| &set.others), &expected);
                        if let (Some(found), Some(set)) = (found, smallest) {
                            prop_assert_eq!(found.capacity, entries(set).1);
                        }
                    }
                }
            }
        }
    }
}
