//! Why programs do not come to their end.

use std::fmt;

use crate::path::PathFault;
use crate::programs::{ProgramsError, TaskId};

/// Why there is no simulation of programs on a network.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// A capacity that no link has.
    #[error("capacity: {capacity} units in a time unit; give a number from 1e-6 to 1e15")]
    Capacity {
        /// The capacity.
        capacity: f64,
    },
    /// Programs that make no sense.
    #[error(transparent)]
    Programs(#[from] ProgramsError),
    /// More tasks than places for them.
    #[error(
        "{tasks} tasks do not fit on {terminals} terminals, {tasks_per_terminal} on each; \
         allow more tasks on a terminal or choose a larger network"
    )]
    TooManyTasks {
        /// Number of tasks.
        tasks: usize,
        /// Number of terminals.
        terminals: usize,
        /// Tasks on each terminal.
        tasks_per_terminal: u32,
    },
    /// A path of a send that does not lead to its receiver.
    #[error("task {task}, event {event}: {fault}; correct the path, or leave it out")]
    Path {
        /// Whose send.
        task: TaskId,
        /// Its place in the program, from 0.
        event: usize,
        /// What is wrong with the path.
        fault: PathFault,
    },
    /// Tasks at terminals without a path.
    #[error("no path leads from '{from}' to '{to}'; connect them")]
    Unreachable {
        /// Name of the terminal of the sender.
        from: String,
        /// Name of the terminal of the receiver.
        to: String,
    },
    /// More flows, parts of flows and channels of their paths than are held.
    #[error(
        "the paths of all flows have {crossings} channels, more than {}; use fewer flows or another routing",
        crate::traffic::MAX_CROSSINGS
    )]
    TooLarge {
        /// Number of channels of all paths together, with one for each path.
        crossings: u64,
    },
    /// Tasks that wait for each other.
    #[error("{} for ever: {}; order sends before the receives that wait for them", count(*.stuck), listed(.waiting))]
    Deadlock {
        /// Number of tasks that wait.
        stuck: usize,
        /// The first of them, and what they wait for.
        waiting: Vec<Waiting>,
    },
}

/// A task that waits for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The task.
    pub task: TaskId,
    /// The place of its receive in its program, from 0.
    pub event: usize,
    /// Who should send.
    pub from: TaskId,
    /// The tag of the flow.
    pub tag: u32,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { task, event, from, tag } = self;
        write!(f, "task {task} at event {event} for a flow from task {from}")?;
        if *tag == 0 { Ok(()) } else { write!(f, " with tag {tag}") }
    }
}

/// How many waiting tasks an error names.
pub(crate) const NAMED: usize = 8;

fn count(stuck: usize) -> String {
    if stuck == 1 { "1 task waits".to_owned() } else { format!("{stuck} tasks wait") }
}

fn listed(waiting: &[Waiting]) -> String {
    let names: Vec<String> = waiting.iter().map(ToString::to_string).collect();
    names.join(", ")
}
