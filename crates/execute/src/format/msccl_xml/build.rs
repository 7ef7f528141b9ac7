//! The program of an algorithm: its memory, connections, threads and dependencies.

use std::collections::BTreeMap;

use super::algorithm::{Algorithm, Block, Gpu, Step};
use crate::collective::{Buffers, Collective};
use crate::error::LoadError;
use crate::program::{Address, BufferName, Instruction, Names, ParallelProgram, Queue, Thread, Wait};

const NAMES: Names = Names { thread: "tb", place: "step" };

/// Number of transfers that a connection holds: 8 slots of 4 per chunk.
const QUEUE_CAPACITY: usize = 2;

/// Chunks of memory per step of the file, at most. More cannot be filled: a step moves at most 71 of them.
const MAX_CHUNKS_PER_STEP: u64 = 256;

/// Chunks of memory that any file may have.
const MAX_CHUNKS_OF_ANY: u64 = 1 << 16;

/// Chunks of memory, at most.
const MAX_CHUNKS: u64 = 1 << 30;

/// Returns one program per placement of the buffers.
pub(super) fn programs(algorithm: &Algorithm) -> Result<Vec<ParallelProgram>, LoadError> {
    let (collective, chunks) = collective(algorithm)?;
    check_memory(algorithm)?;
    let placements = [(algorithm.out_of_place, false), (algorithm.in_place, true)];
    let supported: Vec<bool> =
        placements.iter().filter(|(supported, _)| *supported).map(|&(_, in_place)| in_place).collect();
    if supported.is_empty() {
        let expected = "1 for `inplace` or `outofplace`, because no call selects the algorithm otherwise";
        return Err(LoadError::field(algorithm.line, "algo", "inplace", 0, expected));
    }
    supported.into_iter().map(|in_place| program(algorithm, collective, chunks, in_place)).collect()
}

/// Returns the collective and the number of chunks of a message.
fn collective(algorithm: &Algorithm) -> Result<(Collective, u32), LoadError> {
    let (ranks, chunks) = (algorithm.gpus.len() as u32, algorithm.chunks_per_loop);
    let is_end = |wanted: [bool; 2]| {
        let only = |gpu: &Gpu| {
            let steps = || gpu.blocks.iter().flat_map(|block| &block.steps);
            [steps().any(|step| step.kind.sends), steps().any(|step| step.kind.receives)] == wanted
        };
        let mut roots = algorithm.gpus.iter().enumerate().filter(|(_, gpu)| only(gpu)).map(|(rank, _)| rank as u32);
        roots.next().filter(|_| roots.next().is_none()).unwrap_or(0)
    };
    let (source, target) = (is_end([true, false]), is_end([false, true]));
    let collective = match algorithm.collective.as_str() {
        "broadcast" => Collective::Broadcast { root: source },
        "scatter" => Collective::Scatter { root: source },
        "gather" => Collective::Gather { root: target },
        "reduce" => Collective::Reduce { root: target },
        "allgather" => Collective::AllGather,
        "alltoall" => Collective::AllToAll,
        "reducescatter" => Collective::ReduceScatter,
        "allreduce" => Collective::AllReduce,
        other => {
            let expected = "a collective whose result is defined by the file: not send, recv or alltoallv";
            return Err(LoadError::field(algorithm.line, "algo", "coll", other, expected));
        }
    };
    match collective {
        Collective::AllGather | Collective::AllToAll | Collective::ReduceScatter => {
            if !chunks.is_multiple_of(ranks) {
                let expected = format!("a multiple of `ngpus`, {ranks}");
                return Err(LoadError::field(algorithm.line, "algo", "nchunksperloop", chunks, expected));
            }
            Ok((collective, chunks / ranks))
        }
        _ => Ok((collective, chunks)),
    }
}

/// Checks that the steps of the file can fill its buffers, so that memory is bounded by the size of the file.
fn check_memory(algorithm: &Algorithm) -> Result<(), LoadError> {
    let ranks = algorithm.gpus.len() as u64;
    let steps: usize = algorithm.gpus.iter().flat_map(|gpu| &gpu.blocks).map(|block| block.steps.len()).sum();
    let limit = (MAX_CHUNKS_OF_ANY + MAX_CHUNKS_PER_STEP * steps as u64).min(MAX_CHUNKS);
    let expected = |size: u64| format!("a smaller number: the buffers have {size} chunks, and the steps fill {limit}");
    let data = 2 * ranks * u64::from(algorithm.chunks_per_loop);
    if data > limit {
        let value = algorithm.chunks_per_loop;
        return Err(LoadError::field(algorithm.line, "algo", "nchunksperloop", value, expected(data)));
    }
    let mut size = data;
    for gpu in &algorithm.gpus {
        size += u64::from(gpu.scratch);
        if size > limit {
            return Err(LoadError::field(gpu.line, "gpu", "s_chunks", gpu.scratch, expected(size)));
        }
    }
    Ok(())
}

