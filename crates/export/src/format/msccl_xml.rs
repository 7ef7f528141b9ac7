//! MSCCL XML: algorithms for RCCL of ROCm before 7.13 and for the MSCCL executor of NCCL.
//!
//! A thread block has one peer and one direction, and its steps are in the order of the plan, so no wait can be circular.
//! Local copies have thread blocks of their own. Chunks are those of the buffers; a GPU is a rank. If a GPU would have too
//! many thread blocks, one that sends and one that receives become one thread block, whose sends come before its receives
//! in every step. So each of its waits still ends before its own step.
//!
//! # Source
//!
//! RCCL, `src/misc/msccl/msccl_parser.cc`, `src/include/msccl/msccl_struct.h` and `src/device/msccl_kernel_impl.h`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use lockstep_schedule::CollectiveName;

use super::text::Text;
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format, Runtime, standard_collective};
use crate::program::{Action, Buffer, Combine, Operation, Placement, Program, RankProgram, Receives, Slot};

pub(super) const FORMAT: Format = Format {
    name: "msccl-xml",
    about: "algorithm for RCCL of ROCm before 7.13 (--for rccl) or the MSCCL executor of NCCL (--for msccl)",
    extension: "xml",
    limits: "rccl: 64 thread blocks, so 64 peers, per GPU; msccl: 1,024; both: 4,096 elements per GPU",
    write,
};

/// The limits of a runtime.
struct Limits {
    runtime: &'static str,
    steps_per_block: usize,
    blocks: usize,
}

impl Limits {
    const fn of(runtime: Runtime) -> Self {
        match runtime {
            Runtime::Rccl => Self { runtime: "RCCL", steps_per_block: 64, blocks: 64 },
            Runtime::Msccl => Self { runtime: "MSCCL", steps_per_block: 256, blocks: 1024 },
        }
    }
}

/// The greatest number of chunks of a step.
const MAX_COUNT: NonZeroU32 = NonZeroU32::new(71).expect("71 is not 0");

/// The greatest number of peers of a GPU in one direction of a channel.
const MAX_PEERS_PER_CHANNEL: u32 = 32;

/// The greatest number of elements that the parser keeps: all GPUs, and the thread blocks and steps of one of them.
const MAX_ELEMENTS: usize = 4096;

/// The greatest number of elements in one element.
const MAX_CHILDREN: usize = 1024;

/// The number of transfers that a connection holds, at least. More sends in one step wait for receives of the same step.
const QUEUE: usize = 2;

const REMEDY: &str = "use fewer chunks, fewer ranks, or a plan in which each rank has fewer peers";

/// A thread block of a GPU: its peers, its channel and its operations.
struct ThreadBlock {
    send: Option<u32>,
    receive: Option<u32>,
    channel: u32,
    operations: Vec<u32>,
}

/// The thread block and the step of an operation.
#[derive(Clone, Copy, Default)]
struct Position {
    block: u32,
    step: u32,
}

/// The thread blocks of a GPU with the positions of its operations.
struct Gpu {
    blocks: Vec<ThreadBlock>,
    /// Per operation.
    positions: Vec<Position>,
    /// Per operation: the operations of other thread blocks for which it waits, one per thread block.
    waits: Vec<Vec<u32>>,
}

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let collective = export.msccl_word("MSCCL XML")?;
    let program = export.lower(export.options.connections, Receives::Direct, MAX_COUNT)?;
    let limits = Limits::of(export.options.runtime);
    let gpus = gpus(&program, &limits)?;
    let channels = gpus.iter().flat_map(|gpu| &gpu.blocks).map(|block| block.channel + 1).max().unwrap_or(1);
    let chunks = program.ranks.iter().map(|of_rank| of_rank.buffers.input.max(of_rank.buffers.output));
    let chunks_per_loop = match standard_collective(&export.problem) {
        Some(CollectiveName::Gather | CollectiveName::Scatter) => export.problem.messages().chunks(),
        _ => chunks.max().unwrap_or(0),
    };
    let (in_place, out_of_place) = match program.placement {
        Placement::InPlace => (1, 0),
        Placement::OutOfPlace => (0, 1),
    };
    let [least, most] = export.options.sizes;
    let mut text = Text::default();
    text.line(format_args!(
        "<algo name=\"{}\" proto=\"Simple\" nchannels=\"{channels}\" nchunksperloop=\"{chunks_per_loop}\" ngpus=\"{}\" \
         coll=\"{collective}\" inplace=\"{in_place}\" outofplace=\"{out_of_place}\" minBytes=\"{least}\" \
         maxBytes=\"{most}\">",
        export.title(),
        program.ranks.len(),
    ));
    let ends = TransferEnds::of(&program);
    for (rank, (of_rank, gpu)) in program.ranks.iter().zip(&gpus).enumerate() {
        write_gpu(&mut text, rank, of_rank, gpu, &ends);
    }
    text.push("</algo>\n");
    Ok(ExportFile::only(text.into_string()))
}

