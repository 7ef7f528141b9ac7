//! A broadcast in the making.

use lockstep_schedule::MessageId;
use lockstep_topology::{NodeId, Topology};
use rand::Rng;

use super::path_repair::PathRepair;
use super::step_flow::BroadcastStepFlow;
use crate::kit::method_error::MethodError;
use crate::kit::transfer_log::TransferLog;

/// Who holds the message since when, and who waits for it.
#[derive(Debug)]
pub(super) struct BroadcastState<'a> {
    topology: &'a Topology,
    pub(super) log: TransferLog,
    /// Number of the step at hand, from 1.
    pub(super) step: u32,
    /// The step in which each node came to hold the message, 0 for the source; `u32::MAX` where it waits.
    pub(super) step_of: Vec<u32>,
    /// The terminals that do not hold the message, by urgency.
    pub(super) waiting: Vec<NodeId>,
}

impl<'a> BroadcastState<'a> {
    /// Before the first step; the first one in the order is the source.
    pub(super) fn new(topology: &'a Topology, order: &[NodeId]) -> Self {
        let mut step_of = vec![u32::MAX; topology.node_count()];
        step_of[order[0].index()] = 0;
        Self { topology, log: TransferLog::default(), step: 0, step_of, waiting: order[1..].to_vec() }
    }

    /// The terminals that wait and are marked so.
    pub(super) fn waiting_among(&self, is_marked: &[bool], mark: bool) -> Vec<NodeId> {
        self.waiting.iter().copied().filter(|node| is_marked[node.index()] == mark).collect()
    }

    pub(super) fn begin_step(&mut self, flow: &mut BroadcastStepFlow<'_>) {
        self.step += 1;
        flow.begin(&self.step_of, self.step);
    }

    /// Whoever is reached holds the message from now on; with a mender only along shortest paths.
    pub(super) fn end_step(
        &mut self,
        flow: &mut BroadcastStepFlow<'_>,
        mender: Option<&mut PathRepair<'_>>,
        rng: &mut impl Rng,
    ) -> Result<(), MethodError> {
        let Self { topology, log, step, step_of, waiting } = self;
        let mut paths = flow.paths();
        if let Some(mender) = mender {
            paths = mender.mend(paths, |node| step_of[node.index()] < *step, rng);
        }
        for path in &paths {
            log.push(MessageId::new(0), *step - 1, path)?;
            step_of[topology.head(path[path.len() - 1]).index()] = *step;
        }
        waiting.retain(|node| step_of[node.index()] == u32::MAX);
        Ok(())
    }
}
