//! Lower bounds and the facts that prove them.

use lockstep_topology::NodeId;
use serde::{Deserialize, Serialize};

use crate::rule::Rule;

/// The direction in which messages cross the border of a node or a node set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From outside to inside.
    In,
    /// From inside to outside.
    Out,
    /// Both directions together; they compete where channels share a resource.
    Both,
}

/// The facts that prove a bound. They suffice to check it without knowing how it was found.
///
/// The facts concern the distribution of messages from sources to receivers. Node numbers are those of the topology.
/// Each variant is named after the rule that it serves, except [`Cut`](Self::Cut), which also serves [`Rule::Ports`],
/// [`Lengths`](Self::Lengths), and [`TimedLengths`](Self::TimedLengths), which serves [`Rule::TimedEntries`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Certificate {
    /// Messages that must cross the border of a node set, each at least once, on distinct resources.
    ///
    /// Proves `ceil(messages / per_step)` steps. At a single terminal, its ports limit the crossings too.
    Cut {
        /// The node set, ascending.
        nodes: Vec<NodeId>,
        /// The crossings that count.
        direction: Direction,
        /// Number of messages with a source on one side and a receiver on the other.
        messages: u64,
        /// Number of crossings possible in one step.
        per_step: u64,
    },
    /// Deliveries to the terminals of a node set, each by its own transfer, which enters the set or starts in it.
    ///
    /// Proves `ceil(deliveries / per_step)` steps.
    Reception {
        /// The node set, ascending.
        nodes: Vec<NodeId>,
        /// Total number of messages that the terminals in the set must receive.
        deliveries: u64,
        /// Number of resources of channels that lead from terminals, or from outside, to nodes of the set.
        per_step: u64,
    },
    /// Messages that must cross a cut of the time-expanded network, and cannot all do so in `infeasible` steps.
    ///
    /// Proves `infeasible + 1` steps.
    ///
    /// Time `t` is the end of step `t`. A terminal joins the near side of the cut at time `holds` and stays there. Its
    /// sends join the near side in step `sends`, its receptions in step `receives`. In step `t`, messages leave the
    /// near side in three places:
    /// - into the send ports of a terminal with `holds < t < sends`,
    /// - over a channel with `sends` of its tail `<= t < receives` of its head,
    /// - through the receive ports of a terminal with `receives <= t < holds`.
    TimedCut {
        /// The number of steps that is too small.
        infeasible: u32,
        /// The time per node, at most `infeasible + 1`, which means never.
        holds: Vec<u32>,
        /// The step per node. Empty means `holds + 1`, where ports are not limited.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sends: Vec<u32>,
        /// The step per node. Empty means `holds`, where ports are not limited.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        receives: Vec<u32>,
        /// Number of messages whose source is on the near side at time 0 and which have a receiver that never is.
        messages: u64,
        /// Number of transfers that can leave the near side in all steps together.
        crossings: u64,
    },
    /// Messages that must enter a node set and reach several receivers there. A message that first enters in the last steps
    /// must enter several times, or cannot reach all of them.
    ///
    /// Proves `ceil((messages - floor(per_step late / entries)) / per_step) + late` steps; without the second term if
    /// `entries` is 0.
    LateCut {
        /// The node set, ascending.
        nodes: Vec<NodeId>,
        /// The smallest number of receivers in the set of these messages.
        receivers: u64,
        /// Number of messages that reach at least `receivers` receivers inside only by entries.
        messages: u64,
        /// Number of entries possible in one step.
        per_step: u64,
        /// Number of last steps.
        late: u32,
        /// Number of entries that a message needs if it first enters in the last steps; 0 if it cannot reach its receivers.
        entries: u64,
    },
    /// The growth of the set of terminals that hold a message of one source.
    ///
    /// The source cannot start its last message before step `ceil(messages / ports)`, and a message spreads no faster
    /// than `informed`. Proves `ceil(messages / ports) + informed.len() - 2` steps.
    Growth {
        /// The source.
        source: NodeId,
        /// Number of messages of the source with at least `receivers` receivers.
        messages: u64,
        /// The smallest number of receivers of these messages.
        receivers: u64,
        /// Number of transfers that the source can start in one step.
        ports: u64,
        /// The largest number of terminals that can hold a message 0, 1, 2, … steps after its start, up to the first
        /// number above `receivers`. Under store-and-forward, a terminal sends a message only to its neighbours, and
        /// not to the one that sent it.
        informed: Vec<u64>,
    },
    /// A dynamic program over a tree: the message of one source cannot reach all receivers in `infeasible` steps.
    ///
    /// Proves `infeasible + 1` steps. The check runs the program again. For every link, from the leaves to the source,
    /// it computes the minimal *needs* of the subtree below. A need is a vector with one entry per step: 1 if the
    /// subtree takes a copy of the message from above, -1 if it gives one, and 0 otherwise. At the end, the source
    /// cannot meet any combination of needs of its links.
    TreeBroadcast {
        /// The source.
        source: NodeId,
        /// The number of steps that is too small.
        infeasible: u32,
        /// Total number of minimal needs over all links.
        states: u64,
        /// SHA-256 of the minimal needs in hexadecimal digits. The links come in the order of their lower nodes. Each
        /// contributes its number of needs (4 bytes, little-endian), then the needs in lexicographic order, with one
        /// byte per step in two's complement.
        digest: String,
    },
    /// A broadcast by packets over a tree, in the optimal order.
    ///
    /// Proves `steps` steps. Every terminal forwards the message to the neighbour with the slowest subtree first.
    TreePackets {
        /// The source.
        source: NodeId,
        /// Number of steps until all receivers hold the message.
        steps: u32,
    },
    /// Messages of one terminal that cross one channel per step.
    ///
    /// The terminal cannot start (for [`Direction::In`]: finish) the messages in fewer than `ceil(messages / ports)`
    /// steps, and each is under way for `distance` steps. Proves one step less than the sum.
    Eccentricity {
        /// The terminal.
        node: NodeId,
        /// [`Out`](Direction::Out) for the messages that it sends, [`In`](Direction::In) for those that it receives.
        direction: Direction,
        /// The smallest number of channels from the source to a farthest receiver, over all these messages.
        distance: u32,
        /// Number of messages that travel at least this distance.
        messages: u64,
        /// Number of transfers that the terminal can start (finish) in one step.
        ports: u64,
    },
    /// The total distance of all messages. Proves `ceil(channel_uses / per_step)` steps.
    DistanceSum {
        /// The sum of the shortest legal distances of all messages, in channels.
        channel_uses: u64,
        /// Number of channels that transfers can cross together in one step.
        ///
        /// This is at most the number of resources that can carry a transfer. Under store-and-forward, where each
        /// crossing uses a port at both ends, it is also at most the number of ports of all terminals.
        per_step: u64,
    },
    /// The total number of deliveries. Proves `ceil(deliveries / per_step)` steps.
    Volume {
        /// The sum of the numbers of receivers of all messages. In an all-reduce, twice this sum: one transfer of
        /// partial sums and one of the result per receiver.
        deliveries: u64,
        /// Number of transfers that can reach a receiver in one step, by the ports and resources of senders and
        /// receivers.
        per_step: u64,
    },
    /// A proof that the propositional formula which states that a schedule of `infeasible` steps exists is unsatisfiable.
    ///
    /// Proves `infeasible + 1` steps. The check builds the formula again, and derives every clause of the proof by unit
    /// propagation.
    Satisfiability {
        /// The number of steps that is too small.
        infeasible: u32,
        /// Number of variables of the formula.
        variables: u32,
        /// Number of clauses of the formula.
        clauses: u64,
        /// The clauses of the proof, each of them a list of literals and the number 0. A literal is the number of its
        /// variable, negative for the negation. The last clause is empty.
        proof: Vec<i32>,
        /// SHA-256 of the proof in hexadecimal digits, 4 bytes per number, little-endian. It detects a change that leaves the
        /// proof valid.
        digest: String,
    },
    /// The transfers of an all-reduce between groups of nodes. A message needs one transfer of partial sums out of each group
    /// with members of it except one, and one of the result into it.
    ///
    /// Proves `ceil(transfers / per_step)` steps, and `ceil((transfers - 2 e) / per_step) + 2` steps if the transfers do not fit
    /// one step, where `e = floor(2 per_step / (members + 1))` is what the first step serves at most, and the last one.
    GroupVolume {
        /// Disjoint sets of nodes, each ascending. Every member of a message is in one of them.
        groups: Vec<Vec<NodeId>>,
        /// Number of transfers between groups that all messages need.
        transfers: u64,
        /// The smallest number of members of a message in a group with members of it.
        members: u64,
        /// Number of transfers that the channels into all groups, or those out of them, can carry in one step.
        per_step: u64,
    },
    /// Lengths of resources and ports: a dual solution of a fractional packing problem. It serves
    /// [`Rule::ArcForwarding`], [`Rule::TreePacking`] and [`Rule::Gossip`].
    ///
    /// Proves `ceil(distance / floor(per_step / unit))` steps. In one step, each length is covered at most once per unit of
    /// capacity. For the arcs, a message covers the lengths of all channels on a path, and under store-and-forward those of the
    /// ports at both ends of each channel. For the trees, a transfer covers the lengths of its resources, of a send port
    /// at its start and of a receive port at its end, and a message covers the lengths of a tree of transfers. In an
    /// all-reduce, a message covers a tree of transfers into some member, and one transfer to each other member.
    Lengths {
        /// The length of each resource, in the order of the resource numbers.
        resources: Vec<u32>,
        /// The length of a send port of each terminal, in ascending order of terminals; empty if all are 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sends: Vec<u32>,
        /// The length of a receive port of each terminal, in ascending order of terminals; empty if all are 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        receptions: Vec<u32>,
        /// Every transfer counts by the number of whole units in its length. A step has room for whole units only.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        unit: u32,
        /// The sum of the smallest lengths that the messages cover, in units.
        distance: u64,
        /// The sum of the lengths of all resources and ports.
        per_step: u64,
    },
    /// Lengths of resources and ports in each step, by which the messages are too long for `infeasible` steps.
    ///
    /// Proves `infeasible + 1` steps. As for [`Lengths`](Self::Lengths), a transfer covers the lengths of its resources
    /// and of the ports at its ends in its step. A message covers one transfer into each class of terminals that it must enter, or
    /// in an all-reduce two per class.
    TimedLengths {
        /// The number of steps that is too small.
        infeasible: u32,
        /// The length of each resource, step by step, in the order of the resource numbers.
        resources: Vec<u32>,
        /// The length of a send port of each terminal, step by step, in ascending order of terminals; empty if all are
        /// 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sends: Vec<u32>,
        /// The length of a receive port of each terminal, step by step, in ascending order of terminals; empty if all
        /// are 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        receptions: Vec<u32>,
        /// The sum of the smallest lengths that the messages cover. A message for which no transfers are fast enough
        /// counts as `available + 1`.
        distance: u64,
        /// The sum of the lengths of all resources and ports in all steps.
        available: u64,
    },
    /// A fact about the time-reversed network, in which a collecting phase distributes, and an all-reduce is one.
    Reversed {
        /// The fact about the reversed network.
        certificate: Box<Certificate>,
    },
    /// A bound of an all-reduce as the reductions of all messages to one terminal, or as their broadcasts from it.
    CommonRoot {
        /// The terminal. It is the source of every message that it contributes to.
        root: NodeId,
        /// The bound. Its certificate is [`Reversed`](Self::Reversed) for the reductions.
        bound: Box<LowerBound>,
    },
}

/// A number of steps that no schedule of a problem can beat.
///
/// The JSON form is `{"steps":7,"rule":"ports","certificate":{"kind":"cut","nodes":[0],…}}`; for the binary form, see
/// [`to_bytes`](Self::to_bytes). This is plain data that may be wrong; [`check`](Self::check) verifies it.
///
/// ```
/// use lockstep_certificate::{LowerBound, Rule};
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:8".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole())?;
/// // Each node receives seven messages over two channels.
/// let certificate = r#"{"kind":"cut","nodes":[0],"direction":"in","messages":7,"per_step":2}"#;
/// let bound = LowerBound { steps: 4, rule: Rule::Ports, certificate: serde_json::from_str(certificate)? };
/// bound.check(&problem)?;
/// let too_high = LowerBound { steps: 5, ..bound };
/// assert!(too_high.check(&problem).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LowerBound {
    /// The number of steps.
    pub steps: u32,
    /// The argument.
    pub rule: Rule,
    /// The facts that prove it.
    pub certificate: Certificate,
}

/// The unit of lengths that are not rounded.
fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(unit: &u32) -> bool {
    *unit == 1
}
