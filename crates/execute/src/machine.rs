//! The machine: runs the threads of a program one instruction at a time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::clocks::{Access, Clock, Clocks};
use crate::error::{Violation, Waiting};
use crate::program::{Address, CountedTwice, Instruction, ParallelProgram};
use crate::trace::Recorder;
use crate::values::{Value, Values, describe, describe_contributors};

/// The order in which threads run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// The first thread that can run.
    First,
    /// The last thread that can run.
    Last,
    /// A random thread after every instruction.
    Random {
        /// The seed.
        seed: u64,
    },
    /// A random thread; one thread runs only if no other can.
    Starved {
        /// The seed.
        seed: u64,
        /// The thread.
        thread: u32,
    },
}

struct Message {
    sender: Access,
    size: u64,
    values: Vec<Value>,
    clock: Option<Clock>,
}

/// What a thread waits for.
#[derive(Clone, Copy)]
enum Blocked {
    Empty(u32),
    Full(u32),
    Thread { thread: u32, executed: u32 },
}

/// The observers of a run.
#[derive(Default)]
pub(crate) struct Observers<'a> {
    /// Notes all accesses to memory.
    pub(crate) clocks: Option<&'a mut Clocks>,
    /// Notes all transfers.
    pub(crate) recorder: Option<&'a mut Recorder>,
}

/// Runs a program once.
pub(crate) fn run(
    program: &ParallelProgram,
    order: Order,
    values: &mut Values,
    observers: Observers<'_>,
) -> Result<(), Violation> {
    if let Some(CountedTwice { thread, instruction, address, contribution }) = program.counted_twice {
        return Err(Violation::CountedTwice {
            instruction: program.instruction_name(thread, instruction),
            address: program.address_name(address),
            contribution: describe(contribution),
        });
    }
    let mut machine = Machine::new(program, order, values, observers);
    while let Some(Reverse((_, thread))) = machine.ready.pop() {
        match machine.blocked(thread) {
            Some(reason) => machine.block(thread, reason),
            None => machine.execute(thread)?,
        }
    }
    machine.check_end()
}

struct Machine<'a> {
    program: &'a ParallelProgram,
    order: Order,
    random: ChaCha8Rng,
    values: &'a mut Values,
    clocks: Option<&'a mut Clocks>,
    recorder: Option<&'a mut Recorder>,
    memory: Vec<Value>,
    queues: Vec<VecDeque<Message>>,
    /// Number of instructions that each thread has executed.
    executed: Vec<u32>,
    /// The threads that may run, least priority first. A blocked thread is in one of the other lists.
    ready: BinaryHeap<Reverse<(u64, u32)>>,
    waiting_for_message: Vec<Vec<u32>>,
    waiting_for_space: Vec<Vec<u32>>,
    /// Per thread: the numbers of instructions for which other threads wait.
    waiting_for_thread: Vec<BinaryHeap<Reverse<(u32, u32)>>>,
}

impl<'a> Machine<'a> {
    fn new(program: &'a ParallelProgram, order: Order, values: &'a mut Values, observers: Observers<'a>) -> Self {
        let (threads, queues) = (program.threads.len(), program.queues.len());
        let seed = match order {
            Order::First | Order::Last => 0,
            Order::Random { seed } | Order::Starved { seed, .. } => seed,
        };
        let initial = |contents: &Option<_>| contents.map_or(Value::UNDEFINED, |input| values.input(input));
        let memory = program.memory.iter().map(initial).collect();
        let mut machine = Self {
            program,
            order,
            random: ChaCha8Rng::seed_from_u64(seed),
            values,
            clocks: observers.clocks,
            recorder: observers.recorder,
            memory,
            queues: (0..queues).map(|_| VecDeque::new()).collect(),
            executed: vec![0; threads],
            ready: BinaryHeap::new(),
            waiting_for_message: vec![Vec::new(); queues],
            waiting_for_space: vec![Vec::new(); queues],
            waiting_for_thread: vec![BinaryHeap::new(); threads],
        };
        for thread in 0..threads as u32 {
            machine.make_ready(thread);
        }
        machine
    }

