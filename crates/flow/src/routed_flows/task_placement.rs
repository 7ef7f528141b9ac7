//! The placement of tasks on terminals.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::options::Endpoints;

/// The placement of tasks on terminals, and their connection to the network.
pub(super) struct TaskPlacement<'a> {
    pub(super) topology: &'a Topology,
    pub(super) endpoints: Endpoints,
    pub(super) tasks_per_terminal: u32,
}

impl TaskPlacement<'_> {
    /// Returns the terminal of a task.
    pub(super) fn terminal(&self, task: u32) -> NodeId {
        self.topology.terminals()[(task / self.tasks_per_terminal) as usize]
    }

    /// Returns the access number of a task. Tasks with one injection link have the same number, and tasks of different
    /// terminals have different numbers.
    pub(super) fn access(&self, task: u32) -> u32 {
        match self.endpoints {
            Endpoints::Direct | Endpoints::TerminalLinks => task / self.tasks_per_terminal,
            Endpoints::TaskLinks => task,
        }
    }

    /// Returns the terminal of an access number.
    pub(super) fn terminal_of_access(&self, access: u32) -> NodeId {
        match self.endpoints {
            Endpoints::Direct | Endpoints::TerminalLinks => self.topology.terminals()[access as usize],
            Endpoints::TaskLinks => self.terminal(access),
        }
    }

    /// Returns the number of injection links, which is the number of ejection links.
    pub(super) fn access_count(&self, task_count: usize) -> usize {
        match self.endpoints {
            Endpoints::Direct => 0,
            Endpoints::TerminalLinks => self.topology.terminal_count(),
            Endpoints::TaskLinks => task_count,
        }
    }
}

/// Appends the links of a path: injection link, resources of the channels, ejection link.
pub(super) fn append_links(
    topology: &Topology,
    access_count: usize,
    ends: [u32; 2],
    path: &[ChannelId],
    links: &mut Vec<u32>,
) {
    let [injection, ejection] = [0, access_count].map(|offset| (topology.resource_count() + offset) as u32);
    if access_count > 0 {
        links.push(injection + ends[0]);
    }
    links.extend(path.iter().map(|&channel| topology.resource(channel).number()));
    if access_count > 0 {
        links.push(ejection + ends[1]);
    }
}
