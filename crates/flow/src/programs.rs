//! What each task does, event by event.

use lockstep_topology::{ChannelId, number_id};
use serde::{Deserialize, Serialize};

number_id!(
    /// A task, `t0..`: a process of a parallel program.
    TaskId,
    "t"
);

/// The most units of one flow or time units of one computation: 2^53, so that floats hold them exactly.
pub const MAX_AMOUNT: u64 = 1 << 53;

/// The most events of all programs together.
pub const MAX_EVENTS: usize = 1 << 28;

/// One thing that a task does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// Begins a flow and goes on at once.
    Send {
        /// Who receives it.
        to: TaskId,
        /// Its length in units, 1 to [`MAX_AMOUNT`].
        size: u64,
        /// Which of the flows between the two tasks it is; flows of one tag are received in the order they are sent.
        #[serde(default, skip_serializing_if = "is_zero")]
        tag: u32,
        /// The channels that it crosses, from the terminal of the task to that of the receiver; if there is none, the
        /// routing finds them.
        #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
        path: Box<[ChannelId]>,
    },
    /// Waits until a flow has arrived.
    Receive {
        /// Who sends it.
        from: TaskId,
        /// Its tag.
        #[serde(default, skip_serializing_if = "is_zero")]
        tag: u32,
    },
    /// Computes, and does nothing else.
    Compute {
        /// How long, in time units, 0 to [`MAX_AMOUNT`].
        time: u64,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(tag: &u32) -> bool {
    *tag == 0
}

/// The programs of the tasks of one parallel program: what each does, in its order.
///
/// Plain data that may be wrong; [`check`](Self::check) says. The `n`-th [`Receive`](Event::Receive) of a task from
/// another with one tag meets the `n`-th [`Send`](Event::Send) of that task to it with that tag.
///
/// ```
/// use lockstep_flow::{Event, Programs, TaskId};
///
/// let [ping, pong] = [0, 1].map(TaskId::new);
/// let send = |to| Event::Send { to, size: 1000, tag: 0, path: [].into() };
/// let receive = |from| Event::Receive { from, tag: 0 };
/// let tasks = vec![vec![send(pong), receive(pong)], vec![receive(ping), Event::Compute { time: 5 }, send(ping)]];
/// let programs = Programs { tasks };
/// programs.check()?;
/// assert_eq!(programs.flow_count(), 2);
/// # Ok::<(), lockstep_flow::ProgramsError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Programs {
    /// The events of each task, in the order of [`TaskId`].
    pub tasks: Vec<Vec<Event>>,
}

/// Why programs make no sense, whatever the network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramsError {
    /// No task at all.
    #[error("the programs have no task; give at least one")]
    NoTask,
    /// More events than [`MAX_EVENTS`].
    #[error("the programs have {events} tasks and events, more than {MAX_EVENTS}; split them")]
    TooManyEvents {
        /// Number of tasks and events.
        events: usize,
    },
    /// An event with a task that does not exist.
    #[error("task {task}, event {event}: {field} is {other}, but the tasks are 0 to {}", .task_count - 1)]
    UnknownTask {
        /// Whose event.
        task: TaskId,
        /// Its place in the program, from 0.
        event: usize,
        /// `to` or `from`.
        field: &'static str,
        /// The number that names no task.
        other: TaskId,
        /// Number of tasks.
        task_count: usize,
    },
    /// A flow without length or a computation without end.
    #[error("task {task}, event {event}: {field} is {amount}; give {least} to {MAX_AMOUNT}")]
    Amount {
        /// Whose event.
        task: TaskId,
        /// Its place in the program, from 0.
        event: usize,
        /// `size` or `time`.
        field: &'static str,
        /// What it says.
        amount: u64,
        /// The least it may say.
        least: u64,
    },
    /// Flows that are not received, or awaited and not sent.
    #[error(
        "task {from} sends {sends} flows with tag {tag} to task {to}, which receives {receives}; \
         give each send its receive"
    )]
    Unmatched {
        /// Who sends.
        from: TaskId,
        /// Who receives.
        to: TaskId,
        /// The tag.
        tag: u32,
        /// Number of sends.
        sends: usize,
        /// Number of receives.
        receives: usize,
    },
}

impl Programs {
    /// Number of tasks.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// Number of flows.
    pub fn flow_count(&self) -> usize {
        self.tasks.iter().flatten().filter(|event| matches!(event, Event::Send { .. })).count()
    }

    /// Whether all numbers are in their ranges, and all flows that are sent are received.
    ///
    /// Takes `O(E log E)` time for `E` events. Programs that pass may still wait for each other for ever.
    ///
    /// # Errors
    ///
    /// The first [`ProgramsError`], in the order of the enum.
    pub fn check(&self) -> Result<(), ProgramsError> {
        self.check_events()?;
        crate::matching::awaited_flows(self).map(drop)
    }

    pub(crate) fn check_events(&self) -> Result<(), ProgramsError> {
        let task_count = self.task_count();
        if task_count == 0 {
            return Err(ProgramsError::NoTask);
        }
        let events = self.tasks.iter().map(Vec::len).fold(task_count, usize::saturating_add);
        if events > MAX_EVENTS {
            return Err(ProgramsError::TooManyEvents { events });
        }
        for (task, events) in self.tasks.iter().enumerate() {
            let task = TaskId::from_index(task);
            for (event, what) in events.iter().enumerate() {
                let (field, other) = match *what {
                    Event::Send { to, .. } => ("to", Some(to)),
                    Event::Receive { from, .. } => ("from", Some(from)),
                    Event::Compute { .. } => ("", None),
                };
                if let Some(other) = other.filter(|other| other.index() >= task_count) {
                    return Err(ProgramsError::UnknownTask { task, event, field, other, task_count });
                }
                let (field, amount, least) = match *what {
                    Event::Send { size, .. } => ("size", size, 1),
                    Event::Receive { .. } => continue,
                    Event::Compute { time } => ("time", time, 0),
                };
                if !(least..=MAX_AMOUNT).contains(&amount) {
                    return Err(ProgramsError::Amount { task, event, field, amount, least });
                }
            }
        }
        Ok(())
    }
}
