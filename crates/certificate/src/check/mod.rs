//! The judge of certificates. It shares the definitions with the rules, and no code that finds or counts.

mod arc_forwarding;
mod broadcast_lp;
mod cayley;
mod cut;
mod growth;
mod reception;
mod source_cut;
mod timed_cut;
mod tree_broadcast;
mod tree_packets;
mod volume;

use std::collections::{BTreeSet, VecDeque};

use lockstep_schedule::{DistributePhase, MessageId, Messages, Problem, Receivers, Switching};
use lockstep_topology::{ChannelId, NodeId, ResourceId};

use crate::certificate::{Certificate, Direction, LowerBound, Rule};

/// Why a certificate does not prove its bound.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A node that does not exist.
    #[error("the certificate names node {node}, but the nodes are 0 to {}", .node_count - 1)]
    UnknownNode {
        /// The number that names no node.
        node: u32,
        /// Number of nodes.
        node_count: usize,
    },
    /// A node set with a node out of order or twice.
    #[error("node {node} stands out of order in the node set; list each node once, ascending")]
    NodeOrder {
        /// The node.
        node: NodeId,
    },
    /// The argument does not hold for problems of this kind, or is not made like this.
    #[error("this is no certificate by {rule}: {why}")]
    NotApplicable {
        /// The rule that the bound names.
        rule: Rule,
        /// What is missing.
        why: &'static str,
    },
    /// A number that the network and the messages do not give.
    #[error("{quantity}: the certificate says {claimed}, the problem gives {actual}")]
    Wrong {
        /// What is counted.
        quantity: &'static str,
        /// The number written.
        claimed: u64,
        /// The number that holds.
        actual: u64,
    },
}

type Checked<T = ()> = Result<T, CertificateError>;

impl LowerBound {
    /// Whether the certificate proves the bound for the problem, computed afresh from the certificate alone.
    ///
    /// Takes time in proportion to the network and the messages; a distance sum takes one search a source, and so do
    /// lengths, each O(M log M) for `M` channels.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] names the first fact that does not hold; every number must be exact, even where a weaker
    /// one would prove the same.
    pub fn check(&self, problem: &Problem<'_>) -> Result<(), CertificateError> {
        match (DistributePhase::all(problem).as_slice(), &self.certificate) {
            ([phase], _) => self.check_phase(problem, phase),
            (phases, Certificate::Phases { phases: bounds })
                if self.rule == Rule::Phases && bounds.len() == phases.len() =>
            {
                phases.iter().zip(bounds).try_for_each(|(phase, bound)| bound.check_phase(problem, phase))?;
                self.expect_steps(bounds.iter().map(|bound| u64::from(bound.steps)).sum())
            }
            _ => Err(self.not_applicable("the collective has two phases")),
        }
    }

    fn check_phase(&self, whole: &Problem<'_>, phase: &DistributePhase<'_>) -> Checked {
        let certificate = match (&self.certificate, phase.is_reversed()) {
            (Certificate::Reversed { certificate }, true) => certificate,
            (_, true) => return Err(self.not_applicable("the collective collects: the reversed network counts")),
            (certificate, false) => certificate,
        };
        let steps = self.steps_proved(&phase.problem(whole), certificate)?;
        self.expect_steps(steps)
    }

