//! MSCCL XML: algorithms for RCCL of ROCm before 7.13 and for the MSCCL executor of NCCL.
//!
//! A thread is a thread block (`tb`) of a GPU. A queue is the connection from a GPU to another one on a channel; it holds
//! two transfers. Broadcasts, scatters, gathers and reductions have no root in the file: it is the only GPU that
//! sends and never receives, or that receives and never sends, otherwise GPU 0.
//!
//! # Source
//!
//! RCCL, `src/misc/msccl/msccl_parser.cc`, `src/include/msccl/msccl_struct.h` and `src/device/msccl_kernel_impl.h`.

mod algorithm;
mod build;
mod elements;
mod limits;
mod parse;

use super::text::text;
use crate::error::LoadError;
use crate::program::ParallelProgram;
use crate::runtime::Runtime;

/// Reads an algorithm. The result has one program per placement of the buffers.
pub(super) fn load(bytes: &[u8], runtime: Runtime) -> Result<Vec<ParallelProgram>, LoadError> {
    let limits = limits::Limits::of(runtime);
    let algorithm = parse::parse(text(bytes)?, &limits)?;
    build::programs(&algorithm)
}
