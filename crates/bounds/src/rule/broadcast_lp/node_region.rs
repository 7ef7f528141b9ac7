//! Node sets: the copies that can enter them, and the copies that they must hold.

use fixedbitset::FixedBitSet;
use lockstep_schedule::{Problem, Switching};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::demand::Multicast;
use crate::transfer_rules::TransferRules;

/// The network of a broadcast of one message.
pub(super) struct BroadcastNetwork<'a> {
    pub(super) topology: &'a Topology,
    rules: TransferRules<'a>,
    switching: Switching,
    pub(super) source: NodeId,
    /// The terminals without the source, ascending.
    pub(super) others: Vec<NodeId>,
    /// For each of the others, whether it must receive the message.
    pub(super) is_receiver: Vec<bool>,
}

/// A set of nodes.
///
/// In any step, the number of its terminals that receive the message is at most `capacity` plus the sum of `supply`
/// over the terminals that hold the message.
#[derive(Clone, Debug)]
pub(super) struct NodeRegion {
    pub(super) nodes: FixedBitSet,
    /// Number of copies per step that channels into the set and the source bring.
    pub(super) capacity: u64,
    /// The terminals in the set, and those that can send to it.
    pub(super) terms: Vec<RegionTerm>,
    /// The smallest number of terminals in the set, without the source, that must hold the message after the last step,
    /// after the step before it, and so on, until the number stays the same.
    needs: Vec<u64>,
}

/// The part of one terminal, other than the source, in the inequalities of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegionTerm {
    /// The place of the terminal among the others.
    pub(super) place: usize,
    pub(super) is_inside: bool,
    /// Number of copies per step that the terminal can send to the set once it holds one, without those in the
    /// capacity.
    pub(super) supply: u64,
}

impl<'a> BroadcastNetwork<'a> {
    pub(super) fn new(problem: &Problem<'a>, broadcast: Multicast<'_>) -> Self {
        let (topology, source) = (problem.topology(), broadcast.source);
        let others: Vec<NodeId> = topology.terminals().iter().copied().filter(|&terminal| terminal != source).collect();
        let mut is_receiver = vec![false; others.len()];
        for place in broadcast.receivers.iter().filter_map(|receiver| others.binary_search(receiver).ok()) {
            is_receiver[place] = true;
        }
        let switching = problem.model().switching;
        Self { topology, rules: TransferRules::new(problem), switching, source, others, is_receiver }
    }

    /// Returns true if transfers can pass through the node.
    pub(super) fn is_passed(&self, node: NodeId) -> bool {
        self.switching.crosses(self.topology, node)
    }

    /// Returns the channels that transfers can use.
    pub(super) fn channels(&self) -> impl Iterator<Item = ChannelId> {
        self.topology.channels().filter(|&channel| self.rules.carries(channel))
    }

    /// Returns the number of copies of the message that a terminal can send in one step.
    pub(super) fn send_limit(&self, terminal: NodeId) -> u64 {
        self.rules.send_limit(terminal).min(self.others.len() as u64)
    }

    /// Computes the region of a node set.
    ///
    /// A transfer to a terminal in the set either enters it last over a channel from an outside node that transfers
    /// pass: the capacity counts these channels. Or it starts at a terminal in the set, or at one that transfers do not
    /// pass: the supply counts it. A terminal never needs to supply more copies than the set lacks if no other terminal
    /// supplies any.
    pub(super) fn region(&self, nodes: FixedBitSet) -> NodeRegion {
        let is_inside = |node: NodeId| nodes.contains(node.index());
        let into = nodes.ones().flat_map(|node| self.topology.in_channels(NodeId::from_index(node)));
        let passing = into.copied().filter(|&channel| {
            let tail = self.topology.tail(channel);
            !is_inside(tail) && self.is_passed(tail)
        });
        let supply = |terminal: NodeId| {
            let out = self.topology.out_channels(terminal).iter().copied();
            let into = out.filter(|&channel| is_inside(self.topology.head(channel)));
            let supplies = is_inside(terminal) || !self.is_passed(terminal);
            if supplies { self.send_limit(terminal).min(self.rules.room(into)) } else { 0 }
        };
        let capacity = self.rules.room(passing) + supply(self.source);
        let size = self.others.iter().filter(|&&other| is_inside(other)).count() as u64;
        let term = |(place, &terminal): (usize, &NodeId)| {
            let is_inside = is_inside(terminal);
            let missing = size.saturating_sub(capacity + u64::from(is_inside));
            RegionTerm { place, is_inside, supply: supply(terminal).min(missing) }
        };
        let terms = self.others.iter().enumerate().map(term);
        let terms: Vec<RegionTerm> = terms.filter(|term| term.is_inside || term.supply > 0).collect();
        let needs = self.needs(capacity, &terms);
        NodeRegion { nodes, capacity, terms, needs }
    }

    /// Computes the needs of a set, from the last step backwards. Each need is met by the best holders one step
    /// earlier, while all terminals outside send as many copies as they can.
    fn needs(&self, capacity: u64, terms: &[RegionTerm]) -> Vec<u64> {
        let outside: u64 = terms.iter().filter(|term| !term.is_inside).map(|term| term.supply).sum();
        let inside = || terms.iter().filter(|term| term.is_inside);
        let mut supplies: Vec<u64> = inside().map(|term| term.supply).collect();
        supplies.sort_unstable_by(|a, b| b.cmp(a));
        // The copies after a step with no holder in the set, with one, with two and so on.
        let mut reached = vec![capacity + outside];
        for (holders, supply) in supplies.iter().enumerate() {
            reached.push(reached[holders] + 1 + supply);
        }
        let all = inside().filter(|term| self.is_receiver[term.place]).count() as u64;
        let before = |&need: &u64| {
            let fewest = reached.partition_point(|&reached| reached < need) as u64;
            (fewest < need).then_some(fewest)
        };
        std::iter::successors(Some(all), before).collect()
    }

    /// Returns the nodes at the other ends of the channels of a node.
    pub(super) fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let heads = self.topology.out_channels(node).iter().map(|&channel| self.topology.head(channel));
        heads.chain(self.topology.in_channels(node).iter().map(|&channel| self.topology.tail(channel)))
    }

    /// Returns the connected components of a set.
    pub(super) fn components(&self, nodes: &FixedBitSet) -> Vec<FixedBitSet> {
        let mut remaining = nodes.clone();
        let mut components = Vec::new();
        while let Some(first) = remaining.minimum() {
            let mut component = FixedBitSet::with_capacity(nodes.len());
            let mut stack = vec![NodeId::from_index(first)];
            remaining.remove(first);
            while let Some(node) = stack.pop() {
                component.insert(node.index());
                for next in self.neighbours(node) {
                    if remaining.contains(next.index()) {
                        remaining.remove(next.index());
                        stack.push(next);
                    }
                }
            }
            components.push(component);
        }
        components
    }
}

impl NodeRegion {
    /// Returns the number of steps that the needs of this set alone prove.
    pub(super) fn steps(&self) -> u32 {
        self.needs.len() as u32 - 1
    }

    /// Returns the smallest number of terminals in the set, without the source, that must hold the message `steps_left`
    /// steps before the end.
    pub(super) fn need(&self, steps_left: usize) -> u64 {
        self.needs[steps_left.min(self.needs.len() - 1)]
    }
}