/// The slots that each transfer reads and writes.
struct TransferEnds {
    from: Vec<Slot>,
    to: Vec<Slot>,
}

impl TransferEnds {
    fn of(program: &Program) -> Self {
        let none = Slot { buffer: Buffer::Input, offset: 0 };
        let mut ends = Self { from: vec![none; program.transfers.len()], to: vec![none; program.transfers.len()] };
        for operation in program.ranks.iter().flat_map(RankProgram::operations) {
            match operation.action {
                Action::Send { tag, from, .. } => ends.from[tag as usize] = from,
                Action::Receive { tag, to, .. } => ends.to[tag as usize] = to,
                Action::Local { .. } => {}
            }
        }
        ends
    }
}

/// Assigns the operations of all ranks to thread blocks.
fn gpus(program: &Program, limits: &Limits) -> Result<Vec<Gpu>, ExportError> {
    let parts = parts_of_pairs(program, limits);
    let channels = channels_of_parts(program, &parts);
    let mut gpus = Vec::new();
    for (rank, of_rank) in program.ranks.iter().enumerate() {
        let mut blocks: BTreeMap<(u8, u32, u32), ThreadBlock> = BTreeMap::new();
        let mut local = (0, 0);
        for (index, operation) in (0..).zip(of_rank.operations()) {
            let (key, send, receive, channel) = match operation.action {
                Action::Send { peer, tag, .. } => {
                    ((1, peer, parts[tag as usize]), Some(peer), None, channels[tag as usize])
                }
                Action::Receive { peer, tag, .. } => {
                    ((2, peer, parts[tag as usize]), None, Some(peer), channels[tag as usize])
                }
                Action::Local { .. } => {
                    let steps = of_rank.dependencies(index as usize).len().max(1);
                    let (part, used) = local;
                    let fits = used == 0 || used + steps <= limits.steps_per_block;
                    local = if fits { (part, used + steps) } else { (part + 1, steps) };
                    ((0, 0, local.0), None, None, 0)
                }
            };
            let block = blocks.entry(key).or_insert(ThreadBlock { send, receive, channel, operations: Vec::new() });
            block.operations.push(index);
        }
        let mut blocks: Vec<ThreadBlock> = blocks.into_values().collect();
        if blocks.len() > limits.blocks {
            blocks = joined(blocks, of_rank, limits);
        }
        let gpu = Gpu::new(of_rank, blocks);
        let place = || format!("rank {rank}");
        if gpu.blocks.len() > limits.blocks {
            let (count, limit) = (gpu.blocks.len() as u64, limits.blocks as u64);
            let (what, runtime) = ("thread blocks", limits.runtime);
            return Err(ExportError::Limit {
                place: place(),
                count,
                what,
                runtime,
                limit,
                remedy: REMEDY,
                exports: Vec::new(),
            });
        }
        let steps: usize = gpu.waits.iter().map(|waits| waits.len().max(1)).sum();
        let count = program.ranks.len() + gpu.blocks.len() + steps;
        if count > MAX_ELEMENTS || program.ranks.len() > MAX_CHILDREN {
            let (count, limit) = (count as u64, MAX_ELEMENTS as u64);
            let (what, runtime) = ("XML elements", limits.runtime);
            return Err(ExportError::Limit {
                place: place(),
                count,
                what,
                runtime,
                limit,
                remedy: REMEDY,
                exports: Vec::new(),
            });
        }
        gpus.push(gpu);
    }
    Ok(gpus)
}

