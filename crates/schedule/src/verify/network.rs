//! The rules of the network in one step: paths, resources and ports.

use std::ops::Range;

use lockstep_topology::{ChannelId, NodeId};

use super::case::{PlacedTransfer, ScheduleCase};
use super::findings::Findings;
use super::plain_paths::{PathUse, PlainLinks};
use crate::model::{Ports, Switching};
use crate::parallel::{map_parts, step_ranges};
use crate::schedule::{Step, Transfer};
use crate::violation::Violation;

/// Stamps instead of flags, so that nothing is cleared between steps. Stamps count from 1; there are fewer than 2^32
/// transfers, so they fit into `u32`.
struct NetworkUse {
    /// The last transfer whose path visited a node.
    visited: Vec<u32>,
    /// The last step that used a resource.
    busy: Vec<u32>,
    /// By resource: the number of its uses in that step. Empty if every resource has one use in every step.
    uses: Vec<u32>,
    /// By resource: the last transfer that used it. Empty if every resource has one use in every step.
    user: Vec<u32>,
    /// The ports that senders use.
    sends: PortUse,
    /// The ports that receivers use.
    receives: PortUse,
    /// The current step that is not empty.
    step: u32,
    /// Its width.
    width: u32,
    /// The current transfer.
    transfer: u32,
}

/// The number of ports of each node that the current step uses; empty if ports are unlimited.
struct PortUse {
    limit: u32,
    /// By node: the last step that used a port, and the number of ports used.
    used: Vec<(u32, u32)>,
}

impl PortUse {
    /// Takes a port in a step of this width; returns `false` if none is left.
    fn take(&mut self, node: NodeId, stamp: u32, width: u32) -> bool {
        let Some((step, used)) = self.used.get_mut(node.index()) else {
            return true;
        };
        if *step != stamp {
            (*step, *used) = (stamp, 0);
        }
        *used += 1;
        u64::from(*used) <= u64::from(self.limit) * u64::from(width)
    }
}

/// Adds the violations of rules 1 (without minimal routing), 3 and 4. No rule concerns several steps, so ranges of steps
/// are verified in parallel.
pub(super) fn verify(case: &ScheduleCase<'_>, findings: &mut Findings) {
    let limit = findings.limit;
    let links = PlainLinks::new(case);
    for found in map_parts(step_ranges(case.schedule), |steps| verify_steps(case, links.as_ref(), steps, limit)) {
        findings.merge(found);
    }
}

pub(super) fn verify_steps(
    case: &ScheduleCase<'_>,
    links: Option<&PlainLinks>,
    steps: Range<usize>,
    limit: usize,
) -> Findings {
    let mut findings = Findings::new(limit);
    let topology = case.topology;
    let port_use = || match case.problem.model().ports {
        Ports::All => PortUse { limit: u32::MAX, used: Vec::new() },
        Ports::Limit(limit) => PortUse { limit: limit.get(), used: vec![(0, 0); topology.node_count()] },
    };
    let counted =
        if topology.has_capacities() || !case.schedule.widths().is_empty() { topology.resource_count() } else { 0 };
    let mut uses = NetworkUse {
        visited: vec![0; topology.node_count()],
        busy: vec![0; topology.resource_count()],
        uses: vec![0; counted],
        user: vec![0; counted],
        sends: port_use(),
        receives: port_use(),
        step: 0,
        width: 1,
        transfer: 0,
    };
    let mut hops = HopUse::new(case);
    let mut paths = links.map(PathUse::new);
    for (step, transfers) in case.steps_of(steps).filter(|(_, step)| !step.is_empty()) {
        if hops.as_mut().is_some_and(|hops| hops.is_valid(transfers)) {
            continue;
        }
        if paths.as_mut().is_some_and(|paths| paths.is_valid(transfers)) {
            continue;
        }
        uses.step += 1;
        uses.width = transfers.width().get();
        for (place, transfer) in transfers.iter().enumerate() {
            uses.transfer += 1;
            let at = PlacedTransfer { step, place, transfer };
            verify_path(case, at, &mut uses, &mut findings);
            verify_resources(case, at, &mut uses, &mut findings);
            verify_ports(case, at, &mut uses, &mut findings);
            if findings.is_full() {
                return findings;
            }
        }
    }
    findings
}

