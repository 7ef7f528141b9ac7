//! What crosses a cut of the network over time.

use std::collections::BTreeMap;

use lockstep_schedule::{Ports, Problem, Receivers, Switching};
use lockstep_topology::{NodeId, ResourceId};

use super::{finishes, starts, uncut, usable};

/// When each terminal, its sends and its receptions come to the near side.
pub(super) struct Labels<'a> {
    pub(super) steps: u32,
    pub(super) holds: &'a [u32],
    pub(super) sends: &'a [u32],
    pub(super) receives: &'a [u32],
}

impl Labels<'_> {
    /// The messages that must cross, and how many can; or why the labels are none.
    pub(super) fn count(&self, problem: &Problem<'_>) -> Result<(u64, u64), &'static str> {
        if problem.model().switching != Switching::StoreAndForward {
            return Err("a wormhole transfer crosses many channels in one step");
        }
        let never = self.steps.checked_add(1).ok_or("there are too many steps")?;
        let node_count = problem.topology().node_count();
        let counts_ports = problem.model().ports != Ports::All;
        let port_labels = if counts_ports { node_count } else { 0 };
        if [self.holds.len(), self.sends.len(), self.receives.len()] != [node_count, port_labels, port_labels] {
            return Err("every node has a label, and two for its ports if they are limited");
        }
        if [self.holds, self.sends, self.receives].concat().iter().any(|&label| label > never) {
            return Err("no label is greater than that for never");
        }
        Ok((self.stopped(problem), self.crossings(problem)))
    }

    fn stopped(&self, problem: &Problem<'_>) -> u64 {
        let messages = problem.messages();
        let is_far = |node: NodeId| self.holds[node.index()] > self.steps;
        let far = problem.topology().terminals().iter().filter(|&&terminal| is_far(terminal)).count();
        let (originals, chunks) = uncut(&messages);
        let must_cross = originals.filter(|&message| {
            let waits = match messages.receivers(message) {
                Receivers::AllOthers => far > 0,
                Receivers::One(receiver) => is_far(receiver),
                Receivers::List(receivers) => receivers.iter().any(|&receiver| is_far(receiver)),
            };
            // A source that is near from the beginning is not far.
            self.holds[messages.source(message).index()] == 0 && waits
        });
        chunks * must_cross.count() as u64
    }

    fn crossings(&self, problem: &Problem<'_>) -> u64 {
        let topology = problem.topology();
        let mut sum = 0;
        if !self.sends.is_empty() {
            for &terminal in topology.terminals() {
                let place = terminal.index();
                let [holds, sends, receives] = [self.holds, self.sends, self.receives].map(|labels| labels[place]);
                sum += starts(problem, terminal) * u64::from(self.steps_within(holds + 1, sends).1);
                sum += finishes(problem, terminal) * u64::from(self.steps_within(receives, holds).1);
            }
        }
        let mut in_use: BTreeMap<ResourceId, Vec<(u32, u32)>> = BTreeMap::new();
        for channel in topology.channels().filter(|&channel| usable(problem, channel)) {
            let (tail, head) = (topology.tail(channel).index(), topology.head(channel).index());
            let from = self.sends.get(tail).copied().unwrap_or(self.holds[tail] + 1);
            let to = self.receives.get(head).copied().unwrap_or(self.holds[head]);
            let span = self.steps_within(from, to);
            if span.1 > 0 {
                in_use.entry(topology.resource(channel)).or_default().push(span);
            }
        }
        for spans in in_use.values_mut() {
            spans.sort_unstable();
            let mut free_from = 0;
            for &mut (first, count) in spans {
                let end = first + count;
                sum += u64::from(end.saturating_sub(first.max(free_from)));
                free_from = free_from.max(end);
            }
        }
        sum
    }

    /// The first of the steps from `from` on and before `to`, and how many there are.
    fn steps_within(&self, from: u32, to: u32) -> (u32, u32) {
        let (first, end) = (from.max(1), to.min(self.steps + 1));
        (first, end.saturating_sub(first))
    }
}
