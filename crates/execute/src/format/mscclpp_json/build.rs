//! The program of a plan.

use std::collections::{BTreeMap, BTreeSet};

use super::channels::{GpuChannels, Signals, add_queue};
use super::operations::{GpuBuilder, reads_packets};
use super::packets::Packets;
use super::plan::{BufferJson, GpuJson, PlanJson};
use crate::collective::Collective;
use crate::error::{LoadError, LoadProblem};
use crate::program::{Instruction, Names, ParallelProgram, Thread};

const NAMES: Names = Names { thread: "tb", place: "op" };

/// Returns the program of a plan whose chunks have the given number of parts.
pub(super) fn program(plan: &PlanJson, parts: u32) -> Result<ParallelProgram, LoadError> {
    let has_packets = match plan.protocol.as_str() {
        "Simple" => false,
        "LL" => true,
        other => {
            return Err(LoadError::field("protocol".to_owned(), "plan", "protocol", other, "`Simple` or `LL`"));
        }
    };
    let (collective, chunks) = collective(plan, parts)?;
    let placement = if plan.inplace { "in place" } else { "out of place" };
    let split = if parts > 1 { format!(", every chunk in {parts} parts") } else { String::new() };
    let title = format!("{} {placement}{split}", plan.collective);
    let ranks = plan.gpus.len() as u32;
    let mut program = ParallelProgram::new(title, NAMES, ranks);
    let mut buffers = Vec::new();
    for (rank, gpu) in (0..).zip(&plan.gpus) {
        buffers.push(collective.add_rank(&mut program, rank, chunks, gpu.scratch_chunks * parts, plan.inplace));
    }
    let (mut signals, mut packets) = (Signals::default(), Packets::default());
    for (rank, gpu) in (0..).zip(&plan.gpus) {
        let channels = GpuChannels::of(rank, gpu, ranks)?;
        let semaphores = add_semaphores(&mut program, rank, gpu)?;
        let first = program.threads.len() as u32;
        let mut builder = GpuBuilder {
            rank,
            gpu,
            parts,
            has_packets,
            buffers: &buffers,
            channels: &channels,
            semaphores: &semaphores,
            signals: &mut signals,
            packets: &mut packets,
            program: &mut program,
            barriers: BTreeMap::new(),
        };
        let mut blocks = Vec::new();
        for (number, block) in (0..).zip(&gpu.threadblocks) {
            blocks.push(builder.block(number, first + 2 * number, block)?);
        }
        let next = first + 2 * blocks.len() as u32;
        let hubs = builder.join_barriers(&mut blocks, next)?;
        for block in blocks {
            block.add_to(&mut program);
        }
        program.threads.extend(hubs);
    }
    packets.join(&mut program)?;
    Ok(program)
}

