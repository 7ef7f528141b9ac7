//! MSCCL++ execution plans: operations of thread blocks with channels between GPUs.
//!
//! A GPU is a rank. A sender puts chunks into the memory of the receiver and signals; the receiver waits. It can do so at
//! any time after both have started, because every chunk arrives in a slot that nothing used before. Operations that depend
//! on each other are in one thread block; thread blocks that are too long continue in others, behind a semaphore. Ranks on
//! different hosts communicate over port channels, all others over memory channels.
//!
//! # Source
//!
//! MSCCL++, `src/core/executor/execution_plan.cc` and `src/core/include/execution_common.hpp`.

mod blocks;
mod collection;
mod plan;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use lockstep_schedule::CollectiveName;

use self::blocks::{Block, Blocks, blocks};
pub use self::collection::CollectionPlan;
use self::plan::{
    BlockChannels, BlockJson, BufferJson, ChannelKind, Channels, GpuJson, OperationJson, PlanJson, RemoteBuffer,
    RemoteBufferRefs, Semaphore, letter,
};
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format, standard_collective};
use crate::program::{Action, Buffer, Combine, Placement, Program, Receives};

pub(super) const FORMAT: Format = Format {
    name: "mscclpp-json",
    about: "execution plan of MSCCL++, for NVIDIA and AMD GPUs",
    extension: "json",
    limits: "64 operations and 16 channels per thread block",
    write,
};

/// The greatest number of channels of an operation.
const MAX_CHANNELS_PER_OPERATION: usize = 8;

/// A channel between two ranks: the smaller rank and the greater one, with their thread blocks.
type Channel = ([u32; 2], [u32; 2]);

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let collective = export.msccl_word("MSCCL++")?;
    let program = export.lower(export.options.connections, Receives::Fresh, NonZeroU32::MAX)?;
    let blocks = blocks(&program);
    let channels = channels(&program, &blocks);
    let kind = |one: u32, other: u32| {
        let host = |rank: u32| export.problem.topology().host(program.ranks[rank as usize].node);
        if host(one) == host(other) { ChannelKind::Memory } else { ChannelKind::Port }
    };
    // All ranks have buffers of the same sizes, as in the calls of the library; each has a chunk at least.
    let sizes = |buffer: Buffer| program.ranks.iter().map(move |rank| rank.buffers.of(buffer)).max().unwrap_or(0);
    let [one, all] = [export.problem.messages().chunks(), sizes(Buffer::Input).max(sizes(Buffer::Output))];
    let (input_chunks, output_chunks) = match standard_collective(&export.problem) {
        Some(CollectiveName::AllGather | CollectiveName::Gather) => (one, all),
        Some(CollectiveName::ReduceScatter | CollectiveName::Scatter) => (all, one),
        _ => (all, all),
    };
    let mut gpus = Vec::new();
    for rank in 0..program.ranks.len() as u32 {
        let writer = GpuWriter { program: &program, blocks: &blocks, rank, channels: &channels, kind: &kind };
        gpus.push(writer.write([input_chunks, output_chunks]));
    }
    let [least, most] = collection::sizes(export);
    let plan = PlanJson {
        name: collection::name(export),
        collective,
        protocol: "Simple",
        inplace: program.placement == Placement::InPlace,
        reuse_resources: false,
        gpus,
        num_threads_per_block: 1024,
        use_double_scratch_buffer: false,
        buffer_alignment: 16,
        min_message_size: least,
        max_message_size: most,
    };
    let text = serde_json::to_string(&plan).expect("the plan has only text, numbers and lists");
    Ok(ExportFile::only(text + "\n"))
}

/// Returns the module that registers plans of this format, if there are any.
pub(super) fn collection(plans: &[CollectionPlan]) -> Option<ExportFile> {
    collection::module(plans)
}

fn channels(program: &Program, blocks: &Blocks) -> BTreeSet<Channel> {
    (0..program.transfers.len() as u32).map(|tag| channel(program, blocks, tag)).collect()
}

/// Returns the channel of a transfer.
fn channel(program: &Program, blocks: &Blocks, tag: u32) -> Channel {
    let transfer = program.transfers[tag as usize];
    let [send, receive] = blocks.of_transfer[tag as usize];
    if transfer.sender < transfer.receiver {
        ([transfer.sender, transfer.receiver], [send, receive])
    } else {
        ([transfer.receiver, transfer.sender], [receive, send])
    }
}

/// Writes the plan of one GPU.
struct GpuWriter<'a, K: Fn(u32, u32) -> ChannelKind> {
    program: &'a Program,
    blocks: &'a Blocks,
    rank: u32,
    channels: &'a BTreeSet<Channel>,
    kind: &'a K,
}

/// The channels of a rank.
#[derive(Default)]
struct OwnChannels {
    /// The peer of each channel, by kind.
    peers: BTreeMap<ChannelKind, Vec<u32>>,
    /// The number of each channel among those of its kind.
    numbers: BTreeMap<Channel, usize>,
}

/// The buffers of other ranks into which a rank writes.
#[derive(Default)]
struct RemoteBuffers {
    list: Vec<(u32, Buffer)>,
    numbers: BTreeMap<(u32, Buffer), usize>,
}

impl RemoteBuffers {
    fn number(&mut self, rank: u32, buffer: Buffer) -> usize {
        *self.numbers.entry((rank, buffer)).or_insert_with(|| {
            self.list.push((rank, buffer));
            self.list.len() - 1
        })
    }
}

