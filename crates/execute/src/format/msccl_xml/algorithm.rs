//! Algorithms: GPUs, thread blocks and steps.

use crate::program::BufferName;

/// An algorithm.
pub(super) struct Algorithm {
    pub(super) collective: String,
    pub(super) line: usize,
    pub(super) chunks_per_loop: u32,
    pub(super) in_place: bool,
    pub(super) out_of_place: bool,
    pub(super) gpus: Vec<Gpu>,
}

/// A GPU, `gpu`.
pub(super) struct Gpu {
    pub(super) line: usize,
    pub(super) scratch: u32,
    pub(super) blocks: Vec<Block>,
}

/// A thread block, `tb`.
pub(super) struct Block {
    pub(super) line: usize,
    pub(super) send: Option<u32>,
    pub(super) receive: Option<u32>,
    pub(super) channel: u32,
    pub(super) steps: Vec<Step>,
}

/// A step.
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) kind: &'static Kind,
    pub(super) source: (BufferName, Option<u32>),
    pub(super) destination: (BufferName, Option<u32>),
    pub(super) count: u32,
    /// The thread block and the step for which it waits.
    pub(super) dependency: Option<(u32, u32)>,
    pub(super) has_dependants: bool,
}

/// What a type of steps does.
#[allow(clippy::struct_excessive_bools, reason = "the types differ in each of them")]
pub(super) struct Kind {
    pub(super) word: &'static str,
    pub(super) receives: bool,
    pub(super) sends: bool,
    /// Reads its source.
    pub(super) reads_source: bool,
    /// Reads its destination, to which it adds.
    pub(super) reads_destination: bool,
    pub(super) writes: bool,
}

const fn kind(word: &'static str, [receives, sends, reads_source, reads_destination, writes]: [bool; 5]) -> Kind {
    Kind { word, receives, sends, reads_source, reads_destination, writes }
}

/// Per type: whether it receives, sends, reads its source, reads its destination, and writes.
pub(super) static KINDS: [Kind; 9] = [
    kind("s", [false, true, true, false, false]),
    kind("r", [true, false, false, false, true]),
    kind("rcs", [true, true, false, false, true]),
    kind("rrs", [true, true, true, false, false]),
    kind("rrc", [true, false, true, false, true]),
    kind("rrcs", [true, true, true, false, true]),
    kind("cpy", [false, false, true, false, true]),
    kind("re", [false, false, true, true, true]),
    kind("nop", [false, false, false, false, false]),
];
