//! Schedules as nested lists, easy to write and to change.

use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, Violation, verify, violations};
use lockstep_topology::{ChannelId, Topology, TopologyBuilder};

/// Steps of transfers of message and path.
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

/// A network, a collective and a model with a valid schedule.
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

    /// What the judge says to the schedule after `change`.
    pub(crate) fn spoil(&self, change: impl FnOnce(&mut Draft)) -> Violation {
        let problem = self.problem();
        assert!(verify(&problem, &schedule(&self.draft)).is_ok(), "the schedule is valid before it is spoiled");
        let mut spoiled = self.draft.clone();
        change(&mut spoiled);
        let spoiled = schedule(&spoiled);
        let violation = verify(&problem, &spoiled).expect_err("the spoiled schedule is refused");
        assert_eq!(violations(&problem, &spoiled, usize::MAX)[0], violation, "the first of all");
        violation
    }
}

/// The ring a, b, c, d: channels 0, 2, 4, 6 clockwise, 1, 3, 5, 7 back.
pub(crate) fn ring() -> Topology {
    let mut ring = TopologyBuilder::new("ring");
    let nodes = ["a", "b", "c", "d"].map(|name| ring.terminal(name));
    for place in 0..4 {
        ring.link(nodes[place], nodes[(place + 1) % 4]);
    }
    ring.build().unwrap()
}

/// Three terminals on the switch x, and x on y with one more: a 0, b 2, c 4 to x and 1, 3, 5 back, x-y 6 and 7,
/// d-y 8 and 9.
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