/// The tables of a thread block by kind: the numbers of its channels and remote buffers in those of the GPU.
#[derive(Default)]
struct BlockTables {
    channels: BTreeMap<ChannelKind, Vec<usize>>,
    buffers: BTreeMap<ChannelKind, Vec<usize>>,
}

/// Returns the position of a number in a list, to which it is added if necessary.
fn position(list: &mut Vec<usize>, number: usize) -> usize {
    list.iter().position(|&other| other == number).unwrap_or_else(|| {
        list.push(number);
        list.len() - 1
    })
}

impl<K: Fn(u32, u32) -> ChannelKind> GpuWriter<'_, K> {
    fn write(&self, [input_chunks, output_chunks]: [u32; 2]) -> GpuJson {
        // The `k`-th channel to a peer is the `k`-th channel of the peer to this rank, because both lists have one order.
        let mut own = OwnChannels::default();
        for &found in self.channels {
            let ([low, high], _) = found;
            if low == self.rank || high == self.rank {
                let peer = low + high - self.rank;
                let peers = own.peers.entry((self.kind)(self.rank, peer)).or_default();
                own.numbers.insert(found, peers.len());
                peers.push(peer);
            }
        }
        let mut remote_buffers = RemoteBuffers::default();
        let mut threadblocks = Vec::new();
        for (id, block) in self.blocks.of_rank[self.rank as usize].iter().enumerate() {
            threadblocks.push(self.block(id, block, &own, &mut remote_buffers));
        }
        let semaphores = self.blocks.of_rank[self.rank as usize].iter().filter(|block| block.release.is_some()).count();
        let remote_buffer = |&(rank, buffer): &(u32, Buffer)| RemoteBuffer {
            rank,
            kind: letter(buffer),
            access_channel_types: vec![(self.kind)(self.rank, rank)],
        };
        let connected_to = |(channel_type, connected_to)| Channels { channel_type, connected_to };
        GpuJson {
            id: self.rank,
            input_chunks,
            output_chunks,
            scratch_chunks: self.program.ranks[self.rank as usize].buffers.scratch,
            threadblocks,
            channels: own.peers.into_iter().map(connected_to).collect(),
            remote_buffers: remote_buffers.list.iter().map(remote_buffer).collect(),
            semaphores: vec![Semaphore { init_value: 0 }; semaphores],
        }
    }

    fn block(&self, id: usize, block: &Block, own: &OwnChannels, remote_buffers: &mut RemoteBuffers) -> BlockJson {
        let mut tables = BlockTables::default();
        let mut ops = Vec::new();
        if let Some(semaphore) = block.acquire {
            ops.extend([OperationJson::semaphore("sem_acquire", semaphore), OperationJson::nop()]);
        }
        for &index in &block.operations {
            let operation = self.program.ranks[self.rank as usize].operations()[index as usize];
            let count = operation.count;
            match operation.action {
                Action::Send { peer, tag, from } => {
                    let kind = (self.kind)(self.rank, peer);
                    let channel = self.channel_in(&mut tables, own, kind, tag);
                    let to = self.blocks.target[tag as usize];
                    let buffer = remote_buffers.number(peer, to.buffer);
                    let buffer = position(tables.buffers.entry(kind).or_default(), buffer);
                    let target = BufferJson::remote(buffer, to.offset, count);
                    ops.extend(OperationJson::put(kind, channel, BufferJson::local(from, count), target));
                }
                Action::Receive { peer, tag, .. } => {
                    let kind = (self.kind)(self.rank, peer);
                    let channel = self.channel_in(&mut tables, own, kind, tag);
                    ops.extend([OperationJson::on_channels("wait", kind, vec![channel]), OperationJson::nop()]);
                }
                Action::Local { from, to, combine } => {
                    let [from, to] = [from, to].map(|slot| BufferJson::local(slot, count));
                    let local = match combine {
                        Combine::Copy => OperationJson::copy(from, to),
                        Combine::Add => OperationJson::add(from, to),
                    };
                    ops.extend([local, OperationJson::nop()]);
                }
            }
        }
        if let Some(semaphore) = block.release {
            ops.push(OperationJson::semaphore("sem_release", semaphore));
        }
        ops.splice(0..0, handshake(&tables));
        let channels = tables.channels.into_iter();
        let buffers = tables.buffers.into_iter();
        BlockJson {
            id,
            ops,
            channels: channels.map(|(channel_type, channel_ids)| BlockChannels { channel_type, channel_ids }).collect(),
            remote_buffer_refs: buffers
                .map(|(access_channel_type, remote_buffer_ids)| RemoteBufferRefs {
                    access_channel_type,
                    remote_buffer_ids,
                })
                .collect(),
        }
    }

    /// Returns the number of the channel of a transfer in its thread block.
    fn channel_in(&self, tables: &mut BlockTables, own: &OwnChannels, kind: ChannelKind, tag: u32) -> usize {
        let number = own.numbers[&channel(self.program, self.blocks, tag)];
        position(tables.channels.entry(kind).or_default(), number)
    }
}

/// Returns the operations with which both ends of all channels wait for each other.
fn handshake(tables: &BlockTables) -> Vec<OperationJson> {
    let mut ops = Vec::new();
    for name in ["rlxsignal", "rlxwait"] {
        for (&kind, channels) in &tables.channels {
            let all: Vec<usize> = (0..channels.len()).collect();
            let parts = all.chunks(MAX_CHANNELS_PER_OPERATION);
            ops.extend(parts.map(|part| OperationJson::on_channels(name, kind, part.to_vec())));
        }
    }
    if !ops.is_empty() {
        ops.push(OperationJson::nop());
    }
    ops
}
