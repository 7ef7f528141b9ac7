//! What a set of nodes can take in, and what it must hold.

use fixedbitset::FixedBitSet;
use lockstep_schedule::{Problem, Switching};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::demand::Request;
use crate::legal::Legal;

/// The network of one message.
pub(super) struct Spread<'a> {
    pub(super) topology: &'a Topology,
    legal: Legal<'a>,
    wormhole: bool,
    pub(super) source: NodeId,
    /// The terminals without the source, ascending.
    pub(super) others: Vec<NodeId>,
    /// For each of them, whether it must get the message.
    pub(super) is_receiver: Vec<bool>,
}

/// A set of nodes.
///
/// In any step, the terminals in it that get the message are at most those that copies can reach: `capacity`, and the sum
/// of `supply` over the terminals that hold the message already.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) nodes: FixedBitSet,
    /// Copies that channels into the set and the source bring.
    pub(super) capacity: u64,
    /// The terminals in the set, and those that can send to it.
    pub(super) terms: Vec<Term>,
    /// The fewest terminals in the set, without the source, that must hold the message: after the last step, the last but
    /// one and so on, until it is always the same number.
    needs: Vec<u64>,
}

/// What one terminal but the source does for a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    /// Place of the terminal among the others.
    pub(super) place: usize,
    pub(super) is_inside: bool,
    /// Copies it can send to the set once it holds one, besides those that count as capacity.
    pub(super) supply: u64,
}

impl<'a> Spread<'a> {
    pub(super) fn new(problem: &Problem<'a>, request: Request<'_>) -> Self {
        let (topology, source) = (problem.topology(), request.source);
        let others: Vec<NodeId> = topology.terminals().iter().copied().filter(|&terminal| terminal != source).collect();
        let mut is_receiver = vec![false; others.len()];
        for place in request.receivers.iter().filter_map(|receiver| others.binary_search(receiver).ok()) {
            is_receiver[place] = true;
        }
        let wormhole = problem.model().switching == Switching::Wormhole;
        Self { topology, legal: Legal::new(problem), wormhole, source, others, is_receiver }
    }

    /// Whether transfers pass through the node on their way.
    pub(super) fn is_passed(&self, node: NodeId) -> bool {
        self.wormhole && self.topology.routes(node)
    }

    /// The channels that transfers may cross.
    pub(super) fn channels(&self) -> impl Iterator<Item = ChannelId> {
        self.topology.channels().filter(|&channel| self.legal.carries(channel))
    }

    /// Copies of the message that a terminal can start in one step.
    pub(super) fn send_limit(&self, terminal: NodeId) -> u64 {
        self.legal.send_limit(terminal).min(self.others.len() as u64)
    }

    /// What is to be known of a set.
    ///
    /// A transfer to a terminal in the set comes into it last over a channel from a node that is passed: these are counted
    /// by themselves. Or it begins with a channel to a node in the set, from a terminal that is in the set or is not
    /// passed: that terminal supplies it. It need not supply more than what would be missing if no other one did.
    pub(super) fn region(&self, nodes: FixedBitSet) -> Region {
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
            if supplies { self.send_limit(terminal).min(self.legal.resource_count(into) as u64) } else { 0 }
        };
        let capacity = self.legal.resource_count(passing) as u64 + supply(self.source);
        let size = self.others.iter().filter(|&&other| is_inside(other)).count() as u64;
        let term = |(place, &terminal): (usize, &NodeId)| {
            let is_inside = is_inside(terminal);
            let missing = size.saturating_sub(capacity + u64::from(is_inside));
            Term { place, is_inside, supply: supply(terminal).min(missing) }
        };
        let terms = self.others.iter().enumerate().map(term);
        let terms: Vec<Term> = terms.filter(|term| term.is_inside || term.supply > 0).collect();
        let needs = self.needs(capacity, &terms);
        Region { nodes, capacity, terms, needs }
    }

    /// The needs of a set, from the last step back: each is met by the best holders the step before, while all those
    /// outside send what they can.
    fn needs(&self, capacity: u64, terms: &[Term]) -> Vec<u64> {
        let outside: u64 = terms.iter().filter(|term| !term.is_inside).map(|term| term.supply).sum();
        let inside = || terms.iter().filter(|term| term.is_inside);
        let mut supplies: Vec<u64> = inside().map(|term| term.supply).collect();
        supplies.sort_unstable_by(|a, b| b.cmp(a));
        // With no holder in the set, one, two and so on.
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

    /// The nodes at the other ends of a node's channels.
    pub(super) fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let heads = self.topology.out_channels(node).iter().map(|&channel| self.topology.head(channel));
        heads.chain(self.topology.in_channels(node).iter().map(|&channel| self.topology.tail(channel)))
    }

    /// The parts of a set that no channel joins.
    pub(super) fn parts(&self, nodes: &FixedBitSet) -> Vec<FixedBitSet> {
        let mut left = nodes.clone();
        let mut parts = Vec::new();
        while let Some(first) = left.minimum() {
            let mut part = FixedBitSet::with_capacity(nodes.len());
            let mut stack = vec![NodeId::from_index(first)];
            left.remove(first);
            while let Some(node) = stack.pop() {
                part.insert(node.index());
                for next in self.neighbours(node) {
                    if left.contains(next.index()) {
                        left.remove(next.index());
                        stack.push(next);
                    }
                }
            }
            parts.push(part);
        }
        parts
    }
}

impl Region {
    /// The steps that the needs of the set take by themselves.
    pub(super) fn steps(&self) -> u32 {
        self.needs.len() as u32 - 1
    }

    /// The fewest terminals in the set, without the source, that must hold the message so many steps before the end.
    pub(super) fn need(&self, steps_left: usize) -> u64 {
        self.needs[steps_left.min(self.needs.len() - 1)]
    }
}
