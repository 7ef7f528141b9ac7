//! The view of a problem for methods that build a schedule transfer by transfer.

use lockstep_model::Slots;
use lockstep_paths::PathTable;
use lockstep_schedule::{Budget, CommunicationModel, Messages, Problem, Switching, Transport};
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::method_error::MethodError;

/// The messages to distribute, the network and its rules.
#[derive(Clone, Debug)]
pub(crate) struct SchedulingTask<'a> {
    topology: &'a Topology,
    messages: Messages<'a>,
    model: CommunicationModel,
    bus_paths: Option<&'a PathTable>,
    /// The budget whose time limits the work; without one, there is no limit.
    budget: Option<&'a Budget>,
}

impl<'a> SchedulingTask<'a> {
    /// Returns the view of a problem.
    ///
    /// # Errors
    ///
    /// [`MethodError::TooLarge`], if the deliveries need more channel uses than a schedule can hold.
    pub(crate) fn new(problem: &Problem<'a>) -> Result<Self, MethodError> {
        let topology = problem.topology();
        if problem.messages().delivery_count() > u64::from(u32::MAX) {
            return Err(MethodError::TooLarge);
        }
        Ok(Self { topology, messages: problem.messages(), model: problem.model(), bus_paths: None, budget: None })
    }

    /// Returns the same view with the [paths](Self::bus_paths) of a network with buses.
    pub(crate) fn with_bus_paths(self, bus_paths: Option<&'a PathTable>) -> Self {
        Self { bus_paths, ..self }
    }

    /// Returns the same view with a time limit.
    pub(crate) fn within(self, budget: &'a Budget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// Checks whether the work shall continue.
    ///
    /// # Errors
    ///
    /// [`MethodError::Stopped`], if the time is over or the search is cancelled.
    pub(crate) fn check_time(&self) -> Result<(), MethodError> {
        let reason = self.budget.and_then(Budget::interruption);
        reason.map_or(Ok(()), |reason| Err(MethodError::Stopped(reason)))
    }

    pub(crate) fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// Returns the resources and ports of the network.
    pub(crate) fn slots(&self) -> Slots {
        Slots::new(self.topology, self.model.ports)
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

    /// Returns the rank of a terminal among the terminals.
    #[inline]
    pub(crate) fn rank(&self, terminal: NodeId) -> usize {
        self.topology.terminal_rank(terminal).expect("messages go from terminal to terminal")
    }

    /// Returns the rank of the terminal at the start of a path.
    #[inline]
    pub(crate) fn sender(&self, path: &[ChannelId]) -> usize {
        self.rank(self.topology.tail(*path.first().expect("a path has a channel")))
    }

    /// Returns the rank of the terminal at the end of a path.
    #[inline]
    pub(crate) fn receiver(&self, path: &[ChannelId]) -> usize {
        self.rank(self.topology.head(*path.last().expect("a path has a channel")))
    }

    /// Returns true if a message may pass through the node: inside one transfer or, under store-and-forward, by a
    /// relay.
    #[inline]
    pub(crate) fn crosses(&self, node: NodeId) -> bool {
        Transport::along_path(self.model.switching).crosses(self.topology, node)
    }

    /// Returns the paths of wormhole transfers in a network with [buses](Topology::has_buses), where a shortest walk may
    /// be illegal; `None` in other networks, and under store-and-forward switching.
    pub(crate) fn bus_paths(&self) -> Option<&'a PathTable> {
        self.bus_paths
    }
}
