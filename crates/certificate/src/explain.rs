//! Certificates in words.

use std::fmt::{self, Display, Formatter};

use lockstep_topology::{NodeId, Topology};

use crate::certificate::{Certificate, Direction, LowerBound};

/// Longer lists are cut to this number of entries.
const LISTED: usize = 8;

impl Display for LowerBound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", counted(self.steps.into(), "step"), self.rule, self.certificate)
    }
}

impl Display for Certificate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Explanation { certificate: self, topology: None }.fmt(f)
    }
}

impl Certificate {
    /// Returns the certificate in words, with the names of nodes instead of their numbers.
    ///
    /// ```
    /// use lockstep_certificate::{Certificate, Direction};
    /// use lockstep_topology::{NodeId, Topology};
    ///
    /// let mesh: Topology = "mesh:4x4".parse()?;
    /// let (nodes, direction) = (vec![NodeId::new(0)], Direction::In);
    /// let cut = Certificate::Cut { nodes, direction, messages: 15, per_step: 2 };
    /// assert_eq!(cut.explain(&mesh).to_string(), "terminal 00 receives 15 messages, at most 2 in a step");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain<'a>(&'a self, topology: &'a Topology) -> impl Display + 'a {
        Explanation { certificate: self, topology: Some(topology) }
    }
}

struct Explanation<'a> {
    certificate: &'a Certificate,
    topology: Option<&'a Topology>,
}

impl Explanation<'_> {
    fn name(&self, node: NodeId) -> String {
        match self.topology.filter(|topology| node.index() < topology.node_count()) {
            Some(topology) => topology.node_name(node).to_owned(),
            None => node.to_string(),
        }
    }

    fn set(&self, nodes: &[NodeId]) -> String {
        format!("the {} nodes {}", nodes.len(), list(nodes.iter().map(|&node| self.name(node))))
    }

    fn cut(&self, f: &mut Formatter<'_>, nodes: &[NodeId], direction: Direction, counts: [u64; 2]) -> fmt::Result {
        let messages = counted(counts[0], "message");
        if let &[terminal] = nodes {
            let verb = match direction {
                Direction::In => "receives",
                Direction::Out => "sends",
                Direction::Both => "sends and receives",
            };
            write!(f, "terminal {} {verb} {messages}", self.name(terminal))?;
        } else {
            let preposition = match direction {
                Direction::In => "into",
                Direction::Out => "out of",
                Direction::Both => "into or out of",
            };
            write!(f, "{messages} must go {preposition} {}", self.set(nodes))?;
        }
        write!(f, ", at most {} in a step", counts[1])
    }

    fn late_cut(&self, f: &mut Formatter<'_>, nodes: &[NodeId], counts: [u64; 4], late: u32) -> fmt::Result {
        let [messages, per_step, receivers, entries] = counts;
        let (messages, receivers) = (counted(messages, "message"), counted(receivers, "receiver"));
        write!(f, "{messages} must go into {}, at most {per_step} in a step, ", self.set(nodes))?;
        write!(f, "each to {receivers} or more")?;
        let last = if late == 1 { "step".to_owned() } else { format!("{late} steps") };
        match entries {
            0 => write!(f, "; none that first enters in the last {last} reaches all of them"),
            _ => write!(f, "; one that first enters in the last {last} must enter {entries} times"),
        }
    }

    fn growth(&self, f: &mut Formatter<'_>, source: NodeId, counts: [u64; 3], informed: &[u64]) -> fmt::Result {
        let [messages, receivers, ports] = counts;
        let source = self.name(source);
        let steps = counted(informed.len().saturating_sub(1) as u64, "step");
        let (holders, needed) = (list(informed.iter()), receivers.saturating_add(1));
        if messages == 1 {
            write!(f, "after 0 to {steps} at most {holders} terminals can hold the message of terminal {source}")?;
        } else {
            write!(f, "terminal {source} starts at most {ports} of {messages} messages in a step; ")?;
            write!(f, "0 to {steps} after its start at most {holders} terminals can hold one")?;
        }
        write!(f, ", and {needed} must")
    }

    fn lengths(f: &mut Formatter<'_>, lengths: [&[u32]; 3], messages: &str, sums: [u64; 2]) -> fmt::Result {
        let positive = |lengths: &[u32]| lengths.iter().filter(|&&length| length > 0).count() as u64;
        let [resources, sends, receptions] = lengths.map(positive);
        let terminals = sends.max(receptions);
        let places = match (resources, terminals) {
            (resources, 0) => counted(resources, "resource"),
            (0, terminals) => format!("the ports of {}", counted(terminals, "terminal")),
            (resources, terminals) => {
                format!("{} and the ports of {}", counted(resources, "resource"), counted(terminals, "terminal"))
            }
        };
        let [distance, per_step] = sums;
        write!(f, "by lengths of {places}, {messages} together cover {distance}, at most {per_step} in a step")
    }
}

