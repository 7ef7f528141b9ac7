//! The limits of the runtime.

use super::plan::{BufferJson, GpuJson, OperationJson, PlanJson};
use crate::error::LoadError;

const MAX_OPERATIONS: usize = 64;
const MAX_CHANNELS: usize = 16;
const MAX_CHANNELS_PER_OPERATION: usize = 8;
const MAX_SEMAPHORES_PER_OPERATION: usize = 16;

/// Number of barriers of a GPU.
pub(super) const MAX_BARRIERS: u32 = 16;

/// Greatest number of GPUs of this reader.
const MAX_GPUS: usize = 1 << 16;

/// Chunks of memory, and chunks that are read and written, per operation of the file, at most.
const MAX_CHUNKS_PER_OPERATION: u64 = 256;

/// Chunks that any file may have.
const MAX_CHUNKS_OF_ANY: u64 = 1 << 20;

const REMEDY: &str = "use fewer chunks, or distribute the operations over more thread blocks";

fn limit(place: String, what: &'static str, count: usize, limit: usize) -> Result<(), LoadError> {
    if count > limit { Err(LoadError::limit(place, ("MSCCL++", REMEDY), what, count, limit)) } else { Ok(()) }
}

/// Checks the limits of the runtime, and that the work is linear in the size of the file. `parts` is the number of parts of
/// every chunk.
pub(super) fn check(plan: &PlanJson, parts: u32) -> Result<(), LoadError> {
    limit("gpus".to_owned(), "GPUs", plan.gpus.len(), MAX_GPUS)?;
    let (mut operations, mut moved, mut memory) = (0_u64, 0_u64, 0_u64);
    for (rank, gpu) in plan.gpus.iter().enumerate() {
        check_gpu(rank, gpu)?;
        let groups = gpu.channels.iter().flat_map(|channels| &channels.rank_groups);
        let largest_group = groups.map(|group| group.ranks.len() as u64).max().unwrap_or(1);
        let chunks =
            |part: &BufferJson| u64::from(part.size) * if part.switch_channel_id.is_some() { largest_group } else { 1 };
        memory += [gpu.input_chunks, gpu.output_chunks, gpu.scratch_chunks].map(u64::from).iter().sum::<u64>();
        for operation in gpu.threadblocks.iter().flat_map(|block| &block.ops).flat_map(OperationJson::with_inner) {
            operations += 1;
            let parts = operation.src_buff.iter().chain(&operation.dst_buff);
            moved = parts.map(chunks).fold(moved, u64::saturating_add);
        }
    }
    memory *= u64::from(parts);
    moved = moved.saturating_mul(u64::from(parts));
    let most = MAX_CHUNKS_OF_ANY + MAX_CHUNKS_PER_OPERATION * operations;
    limit("gpus".to_owned(), "chunks of all buffers", memory as usize, most as usize)?;
    limit("gpus".to_owned(), "chunks of all operations", moved as usize, most as usize)
}

fn check_gpu(rank: usize, gpu: &GpuJson) -> Result<(), LoadError> {
    if gpu.id as usize != rank {
        return Err(LoadError::field(
            format!("gpus[{rank}].id"),
            "gpu",
            "id",
            gpu.id,
            format!("{rank}, the position of the GPU"),
        ));
    }
    for (index, block) in gpu.threadblocks.iter().enumerate() {
        let place = format!("gpus[{rank}].threadblocks[{index}]");
        if block.id as usize != index {
            let expected = format!("{index}, the position of the thread block");
            return Err(LoadError::field(format!("{place}.id"), "threadblock", "id", block.id, expected));
        }
        let operations = block.ops.iter().flat_map(OperationJson::with_inner).count();
        limit(place.clone(), "operations of a thread block", operations, MAX_OPERATIONS)?;
        for channels in &block.channels {
            limit(place.clone(), "channels of a thread block", channels.channel_ids.len(), MAX_CHANNELS)?;
        }
        for (number, operation) in block.ops.iter().flat_map(OperationJson::with_inner).enumerate() {
            let place = format!("{place}.ops[{number}]");
            let (channels, semaphores) = (operation.channel_ids.len(), operation.semaphore_ids.len());
            limit(place.clone(), "channels of an operation", channels, MAX_CHANNELS_PER_OPERATION)?;
            limit(place, "semaphores of an operation", semaphores, MAX_SEMAPHORES_PER_OPERATION)?;
        }
    }
    Ok(())
}
