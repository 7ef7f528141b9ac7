//! What the network allows in a step: paths, wires and ports.

use lockstep_topology::{ChannelId, NodeId};

use super::{Case, Findings, Spot};
use crate::model::{Ports, Switching};
use crate::schedule::Transfer;
use crate::violation::Violation;

/// Stamps instead of flags, so that nothing is cleared from step to step. Stamps count from 1: at most one for each of
/// the fewer than 2^32 transfers.
struct Marks {
    /// The last transfer whose path visited a node.
    visited: Vec<u32>,
    /// The last step that used a resource.
    busy: Vec<u32>,
    /// By node, with limited ports only.
    sends: PortUse,
    receives: PortUse,
    /// The current step that is not empty.
    step: u32,
    /// The current transfer.
    transfer: u32,
}

/// How many ports of each node the current step uses.
struct PortUse {
    limit: u32,
    /// The last step that used a port, and how many it used.
    used: Vec<(u32, u32)>,
}

impl PortUse {
    /// Takes a port; `false` if there was none left.
    fn take(&mut self, node: NodeId, stamp: u32) -> bool {
        let Some((step, used)) = self.used.get_mut(node.index()) else {
            return true;
        };
        if *step != stamp {
            (*step, *used) = (stamp, 0);
        }
        *used += 1;
        *used <= self.limit
    }
}

pub(super) fn judge(case: &Case<'_>, findings: &mut Findings) {
    let topology = case.topology;
    let port_use = || match case.problem.model().ports {
        Ports::All => PortUse { limit: u32::MAX, used: Vec::new() },
        Ports::Limit(limit) => PortUse { limit: limit.get(), used: vec![(0, 0); topology.node_count()] },
    };
    let mut marks = Marks {
        visited: vec![0; topology.node_count()],
        busy: vec![0; topology.resource_count()],
        sends: port_use(),
        receives: port_use(),
        step: 0,
        transfer: 0,
    };
    for (step, transfers) in case.schedule.steps().filter(|(_, step)| !step.is_empty()) {
        marks.step += 1;
        for (transfer, moved) in transfers.iter().enumerate() {
            marks.transfer += 1;
            let spot = Spot { step, transfer, moved };
            check_path(case, spot, &mut marks, findings);
            check_wires(case, spot, &mut marks, findings);
            check_ports(case, spot, &mut marks, findings);
            if findings.is_full() {
                return;
            }
        }
    }
}

/// Rule 1 but for detours: at most one violation a path.
#[inline]
fn check_path(case: &Case<'_>, spot: Spot<'_>, marks: &mut Marks, findings: &mut Findings) {
    let Case { topology, .. } = case;
    let path = spot.moved.path;
    if let Some(&channel) = path.iter().find(|&&channel| !topology.is_working(channel)) {
        let (at, channel_bound) = (case.place(spot), topology.channel_bound());
        return findings.add(if channel.index() < channel_bound {
            Violation::FailedChannel { at, channel: case.channel(channel) }
        } else {
            Violation::UnknownChannel { at, channel, channel_bound }
        });
    }
    let [first, rest @ ..] = path else {
        return findings.add(Violation::EmptyPath { at: case.place(spot) });
    };
    let sender = topology.tail(*first);
    if !topology.is_terminal(sender) {
        return findings.add(Violation::SenderIsSwitch { at: case.place(spot), node: case.node(sender) });
    }
    let mut node = topology.head(*first);
    if !rest.is_empty() {
        if case.problem.model().switching == Switching::StoreAndForward {
            return findings.add(Violation::NotOneChannel { at: case.place(spot), channels: path.len() });
        }
        marks.visited[sender.index()] = marks.transfer;
        marks.visited[node.index()] = marks.transfer;
        for &channel in rest {
            if topology.tail(channel) != node {
                let (at, channel, node) = (case.place(spot), case.channel(channel), case.node(node));
                return findings.add(Violation::BrokenPath { at, channel, node });
            }
            if !topology.routes(node) {
                return findings.add(Violation::InnerNode { at: case.place(spot), node: case.node(node) });
            }
            node = topology.head(channel);
            if marks.visited[node.index()] == marks.transfer {
                return findings.add(Violation::NodeTwice { at: case.place(spot), node: case.node(node) });
            }
            marks.visited[node.index()] = marks.transfer;
        }
    }
    if !topology.is_terminal(node) {
        findings.add(Violation::ReceiverIsSwitch { at: case.place(spot), node: case.node(node) });
    }
}

/// Rule 3: at most one violation a transfer.
#[inline]
fn check_wires(case: &Case<'_>, spot: Spot<'_>, marks: &mut Marks, findings: &mut Findings) {
    let mut conflict = None;
    for &channel in spot.moved.path.iter().filter(|&&channel| case.topology.is_working(channel)) {
        let busy = &mut marks.busy[case.topology.resource(channel).index()];
        if *busy == marks.step {
            conflict = conflict.or(Some(channel));
        }
        *busy = marks.step;
    }
    if let Some(channel) = conflict {
        findings.add(wire_conflict(case, spot, channel));
    }
}

/// The conflict on a channel, by looking the step up again for whoever used its resource first.
#[cold]
fn wire_conflict(case: &Case<'_>, spot: Spot<'_>, channel: ChannelId) -> Violation {
    let Case { topology, schedule, .. } = case;
    let same_wire =
        |other: &&ChannelId| topology.is_working(**other) && topology.resource(**other) == topology.resource(channel);
    let first_use = |moved: Transfer<'_>| moved.path.iter().find(same_wire).copied();
    let earlier = schedule.step(spot.step).iter().take(spot.transfer).enumerate();
    let mut users = earlier.filter_map(|(other, moved)| first_use(moved).map(|used| (other, used)));
    let (at, name) = (case.place(spot), case.channel(channel));
    match users.next() {
        Some((other, used)) if used == channel => Violation::ChannelBusy { at, channel: name, other },
        Some((other, used)) => Violation::WireBusy { at, channel: name, other, other_channel: case.channel(used) },
        None => {
            let first = first_use(spot.moved).expect("the resource is in use");
            Violation::WireTwice { at, channel: name, other_channel: case.channel(first) }
        }
    }
}

/// Rule 4.
#[inline]
fn check_ports(case: &Case<'_>, spot: Spot<'_>, marks: &mut Marks, findings: &mut Findings) {
    if case.problem.model().ports == Ports::All {
        return;
    }
    let Some((sender, receiver)) = case.ends(spot.moved) else {
        return;
    };
    let limit = marks.sends.limit;
    if !marks.sends.take(sender, marks.step) {
        findings.add(Violation::SendPorts { at: case.place(spot), node: case.node(sender), limit });
    }
    if !marks.receives.take(receiver, marks.step) {
        findings.add(Violation::ReceivePorts { at: case.place(spot), node: case.node(receiver), limit });
    }
}
