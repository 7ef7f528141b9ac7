//! Cuts of a network over time, told by labels.

use lockstep_schedule::{Ports, Problem};
use lockstep_topology::{ChannelId, NodeId, ResourceId};

use crate::legal::Legal;
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// For each node the time from which it is on the near side of the cut, and the steps from which its sends and its
/// receptions are: `steps + 1` for never.
///
/// Without a limit of ports the last two are empty: they would be `holds + 1` and `holds`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Labels {
    pub(super) steps: u32,
    pub(super) holds: Vec<u32>,
    pub(super) sends: Vec<u32>,
    pub(super) receives: Vec<u32>,
}

impl Labels {
    /// The transfers that can cross the cut.
    ///
    /// A message that a node `u` holds at time `t - 1` can cross a channel to `v` in step `t` and is there at time `t`. On
    /// the near side are what `u` holds from time `holds[u]` on, what is about to leave it in steps from `sends[u]` on, and
    /// what arrives there in steps from `receives[u]` on. So messages cross the cut
    /// - into the ports to send in the steps `t` with `holds[u] <= t - 1` and `t < sends[u]`,
    /// - over a channel in the steps with `sends[u] <= t < receives[v]`,
    /// - through the ports to receive in the steps with `receives[v] <= t < holds[v]`,
    ///
    /// and never by waiting, which does not leave the near side. With `sends = holds + 1` and `receives = holds` ports do not
    /// count, and a channel is crossed in `min(T, holds[v] - 1) - holds[u]` of `T` steps, if that is positive.
    fn crossings(&self, wiring: &Wiring<'_>) -> u64 {
        let Self { steps, holds, .. } = self;
        let sends = |place: usize| self.sends.get(place).copied().unwrap_or(holds[place].saturating_add(1));
        let receives = |place: usize| self.receives.get(place).copied().unwrap_or(holds[place]);
        let span = |from: u32, to: u32| u64::from((to.saturating_sub(1).min(*steps) + 1).saturating_sub(from.max(1)));
        let at_ports = wiring.terminals().map(|node| {
            let place = node.index();
            let [starts, ends] = wiring.limits(node);
            starts * span(holds[place] + 1, sends(place)) + ends * span(receives(place), holds[place])
        });
        let over = |channel: ChannelId| {
            let [tail, head] = wiring.ends(channel).map(NodeId::index);
            [sends(tail).max(1), receives(head).min(steps + 1)]
        };
        let over_wires = wiring.resources.chunk_by(|a, b| a.0 == b.0).map(|channels| {
            let mut spans: Vec<[u32; 2]> = channels.iter().map(|&(_, channel)| over(channel)).collect();
            spans.sort_unstable();
            let mut last = 0;
            let fresh = spans.into_iter().map(|[from, to]| {
                let fresh = to.saturating_sub(from.max(last));
                last = last.max(to);
                u64::from(fresh)
            });
            fresh.sum::<u64>()
        });
        at_ports.sum::<u64>() + over_wires.sum::<u64>()
    }

    /// The same labels for a number of steps, where what never comes to the near side does not either.
    fn extended(&self, steps: u32) -> Self {
        let shift = |labels: &[u32]| labels.iter().map(|&at| if at > self.steps { steps + 1 } else { at }).collect();
        Self { steps, holds: shift(&self.holds), sends: shift(&self.sends), receives: shift(&self.receives) }
    }

    /// The bound of the most steps in which so many messages cannot cross, if they cannot in these.
    pub(super) fn bound(&self, wiring: &Wiring<'_>, messages: u64) -> Option<LowerBound> {
        let crossings = self.crossings(wiring);
        let missing = messages.checked_sub(crossings).filter(|&missing| missing > 0)?;
        // Beyond the last label, every step is like the next.
        let more = self.extended(self.steps.checked_add(1)?).crossings(wiring) - crossings;
        let further = (missing - 1).checked_div(more).and_then(|steps| u32::try_from(steps).ok())?;
        let infeasible = self.steps.checked_add(further).filter(|&steps| steps < u32::MAX)?;
        let labels = self.extended(infeasible);
        let crossings = labels.crossings(wiring);
        let Self { holds, sends, receives, .. } = labels;
        let certificate = Certificate::TimedCut { infeasible, holds, sends, receives, messages, crossings };
        Some(LowerBound { steps: infeasible + 1, rule: Rule::TimedCut, certificate })
    }
}

/// The channels that carry transfers, by resource, and the ports.
pub(super) struct Wiring<'a> {
    legal: Legal<'a>,
    pub(super) ports: Ports,
    resources: Vec<(ResourceId, ChannelId)>,
}

impl<'a> Wiring<'a> {
    pub(super) fn new(problem: &Problem<'a>) -> Self {
        let (topology, legal) = (problem.topology(), Legal::new(problem));
        let channels = topology.channels().filter(|&channel| legal.carries(channel));
        let mut resources: Vec<_> = channels.map(|channel| (topology.resource(channel), channel)).collect();
        resources.sort_unstable();
        Self { legal, ports: problem.model().ports, resources }
    }

    pub(super) fn node_count(&self) -> usize {
        self.legal.topology.node_count()
    }

    pub(super) fn terminals(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        self.legal.topology.terminals().iter().copied()
    }

    pub(super) fn channels(&self) -> impl ExactSizeIterator<Item = [NodeId; 2]> {
        self.resources.iter().map(|&(_, channel)| self.ends(channel))
    }

    fn ends(&self, channel: ChannelId) -> [NodeId; 2] {
        [self.legal.topology.tail(channel), self.legal.topology.head(channel)]
    }

    /// Transfers that a terminal can start and finish in one step.
    pub(super) fn limits(&self, terminal: NodeId) -> [u64; 2] {
        [self.legal.send_limit(terminal), self.legal.receive_limit(terminal)]
    }
}