/// The channels of a step whose paths are one channel each: a fast path that only decides whether there is a violation.
struct HopUse {
    /// By channel: its resource; [`UNUSABLE`] if it has failed or does not join terminals.
    resource: Vec<u32>,
    /// By resource: the last step that used it.
    busy: Vec<u32>,
    /// The current step.
    step: u32,
}

/// The resource of a channel that no path of one channel may use.
const UNUSABLE: u32 = u32::MAX;

impl HopUse {
    /// `None` if ports or capacities must be counted, or if some path is not one channel.
    fn new(case: &ScheduleCase<'_>) -> Option<Self> {
        let topology = case.topology;
        let is_plain = case.problem.model().ports == Ports::All
            && !topology.has_capacities()
            && case.schedule.widths().is_empty()
            && case.schedule.has_only_hops();
        let resource = |channel| {
            let joins = topology.is_terminal(topology.tail(channel)) && topology.is_terminal(topology.head(channel));
            let is_usable = topology.is_working(channel) && joins;
            if is_usable { topology.resource(channel).number() } else { UNUSABLE }
        };
        is_plain.then(|| Self {
            resource: topology.channel_numbers().map(resource).collect(),
            busy: vec![0; topology.resource_count()],
            step: 0,
        })
    }

    /// Returns true only if the step breaks no rule of the network.
    fn is_valid(&mut self, step: Step<'_>) -> bool {
        let Some(channels) = step.hops() else { return false };
        self.step += 1;
        channels.iter().all(|channel| {
            let resource = self.resource.get(channel.index()).copied().unwrap_or(UNUSABLE);
            // There are fewer resources than `UNUSABLE`.
            let busy = self.busy.get_mut(resource as usize);
            busy.is_some_and(|busy| std::mem::replace(busy, self.step) != self.step)
        })
    }
}

/// Rule 1 except minimal routing: at most one violation per path.
#[inline]
fn verify_path(case: &ScheduleCase<'_>, at: PlacedTransfer<'_>, uses: &mut NetworkUse, findings: &mut Findings) {
    let ScheduleCase { topology, .. } = case;
    let path = at.transfer.path;
    if let Some(&channel) = path.iter().find(|&&channel| !topology.is_working(channel)) {
        let (at, channel_bound) = (case.place(at), topology.channel_bound());
        return findings.add(if channel.index() < channel_bound {
            Violation::FailedChannel { at, channel: case.channel(channel) }
        } else {
            Violation::UnknownChannel { at, channel, channel_bound }
        });
    }
    let [first, rest @ ..] = path else {
        return findings.add(Violation::EmptyPath { at: case.place(at) });
    };
    let sender = topology.tail(*first);
    if !topology.is_terminal(sender) {
        return findings.add(Violation::SenderIsSwitch { at: case.place(at), node: case.node(sender) });
    }
    let mut node = topology.head(*first);
    if !rest.is_empty() {
        if case.problem.model().switching == Switching::StoreAndForward {
            return findings.add(Violation::NotOneChannel { at: case.place(at), channels: path.len() });
        }
        uses.visited[sender.index()] = uses.transfer;
        uses.visited[node.index()] = uses.transfer;
        for &channel in rest {
            if topology.tail(channel) != node {
                let (at, channel, node) = (case.place(at), case.channel(channel), case.node(node));
                return findings.add(Violation::BrokenPath { at, channel, node });
            }
            if !topology.routes(node) {
                return findings.add(Violation::InnerNode { at: case.place(at), node: case.node(node) });
            }
            node = topology.head(channel);
            if uses.visited[node.index()] == uses.transfer {
                return findings.add(Violation::NodeTwice { at: case.place(at), node: case.node(node) });
            }
            uses.visited[node.index()] = uses.transfer;
        }
    }
    if !topology.is_terminal(node) {
        findings.add(Violation::ReceiverIsSwitch { at: case.place(at), node: case.node(node) });
    }
}

