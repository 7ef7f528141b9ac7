//! What a lower bound is, and what proves it.

use std::fmt;

use lockstep_topology::NodeId;
use serde::{Deserialize, Serialize};

/// The argument behind a bound; when bounds tie, the earlier one is listed first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// One terminal sends or receives all its messages through its channels and ports.
    Ports,
    /// The terminals that hold a message multiply by at most their ports in a step.
    Growth,
    /// No way to pass a message on between the subtrees of a tree is fast enough.
    TreeBroadcast,
    /// One terminal after the other passes a packet on to its subtree.
    TreePackets,
    /// No way to inform all parts of the network is fast enough, not even by parts of messages.
    BroadcastLp,
    /// A message crosses one channel a step.
    Eccentricity,
    /// Messages cross from one part of the network to the other.
    Cut,
    /// Messages cross a cut over channels that transfers from their source may take.
    SourceCut,
    /// All deliveries to some terminals pass the channels that lead there.
    Reception,
    /// Messages cross a cut that moves in the course of time.
    TimedCut,
    /// All messages together cross all their channels.
    DistanceSum,
    /// All deliveries together pass all ports.
    Volume,
    /// The best division of all messages among paths loads some resource or port so much.
    ArcForwarding,
    /// The phases follow each other.
    Phases,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ports => "ports",
            Self::Growth => "growth",
            Self::TreeBroadcast => "tree-broadcast",
            Self::TreePackets => "tree-packets",
            Self::BroadcastLp => "broadcast-lp",
            Self::Eccentricity => "eccentricity",
            Self::Cut => "cut",
            Self::SourceCut => "source-cut",
            Self::Reception => "reception",
            Self::TimedCut => "timed-cut",
            Self::DistanceSum => "distance-sum",
            Self::Volume => "volume",
            Self::ArcForwarding => "arc-forwarding",
            Self::Phases => "phases",
        })
    }
}

/// Which way messages go, seen from a node or a set of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From outside to inside.
    In,
    /// From inside to outside.
    Out,
    /// Either way; the two ways compete where channels share a resource.
    Both,
}

