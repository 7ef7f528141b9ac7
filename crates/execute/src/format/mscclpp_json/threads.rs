//! The two threads of a thread block.

use crate::program::{Instruction, ParallelProgram, Thread, Wait};

/// An instruction with its waits.
type Entry = (Instruction, Vec<Wait>);

/// A thread of a thread block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Half {
    /// All GPU threads: they copy and add.
    All,
    /// One GPU thread: it signals, waits, and puts over port channels.
    One,
}

/// The instructions of a thread block, before they become threads of the program.
pub(super) struct BlockThreads {
    rank: u32,
    number: u32,
    /// The index of its first thread in the program.
    first: u32,
    halves: [Vec<Entry>; 2],
}

impl BlockThreads {
    pub(super) fn new(rank: u32, number: u32, first: u32) -> Self {
        Self { rank, number, first, halves: [Vec::new(), Vec::new()] }
    }

    /// Adds an instruction, and returns the wait for it.
    pub(super) fn push(&mut self, half: Half, instruction: Instruction) -> Wait {
        self.halves[half as usize].push((instruction, Vec::new()));
        self.end(half)
    }

    /// Returns the wait for all instructions of a thread so far.
    fn end(&self, half: Half) -> Wait {
        let executed = self.halves[half as usize].len() as u32;
        Wait { thread: self.first + half as u32, executed }
    }

    /// Lets both threads wait for each other.
    pub(super) fn join(&mut self, place: u32) {
        for half in [Half::All, Half::One] {
            self.push(half, Instruction { place, ..Instruction::default() });
        }
        let ends = [self.end(Half::One), self.end(Half::All)];
        for (half, end) in [Half::All, Half::One].into_iter().zip(ends) {
            self.halves[half as usize].push((Instruction { place, ..Instruction::default() }, vec![end]));
        }
    }

    /// Adds the arrival at a barrier, and returns the wait for it.
    pub(super) fn arrive(&mut self, place: u32) -> Wait {
        self.join(place);
        let arrival = self.push(Half::One, Instruction { place, ..Instruction::default() });
        self.join(place);
        arrival
    }

    /// Lets the instruction behind an arrival wait for the end of a barrier.
    pub(super) fn wait_at(&mut self, arrival: Wait, end: Wait) {
        self.halves[Half::One as usize][arrival.executed as usize].1.push(end);
    }

    /// Adds the threads to a program.
    pub(super) fn add_to(self, program: &mut ParallelProgram) {
        for entries in self.halves {
            let mut thread = Thread::new(self.rank, self.number);
            for (instruction, waits) in &entries {
                thread.push(*instruction, waits);
            }
            program.threads.push(thread);
        }
    }
}
