//! Programs of threads with queues and memory.

/// The number of a chunk in the memory of all ranks.
pub type Address = u32;

/// The data that one rank contributes: its chunk of the input of the collective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Contribution {
    /// The rank.
    pub rank: u32,
    /// The chunk of its input, from 0.
    pub chunk: u32,
}

/// The contributions whose sum a chunk must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contributors {
    /// One contribution.
    One(Contribution),
    /// The same chunk of every rank.
    AllRanks {
        /// The chunk.
        chunk: u32,
    },
}

/// A buffer in messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferName {
    /// The input of the collective.
    Input,
    /// The output of the collective.
    Output,
    /// The scratch memory.
    Scratch,
    /// The memory of a format with one address for each value.
    Address,
}

/// Consecutive chunks of a buffer of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The rank.
    pub rank: u32,
    /// The buffer.
    pub buffer: BufferName,
    /// The first address.
    pub start: Address,
    /// Number of chunks.
    pub size: u32,
    /// The number of the first chunk in the buffer.
    pub number: u32,
}

/// A chunk of an output with its required contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// The address.
    pub address: Address,
    /// The required sum.
    pub contributors: Contributors,
}

/// An instruction waits until a thread has executed a number of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Index of the thread.
    pub thread: u32,
    /// Number of instructions.
    pub executed: u32,
}

/// Work of a thread, done at once: it adds the received and the read chunks, writes the sum and sends it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Instruction {
    /// The place in the file: a step or a line.
    pub place: u32,
    /// The queue from which it takes a message.
    pub receive: Option<u32>,
    /// The first chunks that it reads.
    pub reads: [Option<Address>; 2],
    /// The first chunk that it writes.
    pub write: Option<Address>,
    /// The queue to which it adds a message.
    pub send: Option<u32>,
    /// Number of chunks, or number of bytes in formats without memory.
    pub size: u64,
}

/// A thread: instructions that run in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    /// The rank.
    pub rank: u32,
    /// The number of the thread in its rank.
    pub number: u32,
    instructions: Vec<Instruction>,
    /// The end of each instruction's waits in `waits`.
    wait_end: Vec<u32>,
    waits: Vec<Wait>,
}

impl Thread {
    /// Returns a thread without instructions.
    pub fn new(rank: u32, number: u32) -> Self {
        Self { rank, number, ..Self::default() }
    }

    /// Adds an instruction with its waits.
    pub fn push(&mut self, instruction: Instruction, waits: &[Wait]) {
        self.instructions.push(instruction);
        self.waits.extend_from_slice(waits);
        self.wait_end.push(self.waits.len() as u32);
    }

    /// Returns the instructions in order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Returns the waits of an instruction.
    ///
    /// # Panics
    ///
    /// Panics if there is no such instruction.
    pub fn waits(&self, instruction: usize) -> &[Wait] {
        let start = if instruction == 0 { 0 } else { self.wait_end[instruction - 1] };
        &self.waits[start as usize..self.wait_end[instruction] as usize]
    }
}

/// A first-in first-out queue of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    /// The rank that sends.
    pub from: u32,
    /// The rank that receives.
    pub to: u32,
    /// The first thread that sends.
    pub sender: Option<u32>,
    /// The first thread that receives.
    pub receiver: Option<u32>,
    /// Number of messages that it holds.
    pub capacity: usize,
}

/// A step of a format with synchronized steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStep {
    /// Its number in the file.
    pub number: u64,
    /// Number of times that a link is used for each unit of its capacity.
    pub width: u32,
}

/// A step of a format with synchronized steps in which the sum at an address counts a contribution twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CountedTwice {
    /// The thread that receives.
    pub(crate) thread: u32,
    /// The index of an instruction of the step in this thread.
    pub(crate) instruction: u32,
    pub(crate) address: Address,
    pub(crate) contribution: Contribution,
}

/// The words of a format in messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Names {
    /// A thread, for example `tb`; empty if a rank is one thread.
    pub thread: &'static str,
    /// The place of an instruction, for example `step`.
    pub place: &'static str,
}

/// A program of all ranks, ready to be executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParallelProgram {
    /// The format, and what the program computes.
    pub title: String,
    /// Words in messages.
    pub names: Names,
    /// Number of ranks.
    pub rank_count: u32,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The queues.
    pub queues: Vec<Queue>,
    /// The initial contents of each chunk of memory.
    pub memory: Vec<Option<Contribution>>,
    /// The buffers. Input and output may overlap.
    pub places: Vec<Place>,
    /// The required contents of the outputs.
    pub outputs: Vec<Output>,
    /// The steps, in formats with synchronized steps; the place of an instruction is then the index of its step. Empty in
    /// all other formats.
    pub steps: Vec<FileStep>,
    /// The first step that counts a contribution twice, in formats with synchronized steps. No execution is right then.
    pub(crate) counted_twice: Option<CountedTwice>,
    /// Whether all chunks stand for the same amount of data.
    pub has_equal_chunks: bool,
    /// The network, if the file states one: sender, receiver and capacity in chunks of each link.
    pub links: Vec<[u32; 3]>,
}

impl ParallelProgram {
    /// Returns a program without memory, threads and queues.
    pub fn new(title: String, names: Names, rank_count: u32) -> Self {
        Self {
            title,
            names,
            rank_count,
            threads: Vec::new(),
            queues: Vec::new(),
            memory: Vec::new(),
            places: Vec::new(),
            outputs: Vec::new(),
            steps: Vec::new(),
            counted_twice: None,
            has_equal_chunks: true,
            links: Vec::new(),
        }
    }

    /// Returns the number of instructions of all threads.
    pub fn instruction_count(&self) -> usize {
        self.threads.iter().map(|thread| thread.instructions.len()).sum()
    }

    /// Returns the rank of each chunk of memory.
    pub fn ranks_of_memory(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.memory.len()];
        for place in &self.places {
            ranks[place.start as usize..(place.start + place.size) as usize].fill(place.rank);
        }
        ranks
    }

    /// Returns the name of an address, for example `rank 1, output 3`.
    pub fn address_name(&self, address: Address) -> String {
        let holds = |place: &&Place| (place.start..place.start + place.size).contains(&address);
        match self.places.iter().find(holds) {
            Some(place) => {
                let buffer = match place.buffer {
                    BufferName::Input => "input",
                    BufferName::Output => "output",
                    BufferName::Scratch => "scratch",
                    BufferName::Address => {
                        return format!("rank {}, address {}", place.rank, place.number + (address - place.start));
                    }
                };
                format!("rank {}, {buffer} chunk {}", place.rank, place.number + (address - place.start))
            }
            None => format!("chunk {address}"),
        }
    }

    /// Returns the name of an instruction, for example `rank 1, tb 0, step 3`.
    pub fn instruction_name(&self, thread: u32, instruction: u32) -> String {
        let of_thread = &self.threads[thread as usize];
        let Names { thread: noun, place } = self.names;
        let name = match noun {
            "" => format!("rank {}", of_thread.rank),
            _ => format!("rank {}, {noun} {}", of_thread.rank, of_thread.number),
        };
        match of_thread.instructions.get(instruction as usize) {
            Some(instruction) => {
                let step = self.steps.get(instruction.place as usize);
                let number = step.map_or(u64::from(instruction.place), |step| step.number);
                format!("{name}, {place} {number}")
            }
            None => format!("{name}, after its end"),
        }
    }
}
