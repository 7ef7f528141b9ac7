//! Vector clocks: which accesses to a chunk are ordered.

use std::collections::BTreeMap;

use crate::program::{Address, ParallelProgram};

/// The time of each thread that an event comes after.
pub(crate) type Clock = Box<[u32]>;

/// Greatest number of entries of all clocks: 256 MiB.
const MAX_ENTRIES: usize = 1 << 26;

/// An access: a thread and the index of its instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) thread: u32,
    pub(crate) instruction: u32,
}

/// The last accesses to a chunk.
#[derive(Clone, Default)]
struct History {
    write: Option<Access>,
    /// Reads since the write, at most one per thread.
    reads: Vec<Access>,
}

/// Two accesses that are not ordered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Race {
    pub(crate) address: Address,
    pub(crate) first: Access,
    pub(crate) second: Access,
}

/// The clocks of all threads, and the accesses to all chunks.
///
/// Threads are ordered by their own instructions, messages and waits, and by nothing else. In particular, a full queue
/// orders nothing, because a runtime may have longer queues.
pub(crate) struct Clocks {
    of_threads: Vec<Clock>,
    /// Per thread: the clocks after the instructions for which others wait, ascending.
    kept: Vec<Vec<(u32, Option<Clock>)>>,
    histories: Vec<History>,
    races: Option<Race>,
}

impl Clocks {
    /// Returns `None` if the clocks of the program need too much memory.
    pub(crate) fn new(program: &ParallelProgram) -> Option<Self> {
        let count = program.threads.len();
        let mut kept: Vec<Vec<(u32, Option<Clock>)>> = vec![Vec::new(); count];
        for thread in &program.threads {
            for wait in (0..thread.instructions().len()).flat_map(|index| thread.waits(index)) {
                kept[wait.thread as usize].push((wait.executed, None));
            }
        }
        for of_thread in &mut kept {
            of_thread.sort_unstable_by_key(|&(executed, _)| executed);
            of_thread.dedup_by_key(|&mut (executed, _)| executed);
        }
        let clocks = count + kept.iter().map(Vec::len).sum::<usize>() + 2 * program.queues.len();
        if clocks.saturating_mul(count) > MAX_ENTRIES {
            return None;
        }
        let of_threads = vec![vec![0; count].into_boxed_slice(); count];
        Some(Self { of_threads, kept, histories: vec![History::default(); program.memory.len()], races: None })
    }

    /// Returns the clock of a thread, for a message.
    pub(crate) fn of(&self, thread: u32) -> Clock {
        self.of_threads[thread as usize].clone()
    }

    /// Orders a thread after a message.
    pub(crate) fn join(&mut self, thread: u32, message: &Clock) {
        for (own, other) in self.of_threads[thread as usize].iter_mut().zip(message) {
            *own = (*own).max(*other);
        }
    }

    /// Orders a thread after the first `executed` instructions of another one.
    pub(crate) fn wait(&mut self, thread: u32, other: u32, executed: u32) {
        let of_other = &self.kept[other as usize];
        let index = of_other.partition_point(|&(at, _)| at < executed);
        let clock = of_other[index].1.clone().expect("the other thread has executed these instructions");
        self.join(thread, &clock);
    }

    /// Ends an instruction of a thread.
    pub(crate) fn tick(&mut self, thread: u32, executed: u32) {
        self.of_threads[thread as usize][thread as usize] = executed;
        let of_thread = &mut self.kept[thread as usize];
        let index = of_thread.partition_point(|&(at, _)| at < executed);
        if let Some((at, clock)) = of_thread.get_mut(index)
            && *at == executed
        {
            *clock = Some(self.of_threads[thread as usize].clone());
        }
    }

    /// Notes a read.
    pub(crate) fn read(&mut self, access: Access, address: Address) {
        let history = &mut self.histories[address as usize];
        let clock = &self.of_threads[access.thread as usize];
        if let Some(write) = history.write
            && !is_before(write, access, clock)
        {
            self.races.get_or_insert(Race { address, first: write, second: access });
        }
        match history.reads.iter_mut().find(|read| read.thread == access.thread) {
            Some(read) => *read = access,
            None => history.reads.push(access),
        }
    }

    /// Notes a write.
    pub(crate) fn write(&mut self, access: Access, address: Address) {
        let history = &mut self.histories[address as usize];
        let clock = &self.of_threads[access.thread as usize];
        let earlier = history.write.into_iter().chain(history.reads.iter().copied());
        for first in earlier {
            if !is_before(first, access, clock) {
                self.races.get_or_insert(Race { address, first, second: access });
            }
        }
        history.write = Some(access);
        history.reads.clear();
    }

    /// Returns an output that a thread of another rank writes last, although no thread of its own rank ends after that.
    pub(crate) fn late_output(&self, program: &ParallelProgram) -> Option<(Address, Access)> {
        let ranks = program.ranks_of_memory();
        let mut ends: BTreeMap<u32, Clock> = BTreeMap::new();
        for output in &program.outputs {
            let rank = ranks[output.address as usize];
            let Some(write) = self.histories[output.address as usize].write else { continue };
            if program.threads[write.thread as usize].rank == rank {
                continue;
            }
            let end = ends.entry(rank).or_insert_with(|| {
                let mut end = vec![0; program.threads.len()].into_boxed_slice();
                for (thread, clock) in program.threads.iter().zip(&self.of_threads) {
                    if thread.rank == rank {
                        for (end, time) in end.iter_mut().zip(clock) {
                            *end = (*end).max(*time);
                        }
                    }
                }
                end
            });
            if end[write.thread as usize] <= write.instruction {
                return Some((output.address, write));
            }
        }
        None
    }

    /// Returns the first race.
    pub(crate) fn race(&self) -> Option<Race> {
        self.races
    }
}

/// Returns true if an earlier access comes before the access of a thread with this clock.
fn is_before(first: Access, second: Access, clock: &Clock) -> bool {
    first.thread == second.thread || clock[first.thread as usize] > first.instruction
}