    #[expect(clippy::too_many_lines, reason = "one arm a rule")]
    fn steps_proved(&self, problem: &Problem<'_>, certificate: &Certificate) -> Checked<u64> {
        match (self.rule, certificate) {
            (Rule::Ports | Rule::Cut, Certificate::Cut { nodes, direction, messages, per_step }) => {
                let alone = matches!(nodes.as_slice(), [node] if is_terminal(problem, *node));
                if self.rule == Rule::Ports && !alone {
                    return Err(self.not_applicable("the set must be one terminal"));
                }
                let (crossing, limit) = cut::count(problem, nodes, *direction)?;
                expect("messages that must cross", *messages, crossing)?;
                expect("crossings in one step", *per_step, limit)?;
                self.quotient(crossing, limit)
            }
            (Rule::SourceCut, Certificate::SourceCut { source, nodes, messages, per_step }) => {
                self.expect_terminal(problem, *source)?;
                let inside = node_set(problem, nodes)?;
                let (entering, limit) =
                    source_cut::count(problem, *source, &inside).map_err(|why| self.not_applicable(why))?;
                expect("messages that must enter", *messages, entering)?;
                expect("ways in for one step", *per_step, limit)?;
                self.quotient(entering, limit)
            }
            (Rule::Reception, Certificate::Reception { nodes, deliveries, per_step }) => {
                let (due, limit) = reception::count(problem, &node_set(problem, nodes)?);
                expect("deliveries", *deliveries, due)?;
                expect("deliveries in one step", *per_step, limit)?;
                self.quotient(due, limit)
            }
            (Rule::TimedCut, Certificate::TimedCut { infeasible, holds, sends, receives, messages, crossings }) => {
                let labels = timed_cut::Labels { steps: *infeasible, holds, sends, receives };
                let (stopped, limit) = labels.count(problem).map_err(|why| self.not_applicable(why))?;
                expect("messages that must cross", *messages, stopped)?;
                expect("crossings in all steps", *crossings, limit)?;
                if stopped <= limit {
                    return Err(self.not_applicable("the messages can cross in these steps"));
                }
                Ok(u64::from(*infeasible) + 1)
            }
            (Rule::TreePackets, Certificate::TreePackets { source, steps }) => {
                self.expect_terminal(problem, *source)?;
                let least = tree_packets::least(problem, *source).map_err(|why| self.not_applicable(why))?;
                expect("steps over the tree", (*steps).into(), least)?;
                Ok(least)
            }
            (Rule::Growth, Certificate::Growth { source, messages, receivers, ports, informed }) => {
                self.expect_terminal(problem, *source)?;
                let (count, fewest) = broadcasts(problem, *source, *receivers);
                expect("messages of the source", *messages, count)?;
                expect("receivers of these messages", *receivers, fewest)?;
                expect("ports of the source", *ports, starts(problem, *source))?;
                let start = self.quotient(*messages, *ports)?;
                growth::compare(problem, *source, *receivers, informed)?;
                Ok(start + informed.len() as u64 - 2)
            }
            (Rule::TreeBroadcast, Certificate::TreeBroadcast { source, infeasible, states, digest }) => {
                self.expect_terminal(problem, *source)?;
                let run = tree_broadcast::run(problem, *source, *infeasible).map_err(|why| self.not_applicable(why))?;
                if run.is_possible {
                    return Err(self.not_applicable("the source can meet the needs of all subtrees"));
                }
                expect("states", *states, run.states)?;
                if *digest != run.digest {
                    return Err(self.not_applicable("the tables of the programme are others"));
                }
                Ok(u64::from(*infeasible) + 1)
            }
            (Rule::BroadcastLp, Certificate::BroadcastLp { source, infeasible, inlets, needs, excess, digest }) => {
                self.expect_terminal(problem, *source)?;
                let (missed, sets) = broadcast_lp::excess(problem, *source, *infeasible, [inlets, needs])?;
                expect("excess of the sum", *excess, missed)?;
                if *digest != sets {
                    return Err(self.not_applicable("the sets have another digest"));
                }
                Ok(u64::from(*infeasible) + 1)
            }
            (Rule::Eccentricity, Certificate::Eccentricity { node, direction, distance, messages, ports }) => {
                self.expect_terminal(problem, *node)?;
                if problem.model().switching != Switching::StoreAndForward {
                    return Err(self.not_applicable("a wormhole transfer crosses many channels in one step"));
                }
                let (travelling, limit) = match direction {
                    Direction::Out => (departures(problem, *node, *distance), starts(problem, *node)),
                    Direction::In => (arrivals(problem, *node, *distance), finishes(problem, *node)),
                    Direction::Both => return Err(self.not_applicable("messages go one way")),
                };
                expect("messages that go this far", *messages, travelling)?;
                expect("ports of the terminal", *ports, limit)?;
                Ok((self.quotient(travelling, limit)? + u64::from(*distance)).saturating_sub(1))
            }
            (Rule::DistanceSum, Certificate::DistanceSum { channel_uses, per_step }) => {
                if !problem.messages().is_scatter() {
                    return Err(self.not_applicable("copies of a message can share a part of their way"));
                }
                expect("channels crossed", *channel_uses, distances(problem))?;
                expect("channels crossed in one step", *per_step, crossings(problem))?;
                self.quotient(*channel_uses, *per_step)
            }
            (Rule::Volume, Certificate::Volume { deliveries, per_step }) => {
                let (all, limit) = volume::count(problem);
                expect("deliveries", *deliveries, all)?;
                expect("deliveries in one step", *per_step, limit)?;
                self.quotient(all, limit)
            }
            (Rule::ArcForwarding, Certificate::ArcForwarding { resources, sends, receptions, distance, per_step }) => {
                let lengths = arc_forwarding::Lengths { resources, sends, receptions };
                let (sum, all) = arc_forwarding::sums(problem, &lengths).map_err(|why| self.not_applicable(why))?;
                expect("lengths of all messages", *distance, sum)?;
                expect("lengths in one step", *per_step, all)?;
                self.quotient(sum, all)
            }
            _ => Err(self.not_applicable("its facts belong to another rule")),
        }
    }

