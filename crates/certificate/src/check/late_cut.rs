//! Messages that enter a node set so late that they must enter it several times, or cannot reach all receivers there.

use std::collections::VecDeque;

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::NodeId;

use super::capacity::{is_usable, send_limit_into};
use super::cut::can_cross;
use super::messages::unsplit;
use super::nodes::membership;
use super::refusal::{Checked, expect, steps_of};
use crate::certificate::{Certificate, Direction};

/// Visits of channels by the searches from all entrances. With more, only their union counts.
const MAX_VISITS: usize = 1 << 22;

/// Visits of channels by the searches from all terminals of the set. With more, no message with a source inside counts.
const MAX_INSIDE_VISITS: usize = 1 << 18;

/// The largest number of last steps.
const MAX_LATE: u32 = 64;

impl Certificate {
    /// Returns the certificates that messages enter a node set in time, with the number of steps that each proves: one
    /// for each number of receivers that messages reach only by entries, and for 1, 2, … last steps, as long as the number of
    /// last steps matters.
    ///
    /// Empty if there are no such messages, or if the nodes are not in ascending order. Takes one search per channel that
    /// leads into the set, and one per terminal of the set.
    pub fn late_cuts(problem: &Problem<'_>, nodes: &[NodeId]) -> Vec<(Self, u64)> {
        let Ok(inside) = membership(problem, nodes) else { return Vec::new() };
        let per_step = can_cross(problem, nodes, &inside, Direction::In);
        let mut within = Within::new(problem, &inside);
        let reach = within.reach_of_entries();
        let mut certificates = Vec::new();
        for (receivers, messages) in within.entering() {
            for (late, entries) in (1..).zip(reach.late_entries(receivers, MAX_LATE)) {
                if let Ok(steps) = late_steps([messages, per_step], late, entries) {
                    let nodes = nodes.to_vec();
                    certificates.push((Self::LateCut { nodes, receivers, messages, per_step, late, entries }, steps));
                }
            }
        }
        certificates
    }
}

/// The numbers that a certificate claims.
pub(super) struct Claim {
    pub(super) receivers: u64,
    pub(super) messages: u64,
    pub(super) per_step: u64,
    pub(super) late: u32,
    pub(super) entries: u64,
}

pub(super) fn steps_proved(problem: &Problem<'_>, nodes: &[NodeId], claim: &Claim) -> Checked<u64> {
    let inside = membership(problem, nodes)?;
    if claim.receivers == 0 {
        return Err("the messages must have receivers in the set".into());
    }
    if !(1..=MAX_LATE).contains(&claim.late) {
        return Err("the number of last steps must be 1 to 64".into());
    }
    let mut within = Within::new(problem, &inside);
    let enough = within.entering().into_iter().find(|&(receivers, _)| receivers >= claim.receivers);
    let (receivers, messages) = enough.unwrap_or((u64::MAX, 0));
    expect("messages that must enter", claim.messages, messages)?;
    expect("receivers of these messages", claim.receivers, receivers)?;
    expect("entries in one step", claim.per_step, can_cross(problem, nodes, &inside, Direction::In))?;
    let entries = within.reach_of_entries().late_entries(receivers, claim.late);
    let Some(&entries) = entries.get(claim.late as usize - 1) else {
        return Err("one entry is enough in this number of last steps".into());
    };
    expect("entries of a late message", claim.entries, entries)?;
    late_steps([messages, claim.per_step], claim.late, entries)
}

fn late_steps([messages, per_step]: [u64; 2], late: u32, entries: u64) -> Checked<u64> {
    let possible = per_step.saturating_mul(late.into()).checked_div(entries).unwrap_or(0);
    Ok(steps_of(messages.saturating_sub(possible), per_step)? + u64::from(late))
}

/// How many terminals of a set the entries of a message can serve.
struct EntryReach {
    /// By entrance and number of transfers: how many terminals an entry there reaches, the entry included.
    each: Vec<Vec<u64>>,
    /// By number of transfers: how many terminals all entrances together reach.
    together: Vec<u64>,
    /// The largest number of transfers inside the set that a terminal starts in a step.
    ports: u64,
}

impl EntryReach {
    /// Returns, for 1, 2, … last steps, the number of entries in them that a message with this many receivers needs, or 0 if
    /// it cannot reach them; as long as it needs more than one entry, and for at most `most` steps.
    ///
    /// After one entry in the first of `d` last steps, the message is at most at the terminals that are `d` transfers from
    /// the entrance, and at most at `(1 + p)^(d - 1)` ones, for the largest number `p` of transfers inside the set that a
    /// terminal starts in a step.
    fn late_entries(&self, receivers: u64, most: u32) -> Vec<u64> {
        let at = |counts: &[u64], distance: u32| counts.get(distance as usize).or(counts.last()).copied().unwrap_or(0);
        let entries = |distance: u32| {
            let reached = self.each.iter().map(|counts| at(counts, distance)).max().unwrap_or(0);
            let grown = self.ports.saturating_add(1).saturating_pow(distance - 1);
            // If the entrances together reach a receiver, one of them does.
            let can_cover = at(&self.together, distance) >= receivers;
            if can_cover { receivers.div_ceil(reached.min(grown)) } else { 0 }
        };
        (1..=most).map(entries).take_while(|&entries| entries != 1).collect()
    }
}

/// Searches by numbers of transfers inside a node set.
struct Within<'a, 'p> {
    problem: &'p Problem<'a>,
    inside: &'p [bool],
    /// By node: the fewest transfers to it.
    distance: Vec<u32>,
    queue: VecDeque<NodeId>,
}

