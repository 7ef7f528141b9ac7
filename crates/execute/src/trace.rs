//! Traces: the transfers of an execution, and what its instructions wait for.

use crate::clocks::Access;
use crate::program::{Instruction, ParallelProgram};
use crate::values::{TracedValue, Value};

/// Data that moves from one rank to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TracedTransfer {
    /// The rank that sends.
    pub from: u32,
    /// The rank that receives.
    pub to: u32,
    /// Number of chunks, or number of bytes in formats without memory.
    pub size: u64,
    /// The values of the chunks: indexes into [`Trace::values`]. Empty in formats without memory.
    pub values: Vec<u32>,
    /// True if the receiver reads the memory of the sender: its thread goes on with the data.
    pub is_read: bool,
}

/// An executed instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Event {
    /// The place of the instruction in the file.
    pub place: u32,
    /// The event that sends the message which this one receives.
    pub message: Option<u32>,
    /// The transfer that this event begins.
    pub transfer: Option<TracedTransfer>,
}

/// The transfers of an execution. The events are the instructions of all threads in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The events.
    pub events: Vec<Event>,
    /// All values, by number.
    pub values: Vec<TracedValue>,
    /// The end of the entries of each event in `after`.
    after_end: Vec<u32>,
    after: Vec<u32>,
}

impl Trace {
    /// Returns the events that come before an event by the order of its thread and by waits.
    ///
    /// # Panics
    ///
    /// Panics if there is no such event.
    pub fn after(&self, event: usize) -> &[u32] {
        let start = if event == 0 { 0 } else { self.after_end[event - 1] };
        &self.after[start as usize..self.after_end[event] as usize]
    }
}

/// Notes the transfers of a run.
pub(crate) struct Recorder {
    /// The rank of each thread.
    thread_ranks: Vec<u32>,
    /// The event of the first instruction of each thread.
    first: Vec<u32>,
    /// Sender and receiver of each queue.
    queue_ends: Vec<[u32; 2]>,
    memory_ranks: Vec<u32>,
    events: Vec<Event>,
}

impl Recorder {
    pub(crate) fn new(program: &ParallelProgram) -> Self {
        let mut first = Vec::with_capacity(program.threads.len());
        let mut events = Vec::with_capacity(program.instruction_count());
        for thread in &program.threads {
            first.push(events.len() as u32);
            events.extend(thread.instructions().iter().map(|one| Event { place: one.place, ..Event::default() }));
        }
        Self {
            thread_ranks: program.threads.iter().map(|thread| thread.rank).collect(),
            first,
            queue_ends: program.queues.iter().map(|queue| [queue.from, queue.to]).collect(),
            memory_ranks: program.ranks_of_memory(),
            events,
        }
    }

    fn event(&self, access: Access) -> u32 {
        self.first[access.thread as usize] + access.instruction
    }

    /// Notes an instruction before it writes. `values` are those that it writes or sends.
    pub(crate) fn note(
        &mut self,
        access: Access,
        sender: Option<Access>,
        instruction: &Instruction,
        values: &[Value],
        memory: &[Value],
    ) {
        let message = sender.map(|sender| self.event(sender));
        let index = self.event(access) as usize;
        let transfer = self.transfer(access, instruction, values, memory);
        self.events[index].message = message;
        self.events[index].transfer = transfer;
    }

    /// Returns the transfer of an instruction: over a queue, into the memory of another rank, or out of it.
    fn transfer(
        &self,
        access: Access,
        instruction: &Instruction,
        values: &[Value],
        memory: &[Value],
    ) -> Option<TracedTransfer> {
        let rank = self.thread_ranks[access.thread as usize];
        let size = instruction.size;
        let transfer = |[from, to]: [u32; 2], values: &[Value], is_read| {
            let values = values.iter().map(|value| value.number()).collect();
            (from != to && size > 0).then_some(TracedTransfer { from, to, size, values, is_read })
        };
        if let Some(queue) = instruction.send {
            return transfer(self.queue_ends[queue as usize], values, false);
        }
        let is_remote = |address: &u32| self.memory_ranks[*address as usize] != rank;
        if size == 0 {
            return None;
        }
        if let Some(address) = instruction.write.filter(is_remote) {
            return transfer([rank, self.memory_ranks[address as usize]], values, false);
        }
        let read = instruction.reads.into_iter().flatten().find(is_remote)?;
        let read_values = &memory[read as usize..][..size as usize];
        transfer([self.memory_ranks[read as usize], rank], read_values, true)
    }

    /// Returns the trace with the values of the run.
    pub(crate) fn into_trace(self, program: &ParallelProgram, values: Vec<TracedValue>) -> Trace {
        let (mut after, mut after_end) = (Vec::new(), Vec::with_capacity(self.events.len()));
        for (thread, &first) in program.threads.iter().zip(&self.first) {
            for index in 0..thread.instructions().len() {
                if index > 0 {
                    after.push(first + index as u32 - 1);
                }
                let waits = thread.waits(index).iter().filter(|wait| wait.executed > 0);
                after.extend(waits.map(|wait| self.first[wait.thread as usize] + wait.executed - 1));
                after_end.push(after.len() as u32);
            }
        }
        Trace { events: self.events, values, after_end, after }
    }
}