/// Returns the collective and the number of parts of chunks of a message.
fn collective(plan: &PlanJson, parts: u32) -> Result<(Collective, u32), LoadError> {
    let ranks = plan.gpus.len() as u32;
    let Some(gpu) = plan.gpus.first() else {
        return Err(LoadError {
            place: "gpus".to_owned().into(),
            problem: LoadProblem::Missing { element: "gpus", field: "0" },
        });
    };
    let (mut senders, mut receivers) = (BTreeSet::new(), BTreeSet::new());
    for gpu in &plan.gpus {
        for block in &gpu.threadblocks {
            for operation in &block.ops {
                let waits = operation.name == "wait" || reads_packets(&operation.name);
                if operation.dst_buff.iter().any(BufferJson::is_remote) {
                    senders.insert(gpu.id);
                }
                if waits || operation.src_buff.iter().any(BufferJson::is_remote) {
                    receivers.insert(gpu.id);
                }
            }
        }
    }
    let only = |one: &BTreeSet<u32>, other: &BTreeSet<u32>| {
        let mut difference = one.difference(other).copied();
        difference.next().filter(|_| difference.next().is_none()).unwrap_or(0)
    };
    let (source, target) = (only(&senders, &receivers), only(&receivers, &senders));
    let (collective, chunks, field) = match plan.collective.as_str() {
        "broadcast" => (Collective::Broadcast { root: source }, gpu.output_chunks, "output_chunks"),
        "scatter" => (Collective::Scatter { root: source }, gpu.output_chunks, "output_chunks"),
        "gather" => (Collective::Gather { root: target }, gpu.input_chunks, "input_chunks"),
        "reduce" => (Collective::Reduce { root: target }, gpu.input_chunks, "input_chunks"),
        "allgather" => (Collective::AllGather, gpu.output_chunks / ranks, "output_chunks"),
        "alltoall" => (Collective::AllToAll, gpu.output_chunks / ranks, "output_chunks"),
        "reducescatter" | "reduce_scatter" => (Collective::ReduceScatter, gpu.input_chunks / ranks, "input_chunks"),
        "allreduce" => (Collective::AllReduce, gpu.input_chunks, "input_chunks"),
        other => {
            let expected = "one of broadcast, scatter, gather, reduce, allgather, alltoall, reducescatter, allreduce";
            return Err(LoadError::field("collective".to_owned(), "plan", "collective", other, expected));
        }
    };
    if chunks == 0 || chunks.checked_mul(ranks).and_then(|all| all.checked_mul(parts)).is_none() {
        let value = if field == "input_chunks" { gpu.input_chunks } else { gpu.output_chunks };
        let expected = "a chunk at least for each message of the collective";
        return Err(LoadError::field("gpus[0]".to_owned(), "gpu", field, value, expected));
    }
    for (rank, gpu) in (0..).zip(&plan.gpus) {
        let sizes = collective.sizes(rank, ranks, chunks);
        // The buffers of a rank that has no data are as large as those of the other ranks.
        for (field, found, needed) in
            [("input_chunks", gpu.input_chunks, sizes[0]), ("output_chunks", gpu.output_chunks, sizes[1])]
        {
            if found < needed {
                let expected =
                    format!("{needed} at least, the size of the collective with {chunks} chunks per message");
                return Err(LoadError::field(format!("gpus[{rank}]"), "gpu", field, found, expected));
            }
        }
    }
    Ok((collective, chunks * parts))
}

/// Adds the queue of each semaphore of a GPU, and a thread with its first releases.
fn add_semaphores(program: &mut ParallelProgram, rank: u32, gpu: &GpuJson) -> Result<Vec<u32>, LoadError> {
    let counts = |name: &str| {
        let mut counts = vec![0_u64; gpu.semaphores.len()];
        let operations = gpu.threadblocks.iter().flat_map(|block| &block.ops).filter(|one| one.name == name);
        for &id in operations.flat_map(|one| &one.semaphore_ids) {
            // The builder refuses an operation on an unknown semaphore.
            if let Some(count) = counts.get_mut(id as usize) {
                *count += 1;
            }
        }
        counts
    };
    let uses = counts("sem_acquire").into_iter().zip(counts("sem_release"));
    let mut queues = Vec::new();
    for ((number, semaphore), (acquired, released)) in (0..).zip(&gpu.semaphores).zip(uses) {
        let queue = add_queue(program, rank, rank);
        queues.push(queue);
        let left = u64::from(semaphore.init_value) + released;
        if acquired != left {
            let place = format!("gpus[{rank}].semaphores[{number}]");
            let expected = format!("releases that equal the {acquired} acquisitions");
            return Err(LoadError::field(place, "semaphore", "init_value", semaphore.init_value, expected));
        }
        if semaphore.init_value > 0 {
            let mut thread = Thread::new(rank, gpu.threadblocks.len() as u32 + number);
            for _ in 0..semaphore.init_value {
                thread.push(Instruction { send: Some(queue), ..Instruction::default() }, &[]);
            }
            program.threads.push(thread);
        }
    }
    Ok(queues)
}
