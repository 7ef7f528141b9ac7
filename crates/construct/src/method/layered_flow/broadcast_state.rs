//! The state of an unfinished broadcast.

use lockstep_schedule::MessageId;
use lockstep_topology::{NodeId, Topology};
use rand::Rng;

use super::path_repair::PathRepair;
use super::step_flow::BroadcastStepFlow;
use crate::kit::method_error::MethodError;
use crate::kit::transfer_log::TransferLog;

/// The step in which each node received the message, and the terminals that wait for it.
#[derive(Debug)]
pub(super) struct BroadcastState<'a> {
    topology: &'a Topology,
    pub(super) log: TransferLog,
    /// Number of the current step, from 1.
    pub(super) step: u32,
    /// The step in which each node received the message: 0 for the source, `u32::MAX` for a waiting node.
    pub(super) step_of: Vec<u32>,
    /// The terminals without the message, most urgent first.
    pub(super) waiting: Vec<NodeId>,
}

impl<'a> BroadcastState<'a> {
    /// Returns the state before the first step. The first node of the order is the source.
    pub(super) fn new(topology: &'a Topology, order: &[NodeId]) -> Self {
        let mut step_of = vec![u32::MAX; topology.node_count()];
        step_of[order[0].index()] = 0;
        Self { topology, log: TransferLog::default(), step: 0, step_of, waiting: order[1..].to_vec() }
    }

    /// Returns the waiting terminals with this mark.
    pub(super) fn waiting_among(&self, is_marked: &[bool], mark: bool) -> Vec<NodeId> {
        self.waiting.iter().copied().filter(|node| is_marked[node.index()] == mark).collect()
    }

    /// Begins the next step.
    pub(super) fn begin_step(&mut self, flow: &mut BroadcastStepFlow<'_>) {
        self.step += 1;
        flow.begin(&self.step_of, self.step);
    }

    /// Adds the transfers of the step. With `repair`, all paths are shortest paths, which may reach fewer terminals, the
    /// more so once `is_over` returns true.
    pub(super) fn end_step(
        &mut self,
        flow: &mut BroadcastStepFlow<'_>,
        repair: Option<&mut PathRepair<'_>>,
        is_over: &dyn Fn() -> bool,
        rng: &mut impl Rng,
    ) -> Result<(), MethodError> {
        let Self { topology, log, step, step_of, waiting } = self;
        let mut paths = flow.paths();
        if let Some(repair) = repair {
            paths = repair.repair(paths, |node| step_of[node.index()] < *step, is_over, rng);
        }
        for path in &paths {
            log.push(MessageId::new(0), *step - 1, path)?;
            step_of[topology.head(path[path.len() - 1]).index()] = *step;
        }
        waiting.retain(|node| step_of[node.index()] == u32::MAX);
        Ok(())
    }
}