/// The queues of an algorithm by sender, receiver and channel.
#[derive(Default)]
struct Connections {
    numbers: BTreeMap<(u32, u32, u32), u32>,
    queues: Vec<Queue>,
}

impl Connections {
    /// Returns the queue of a connection. `is_sender` tells which end of it the thread block is.
    fn add(
        &mut self,
        (from, to, channel): (u32, u32, u32),
        thread: u32,
        is_sender: bool,
        block: &Block,
    ) -> Result<u32, LoadError> {
        let number = *self.numbers.entry((from, to, channel)).or_insert_with(|| {
            self.queues.push(Queue { from, to, sender: None, receiver: None, capacity: QUEUE_CAPACITY });
            self.queues.len() as u32 - 1
        });
        let queue = &mut self.queues[number as usize];
        let (end, field) = if is_sender { (&mut queue.sender, "send") } else { (&mut queue.receiver, "recv") };
        if end.replace(thread).is_some() {
            let peer = if is_sender { to } else { from };
            let expected = format!("another peer or another `chan` than {channel}: two thread blocks have both");
            return Err(LoadError::field(block.line, "tb", field, peer, expected));
        }
        Ok(number)
    }
}

fn program(
    algorithm: &Algorithm,
    collective: Collective,
    chunks: u32,
    in_place: bool,
) -> Result<ParallelProgram, LoadError> {
    let ranks = algorithm.gpus.len() as u32;
    let placement = if in_place { "in place" } else { "out of place" };
    let mut program = ParallelProgram::new(format!("{} {placement}", algorithm.collective), NAMES, ranks);
    let mut connections = Connections::default();
    for (rank, gpu) in (0..).zip(&algorithm.gpus) {
        let buffers = collective.add_rank(&mut program, rank, chunks, gpu.scratch, in_place);
        let first = program.threads.len() as u32;
        for (number, block) in (0..).zip(&gpu.blocks) {
            let index = first + number;
            let connect = |connections: &mut Connections, peer: Option<u32>, is_sender| {
                let ends = |peer| if is_sender { (rank, peer, block.channel) } else { (peer, rank, block.channel) };
                peer.map(|peer| connections.add(ends(peer), index, is_sender, block)).transpose()
            };
            let send = connect(&mut connections, block.send, true)?;
            let receive = connect(&mut connections, block.receive, false)?;
            let mut thread = Thread::new(rank, number);
            for (number, step) in (0..).zip(&block.steps) {
                let mut instruction = instruction(step, &buffers)?;
                instruction.place = number;
                instruction.send = send.filter(|_| step.kind.sends);
                instruction.receive = receive.filter(|_| step.kind.receives);
                let wait = step.dependency.map(|dependency| wait(step, dependency, gpu, first)).transpose()?;
                thread.push(instruction, wait.as_slice());
            }
            program.threads.push(thread);
        }
    }
    program.queues = connections.queues;
    Ok(program)
}

/// Returns the reads, the write and the size of a step.
fn instruction(step: &Step, buffers: &Buffers) -> Result<Instruction, LoadError> {
    let address =
        |is_used: bool, (buffer, offset): (BufferName, Option<u32>), field| -> Result<Option<Address>, LoadError> {
            if !is_used {
                return Ok(None);
            }
            let found = buffers.address(buffer, offset, step.count);
            found.map(Some).map_err(|size| {
                let expected = format!("`cnt` = {} chunks inside the {size} chunks of the buffer", step.count);
                let value = offset.map_or(-1, i64::from);
                LoadError::field(step.line, "step", field, value, expected)
            })
        };
    let kind = step.kind;
    let source = address(kind.reads_source, step.source, "srcoff")?;
    let destination = address(kind.writes, step.destination, "dstoff")?;
    Ok(Instruction {
        reads: [source, destination.filter(|_| kind.reads_destination)],
        write: destination,
        size: u64::from(step.count),
        ..Instruction::default()
    })
}

/// Returns the wait of a step for another thread block of its GPU, whose first thread has the index `first`.
fn wait(step: &Step, (block, deps): (u32, u32), gpu: &Gpu, first: u32) -> Result<Wait, LoadError> {
    let Some(of_block) = gpu.blocks.get(block as usize) else {
        let expected = format!("a thread block below {}", gpu.blocks.len());
        return Err(LoadError::field(step.line, "step", "depid", block, expected));
    };
    let Some(awaited) = of_block.steps.get(deps as usize) else {
        let expected = format!("a step below {}, the number of steps of tb {block}", of_block.steps.len());
        return Err(LoadError::field(step.line, "step", "deps", deps, expected));
    };
    if !awaited.has_dependants {
        return Err(LoadError::field(awaited.line, "step", "hasdep", 0, "1, because another step waits for it"));
    }
    Ok(Wait { thread: first + block, executed: deps + 1 })
}
