//! MSCCL++ execution plans: operations of thread blocks, which write into the memory of other GPUs and signal them.
//!
//! A thread block has two threads here. One copies and adds with all its GPU threads; the other one, a single GPU thread,
//! signals, waits, and puts over port channels. They wait for each other at a `nop`, as the GPU threads do. So a `nop` that
//! is missing between a put and its signal, or between a wait and the reads behind it, is a data race. A channel counts
//! signals; a signal without a wait is an error, because the next launch would count it.
//!
//! A GPU has the buffers of its collective. The root of a broadcast or scatter is the only GPU that sends and never receives,
//! that of a gather or reduction is the only GPU that receives and never sends; otherwise, it is GPU 0.
//!
//! A packet (protocol `LL`) is a chunk of scratch memory with a flag. It needs no signal: an operation that reads packets waits
//! until they are written. All packets of a launch have the same flag, so one operation writes each of them. Operations over
//! port channels copy packets without waiting for them.
//!
//! The thread blocks of a group execute one slice of an operation each. Chunks are split, so that all slices are whole parts.
//!
//! A store into a switch channel is one copy per GPU of the channel; a load from it adds the chunks of all of them.
//!
//! Chunks of scratch memory beside packets that are not packets are not supported.
//!
//! # Source
//!
//! MSCCL++, `src/core/executor/execution_plan.cc`, `src/core/include/execution_common.hpp` and
//! `src/core/include/execution_kernel.hpp`.

mod build;
mod channels;
mod groups;
mod limits;
mod operations;
mod packets;
mod plan;
mod threads;

use crate::error::LoadError;
use crate::program::ParallelProgram;

/// Reads a plan.
pub(super) fn load(bytes: &[u8]) -> Result<ParallelProgram, LoadError> {
    let plan: plan::PlanJson = super::json::read(bytes)?;
    let parts = groups::parts_per_chunk(&plan)?;
    limits::check(&plan, parts)?;
    build::program(&plan, parts)
}