    fn expect_steps(&self, proved: u64) -> Checked {
        expect("steps", self.steps.into(), proved.min(u32::MAX.into()))
    }

    fn expect_terminal(&self, problem: &Problem<'_>, node: NodeId) -> Checked {
        known(problem, node)?;
        if is_terminal(problem, node) { Ok(()) } else { Err(self.not_applicable("the node must be a terminal")) }
    }

    fn quotient(&self, work: u64, per_step: u64) -> Checked<u64> {
        match work {
            0 => Err(self.not_applicable("nothing has to move")),
            _ if per_step == 0 => Err(self.not_applicable("nothing can move")),
            _ => Ok(work.div_ceil(per_step)),
        }
    }

    fn not_applicable(&self, why: &'static str) -> CertificateError {
        CertificateError::NotApplicable { rule: self.rule, why }
    }
}

fn expect(quantity: &'static str, claimed: u64, actual: u64) -> Checked {
    if claimed == actual { Ok(()) } else { Err(CertificateError::Wrong { quantity, claimed, actual }) }
}

fn known(problem: &Problem<'_>, node: NodeId) -> Checked {
    let node_count = problem.topology().node_count();
    if node.index() < node_count {
        return Ok(());
    }
    Err(CertificateError::UnknownNode { node: node.number(), node_count })
}

fn is_terminal(problem: &Problem<'_>, node: NodeId) -> bool {
    node.index() < problem.topology().node_count() && problem.topology().is_terminal(node)
}

/// The first chunk of every message, and how many chunks there are.
fn uncut(messages: &Messages<'_>) -> (impl Iterator<Item = MessageId> + use<>, u64) {
    let firsts = (0..messages.len()).step_by(messages.chunks() as usize);
    (firsts.map(|number| MessageId::new(number as u32)), messages.chunks().into())
}

/// Which nodes are in the set.
fn node_set(problem: &Problem<'_>, nodes: &[NodeId]) -> Checked<Vec<bool>> {
    let mut inside = vec![false; problem.topology().node_count()];
    let mut previous = None;
    for &node in nodes {
        known(problem, node)?;
        if previous >= Some(node) {
            return Err(CertificateError::NodeOrder { node });
        }
        previous = Some(node);
        inside[node.index()] = true;
    }
    Ok(inside)
}

/// Whether a transfer can cross the channel under the model.
fn usable(problem: &Problem<'_>, channel: ChannelId) -> bool {
    let topology = problem.topology();
    let store_and_forward = problem.model().switching == Switching::StoreAndForward;
    let touched = |node| topology.is_terminal(node) || !store_and_forward && topology.routes(node);
    touched(topology.tail(channel)) && touched(topology.head(channel))
}

fn distinct_resources(problem: &Problem<'_>, channels: impl Iterator<Item = ChannelId>) -> u64 {
    channels.map(|channel| problem.topology().resource(channel)).collect::<BTreeSet<ResourceId>>().len() as u64
}

/// Transfers that a terminal can start in one step.
fn starts(problem: &Problem<'_>, terminal: NodeId) -> u64 {
    let channels = problem.topology().out_channels(terminal).iter().copied();
    let resources = distinct_resources(problem, channels.filter(|&channel| usable(problem, channel)));
    problem.model().ports.of_degree(resources as usize) as u64
}

/// Transfers that a terminal can finish in one step.
fn finishes(problem: &Problem<'_>, terminal: NodeId) -> u64 {
    let channels = problem.topology().in_channels(terminal).iter().copied();
    let resources = distinct_resources(problem, channels.filter(|&channel| usable(problem, channel)));
    problem.model().ports.of_degree(resources as usize) as u64
}