    fn next(&self, thread: u32) -> Option<&'a Instruction> {
        self.program.threads[thread as usize].instructions().get(self.executed[thread as usize] as usize)
    }

    /// Adds a thread to the threads that may run, if it has instructions left.
    fn make_ready(&mut self, thread: u32) {
        if self.next(thread).is_none() {
            return;
        }
        let priority = match self.order {
            Order::First => 0,
            Order::Last => u64::from(u32::MAX - thread),
            Order::Starved { thread: starved, .. } if starved == thread => u64::MAX,
            Order::Random { .. } | Order::Starved { .. } => self.random.next_u64() >> 1,
        };
        self.ready.push(Reverse((priority, thread)));
    }

    /// Returns what the next instruction of a thread waits for.
    fn blocked(&self, thread: u32) -> Option<Blocked> {
        let index = self.executed[thread as usize] as usize;
        for wait in self.program.threads[thread as usize].waits(index) {
            if self.executed[wait.thread as usize] < wait.executed {
                return Some(Blocked::Thread { thread: wait.thread, executed: wait.executed });
            }
        }
        let instruction = self.next(thread)?;
        if let Some(queue) = instruction.receive.filter(|&queue| self.queues[queue as usize].is_empty()) {
            return Some(Blocked::Empty(queue));
        }
        let is_full = |&queue: &u32| self.queues[queue as usize].len() >= self.program.queues[queue as usize].capacity;
        instruction.send.filter(is_full).map(Blocked::Full)
    }

    fn block(&mut self, thread: u32, reason: Blocked) {
        match reason {
            Blocked::Empty(queue) => self.waiting_for_message[queue as usize].push(thread),
            Blocked::Full(queue) => self.waiting_for_space[queue as usize].push(thread),
            Blocked::Thread { thread: other, executed } => {
                self.waiting_for_thread[other as usize].push(Reverse((executed, thread)));
            }
        }
    }

    /// Executes the next instruction of a thread, which is not blocked.
    fn execute(&mut self, thread: u32) -> Result<(), Violation> {
        let index = self.executed[thread as usize];
        let instruction = *self.next(thread).expect("only threads with instructions are ready");
        let access = Access { thread, instruction: index };
        if let Some(clocks) = self.clocks.as_deref_mut() {
            for wait in self.program.threads[thread as usize].waits(index as usize) {
                clocks.wait(thread, wait.thread, wait.executed);
            }
        }
        let (mut values, mut sender) = (Vec::new(), None);
        if let Some(queue) = instruction.receive {
            let message = self.queues[queue as usize].pop_front().expect("the queue is not empty");
            if message.size != instruction.size {
                let instruction_name = self.program.instruction_name(thread, index);
                let (expected, found) = (instruction.size, message.size);
                return Err(Violation::Size { instruction: instruction_name, expected, found });
            }
            if let (Some(clocks), Some(clock)) = (self.clocks.as_deref_mut(), &message.clock) {
                clocks.join(thread, clock);
            }
            (values, sender) = (message.values, Some(message.sender));
            for waiting in std::mem::take(&mut self.waiting_for_space[queue as usize]) {
                self.make_ready(waiting);
            }
        }
        for start in instruction.reads.into_iter().flatten() {
            self.read(access, start, instruction.size, &mut values);
            // In a format with steps, nothing but a send can read what nothing has written.
            if !self.program.steps.is_empty() && instruction.send.is_some() && values.contains(&Value::UNDEFINED) {
                let instruction = self.program.instruction_name(thread, index);
                return Err(Violation::NotHeld { instruction, address: self.program.address_name(start) });
            }
        }
        if let Some(recorder) = self.recorder.as_deref_mut() {
            recorder.note(access, sender, &instruction, &values, &self.memory);
        }
        if let Some(start) = instruction.write {
            for (address, &value) in (start..).zip(&values) {
                self.memory[address as usize] = value;
                if let Some(clocks) = self.clocks.as_deref_mut() {
                    clocks.write(access, address);
                }
            }
        }
        self.end(thread, index + 1);
        if let Some(queue) = instruction.send {
            let clock = self.clocks.as_deref_mut().map(|clocks| clocks.of(thread));
            self.queues[queue as usize].push_back(Message { sender: access, size: instruction.size, values, clock });
            for waiting in std::mem::take(&mut self.waiting_for_message[queue as usize]) {
                self.make_ready(waiting);
            }
        }
        Ok(())
    }

    /// Reads chunks and adds them to the values.
    fn read(&mut self, access: Access, start: Address, size: u64, values: &mut Vec<Value>) {
        let is_first = values.is_empty();
        for (index, address) in (start..).take(size as usize).enumerate() {
            let value = self.memory[address as usize];
            if is_first {
                values.push(value);
            } else {
                values[index] = self.values.add(values[index], value);
            }
            if let Some(clocks) = self.clocks.as_deref_mut() {
                clocks.read(access, address);
            }
        }
    }

    /// Ends an instruction and wakes the threads that wait for it.
    fn end(&mut self, thread: u32, executed: u32) {
        self.executed[thread as usize] = executed;
        if let Some(clocks) = self.clocks.as_deref_mut() {
            clocks.tick(thread, executed);
        }
        self.make_ready(thread);
        while let Some(&Reverse((needed, waiting))) = self.waiting_for_thread[thread as usize].peek() {
            if needed > executed {
                break;
            }
            self.waiting_for_thread[thread as usize].pop();
            self.make_ready(waiting);
        }
    }

    /// Checks that all threads have ended, that all messages are received, and all outputs.
    fn check_end(self) -> Result<(), Violation> {
        if let Some(stuck) = (0..self.executed.len() as u32).find(|&thread| self.next(thread).is_some()) {
            return Err(Violation::Deadlock { waiting: self.ring(stuck) });
        }
        if let Some(queue) = self.queues.iter().position(|queue| !queue.is_empty()) {
            let (of_program, count) = (&self.program.queues[queue], self.queues[queue].len());
            return Err(Violation::Unreceived { from: of_program.from, to: of_program.to, count });
        }
        for output in &self.program.outputs {
            let value = self.memory[output.address as usize];
            if !self.values.is(value, output.contributors) {
                return Err(Violation::Output {
                    address: self.program.address_name(output.address),
                    expected: describe_contributors(output.contributors),
                    found: self.values.describe(value),
                });
            }
        }
        Ok(())
    }

    /// Follows the waits from a blocked thread: a ring, or a chain that ends at an event that never happens.
    fn ring(&self, start: u32) -> Vec<Waiting> {
        let mut position = vec![None; self.executed.len()];
        let mut waiting = Vec::new();
        let mut thread = start;
        loop {
            if let Some(first) = position[thread as usize] {
                return waiting.split_off(first);
            }
            position[thread as usize] = Some(waiting.len());
            let Some(blocked) = self.blocked(thread) else { return waiting };
            let instruction = self.program.instruction_name(thread, self.executed[thread as usize]);
            let (reason, next) = self.reason(blocked);
            waiting.push(Waiting { instruction, reason });
            match next {
                Some(next) => thread = next,
                None => return waiting,
            }
        }
    }

    /// Returns what a thread waits for, and the thread that could end the wait.
    fn reason(&self, blocked: Blocked) -> (String, Option<u32>) {
        let (text, other) = match blocked {
            Blocked::Empty(queue) => {
                let queue = &self.program.queues[queue as usize];
                (format!("a message from rank {}", queue.from), queue.sender)
            }
            Blocked::Full(queue) => {
                let queue = &self.program.queues[queue as usize];
                (format!("space for a message to rank {}", queue.to), queue.receiver)
            }
            Blocked::Thread { thread, executed } => {
                (format!("the end of {}", self.program.instruction_name(thread, executed - 1)), Some(thread))
            }
        };
        match other {
            None => (format!("{text}, which has no thread for it"), None),
            Some(other) if self.next(other).is_none() => (format!("{text}, whose thread has ended"), None),
            Some(_) => (text, other),
        }
    }
}