impl<'a, 'p> Within<'a, 'p> {
    fn new(problem: &'p Problem<'a>, inside: &'p [bool]) -> Self {
        Self { problem, inside, distance: vec![u32::MAX; inside.len()], queue: VecDeque::new() }
    }

    /// Returns the numbers of receivers inside that messages reach only by entries, in ascending order, each with the number
    /// of messages for as many such receivers or more. A message from outside enters for all its receivers inside; a message
    /// from inside, for those that its source does not reach inside the set.
    fn entering(&mut self) -> Vec<(u64, u64)> {
        let (topology, messages) = (self.problem.topology(), self.problem.messages());
        let terminals: Vec<NodeId> =
            topology.terminals().iter().copied().filter(|terminal| self.inside[terminal.index()]).collect();
        let are_few = terminals.len().saturating_mul(topology.channel_count()) <= MAX_INSIDE_VISITS;
        // By rank within the set: the terminals that the set's terminal reaches.
        let reached: Vec<Vec<bool>> =
            if are_few { terminals.iter().map(|&terminal| self.reached(terminal)).collect() } else { Vec::new() };
        let (originals, chunks) = unsplit(&messages);
        let receivers = |message| {
            let source = messages.source(message);
            let reached = match terminals.binary_search(&source) {
                Ok(rank) => Some(reached.get(rank)?),
                Err(_) => None,
            };
            let needs_entry = |receiver: &&NodeId| {
                self.inside[receiver.index()] && reached.is_none_or(|reached| !reached[receiver.index()])
            };
            let count = match messages.receivers(message) {
                Receivers::AllOthers if reached.is_none() => terminals.len(),
                Receivers::AllOthers => terminals.iter().filter(needs_entry).count(),
                Receivers::One(receiver) => usize::from(needs_entry(&&receiver)),
                Receivers::List(list) => list.iter().filter(needs_entry).count(),
            };
            (count > 0).then_some(count as u64)
        };
        let mut counts: Vec<u64> = originals.filter_map(receivers).collect();
        counts.sort_unstable();
        let mut entering: Vec<(u64, u64)> = Vec::new();
        for (before, &count) in counts.iter().enumerate() {
            if entering.last().is_none_or(|&(receivers, _)| receivers < count) {
                entering.push((count, (counts.len() - before) as u64 * chunks));
            }
        }
        entering
    }

    /// Returns how many terminals the entries of a message can serve.
    fn reach_of_entries(&mut self) -> EntryReach {
        let (problem, inside) = (self.problem, self.inside);
        let topology = problem.topology();
        let is_entrance = |channel: &_| {
            let ends = [topology.tail(*channel), topology.head(*channel)].map(|node| inside[node.index()]);
            ends == [false, true] && is_usable(problem, *channel)
        };
        let mut entrances: Vec<NodeId> =
            topology.channels().filter(is_entrance).map(|channel| topology.head(channel)).collect();
        entrances.sort_unstable();
        entrances.dedup();
        let together = self.count(&entrances);
        let one_by_one = entrances.len().saturating_mul(topology.channel_count()) <= MAX_VISITS;
        let each = if one_by_one {
            entrances.iter().map(|&entrance| self.count(&[entrance])).collect()
        } else {
            vec![together.clone()]
        };
        let ports = topology.terminals().iter().filter(|terminal| inside[terminal.index()]);
        let limit = |&terminal: &NodeId| send_limit_into(problem, terminal, |head| inside[head.index()]);
        let ports = ports.map(limit).max().unwrap_or(0);
        EntryReach { each, together, ports }
    }

    /// Returns for each node whether transfers inside the set lead to it from a terminal of the set.
    fn reached(&mut self, source: NodeId) -> Vec<bool> {
        self.search(&[source]);
        self.distance.iter().map(|&transfers| transfers < u32::MAX).collect()
    }

    /// Returns, by number of transfers, how many terminals the set has at most that far: the first transfer enters at one of
    /// the entrances, and the others stay inside.
    ///
    /// A path continues at nodes that a transfer can cross. At any other terminal, the next transfer begins.
    fn count(&mut self, entrances: &[NodeId]) -> Vec<u64> {
        self.search(entrances);
        let mut counts: Vec<u64> = vec![0];
        for terminal in self.problem.topology().terminals() {
            let transfers = self.distance[terminal.index()];
            if transfers < u32::MAX {
                counts.resize(counts.len().max(transfers as usize + 1), 0);
                counts[transfers as usize] += 1;
            }
        }
        for place in 1..counts.len() {
            counts[place] += counts[place - 1];
        }
        counts
    }

    /// Computes the distances from the entrances, which one transfer reaches.
    fn search(&mut self, entrances: &[NodeId]) {
        let Self { problem, inside, distance, queue } = self;
        let topology = problem.topology();
        distance.fill(u32::MAX);
        for &entrance in entrances {
            distance[entrance.index()] = 1;
            queue.push_back(entrance);
        }
        while let Some(node) = queue.pop_front() {
            let transfers = distance[node.index()];
            let more = u32::from(!problem.model().switching.crosses(topology, node));
            if more == 1 && !topology.is_terminal(node) {
                continue;
            }
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if !inside[head.index()] || !is_usable(problem, channel) {
                    continue;
                }
                if distance[head.index()] > transfers + more {
                    distance[head.index()] = transfers + more;
                    if more == 0 { queue.push_front(head) } else { queue.push_back(head) }
                }
            }
        }
    }
}
