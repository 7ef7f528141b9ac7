//! The runtimes.

/// A runtime of MSCCL XML. They differ in their limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runtime {
    /// RCCL of ROCm before 7.13, for GPUs of AMD.
    Rccl,
    /// MSCCL and the MSCCL executor of NCCL, for GPUs of NVIDIA. The reader of MSCCL is the more lenient one.
    Msccl,
}
