//! Transfers that cross a cut of the time-expanded network.

use std::collections::BTreeMap;

use lockstep_schedule::{Ports, Problem, Receivers, Switching};
use lockstep_topology::{NodeId, ResourceId};

use super::capacity::{is_usable, receive_limit, send_limit};
use super::messages::unsplit;
use super::refusal::{Checked, expect};

/// The times and steps at which each terminal, its sends and its receptions join the near side.
pub(super) struct Labels<'a> {
    pub(super) steps: u32,
    pub(super) holds: &'a [u32],
    pub(super) sends: &'a [u32],
    pub(super) receives: &'a [u32],
}

pub(super) fn steps_proved(
    problem: &Problem<'_>,
    labels: &Labels<'_>,
    [messages, crossings]: [u64; 2],
) -> Checked<u64> {
    labels.expect_valid(problem)?;
    let (must_cross, can_cross) = (labels.must_cross(problem), labels.can_cross(problem));
    expect("messages that must cross", messages, must_cross)?;
    expect("crossings in all steps", crossings, can_cross)?;
    if must_cross <= can_cross {
        return Err("the messages can cross in these steps".into());
    }
    Ok(u64::from(labels.steps) + 1)
}

impl Labels<'_> {
    fn expect_valid(&self, problem: &Problem<'_>) -> Checked {
        let is_wormhole = problem.model().switching == Switching::Wormhole;
        let never = self.steps.checked_add(1).ok_or("there are too many steps")?;
        let node_count = problem.topology().node_count();
        let has_port_labels = is_wormhole || problem.model().ports != Ports::All;
        let port_labels = if has_port_labels { node_count } else { 0 };
        if [self.holds.len(), self.sends.len(), self.receives.len()] != [node_count, port_labels, port_labels] {
            return Err(
                "every node must have one label, and two more under wormhole switching or if ports are limited".into(),
            );
        }
        let topology = problem.topology();
        let goes_on = |node: &NodeId| is_wormhole && topology.routes(*node);
        if topology.nodes().filter(goes_on).any(|node| self.sends[node.index()] > self.receives[node.index()]) {
            return Err("a wormhole transfer leaves a node that routes in the step in which it arrives".into());
        }
        if [self.holds, self.sends, self.receives].concat().iter().any(|&label| label > never) {
            return Err("no label may exceed the number of steps plus 1".into());
        }
        Ok(())
    }

    fn must_cross(&self, problem: &Problem<'_>) -> u64 {
        let messages = problem.messages();
        let is_far = |node: NodeId| self.holds[node.index()] > self.steps;
        let far = problem.topology().terminals().iter().filter(|&&terminal| is_far(terminal)).count();
        let (originals, chunks) = unsplit(&messages);
        let must_cross = originals.filter(|&message| {
            let has_far_receiver = match messages.receivers(message) {
                // A source that is near from the start is not far.
                Receivers::AllOthers => far > 0,
                Receivers::One(receiver) => is_far(receiver),
                Receivers::List(receivers) => receivers.iter().any(|&receiver| is_far(receiver)),
            };
            self.holds[messages.source(message).index()] == 0 && has_far_receiver
        });
        chunks * must_cross.count() as u64
    }

    fn can_cross(&self, problem: &Problem<'_>) -> u64 {
        let topology = problem.topology();
        let mut sum = 0u64;
        if !self.sends.is_empty() {
            for &terminal in topology.terminals() {
                let place = terminal.index();
                let labels = [self.holds, self.sends, self.receives];
                let [holds, sends, receives] = labels.map(|labels| u64::from(labels[place]));
                let starts = send_limit(problem, terminal).saturating_mul(self.steps_within(holds + 1, sends).1);
                let ends = receive_limit(problem, terminal).saturating_mul(self.steps_within(receives, holds).1);
                sum = sum.saturating_add(starts).saturating_add(ends);
            }
        }
        let label = |labels: &[u32], place: usize| labels.get(place).copied().map(u64::from);
        let mut in_use: BTreeMap<ResourceId, Vec<(u64, u64)>> = BTreeMap::new();
        for channel in topology.channels().filter(|&channel| is_usable(problem, channel)) {
            let (tail, head) = (topology.tail(channel).index(), topology.head(channel).index());
            let from = label(self.sends, tail).unwrap_or(u64::from(self.holds[tail]) + 1);
            let to = label(self.receives, head).unwrap_or(self.holds[head].into());
            in_use.entry(topology.resource(channel)).or_default().push(self.steps_within(from, to));
        }
        for (&resource, spans) in &mut in_use {
            let capacity = u64::from(topology.resource_capacity(resource));
            spans.sort_unstable();
            let mut free_from = 0;
            for &mut (first, count) in spans {
                let end = first + count;
                sum = sum.saturating_add(end.saturating_sub(first.max(free_from)).saturating_mul(capacity));
                free_from = free_from.max(end);
            }
        }
        sum
    }

    /// Returns the first step in `from..to`, and the number of steps in this range.
    fn steps_within(&self, from: u64, to: u64) -> (u64, u64) {
        let (first, end) = (from.max(1), to.min(u64::from(self.steps) + 1));
        (first, end.saturating_sub(first))
    }
}
