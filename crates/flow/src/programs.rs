//! Programs: the events of each task.

use lockstep_topology::{ChannelId, number_id};
use serde::{Deserialize, Serialize};

number_id!(
    /// A task, `t0..`: a process of a parallel program.
    TaskId,
    "t"
);

#[cfg(feature = "schema")]
lockstep_files::schema_of!(TaskId, u32);

/// One action of a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// Starts a flow, without waiting.
    Send {
        /// The receiver.
        to: TaskId,
        /// The size in units, 1 to [`MAX_AMOUNT`](crate::MAX_AMOUNT).
        size: u64,
        /// The tag. Flows between two tasks with one tag are received in the order of their sends.
        #[serde(default, skip_serializing_if = "is_zero")]
        tag: u32,
        /// The channels from the sender's terminal to the receiver's terminal. If empty, the routing finds a path.
        #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
        path: Box<[ChannelId]>,
    },
    /// Waits for the arrival of a flow.
    Receive {
        /// The sender.
        from: TaskId,
        /// The tag.
        #[serde(default, skip_serializing_if = "is_zero")]
        tag: u32,
    },
    /// Computes for a time.
    Compute {
        /// The time in time units, 0 to [`MAX_AMOUNT`](crate::MAX_AMOUNT).
        time: u64,
    },
    /// Waits until all tasks have reached their barrier with the same index. All tasks have the same number of barriers.
    Barrier,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(tag: &u32) -> bool {
    *tag == 0
}

/// The programs of all tasks of one parallel application.
///
/// Plain data, which may be invalid; [`check`](Self::check) verifies it. The `n`-th [`Receive`](Event::Receive) from a
/// task with a tag matches the `n`-th [`Send`](Event::Send) of that task with that tag.
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

impl Programs {
    /// Returns the number of tasks.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// Returns the number of flows.
    pub fn flow_count(&self) -> usize {
        self.tasks.iter().flatten().filter(|event| matches!(event, Event::Send { .. })).count()
    }

    /// Returns true if some flow has no path of its own, so that the routing finds one.
    pub fn needs_routing(&self) -> bool {
        self.tasks.iter().flatten().any(|event| matches!(event, Event::Send { path, .. } if path.is_empty()))
    }
}
