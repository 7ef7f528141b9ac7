//! Programs of schedules.

use std::ops::Range;

use lockstep_schedule::{Problem, Schedule};
use lockstep_topology::NodeId;

use crate::limits::{MAX_AMOUNT, MAX_EVENTS};
use crate::options::StepMode;
use crate::path_fault::{PathFault, ends_of};
use crate::programs::{Event, Programs, TaskId};

/// Why a schedule cannot be converted to programs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The size of a message is 0 or exceeds [`MAX_AMOUNT`].
    #[error("size: a message of {size} units; give 1 to {MAX_AMOUNT}")]
    Size {
        /// Size of a message in units.
        size: u64,
    },
    /// The programs have more events than [`MAX_EVENTS`].
    #[error("the programs with synchronous steps have {events} events, more than {MAX_EVENTS}; replay with free steps")]
    TooManyEvents {
        /// Number of events.
        events: usize,
    },
    /// The path of a transfer does not connect two terminals.
    #[error("step {step}, transfer {transfer}: {fault}; verify the schedule first")]
    Transfer {
        /// Index of the step, from 0.
        step: usize,
        /// Index of the transfer in its step, from 0.
        transfer: usize,
        /// The error of the path.
        fault: PathFault,
    },
}

/// One transfer. The order groups transfers by receiver and message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    receiver: u32,
    message: u32,
    step: usize,
    transfer: usize,
    sender: u32,
}

impl Programs {
    /// Creates the programs of a schedule, with or without its synchronization between steps.
    ///
    /// Each terminal is a task, and each transfer is a flow along its path, with its message as the tag. A message has
    /// `size` units; its chunks share them, rounded up to units. With synchronous steps, each terminal sends and receives the
    /// transfers of a step, and a barrier follows. With free steps, for each step, a terminal first receives the messages
    /// that it sends in this step, including all contributions to a reduction, as far as earlier steps deliver them.
    /// Then it sends its transfers of the step. So it keeps its own order and waits only for its inputs. It receives
    /// all other messages at the end.
    ///
    /// The programs never deadlock, even if the schedule is invalid. O(T log T) time for `T` transfers, and O(channels
    /// of all paths) memory.
    ///
    /// ```
    /// use lockstep_flow::{Programs, StepMode};
    /// use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule};
    /// use lockstep_topology::{ChannelId, NodeId, TopologyBuilder};
    ///
    /// let mut line = TopologyBuilder::new("line");
    /// let [a, b, c] = ["a", "b", "c"].map(|name| line.terminal(name));
    /// let [first, second] = [line.channel(a, b), line.channel(b, c)];
    /// let (line, broadcast) = (line.build()?, Collective::broadcast(a));
    /// let problem = Problem::new(&line, &broadcast, CommunicationModel::store_and_forward())?;
    /// let mut schedule = Schedule::new();
    /// for channel in [first, second] {
    ///     schedule.begin_step();
    ///     schedule.push(MessageId::new(0), &[channel]);
    /// }
    /// let programs = Programs::of_schedule(&problem, &schedule, 1000, StepMode::Free)?;
    /// let events: Vec<usize> = programs.tasks.iter().map(Vec::len).collect();
    /// assert_eq!(events, [1, 2, 1]); // send; receive and send; receive
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`ReplayError`] if the size is out of range, a path does not connect two terminals, or there are too many
    /// events.
    pub fn of_schedule(
        problem: &Problem<'_>,
        schedule: &Schedule,
        size: u64,
        steps: StepMode,
    ) -> Result<Self, ReplayError> {
        if !(1..=MAX_AMOUNT).contains(&size) {
            return Err(ReplayError::Size { size });
        }
        let (topology, size) = (problem.topology(), problem.collective().chunk_size(size));
        let rank = |node: NodeId| topology.terminal_rank(node).ok_or(PathFault::NotATerminal { node });
        let mut arrivals = Vec::with_capacity(schedule.transfer_count());
        for (step, transfers) in schedule.steps() {
            for (place, transfer) in transfers.iter().enumerate() {
                let ranks = ends_of(topology, transfer.path).and_then(|[from, to]| Ok([rank(from)?, rank(to)?]));
                let [sender, receiver] = ranks
                    .map_err(|fault| ReplayError::Transfer { step, transfer: place, fault })?
                    .map(|rank| rank as u32);
                arrivals.push(Arrival { receiver, message: transfer.message.number(), step, transfer: place, sender });
            }
        }
        if steps == StepMode::Synchronous {
            return in_synchronous_steps(topology.terminal_count(), schedule, &arrivals, size);
        }
        let in_order = arrivals.clone();
        arrivals.sort_unstable();
        // Number of receives per group: the arrivals of one message at one receiver. Stored at the first index of the group.
        let mut received = vec![0; arrivals.len()];
        let group = |receiver: u32, message: u32| -> Range<usize> {
            let key = (receiver, message);
            let of = |arrival: &Arrival| (arrival.receiver, arrival.message);
            arrivals.partition_point(|one| of(one) < key)..arrivals.partition_point(|one| of(one) <= key)
        };
        let mut tasks = vec![Vec::new(); topology.terminal_count()];
        let mut receive = |tasks: &mut Vec<Vec<Event>>, group: Range<usize>, end_step: usize| {
            let Some(count) = received.get_mut(group.start) else { return };
            for one in arrivals[group].iter().skip(*count).take_while(|one| one.step < end_step) {
                let from = TaskId::new(one.sender);
                tasks[one.receiver as usize].push(Event::Receive { from, tag: one.message });
                *count += 1;
            }
        };
        for (step, transfers) in in_order.chunk_by(|one, next| one.step == next.step).map(|step| (step[0].step, step)) {
            for one in transfers {
                receive(&mut tasks, group(one.sender, one.message), step);
            }
            for (one, transfer) in transfers.iter().zip(schedule.step(step).iter()) {
                let (to, path) = (TaskId::new(one.receiver), transfer.path.into());
                tasks[one.sender as usize].push(Event::Send { to, size, tag: one.message, path });
            }
        }
        let mut start = 0;
        while let Some(first) = arrivals.get(start) {
            let rest = group(first.receiver, first.message);
            start = rest.end;
            receive(&mut tasks, rest, usize::MAX);
        }
        Ok(Self { tasks })
    }
}

/// Creates programs with a barrier between steps. The arrivals are in the order of the schedule.
fn in_synchronous_steps(
    terminals: usize,
    schedule: &Schedule,
    arrivals: &[Arrival],
    size: u64,
) -> Result<Programs, ReplayError> {
    let steps = || arrivals.chunk_by(|one, next| one.step == next.step);
    let events = steps().count().saturating_mul(terminals).saturating_add(2 * arrivals.len());
    if events > MAX_EVENTS {
        return Err(ReplayError::TooManyEvents { events });
    }
    let mut tasks = vec![Vec::new(); terminals];
    for (place, step) in steps().enumerate() {
        if place > 0 {
            for task in &mut tasks {
                task.push(Event::Barrier);
            }
        }
        for (one, transfer) in step.iter().zip(schedule.step(step[0].step).iter()) {
            let (to, path) = (TaskId::new(one.receiver), transfer.path.into());
            tasks[one.sender as usize].push(Event::Send { to, size, tag: one.message, path });
        }
        for one in step {
            tasks[one.receiver as usize].push(Event::Receive { from: TaskId::new(one.sender), tag: one.message });
        }
    }
    Ok(Programs { tasks })
}
