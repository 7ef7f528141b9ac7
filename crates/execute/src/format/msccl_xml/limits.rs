//! The limits of the runtimes.

use std::collections::{BTreeMap, BTreeSet};

use super::algorithm::Gpu;
use crate::error::LoadError;
use crate::runtime::Runtime;

/// The limits of a runtime.
pub(super) struct Limits {
    runtime: &'static str,
    pub(super) steps_per_block: usize,
    blocks: usize,
    channels: u32,
    /// Whether `algo` states the sizes and the placements for which it is right. MSCCL has default values for both.
    pub(super) has_sizes_and_placements: bool,
}

/// Greatest number of chunks of a step.
pub(super) const MAX_COUNT: u32 = 71;

/// Greatest number of peers of a GPU in one direction of a channel.
const MAX_PEERS_PER_CHANNEL: usize = 32;

/// Greatest number of elements that the parser keeps: all GPUs, and the thread blocks and steps of one of them.
const MAX_ELEMENTS: usize = 4096;

/// Greatest number of elements in one element.
pub(super) const MAX_CHILDREN: usize = 1024;

const REMEDY: &str = "use fewer chunks, or distribute the steps over more thread blocks, channels or GPUs";

impl Limits {
    pub(super) const fn of(runtime: Runtime) -> Self {
        match runtime {
            Runtime::Rccl => {
                Self { runtime: "RCCL", steps_per_block: 64, blocks: 64, channels: 128, has_sizes_and_placements: true }
            }
            Runtime::Msccl => Self {
                runtime: "MSCCL",
                steps_per_block: 256,
                blocks: 1024,
                channels: 32,
                has_sizes_and_placements: false,
            },
        }
    }

    /// Returns the greatest number of a channel.
    pub(super) fn last_channel(&self) -> u32 {
        self.channels - 1
    }

    /// Checks a number against a limit.
    pub(super) fn check(&self, line: usize, what: &'static str, count: usize, limit: usize) -> Result<(), LoadError> {
        if count > limit { Err(LoadError::limit(line, (self.runtime, REMEDY), what, count, limit)) } else { Ok(()) }
    }

    /// Checks the limits of a GPU of an algorithm.
    pub(super) fn check_gpu(&self, gpu: &Gpu, gpu_count: usize) -> Result<(), LoadError> {
        self.check(gpu.line, "thread blocks of a GPU", gpu.blocks.len(), self.blocks)?;
        let elements = gpu_count + gpu.blocks.iter().map(|block| 1 + block.steps.len()).sum::<usize>();
        self.check(gpu.line, "elements for a GPU", elements, MAX_ELEMENTS)?;
        let (mut to, mut from) = (BTreeMap::<_, BTreeSet<_>>::new(), BTreeMap::<_, BTreeSet<_>>::new());
        for block in &gpu.blocks {
            to.entry(block.channel).or_default().extend(block.send);
            from.entry(block.channel).or_default().extend(block.receive);
        }
        for peers in to.values().chain(from.values()) {
            self.check(gpu.line, "peers on one channel", peers.len(), MAX_PEERS_PER_CHANNEL)?;
        }
        Ok(())
    }
}