impl Display for Explanation<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.certificate {
            Certificate::Cut { nodes, direction, messages, per_step } => {
                self.cut(f, nodes, *direction, [*messages, *per_step])
            }
            Certificate::Reception { nodes, deliveries, per_step } => {
                write!(f, "{} to terminals among {}", counted(*deliveries, "delivery"), self.set(nodes))?;
                write!(f, ", at most {per_step} in a step over the channels that lead there")
            }
            Certificate::TimedCut { infeasible, messages, crossings, .. } => {
                let (messages, steps) = (counted(*messages, "message"), counted((*infeasible).into(), "step"));
                write!(f, "{messages} must cross a cut of the time-expanded network, ")?;
                write!(f, "but in {steps} at most {crossings} can")
            }
            Certificate::LateCut { nodes, receivers, messages, per_step, late, entries } => {
                self.late_cut(f, nodes, [*messages, *per_step, *receivers, *entries], *late)
            }
            Certificate::TreePackets { source, steps } => {
                let (source, steps) = (self.name(*source), counted((*steps).into(), "step"));
                write!(f, "the message of terminal {source} takes {steps} over the tree")?;
                write!(f, ", even if every terminal serves the neighbour with the slowest subtree first")
            }
            Certificate::Growth { source, messages, receivers, ports, informed } => {
                self.growth(f, *source, [*messages, *receivers, *ports], informed)
            }
            Certificate::TreeBroadcast { source, infeasible, states, .. } => {
                let (source, steps) = (self.name(*source), counted((*infeasible).into(), "step"));
                write!(f, "the message of terminal {source} cannot spread over the tree in {steps}: ")?;
                write!(f, "a dynamic program over {states} states of its subtrees finds no schedule")
            }
            Certificate::Eccentricity { node, direction, distance, messages, ports } => {
                let (preposition, ends) = match direction {
                    Direction::In => ("to", "end"),
                    Direction::Out => ("from", "start"),
                    Direction::Both => ("at", "start or end"),
                };
                let (messages, distance) = (counted(*messages, "message"), counted((*distance).into(), "channel"));
                write!(
                    f,
                    "{messages} {preposition} terminal {} must cross {distance}, one in a step",
                    self.name(*node)
                )?;
                write!(f, "; at most {ports} {ends} there in a step")
            }
            Certificate::DistanceSum { channel_uses, per_step } => {
                write!(f, "all messages together cross {channel_uses} channels, at most {per_step} in a step")
            }
            Certificate::Satisfiability { infeasible, proof, .. } => satisfiability(f, *infeasible, proof),
            Certificate::GroupVolume { groups, transfers, members, per_step } => {
                group_volume(f, groups.len() as u64, [*transfers, *members, *per_step])
            }
            Certificate::Volume { deliveries, per_step } => {
                write!(f, "{}, at most {per_step} in a step", counted(*deliveries, "delivery"))
            }
            Certificate::Lengths { resources, sends, receptions, unit, distance, per_step } => {
                let per_step = per_step / u64::from(*unit).max(1);
                Self::lengths(f, [resources, sends, receptions], &all_messages(*unit), [*distance, per_step])
            }
            Certificate::TimedLengths { infeasible, distance, available, .. } => {
                let steps = counted((*infeasible).into(), "step");
                write!(f, "by lengths of resources and ports in each of {steps}, all messages together cover ")?;
                write!(f, "{distance}, but only {available} are available")
            }
            Certificate::Reversed { certificate } => {
                write!(f, "backwards in time, {}", Explanation { certificate, topology: self.topology })
            }
            Certificate::CommonRoot { root, bound } => {
                let part = match bound.certificate {
                    Certificate::Reversed { .. } => "the reductions to",
                    _ => "the broadcasts from",
                };
                let explanation = Explanation { certificate: &bound.certificate, topology: self.topology };
                write!(f, "it contains {part} terminal {} ({}): {explanation}", self.name(*root), bound.rule)
            }
        }
    }
}

/// Returns the messages that cover lengths, counted in whole units.
fn all_messages(unit: u32) -> String {
    if unit == 1 { "all messages".to_owned() } else { format!("in whole units of {unit} per transfer, all messages") }
}

/// Returns a number with its noun.
fn counted(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

/// Returns the first entries, and the number of the others.
fn list<T: Display>(mut entries: impl ExactSizeIterator<Item = T>) -> String {
    let shown: Vec<String> = entries.by_ref().take(LISTED).map(|entry| entry.to_string()).collect();
    match entries.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn satisfiability(f: &mut Formatter<'_>, infeasible: u32, proof: &[i32]) -> fmt::Result {
    let clauses = proof.iter().filter(|&&number| number == 0).count() as u64;
    write!(f, "no schedule has {}, by a proof of {}", counted(infeasible.into(), "step"), counted(clauses, "clause"))
}

fn group_volume(f: &mut Formatter<'_>, groups: u64, [transfers, members, per_step]: [u64; 3]) -> fmt::Result {
    let (transfers, groups) = (counted(transfers, "transfer"), counted(groups, "group"));
    write!(f, "{transfers} between {groups} of nodes, at most {per_step} in a step")?;
    let at_ends = per_step.saturating_mul(2) / members.saturating_add(1);
    write!(f, ", and {at_ends} in the first and in the last one")
}
