//! Programs: the sends, receives and local work of every rank.

use lockstep_topology::{ChannelId, NodeId};

/// A memory area of a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Buffer {
    /// The data that the user gives to the rank. It is only read, unless the program is [in place](Placement::InPlace).
    Input,
    /// The data that the rank returns.
    Output,
    /// Memory for messages that the rank relays and for partial sums.
    Scratch,
}

impl Buffer {
    /// Returns the name: `input`, `output` or `scratch`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Scratch => "scratch",
        }
    }
}

/// The place of a chunk: a buffer and an offset in chunks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    /// The buffer.
    pub buffer: Buffer,
    /// The offset in chunks, from 0.
    pub offset: u32,
}

/// Whether data replaces the contents of its destination or is added to them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Combine {
    /// The data replaces the contents.
    Copy,
    /// The data is added to the contents, element by element.
    Add,
}

/// What an operation does with its chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Sends chunks to another rank.
    Send {
        /// The rank of the receiver.
        peer: u32,
        /// The index of the transfer in [`Program::transfers`]. The receive of the peer has the same one.
        tag: u32,
        /// The first chunk.
        from: Slot,
    },
    /// Receives chunks from another rank.
    Receive {
        /// The rank of the sender.
        peer: u32,
        /// The index of the transfer in [`Program::transfers`]. The send of the peer has the same one.
        tag: u32,
        /// The first chunk.
        to: Slot,
        /// Whether the chunks replace the contents.
        combine: Combine,
    },
    /// Copies or adds chunks within the rank.
    Local {
        /// The first chunk that is read.
        from: Slot,
        /// The first chunk that is written.
        to: Slot,
        /// Whether the chunks replace the contents.
        combine: Combine,
    },
}

impl Action {
    /// Returns the name: `send`, `receive`, `receive-add`, `copy` or `add`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Send { .. } => "send",
            Self::Receive { combine: Combine::Copy, .. } => "receive",
            Self::Receive { combine: Combine::Add, .. } => "receive-add",
            Self::Local { combine: Combine::Copy, .. } => "copy",
            Self::Local { combine: Combine::Add, .. } => "add",
        }
    }

    /// Returns the first chunk that the operation reads, apart from the contents to which it adds.
    pub fn reads(self) -> Option<Slot> {
        match self {
            Self::Send { from, .. } | Self::Local { from, .. } => Some(from),
            Self::Receive { .. } => None,
        }
    }

    /// Returns the first chunk that the operation writes.
    pub fn writes(self) -> Option<Slot> {
        match self {
            Self::Receive { to, .. } | Self::Local { to, .. } => Some(to),
            Self::Send { .. } => None,
        }
    }

    /// Returns true if the operation adds to the chunks that it writes.
    pub fn adds(self) -> bool {
        matches!(self, Self::Receive { combine: Combine::Add, .. } | Self::Local { combine: Combine::Add, .. })
    }
}

/// An operation of a rank, on consecutive chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The step of the schedule, from 0.
    pub step: u32,
    /// What the operation does.
    pub action: Action,
    /// Number of chunks, from 1.
    pub count: u32,
}

/// The sizes of the buffers of a rank, in chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BufferSizes {
    /// Size of the input.
    pub input: u32,
    /// Size of the output.
    pub output: u32,
    /// Size of the scratch memory.
    pub scratch: u32,
}

impl BufferSizes {
    /// Returns the size of a buffer in chunks.
    pub fn of(self, buffer: Buffer) -> u32 {
        match buffer {
            Buffer::Input => self.input,
            Buffer::Output => self.output,
            Buffer::Scratch => self.scratch,
        }
    }
}

