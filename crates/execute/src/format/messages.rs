//! Programs of tasks with messages but without memory.

use std::collections::BTreeMap;

use crate::program::{Instruction, Names, ParallelProgram, Queue, Thread, Wait};

/// What a task does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// Sends a message to a rank with a tag.
    Send { to: u32, tag: u32 },
    /// Receives a message from a rank with a tag.
    Receive { from: u32, tag: u32 },
    /// Computes.
    Compute,
}

/// A task: it begins after the tasks for which it waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Task {
    pub(super) line: u32,
    pub(super) work: Work,
    /// Size of the message in bytes.
    pub(super) size: u64,
    /// Tasks of the same rank that must have ended.
    pub(super) after_end: Vec<u32>,
    /// Tasks of the same rank that must have begun.
    pub(super) after_start: Vec<u32>,
}

/// Returns the program of the tasks of all ranks. Every task is a thread; messages never block their sender.
pub(super) fn program(title: String, names: Names, ranks: &[Vec<Task>]) -> ParallelProgram {
    let mut program = ParallelProgram::new(title, names, ranks.len() as u32);
    let mut queues = BTreeMap::new();
    for (rank, tasks) in (0..).zip(ranks) {
        let first = program.threads.len() as u32;
        let mut begins = vec![false; tasks.len()];
        for &task in tasks.iter().flat_map(|task| &task.after_start) {
            begins[task as usize] = true;
        }
        for (number, task) in (0..).zip(tasks) {
            let ends = task
                .after_end
                .iter()
                .map(|&other| Wait { thread: first + other, executed: 1 + u32::from(begins[other as usize]) });
            let starts = task.after_start.iter().map(|&other| Wait { thread: first + other, executed: 1 });
            let mut waits: Vec<Wait> = ends.chain(starts).collect();
            let mut thread = Thread::new(rank, number);
            if begins[number as usize] {
                thread.push(Instruction { place: task.line, ..Instruction::default() }, &waits);
                waits.clear();
            }
            let index = first + number;
            let mut queue = |from, to, tag| {
                *queues.entry((from, to, tag)).or_insert_with(|| {
                    program.queues.push(Queue { from, to, sender: None, receiver: None, capacity: usize::MAX });
                    program.queues.len() as u32 - 1
                })
            };
            let mut instruction = Instruction { place: task.line, size: task.size, ..Instruction::default() };
            match task.work {
                Work::Send { to, tag } => {
                    let queue = queue(rank, to, tag);
                    instruction.send = Some(queue);
                    program.queues[queue as usize].sender.get_or_insert(index);
                }
                Work::Receive { from, tag } => {
                    let queue = queue(from, rank, tag);
                    instruction.receive = Some(queue);
                    program.queues[queue as usize].receiver.get_or_insert(index);
                }
                Work::Compute => {}
            }
            thread.push(instruction, &waits);
            program.threads.push(thread);
        }
    }
    program
}
