//! One phase of a problem, turned so that messages are distributed.

use std::borrow::Cow;

use lockstep_schedule::{CommunicationModel, Messages, Phase, Problem, Schedule, Switching};
use lockstep_topology::{NodeId, Topology};

use crate::log::Log;

/// Messages to be distributed on a network.
///
/// A phase that collects is a distribution on the reversed network, read backwards.
#[derive(Clone, Debug)]
pub(crate) struct Task<'a> {
    phase: Phase,
    topology: Cow<'a, Topology>,
    messages: Messages<'a>,
    model: CommunicationModel,
}

impl<'a> Task<'a> {
    pub(crate) fn new(problem: &Problem<'a>, phase: Phase) -> Self {
        let topology = match phase {
            Phase::Distribute => Cow::Borrowed(problem.topology()),
            Phase::Collect => Cow::Owned(problem.topology().reversed()),
        };
        Self { phase, topology, messages: problem.messages(), model: problem.model() }
    }

    pub(crate) fn topology(&self) -> &Topology {
        &self.topology
    }

    pub(crate) fn messages(&self) -> Messages<'a> {
        self.messages
    }

    pub(crate) fn model(&self) -> CommunicationModel {
        self.model
    }

    pub(crate) fn stores_and_forwards(&self) -> bool {
        self.model.switching == Switching::StoreAndForward
    }

    /// The place of a terminal among the terminals.
    #[inline]
    pub(crate) fn rank(&self, terminal: NodeId) -> usize {
        self.topology.terminal_rank(terminal).expect("messages go from terminal to terminal")
    }

    /// Writes the transfers behind the steps of a schedule.
    pub(crate) fn write(&self, log: &Log, schedule: &mut Schedule) {
        log.write(self.phase == Phase::Collect, schedule);
    }
}
