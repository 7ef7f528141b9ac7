//! Buffers and results of collectives, as in the runtimes of GPU clusters.

use crate::program::{Address, BufferName, Contribution, Contributors, Output, ParallelProgram, Place};

/// The collectives with their layouts of chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Collective {
    Broadcast { root: u32 },
    Scatter { root: u32 },
    Gather { root: u32 },
    Reduce { root: u32 },
    AllGather,
    AllToAll,
    ReduceScatter,
    AllReduce,
}

/// The buffers of one rank: first addresses and sizes in chunks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffers {
    starts: [Address; 3],
    sizes: [u32; 3],
}

impl Buffers {
    /// Returns the address of consecutive chunks of a buffer at an offset, or the size of the buffer if they are not inside.
    pub(crate) fn address(&self, buffer: BufferName, offset: Option<u32>, count: u32) -> Result<Address, u32> {
        let size = self.sizes[buffer as usize];
        match offset {
            Some(offset) if offset.checked_add(count).is_some_and(|end| end <= size) => {
                Ok(self.starts[buffer as usize] + offset)
            }
            _ => Err(size),
        }
    }
}

impl Collective {
    /// Returns the collective with a name such as `all-gather`. The root counts only if it has one.
    pub(crate) fn named(name: &str, root: u32) -> Option<Self> {
        Some(match name {
            "broadcast" => Self::Broadcast { root },
            "scatter" => Self::Scatter { root },
            "gather" => Self::Gather { root },
            "reduce" => Self::Reduce { root },
            "all-gather" => Self::AllGather,
            "all-to-all" => Self::AllToAll,
            "reduce-scatter" => Self::ReduceScatter,
            "all-reduce" => Self::AllReduce,
            _ => return None,
        })
    }

    /// Returns the root, if the collective has one.
    pub(crate) fn root(self) -> Option<u32> {
        match self {
            Self::Broadcast { root } | Self::Scatter { root } | Self::Gather { root } | Self::Reduce { root } => {
                Some(root)
            }
            _ => None,
        }
    }

    /// Returns the sizes of the input and the output of a rank. `chunks` is the number of chunks of a message, and of the
    /// whole data of an all-reduce.
    pub(crate) fn sizes(self, rank: u32, ranks: u32, chunks: u32) -> [u32; 2] {
        let all = ranks * chunks;
        match self {
            Self::Broadcast { .. } | Self::Reduce { .. } | Self::AllReduce => [chunks, chunks],
            Self::Scatter { root } => [if rank == root { all } else { 0 }, chunks],
            Self::Gather { root } => [chunks, if rank == root { all } else { 0 }],
            Self::AllGather => [chunks, all],
            Self::AllToAll => [all, all],
            Self::ReduceScatter => [all, chunks],
        }
    }

    /// Returns true if a rank has data in the beginning.
    fn has_input(self, rank: u32) -> bool {
        match self {
            Self::Broadcast { root } | Self::Scatter { root } => rank == root,
            _ => true,
        }
    }

    /// Returns the contributors of a chunk of the output of a rank; `None` if the chunk may have any contents.
    fn output(self, rank: u32, chunks: u32, offset: u32) -> Option<Contributors> {
        let one = |rank, chunk| Some(Contributors::One(Contribution { rank, chunk }));
        let own = rank * chunks + offset;
        match self {
            Self::Broadcast { root } => one(root, offset),
            Self::Scatter { root } => one(root, own),
            Self::Gather { root } if rank != root => None,
            Self::Reduce { root } if rank != root => None,
            Self::Gather { .. } | Self::AllGather => one(offset / chunks, offset % chunks),
            Self::AllToAll => one(offset / chunks, own - offset + offset % chunks),
            Self::Reduce { .. } | Self::AllReduce => Some(Contributors::AllRanks { chunk: offset }),
            Self::ReduceScatter => Some(Contributors::AllRanks { chunk: own }),
        }
    }

    /// Adds the buffers of the next rank to a program, with inputs and required outputs.
    ///
    /// In place, the smaller one of input and output is the own part of the larger one.
    pub(crate) fn add_rank(
        self,
        program: &mut ParallelProgram,
        rank: u32,
        chunks: u32,
        scratch: u32,
        in_place: bool,
    ) -> Buffers {
        let [input, output] = self.sizes(rank, program.rank_count, chunks);
        let start = program.memory.len() as Address;
        let part = rank * chunks;
        let (input_start, output_start, end) = match (in_place, input.cmp(&output)) {
            (false, _) => (start, start + input, start + input + output),
            (true, std::cmp::Ordering::Equal) => (start, start, start + input),
            (true, _) if input == 0 || output == 0 => (start, start, start + input + output),
            (true, std::cmp::Ordering::Less) => (start + part, start, start + output),
            (true, std::cmp::Ordering::Greater) => (start, start + part, start + input),
        };
        program.memory.resize((end + scratch) as usize, None);
        if self.has_input(rank) {
            for chunk in 0..input {
                program.memory[(input_start + chunk) as usize] = Some(Contribution { rank, chunk });
            }
        }
        for offset in 0..output {
            if let Some(contributors) = self.output(rank, chunks, offset) {
                program.outputs.push(Output { address: output_start + offset, contributors });
            }
        }
        let place = |buffer, start, size| Place { rank, buffer, start, size, number: 0 };
        program.places.extend([
            place(BufferName::Output, output_start, output),
            place(BufferName::Input, input_start, input),
            place(BufferName::Scratch, end, scratch),
        ]);
        Buffers { starts: [input_start, output_start, end], sizes: [input, output, scratch] }
    }
}