/// The program of one rank.
///
/// The operations are in an order in which they can be executed: by step; in a step local copies, then sends, then
/// receives, then the local operations on received chunks. An operation waits for its dependencies, which are earlier operations of the same rank,
/// and a receive waits for its send. Nothing else orders them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankProgram {
    /// The terminal.
    pub node: NodeId,
    /// Sizes of the buffers.
    pub buffers: BufferSizes,
    operations: Vec<Operation>,
    /// The end of each operation's dependencies in `dependencies`.
    dependency_end: Vec<u32>,
    dependencies: Vec<u32>,
}

impl RankProgram {
    /// Returns the program without operations.
    pub fn new(node: NodeId, buffers: BufferSizes) -> Self {
        Self { node, buffers, operations: Vec::new(), dependency_end: Vec::new(), dependencies: Vec::new() }
    }

    /// Adds an operation with its dependencies: indexes of earlier operations, ascending.
    pub fn push(&mut self, operation: Operation, dependencies: &[u32]) {
        self.operations.push(operation);
        self.dependencies.extend_from_slice(dependencies);
        self.dependency_end.push(self.dependencies.len() as u32);
    }

    /// Returns the operations in order.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Returns the operations for which an operation waits: indexes of earlier operations, ascending.
    ///
    /// # Panics
    ///
    /// Panics if there is no such operation.
    pub fn dependencies(&self, operation: usize) -> &[u32] {
        let start = if operation == 0 { 0 } else { self.dependency_end[operation - 1] };
        &self.dependencies[start as usize..self.dependency_end[operation] as usize]
    }
}

/// Whether input and output are one buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// The rank has one buffer for both; the layout table says which one.
    InPlace,
    /// Input and output are different buffers.
    OutOfPlace,
}

/// The receives that a target supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receives {
    /// A receive can add to the contents of a slot, and it waits for its dependencies.
    Direct,
    /// A receive replaces a slot that no send of the same step reads. Other chunks arrive in scratch memory, and a local
    /// operation at the end of the step copies or adds them.
    Staged,
    /// As `Staged`, and a receive writes only slots that nothing used before. So a sender can write into the memory of the
    /// receiver at any time. Scratch slots are not used again.
    Fresh,
}

/// Consecutive chunks that move from one rank to another in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramTransfer {
    /// The step of the schedule, from 0.
    pub step: u32,
    /// The rank of the sender.
    pub sender: u32,
    /// The rank of the receiver.
    pub receiver: u32,
    /// Number of chunks.
    pub count: u32,
}

/// A schedule as programs of its ranks.
///
/// The ranks are the working terminals of the network in ascending node number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Whether input and output are one buffer.
    pub placement: Placement,
    /// Number of steps of the schedule.
    pub step_count: u32,
    /// One program per rank.
    pub ranks: Vec<RankProgram>,
    /// The transfers in the order of the steps. Their indexes are the tags of sends and receives.
    pub transfers: Vec<ProgramTransfer>,
    /// The end of each transfer's path in `channels`.
    path_end: Vec<u32>,
    channels: Vec<ChannelId>,
}

impl Program {
    /// Returns the program of ranks without transfers.
    pub(crate) fn new(placement: Placement, step_count: u32) -> Self {
        let (ranks, transfers) = (Vec::new(), Vec::new());
        Self { placement, step_count, ranks, transfers, path_end: Vec::new(), channels: Vec::new() }
    }

    /// Adds a transfer along a path and returns its tag.
    pub(crate) fn push_transfer(&mut self, transfer: ProgramTransfer, path: &[ChannelId]) -> u32 {
        self.transfers.push(transfer);
        self.channels.extend_from_slice(path);
        self.path_end.push(self.channels.len() as u32);
        self.transfers.len() as u32 - 1
    }

    /// Returns the channels of a transfer, in order. Of merged transfers, it returns the path of the first chunk.
    ///
    /// # Panics
    ///
    /// Panics if there is no transfer with this tag.
    pub fn path(&self, tag: u32) -> &[ChannelId] {
        let tag = tag as usize;
        let start = if tag == 0 { 0 } else { self.path_end[tag - 1] };
        &self.channels[start as usize..self.path_end[tag] as usize]
    }
}