/// Joins thread blocks that only send with those on the same channel that only receive.
fn joined(blocks: Vec<ThreadBlock>, of_rank: &RankProgram, limits: &Limits) -> Vec<ThreadBlock> {
    let steps = |block: &ThreadBlock| -> usize {
        block.operations.iter().map(|&index| of_rank.dependencies(index as usize).len().max(1)).sum()
    };
    let step_of = |&index: &u32| of_rank.operations()[index as usize].step;
    let sends_ahead = |block: &ThreadBlock| {
        block.operations.chunk_by(|one, next| step_of(one) == step_of(next)).all(|of_step| of_step.len() <= QUEUE)
    };
    let (mut sends, mut others): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|block| block.send.is_some());
    for block in others.iter_mut().filter(|block| block.receive.is_some()) {
        let fits = |send: &ThreadBlock| {
            send.channel == block.channel && steps(send) + steps(block) <= limits.steps_per_block && sends_ahead(send)
        };
        if let Some(place) = sends.iter().position(fits) {
            let send = sends.remove(place);
            block.send = send.send;
            block.operations.extend(send.operations);
            // In the order of the program, the sends of a step come before its receives.
            block.operations.sort_unstable();
        }
    }
    others.extend(sends);
    others
}

/// Returns the part of each transfer: the transfers of one pair of ranks fill several thread blocks if one has too many
/// steps. An operation takes a step, and one more for each further operation that it waits for.
fn parts_of_pairs(program: &Program, limits: &Limits) -> Vec<u32> {
    let mut steps = vec![[1usize; 2]; program.transfers.len()];
    for of_rank in &program.ranks {
        for (index, operation) in of_rank.operations().iter().enumerate() {
            let count = of_rank.dependencies(index).len().max(1);
            match operation.action {
                Action::Send { tag, .. } => steps[tag as usize][0] = count,
                Action::Receive { tag, .. } => steps[tag as usize][1] = count,
                Action::Local { .. } => {}
            }
        }
    }
    // Per pair: the part, and the steps of its two thread blocks.
    let mut pairs: BTreeMap<(u32, u32), (u32, [usize; 2])> = BTreeMap::new();
    let mut parts = Vec::new();
    for (transfer, more) in program.transfers.iter().zip(steps) {
        let (part, used) = pairs.entry((transfer.sender, transfer.receiver)).or_default();
        if (0..2).any(|side| used[side] + more[side] > limits.steps_per_block) && *used != [0, 0] {
            (*part, *used) = (*part + 1, [0, 0]);
        }
        for side in 0..2 {
            used[side] += more[side];
        }
        parts.push(*part);
    }
    parts
}

/// Returns the channel of each transfer: the smallest one that no other part of its pair has, and in which both ranks have
/// a free peer.
fn channels_of_parts(program: &Program, parts: &[u32]) -> Vec<u32> {
    let mut sends: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut arrivals = sends.clone();
    let mut of_part: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
    let mut channels = Vec::new();
    for (transfer, &part) in program.transfers.iter().zip(parts) {
        let (sender, receiver) = (transfer.sender, transfer.receiver);
        let channel = of_part.get(&(sender, receiver, part)).copied().unwrap_or_else(|| {
            // The parts of a pair appear in order, so later ones have greater channels.
            let first = part.checked_sub(1).map_or(0, |before| of_part[&(sender, receiver, before)] + 1);
            let is_free = |channel: &u32| {
                let used = |peers: &BTreeMap<(u32, u32), u32>, rank| peers.get(&(rank, *channel)).copied().unwrap_or(0);
                used(&sends, sender).max(used(&arrivals, receiver)) < MAX_PEERS_PER_CHANNEL
            };
            let channel = (first..u32::MAX).find(is_free).expect("a rank has fewer than 2^32 peers");
            *sends.entry((sender, channel)).or_default() += 1;
            *arrivals.entry((receiver, channel)).or_default() += 1;
            of_part.insert((sender, receiver, part), channel);
            channel
        });
        channels.push(channel);
    }
    channels
}

