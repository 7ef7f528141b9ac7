//! A broadcast in the making.

use lockstep_schedule::MessageId;
use lockstep_topology::{NodeId, Topology};

use super::step::StepFlow;
use crate::log::Log;
use crate::method::Miss;

/// Who holds the message since when, and who waits for it.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) log: Log,
    /// Number of the step at hand, from 1.
    pub(super) step: u32,
    /// The step in which each node came to hold the message, 0 for the source; `u32::MAX` where it waits.
    pub(super) step_of: Vec<u32>,
    /// The terminals that do not hold the message, by urgency.
    pub(super) waiting: Vec<NodeId>,
}

impl Course {
    /// Before the first step; the first one in the order is the source.
    pub(super) fn new(topology: &Topology, order: &[NodeId]) -> Self {
        let mut step_of = vec![u32::MAX; topology.node_count()];
        step_of[order[0].index()] = 0;
        Self { log: Log::default(), step: 0, step_of, waiting: order[1..].to_vec() }
    }

    /// The terminals that wait and are marked so.
    pub(super) fn waiting_among(&self, is_marked: &[bool], mark: bool) -> Vec<NodeId> {
        self.waiting.iter().copied().filter(|node| is_marked[node.index()] == mark).collect()
    }

    pub(super) fn begin_step(&mut self, flow: &mut StepFlow<'_>) {
        self.step += 1;
        flow.begin(&self.step_of, self.step);
    }

    /// Whoever is reached holds the message from now on.
    pub(super) fn end_step(&mut self, flow: &mut StepFlow<'_>) -> Result<(), Miss> {
        let Self { log, step, step_of, waiting } = self;
        waiting.retain(|node| {
            let is_reached = flow.is_reached(*node);
            if is_reached {
                step_of[node.index()] = *step;
            }
            !is_reached
        });
        let mut result = Ok(());
        flow.paths(|path| {
            if result.is_ok() {
                result = log.push(MessageId::new(0), *step - 1, path);
            }
        });
        result
    }
}
