//! Cuts of the time-expanded network, described by labels of nodes.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Ports, Problem, Switching};
use lockstep_topology::{ChannelId, NodeId, ResourceId};

use crate::transfer_rules::TransferRules;

/// For each node, the time at which it joins the near side of the cut, and the steps in which its sends and receptions
/// do.
///
/// `steps + 1` means never. Under store-and-forward without a limit of ports, `sends` and `receives` are empty and mean
/// `holds + 1` and `holds`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CutLabels {
    pub(super) steps: u32,
    pub(super) holds: Vec<u32>,
    pub(super) sends: Vec<u32>,
    pub(super) receives: Vec<u32>,
}

impl CutLabels {
    /// Returns the number of transfers that can cross the cut.
    ///
    /// A message that node `u` holds at time `t - 1` can cross a channel to `v` in step `t`, and is at `v` at time `t`.
    /// So messages cross the cut in three places:
    /// - into the send ports of `u`, in the steps `t` with `holds[u] <= t - 1` and `t < sends[u]`,
    /// - over a channel from `u` to `v`, in the steps with `sends[u] <= t < receives[v]`,
    /// - through the receive ports of `v`, in the steps with `receives[v] <= t < holds[v]`.
    ///
    /// A message that waits does not leave the near side. With `sends = holds + 1` and `receives = holds`, ports do not
    /// count, and a channel is crossed in `min(T, holds[v] - 1) - holds[u]` of `T` steps, if that is positive.
    fn crossings(&self, capacities: &TimedCapacities<'_>) -> u64 {
        let Self { steps, holds, .. } = self;
        let sends = |place: usize| self.sends.get(place).copied().unwrap_or(holds[place].saturating_add(1));
        let receives = |place: usize| self.receives.get(place).copied().unwrap_or(holds[place]);
        let span = |from: u32, to: u32| u64::from((to.saturating_sub(1).min(*steps) + 1).saturating_sub(from.max(1)));
        let at_ports = capacities.terminals().map(|node| {
            let place = node.index();
            let [starts, ends] = capacities.limits(node);
            let starts = starts.saturating_mul(span(holds[place] + 1, sends(place)));
            starts.saturating_add(ends.saturating_mul(span(receives(place), holds[place])))
        });
        let over = |channel: ChannelId| {
            let [tail, head] = capacities.ends(channel).map(NodeId::index);
            [sends(tail).max(1), receives(head).min(steps + 1)]
        };
        let over_resources = capacities.resources.chunk_by(|a, b| a.0 == b.0).map(|channels| {
            let mut spans: Vec<[u32; 2]> = channels.iter().map(|&(_, channel)| over(channel)).collect();
            spans.sort_unstable();
            let mut last = 0;
            let additional = spans.into_iter().map(|[from, to]| {
                let additional = to.saturating_sub(from.max(last));
                last = last.max(to);
                u64::from(additional)
            });
            additional.sum::<u64>().saturating_mul(capacities.capacity(channels[0].1))
        });
        at_ports.chain(over_resources).fold(0, u64::saturating_add)
    }

    /// Returns the same labels for another number of steps. Never remains never.
    fn extended(&self, steps: u32) -> Self {
        let shift = |labels: &[u32]| labels.iter().map(|&at| if at > self.steps { steps + 1 } else { at }).collect();
        Self { steps, holds: shift(&self.holds), sends: shift(&self.sends), receives: shift(&self.receives) }
    }

    /// Returns the bound of the largest number of steps in which the messages cannot cross, if they cannot in these.
    pub(super) fn bound(&self, capacities: &TimedCapacities<'_>, messages: u64) -> Option<LowerBound> {
        let crossings = self.crossings(capacities);
        let missing = messages.checked_sub(crossings).filter(|&missing| missing > 0)?;
        // After the last label, all steps are equal.
        let more = self.extended(self.steps.checked_add(1)?).crossings(capacities) - crossings;
        let further = (missing - 1).checked_div(more).and_then(|steps| u32::try_from(steps).ok())?;
        let infeasible = self.steps.checked_add(further).filter(|&steps| steps < u32::MAX)?;
        let labels = self.extended(infeasible);
        let crossings = labels.crossings(capacities);
        let Self { holds, sends, receives, .. } = labels;
        let certificate = Certificate::TimedCut { infeasible, holds, sends, receives, messages, crossings };
        Some(LowerBound { steps: infeasible + 1, rule: Rule::TimedCut, certificate })
    }
}

/// The capacities of a time-expanded network: the channels that carry transfers, by resource, and the ports.
pub(super) struct TimedCapacities<'a> {
    rules: TransferRules<'a>,
    /// Whether sends and receptions have labels of their own.
    pub(super) has_ports: bool,
    is_wormhole: bool,
    resources: Vec<(ResourceId, ChannelId)>,
}

impl<'a> TimedCapacities<'a> {
    pub(super) fn new(problem: &Problem<'a>) -> Self {
        let (topology, rules) = (problem.topology(), TransferRules::new(problem));
        let channels = topology.channels().filter(|&channel| rules.carries(channel));
        let mut resources: Vec<_> = channels.map(|channel| (topology.resource(channel), channel)).collect();
        resources.sort_unstable();
        let is_wormhole = problem.model().switching == Switching::Wormhole;
        Self { rules, has_ports: is_wormhole || problem.model().ports != Ports::All, is_wormhole, resources }
    }

    pub(super) fn node_count(&self) -> usize {
        self.rules.topology.node_count()
    }

    pub(super) fn terminals(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        self.rules.topology.terminals().iter().copied()
    }

    /// Returns the nodes that a transfer passes within a step.
    pub(super) fn routing_nodes(&self) -> impl Iterator<Item = NodeId> {
        let topology = self.rules.topology;
        topology.nodes().filter(move |&node| self.is_wormhole && topology.routes(node))
    }

    pub(super) fn channels(&self) -> impl ExactSizeIterator<Item = [NodeId; 2]> {
        self.resources.iter().map(|&(_, channel)| self.ends(channel))
    }

    /// Returns the capacity of each channel, in the order of [`channels`](Self::channels).
    pub(super) fn channel_capacities(&self) -> impl Iterator<Item = u64> {
        self.resources.iter().map(|&(_, channel)| self.capacity(channel))
    }

    fn capacity(&self, channel: ChannelId) -> u64 {
        self.rules.topology.capacity(channel).into()
    }

    fn ends(&self, channel: ChannelId) -> [NodeId; 2] {
        [self.rules.topology.tail(channel), self.rules.topology.head(channel)]
    }

    /// Returns the numbers of transfers that a terminal can start and finish in one step.
    pub(super) fn limits(&self, terminal: NodeId) -> [u64; 2] {
        [self.rules.send_limit(terminal), self.rules.receive_limit(terminal)]
    }
}
