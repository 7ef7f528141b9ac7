//! Errors of programs.

use crate::limits::{MAX_AMOUNT, MAX_EVENTS};
use crate::programs::TaskId;

/// Why programs are invalid, independent of the network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramsError {
    /// There is no task.
    #[error("the programs have no task; give at least one")]
    NoTask,
    /// There are more events than [`MAX_EVENTS`].
    #[error("the programs have {events} tasks and events, more than {MAX_EVENTS}; split them")]
    TooManyEvents {
        /// Number of tasks and events.
        events: usize,
    },
    /// An event names a task that does not exist.
    #[error("task {task}, event {event}: {field} is {other}, but the tasks are 0 to {}", .task_count - 1)]
    UnknownTask {
        /// The task of the event.
        task: TaskId,
        /// Index of the event in the program, from 0.
        event: usize,
        /// `to` or `from`.
        field: &'static str,
        /// The unknown task.
        other: TaskId,
        /// Number of tasks.
        task_count: usize,
    },
    /// A size or a time is out of range.
    #[error("task {task}, event {event}: {field} is {amount}; give {least} to {MAX_AMOUNT}")]
    Amount {
        /// The task of the event.
        task: TaskId,
        /// Index of the event in the program, from 0.
        event: usize,
        /// `size` or `time`.
        field: &'static str,
        /// The value.
        amount: u64,
        /// The smallest valid value.
        least: u64,
    },
    /// The numbers of barriers differ.
    #[error("task {task} has {barriers} barriers, but task 0 has {expected}; give all tasks the same number")]
    Barriers {
        /// The first task with another number than task 0.
        task: TaskId,
        /// Its number of barriers.
        barriers: usize,
        /// The number of barriers of task 0.
        expected: usize,
    },
    /// The numbers of sends and receives differ.
    #[error(
        "task {from} sends {sends} flows with tag {tag} to task {to}, which receives {receives}; \
         give each send one receive"
    )]
    Unmatched {
        /// The sender.
        from: TaskId,
        /// The receiver.
        to: TaskId,
        /// The tag.
        tag: u32,
        /// Number of sends.
        sends: usize,
        /// Number of receives.
        receives: usize,
    },
}