/// Rule 3: at most one violation per transfer.
#[inline]
fn verify_resources(case: &ScheduleCase<'_>, at: PlacedTransfer<'_>, uses: &mut NetworkUse, findings: &mut Findings) {
    if !uses.uses.is_empty() {
        return verify_capacities(case, at, uses, findings);
    }
    let mut conflict = None;
    for &channel in at.transfer.path.iter().filter(|&&channel| case.topology.is_working(channel)) {
        let busy = &mut uses.busy[case.topology.resource(channel).index()];
        if *busy == uses.step {
            conflict = conflict.or(Some(channel));
        }
        *busy = uses.step;
    }
    if let Some(channel) = conflict {
        findings.add(resource_conflict(case, at, channel, false));
    }
}

/// Rule 3 in a network with capacities, or in a schedule with widths. No path uses a resource twice, whatever its capacity.
fn verify_capacities(case: &ScheduleCase<'_>, at: PlacedTransfer<'_>, uses: &mut NetworkUse, findings: &mut Findings) {
    let topology = case.topology;
    let mut conflict = None;
    for &channel in at.transfer.path.iter().filter(|&&channel| topology.is_working(channel)) {
        let resource = topology.resource(channel);
        let place = resource.index();
        if uses.busy[place] != uses.step {
            (uses.busy[place], uses.uses[place]) = (uses.step, 0);
        }
        uses.uses[place] += 1;
        let room = u64::from(topology.resource_capacity(resource)) * u64::from(uses.width);
        let is_twice = std::mem::replace(&mut uses.user[place], uses.transfer) == uses.transfer;
        if is_twice || u64::from(uses.uses[place]) > room {
            conflict = conflict.or(Some((channel, is_twice, room)));
        }
    }
    if let Some((channel, is_twice, room)) = conflict {
        findings.add(if is_twice || room == 1 {
            resource_conflict(case, at, channel, is_twice)
        } else {
            Violation::ResourceFull { at: case.place(at), channel: case.channel(channel), room }
        });
    }
}

/// Returns the conflict on a channel, with another transfer unless `is_own`. Reads the step again to find the first use of
/// its resource.
#[cold]
fn resource_conflict(case: &ScheduleCase<'_>, at: PlacedTransfer<'_>, channel: ChannelId, is_own: bool) -> Violation {
    let ScheduleCase { topology, schedule, .. } = case;
    let shares_resource =
        |other: &&ChannelId| topology.is_working(**other) && topology.resource(**other) == topology.resource(channel);
    let first_use = |transfer: Transfer<'_>| transfer.path.iter().find(shares_resource).copied();
    let earlier = schedule.step(at.step).iter().take(at.place).enumerate();
    let mut users = earlier.filter_map(|(other, transfer)| first_use(transfer).map(|used| (other, used)));
    let own_use = first_use(at.transfer);
    let (at, name) = (case.place(at), case.channel(channel));
    match users.next().filter(|_| !is_own) {
        Some((other, used)) if used == channel => Violation::ChannelBusy { at, channel: name, other },
        Some((other, used)) => Violation::ResourceBusy { at, channel: name, other, other_channel: case.channel(used) },
        None => {
            let first = own_use.expect("the transfer uses the resource");
            Violation::ResourceTwice { at, channel: name, other_channel: case.channel(first) }
        }
    }
}

/// Rule 4.
#[inline]
fn verify_ports(case: &ScheduleCase<'_>, at: PlacedTransfer<'_>, uses: &mut NetworkUse, findings: &mut Findings) {
    if case.problem.model().ports == Ports::All {
        return;
    }
    let Some((sender, receiver)) = case.ends(at.transfer) else {
        return;
    };
    let (limit, width) = (uses.sends.limit.saturating_mul(uses.width), uses.width);
    if !uses.sends.take(sender, uses.step, width) {
        findings.add(Violation::SendPorts { at: case.place(at), node: case.node(sender), limit });
    }
    if !uses.receives.take(receiver, uses.step, width) {
        findings.add(Violation::ReceivePorts { at: case.place(at), node: case.node(receiver), limit });
    }
}
