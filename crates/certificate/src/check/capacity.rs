//! Channels and ports that transfers can use in one step.

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::{ChannelId, NodeId, ResourceId};

/// Returns true if a transfer can cross the channel under the model.
pub(super) fn is_usable(problem: &Problem<'_>, channel: ChannelId) -> bool {
    let topology = problem.topology();
    let is_wormhole = problem.model().switching == Switching::Wormhole;
    let can_be_used = |node| topology.is_terminal(node) || is_wormhole && topology.routes(node);
    can_be_used(topology.tail(channel)) && can_be_used(topology.head(channel))
}

/// Returns the number of transfers that can use one of the channels in one step: the sum of the capacities of their
/// resources.
pub(super) fn room(problem: &Problem<'_>, channels: impl Iterator<Item = ChannelId>) -> u64 {
    let topology = problem.topology();
    let mut resources: Vec<ResourceId> = channels.map(|channel| topology.resource(channel)).collect();
    resources.sort_unstable();
    resources.dedup();
    resources.into_iter().map(|resource| u64::from(topology.resource_capacity(resource))).sum()
}

/// Returns the number of transfers that a terminal can start in one step.
pub(super) fn send_limit(problem: &Problem<'_>, terminal: NodeId) -> u64 {
    send_limit_into(problem, terminal, |_| true)
}

/// Returns the number of transfers that a terminal can start in one step over channels to some of the nodes.
pub(super) fn send_limit_into(problem: &Problem<'_>, terminal: NodeId, leads_to: impl Fn(NodeId) -> bool) -> u64 {
    let topology = problem.topology();
    port_limit(problem, topology.out_channels(terminal).iter().filter(|&&channel| leads_to(topology.head(channel))))
}

/// Returns the number of transfers that a terminal can finish in one step.
pub(super) fn receive_limit(problem: &Problem<'_>, terminal: NodeId) -> u64 {
    port_limit(problem, problem.topology().in_channels(terminal).iter())
}

fn port_limit<'a>(problem: &Problem<'_>, channels: impl Iterator<Item = &'a ChannelId>) -> u64 {
    let usable = channels.copied().filter(|&channel| is_usable(problem, channel));
    problem.model().ports.of_degree(room(problem, usable) as usize) as u64
}
