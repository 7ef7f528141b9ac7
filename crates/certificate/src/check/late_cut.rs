//! Messages that enter a node set so late that they must enter it several times, or cannot reach all receivers there.

use std::collections::VecDeque;

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::NodeId;

use super::capacity::{is_usable, send_limit};
use super::cut::can_cross;
use super::messages::unsplit;
use super::nodes::membership;
use super::refusal::{Checked, expect, steps_of};
use crate::certificate::{Certificate, Direction};

/// Visits of channels by the searches from all entrances. With more, only their union counts.
const MAX_VISITS: usize = 1 << 22;

/// The largest number of last steps.
const MAX_LATE: u32 = 64;

impl Certificate {
    /// Returns the certificates that messages enter a node set in time, with the number of steps that each proves: one
    /// for 1, 2, … last steps, as long as the number of last steps matters.
    ///
    /// `receivers` is the smallest number of receivers in the set of the messages that count. Empty if there are none, or if
    /// the nodes are not in ascending order. Takes one search per channel that leads into the set.
    pub fn late_cuts(problem: &Problem<'_>, nodes: &[NodeId], receivers: u64) -> Vec<(Self, u64)> {
        let Ok(inside) = membership(problem, nodes) else { return Vec::new() };
        let (messages, fewest) = entering(problem, &inside, receivers);
        let per_step = can_cross(problem, nodes, &inside, Direction::In);
        if receivers == 0 || fewest != receivers {
            return Vec::new();
        }
        let entries = late_entries(problem, &inside, receivers, MAX_LATE);
        let with_steps = (1..).zip(entries).filter_map(|(late, entries)| {
            let steps = late_steps([messages, per_step], late, entries).ok()?;
            let nodes = nodes.to_vec();
            Some((Self::LateCut { nodes, receivers, messages, per_step, late, entries }, steps))
        });
        with_steps.collect()
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
    let (messages, receivers) = entering(problem, &inside, claim.receivers);
    expect("messages that must enter", claim.messages, messages)?;
    expect("receivers of these messages", claim.receivers, receivers)?;
    expect("entries in one step", claim.per_step, can_cross(problem, nodes, &inside, Direction::In))?;
    let entries = late_entries(problem, &inside, receivers, claim.late);
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

/// Returns the number of messages with a source outside and at least this many receivers inside, and the smallest number
/// of receivers inside among them.
fn entering(problem: &Problem<'_>, inside: &[bool], receivers: u64) -> (u64, u64) {
    let (topology, messages) = (problem.topology(), problem.messages());
    let all = topology.terminals().iter().filter(|terminal| inside[terminal.index()]).count();
    let (originals, chunks) = unsplit(&messages);
    let outside = originals.filter(|&message| !inside[messages.source(message).index()]);
    let receivers_inside = outside.map(|message| match messages.receivers(message) {
        Receivers::AllOthers => all,
        Receivers::One(receiver) => usize::from(inside[receiver.index()]),
        Receivers::List(list) => list.iter().filter(|receiver| inside[receiver.index()]).count(),
    });
    let wide = receivers_inside.map(|count| count as u64).filter(|&count| count >= receivers);
    wide.fold((0, u64::MAX), |(messages, fewest), count| (messages + chunks, fewest.min(count)))
}

/// Returns, for 1, 2, … last steps, the number of entries in them that a message with this many receivers inside needs, or 0 if
/// it cannot reach them; as long as it needs more than one entry, and for at most `most` steps.
///
/// After one entry in the first of `d` last steps, the message is at most at the terminals that are `d` transfers from the
/// entrance, and at most at `(1 + p)^(d - 1)` ones, for the largest number `p` of transfers that a terminal inside starts in
/// a step.
fn late_entries(problem: &Problem<'_>, inside: &[bool], receivers: u64, most: u32) -> Vec<u64> {
    let topology = problem.topology();
    let is_entrance = |channel: &_| {
        let ends = [topology.tail(*channel), topology.head(*channel)].map(|node| inside[node.index()]);
        ends == [false, true] && is_usable(problem, *channel)
    };
    let mut entrances: Vec<NodeId> =
        topology.channels().filter(is_entrance).map(|channel| topology.head(channel)).collect();
    entrances.sort_unstable();
    entrances.dedup();
    let mut within = Within::new(problem, inside);
    let together = within.count(&entrances);
    let one_by_one = entrances.len().saturating_mul(topology.channel_count()) <= MAX_VISITS;
    let each: Vec<Vec<u64>> = if one_by_one {
        entrances.iter().map(|&entrance| within.count(&[entrance])).collect()
    } else {
        vec![together.clone()]
    };
    let ports = topology.terminals().iter().filter(|terminal| inside[terminal.index()]);
    let ports = ports.map(|&terminal| send_limit(problem, terminal)).max().unwrap_or(0);
    let at = |counts: &[u64], distance: usize| counts.get(distance).or(counts.last()).copied().unwrap_or(0);
    let mut entries = Vec::new();
    for distance in 1..=most as usize {
        let reached = each.iter().map(|counts| at(counts, distance)).max().unwrap_or(0);
        let grown = ports.saturating_add(1).saturating_pow(distance as u32 - 1);
        // If the entrances together reach a receiver, one of them does.
        let can_cover = at(&together, distance) >= receivers;
        let needed = if can_cover { receivers.div_ceil(reached.min(grown)) } else { 0 };
        if needed == 1 {
            break;
        }
        entries.push(needed);
    }
    entries
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

    /// Returns, by number of transfers, how many terminals the set has at most that far: the first transfer enters at one of
    /// the entrances, and the others stay inside.
    ///
    /// A path continues at nodes that a transfer can cross. At any other terminal, the next transfer begins.
    fn count(&mut self, entrances: &[NodeId]) -> Vec<u64> {
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
        let mut counts: Vec<u64> = vec![0];
        for terminal in topology.terminals() {
            let transfers = distance[terminal.index()];
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
}