/// Messages of the source with at least this many receivers, and how many these have at least.
fn broadcasts(problem: &Problem<'_>, source: NodeId, receivers: u64) -> (u64, u64) {
    let messages = problem.messages();
    let (originals, chunks) = uncut(&messages);
    let own = originals.filter(|&message| messages.source(message) == source);
    let wide = own.map(|message| messages.receiver_count(message) as u64).filter(|&count| count >= receivers);
    wide.fold((0, u64::MAX), |(count, fewest), receivers| (count + chunks, fewest.min(receivers)))
}

/// Messages of the terminal with a receiver at least this far away.
fn departures(problem: &Problem<'_>, node: NodeId, distance: u32) -> u64 {
    let messages = problem.messages();
    let from_node = reach(problem, node, false);
    let far = |receiver: NodeId| from_node[receiver.index()].is_some_and(|channels| channels >= distance);
    let (originals, chunks) = uncut(&messages);
    let own = originals.filter(|&message| messages.source(message) == node);
    chunks * own.filter(|&message| messages.receivers_iter(message).any(far)).count() as u64
}

/// Messages for the terminal from a source at least this far away.
fn arrivals(problem: &Problem<'_>, node: NodeId, distance: u32) -> u64 {
    let (topology, messages) = (problem.topology(), problem.messages());
    let to_node = reach(problem, node, true);
    let (originals, chunks) = uncut(&messages);
    let far = originals.filter(|&message| {
        let source = messages.source(message);
        let wanted = match messages.receivers(message) {
            Receivers::AllOthers => topology.is_terminal(node) && node != source,
            Receivers::One(receiver) => receiver == node,
            Receivers::List(receivers) => receivers.contains(&node),
        };
        wanted && to_node[source.index()].is_some_and(|channels| channels >= distance)
    });
    chunks * far.count() as u64
}

/// The shortest legal distances of all scatter messages together.
fn distances(problem: &Problem<'_>) -> u64 {
    let messages = problem.messages();
    let (originals, chunks) = uncut(&messages);
    let mut searched: Option<(NodeId, Vec<Option<u32>>)> = None;
    let mut sum = 0;
    for message in originals {
        let source = messages.source(message);
        if searched.as_ref().is_none_or(|(node, _)| *node != source) {
            searched = Some((source, reach(problem, source, false)));
        }
        let distance = |receiver: NodeId| searched.as_ref().and_then(|(_, distance)| distance[receiver.index()]);
        sum += messages.receivers_iter(message).filter_map(distance).map(u64::from).sum::<u64>();
    }
    chunks * sum
}

/// Channels that transfers can cross together in one step.
fn crossings(problem: &Problem<'_>) -> u64 {
    let topology = problem.topology();
    let resources = distinct_resources(problem, topology.channels().filter(|&channel| usable(problem, channel)));
    if problem.model().switching == Switching::Wormhole {
        return resources;
    }
    let all = |limit: fn(&Problem<'_>, NodeId) -> u64| -> u64 {
        topology.terminals().iter().map(|&terminal| limit(problem, terminal)).sum()
    };
    resources.min(all(starts)).min(all(finishes))
}

/// The least number of channels by which a message gets from a terminal to each node, or there from each node.
fn reach(problem: &Problem<'_>, start: NodeId, backwards: bool) -> Vec<Option<u32>> {
    let topology = problem.topology();
    let direct = problem.model().is_direct() && problem.messages().is_scatter();
    let mut distance = vec![None; topology.node_count()];
    distance[start.index()] = Some(0);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((node, channels)) = queue.pop_front() {
        let routed = problem.model().switching == Switching::Wormhole && topology.routes(node);
        let relayed = topology.is_terminal(node) && !direct;
        if node != start && !routed && !relayed {
            continue;
        }
        let leaving = if backwards { topology.in_channels(node) } else { topology.out_channels(node) };
        for &channel in leaving.iter().filter(|&&channel| usable(problem, channel)) {
            let next = if backwards { topology.tail(channel) } else { topology.head(channel) };
            if distance[next.index()].is_none() {
                distance[next.index()] = Some(channels + 1);
                queue.push_back((next, channels + 1));
            }
        }
    }
    distance
}