/// The facts that prove a bound, enough to check it without knowing how it was found.
///
/// Facts are about the distribution of messages from sources to receivers. Node numbers are the topology's.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Certificate {
    /// Messages that must cross the border of a node set, each at least once, on distinct resources:
    /// `ceil(messages / per_step)` steps. At a single terminal its ports limit the crossings too.
    Cut {
        /// The node set, ascending.
        nodes: Vec<NodeId>,
        /// Which crossings are counted.
        direction: Direction,
        /// Messages with a source on one side and a receiver on the other.
        messages: u64,
        /// Crossings possible in one step.
        per_step: u64,
    },
    /// Messages of one source, each in one transfer to its receiver, that must enter a node set, over distinct resources of
    /// those channels that transfers from the source may take: `ceil(messages / per_step)` steps.
    SourceCut {
        /// The source.
        source: NodeId,
        /// The node set without the source, ascending.
        nodes: Vec<NodeId>,
        /// Messages of the source with a receiver in the set.
        messages: u64,
        /// Resources of channels into the set on a legal path from the source, with minimal routing a shortest one.
        per_step: u64,
    },
    /// Deliveries to the terminals of a node set, each by a transfer of its own that enters the set or starts inside:
    /// `ceil(deliveries / per_step)` steps.
    Reception {
        /// The node set, ascending.
        nodes: Vec<NodeId>,
        /// Messages that the terminals in the set must receive, together.
        deliveries: u64,
        /// Resources of channels to the nodes of the set from terminals and from outside.
        per_step: u64,
    },
    /// Messages that must leave the near side of a cut of the network over time cannot do so in `infeasible` steps, and it
    /// takes one step more.
    ///
    /// A terminal is on the near side from time `holds` on, and stays there; time `t` is the end of step `t`. Its sends are
    /// on the near side from step `sends` on, its receptions from step `receives` on. In step `t` messages leave the near
    /// side into the ports of a sender with `holds < t < sends`, over a channel with `sends` of its tail `<= t < receives` of
    /// its head, and through the ports of a receiver with `receives <= t < holds`.
    TimedCut {
        /// The number of steps.
        infeasible: u32,
        /// By node, at most `infeasible + 1`, which is never.
        holds: Vec<u32>,
        /// By node; empty stands for `holds + 1`, where ports do not count.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sends: Vec<u32>,
        /// By node; empty stands for `holds`, where ports do not count.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        receives: Vec<u32>,
        /// Messages with a source that is on the near side at time 0 and a receiver that never is.
        messages: u64,
        /// Transfers that can leave the near side in all steps together.
        crossings: u64,
    },
    /// One source cannot start its last message before step `ceil(messages / ports)`, and a message spreads no faster
    /// than `informed`: `ceil(messages / ports) + informed.len() - 2` steps.
    Growth {
        /// The source.
        source: NodeId,
        /// Its messages with at least so many receivers.
        messages: u64,
        /// The fewest receivers of these messages.
        receivers: u64,
        /// Transfers the source can start in one step.
        ports: u64,
        /// The most terminals that can hold a message 0, 1, 2, … steps after its start, up to the first number above
        /// `receivers`. Under store-and-forward no terminal sends it to more than its neighbours, of which one has sent it.
        informed: Vec<u64>,
    },
    /// The message of one source cannot spread in `infeasible` steps over the network, whose links form a tree: it takes
    /// one step more.
    ///
    /// The proof is a programme that is run again to check it. It finds for every link, from the leaves to the source, the
    /// least *needs* of the subtree below: for each step 1 if it takes a copy of the message from above, -1 if it gives
    /// one, else 0. In the end the source cannot meet the needs of its links, whichever of them.
    TreeBroadcast {
        /// The source.
        source: NodeId,
        /// The number of steps.
        infeasible: u32,
        /// The least needs of all links together.
        states: u64,
        /// SHA-256 in hexadecimal digits of the least needs, link by link in the order of their lower nodes: how many
        /// (4 bytes, lowest first), then each one, in lexicographic order, with a byte a step in two's complement.
        digest: String,
    },
    /// Passed on from terminal to terminal over a tree, the message of one source takes so many steps to reach all
    /// receivers if every terminal serves first the neighbour whose subtree takes longest.
    TreePackets {
        /// The source.
        source: NodeId,
        /// The number of steps.
        steps: u32,
    },
    /// The message of one source cannot spread in `infeasible` steps: it takes one step more.
    ///
    /// Each node set stands for an inequality that every schedule of so many steps meets, as often as its weight says.
    /// Added up, what the terminals do to both sides depends only on the step in which each gets the message. Even if each
    /// of them chooses the best one, the sum is missed by `excess`.
    #[serde(rename = "spread")]
    BroadcastLp {
        /// The source.
        source: NodeId,
        /// The number of steps.
        infeasible: u32,
        /// In their step the terminals in the set that get the message are at most `count`, the copies that the source
        /// and the nodes outside on the way of transfers send over channels into it, and those that other holders send it
        /// over their own channels: each no more than its ports allow, and than the set lacks when no other one sends.
        inlets: Vec<WeightedSet>,
        /// After their step at least `count` terminals in the set hold the message, the source not counted: fewer, be it
        /// the best ones, and all that comes into the set would not be enough for the receivers in it after the last step.
        needs: Vec<WeightedSet>,
        /// By how much the sum is missed at least.
        excess: u64,
        /// SHA-256 in hexadecimal digits of the inlets, then the needs: for each its step, weight, number of nodes and
        /// nodes (4 bytes each, lowest first) and its count (8 bytes). It shows a change even where the sum is missed as
        /// well.
        digest: String,
    },
    /// One terminal cannot start (or, for [`Direction::In`], finish) the messages in fewer than
    /// `ceil(messages / ports)` steps, and each is on its way for `distance` steps: one step less than their sum.
    Eccentricity {
        /// The terminal.
        node: NodeId,
        /// [`Out`](Direction::Out) for its own messages, [`In`](Direction::In) for those it receives.
        direction: Direction,
        /// The least number of channels to a farthest receiver (from the source) of each of these messages.
        distance: u32,
        /// Messages that go at least this far.
        messages: u64,
        /// Transfers the terminal can start (finish) in one step.
        ports: u64,
    },
    /// `ceil(channel_uses / per_step)` steps.
    DistanceSum {
        /// The shortest legal distances of all messages together.
        channel_uses: u64,
        /// Channels that transfers can cross together in one step: no more than the resources that can carry one and,
        /// under store-and-forward, where each crossing takes a port at either end, than the ports of all terminals.
        per_step: u64,
    },
    /// `ceil(deliveries / per_step)` steps.
    Volume {
        /// The receivers of all messages together.
        deliveries: u64,
        /// Transfers that can reach a receiver in one step, by the ports and resources of senders and receivers.
        per_step: u64,
    },
    /// `ceil(distance / per_step)` steps: every step covers each length at most as often as it has a capacity, and a message
    /// that crosses a channel covers the lengths of its resource, of a send port at its tail and of a reception port at its
    /// head.
    #[serde(rename = "lengths")]
    ArcForwarding {
        /// The length of each resource, in the order of their numbers.
        resources: Vec<u32>,
        /// The length of a send port of each terminal, ascending; empty where all are 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sends: Vec<u32>,
        /// The length of a reception port of each terminal, ascending; empty where all are 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        receptions: Vec<u32>,
        /// The lengths of the shortest legal paths of all messages together.
        distance: u64,
        /// The lengths of all resources and ports together.
        per_step: u64,
    },
    /// The same fact about the reversed network: read backwards in time, a collecting phase distributes.
    Reversed {
        /// What holds on the reversed network.
        certificate: Box<Certificate>,
    },
    /// One bound a phase, in time order: the sum of their steps.
    Phases {
        /// The bounds.
        phases: Vec<LowerBound>,
    },
}

/// A number of steps that no schedule of a problem can beat.
///
/// In JSON `{"steps":7,"rule":"ports","certificate":{"kind":"cut","nodes":[0],…}}`. Plain data that may be wrong; only
/// [`check`](Self::check) says that it is not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LowerBound {
    /// The number of steps.
    pub steps: u32,
    /// The argument.
    pub rule: Rule,
    /// The facts it rests on.
    pub certificate: Certificate,
}

/// A node set in one step of the [spread](Certificate::BroadcastLp) of a message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedSet {
    /// The step, from 1 on; 0 is the start.
    pub step: u32,
    /// The node set, ascending.
    pub nodes: Vec<NodeId>,
    /// The copies that come into it in the step, or the terminals in it that must hold the message after the step.
    pub count: u64,
    /// How often it counts.
    pub weight: u32,
}
