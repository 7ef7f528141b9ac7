//! Errors of a simulation.

use std::fmt;

use crate::limits::MAX_CROSSINGS;
use crate::path_fault::PathFault;
use crate::programs::TaskId;
use crate::programs_error::ProgramsError;

/// Why programs cannot be simulated on a network.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The capacity is out of range.
    #[error("capacity: {capacity} units per time unit; give a number from 1e-6 to 1e15")]
    Capacity {
        /// The capacity.
        capacity: f64,
    },
    /// The start-up time is out of range.
    #[error("startup: {startup} time units; give a number from 0 to 1e15")]
    Startup {
        /// The start-up time.
        startup: f64,
    },
    /// The programs are invalid.
    #[error(transparent)]
    Programs(#[from] ProgramsError),
    /// There are too many tasks for the terminals.
    #[error(
        "{tasks} tasks do not fit on {terminals} terminals, {tasks_per_terminal} per terminal; \
         allow more tasks per terminal or choose a larger network"
    )]
    TooManyTasks {
        /// Number of tasks.
        tasks: usize,
        /// Number of terminals.
        terminals: usize,
        /// Number of tasks per terminal.
        tasks_per_terminal: u32,
    },
    /// The given path of a send is invalid.
    #[error("task {task}, event {event}: {fault}; correct the path, or leave it out")]
    Path {
        /// The sending task.
        task: TaskId,
        /// Index of the send in the program, from 0.
        event: usize,
        /// The error of the path.
        fault: PathFault,
    },
    /// No path connects the terminals of two tasks.
    #[error("there is no path from '{from}' to '{to}'; connect them")]
    Unreachable {
        /// Name of the terminal of the sender.
        from: String,
        /// Name of the terminal of the receiver.
        to: String,
    },
    /// The paths need too much memory.
    #[error(
        "the paths of all flows have {crossings} channels, more than {}; use fewer flows or another routing",
        MAX_CROSSINGS
    )]
    TooLarge {
        /// Number of channels of all paths together, counting each path as one more.
        crossings: u64,
    },
    /// Tasks wait for each other.
    #[error("{}: {}; order sends before the receives that wait for them", deadlocked(*.stuck), listed(.waiting))]
    Deadlock {
        /// Number of deadlocked tasks, without those that wait at a barrier for them.
        stuck: usize,
        /// The first deadlocked tasks, with the flows that they wait for.
        waiting: Vec<Waiting>,
    },
}

/// A deadlocked task and the flow that it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The task.
    pub task: TaskId,
    /// Index of its receive in the program, from 0.
    pub event: usize,
    /// The sender of the flow.
    pub from: TaskId,
    /// The tag of the flow.
    pub tag: u32,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { task, event, from, tag } = self;
        write!(f, "task {task} waits at event {event} for a flow from task {from}")?;
        if *tag == 0 { Ok(()) } else { write!(f, " with tag {tag}") }
    }
}

/// Largest number of deadlocked tasks that an error lists.
pub(crate) const MAX_LISTED: usize = 8;

fn deadlocked(stuck: usize) -> String {
    if stuck == 1 { "1 task is deadlocked".to_owned() } else { format!("{stuck} tasks are deadlocked") }
}

fn listed(waiting: &[Waiting]) -> String {
    let names: Vec<String> = waiting.iter().map(ToString::to_string).collect();
    names.join(", ")
}
