//! Schedules as nested lists, which are easy to write and to change.

use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, Violation, verify, violations};
use lockstep_topology::{ChannelId, Topology, TopologyBuilder};

/// Steps, transfers, and the message and path of each transfer.
pub(crate) type Draft = Vec<Vec<(u32, Vec<u32>)>>;

pub(crate) fn draft(schedule: &Schedule) -> Draft {
    let path = |path: &[ChannelId]| path.iter().map(|channel| channel.number()).collect();
    schedule
        .steps()
        .map(|(_, step)| step.iter().map(|transfer| (transfer.message.number(), path(transfer.path))).collect())
        .collect()
}

pub(crate) fn schedule(draft: &Draft) -> Schedule {
    let mut schedule = Schedule::new();
    for step in draft {
        schedule.begin_step();
        for (message, path) in step {
            let path: Vec<ChannelId> = path.iter().copied().map(ChannelId::new).collect();
            schedule.push(MessageId::new(*message), &path);
        }
    }
    schedule
}

/// A problem with a valid schedule.
pub(crate) struct Fixture {
    pub(crate) topology: Topology,
    pub(crate) collective: Collective,
    pub(crate) model: CommunicationModel,
    pub(crate) draft: Draft,
}

impl Fixture {
    pub(crate) fn problem(&self) -> Problem<'_> {
        Problem::new(&self.topology, &self.collective, self.model).unwrap()
    }

    /// Returns the first violation of the schedule after `change`.
    pub(crate) fn spoil(&self, change: impl FnOnce(&mut Draft)) -> Violation {
        let problem = self.problem();
        assert!(verify(&problem, &schedule(&self.draft)).is_ok(), "the schedule is valid before the change");
        let mut spoiled = self.draft.clone();
        change(&mut spoiled);
        let spoiled = schedule(&spoiled);
        let violation = verify(&problem, &spoiled).expect_err("the changed schedule is invalid");
        assert_eq!(violations(&problem, &spoiled, usize::MAX)[0], violation, "the first violation");
        violation
    }
}

/// The ring a, b, c, d. Channels 0, 2, 4, 6 run clockwise; 1, 3, 5, 7 are their opposites.
pub(crate) fn ring() -> Topology {
    let mut ring = TopologyBuilder::new("ring");
    let nodes = ["a", "b", "c", "d"].map(|name| ring.terminal(name));
    for place in 0..4 {
        ring.link(nodes[place], nodes[(place + 1) % 4]);
    }
    ring.build().unwrap()
}

/// Terminals a, b and c at switch x, terminal d at switch y, and a link between x and y.
///
/// Channels 0, 2, 4 lead from a, b, c to x, and 1, 3, 5 back. Link x-y has channels 6 and 7, link d-y has 8 and 9.
pub(crate) fn two_switches() -> Topology {
    let mut network = TopologyBuilder::new("two switches");
    let terminals = ["a", "b", "c"].map(|name| network.terminal(name));
    let [x, y] = ["x", "y"].map(|name| network.switch(name));
    for terminal in terminals {
        network.link(terminal, x);
    }
    network.link(x, y);
    let last = network.terminal("d");
    network.link(last, y);
    network.build().unwrap()
}
