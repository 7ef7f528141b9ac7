//! Programs of random schedules, executed with real data.

mod expected;
mod formats;
mod interpreter;
mod lowering;
mod mpi;
mod msccl;
mod mscclpp;
mod nccl;
mod simgrid;
mod timelines;