impl Gpu {
    fn new(of_rank: &RankProgram, blocks: Vec<ThreadBlock>) -> Self {
        let count = of_rank.operations().len();
        let mut block_of = vec![0; count];
        for (block, found) in (0..).zip(&blocks) {
            for &index in &found.operations {
                block_of[index as usize] = block;
            }
        }
        // A thread block is done with all operations before the last one for which an operation waits.
        let wait = |index: usize| {
            let mut last: BTreeMap<u32, u32> = BTreeMap::new();
            for &earlier in
                of_rank.dependencies(index).iter().filter(|&&earlier| block_of[earlier as usize] != block_of[index])
            {
                last.insert(block_of[earlier as usize], earlier);
            }
            last.into_values().collect()
        };
        let waits: Vec<Vec<u32>> = (0..count).map(wait).collect();
        let mut positions = vec![Position::default(); count];
        for (block, found) in (0..).zip(&blocks) {
            let mut step = 0;
            for &index in &found.operations {
                step += waits[index as usize].len().max(1) as u32;
                positions[index as usize] = Position { block, step: step - 1 };
            }
        }
        Self { blocks, positions, waits }
    }
}

fn write_gpu(text: &mut Text, rank: usize, of_rank: &RankProgram, gpu: &Gpu, ends: &TransferEnds) {
    let sizes = of_rank.buffers;
    text.line(format_args!(
        "  <gpu id=\"{rank}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">",
        sizes.input, sizes.output, sizes.scratch
    ));
    let mut is_awaited = vec![false; of_rank.operations().len()];
    for &earlier in gpu.waits.iter().flatten() {
        is_awaited[earlier as usize] = true;
    }
    for (id, block) in gpu.blocks.iter().enumerate() {
        let peer = |peer: Option<u32>| peer.map_or("-1".to_owned(), |peer| peer.to_string());
        let (send, receive, channel) = (peer(block.send), peer(block.receive), block.channel);
        text.line(format_args!("    <tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{channel}\">"));
        for &index in &block.operations {
            let waits = &gpu.waits[index as usize];
            let last = gpu.positions[index as usize].step;
            let first = last + 1 - waits.len().max(1) as u32;
            let wait = |&earlier: &u32| gpu.positions[earlier as usize];
            for (step, on) in (first..last).zip(waits.iter().map(wait)) {
                text.line(format_args!("      <step s=\"{step}\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" cnt=\"0\" \
                     depid=\"{}\" deps=\"{}\" hasdep=\"0\"/>",
                    on.block, on.step));
            }
            let on = waits
                .last()
                .map(wait)
                .map_or(["-1".to_owned(), "-1".to_owned()], |on| [on.block.to_string(), on.step.to_string()]);
            let words = step_words(&of_rank.operations()[index as usize], ends);
            let has_dependants = u8::from(is_awaited[index as usize]);
            text.line(format_args!(
                "      <step s=\"{last}\" {words} depid=\"{}\" deps=\"{}\" hasdep=\"{has_dependants}\"/>",
                on[0], on[1]
            ));
        }
        text.push("    </tb>\n");
    }
    text.push("  </gpu>\n");
}

/// Returns type, slots and count of a step.
fn step_words(operation: &Operation, ends: &TransferEnds) -> String {
    let (kind, from, to) = match operation.action {
        Action::Send { tag, from, .. } => ("s", from, ends.to[tag as usize]),
        Action::Receive { tag, to, combine: Combine::Copy, .. } => ("r", ends.from[tag as usize], to),
        // A sum of what arrives and the source.
        Action::Receive { to, combine: Combine::Add, .. } => ("rrc", to, to),
        Action::Local { from, to, combine: Combine::Copy } => ("cpy", from, to),
        Action::Local { from, to, combine: Combine::Add } => ("re", from, to),
    };
    let buffer = |slot: Slot| match slot.buffer {
        Buffer::Input => "i",
        Buffer::Output => "o",
        Buffer::Scratch => "s",
    };
    let count = operation.count;
    format!(
        "type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{count}\"",
        buffer(from),
        from.offset,
        buffer(to),
        to.offset
    )
}
