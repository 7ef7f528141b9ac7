//! The JSON of a plan.

use serde::Serialize;

use crate::program::{Buffer, Slot};

#[derive(Serialize)]
pub(super) struct PlanJson {
    pub(super) name: String,
    pub(super) collective: &'static str,
    pub(super) protocol: &'static str,
    pub(super) inplace: bool,
    pub(super) reuse_resources: bool,
    pub(super) gpus: Vec<GpuJson>,
    pub(super) num_threads_per_block: u32,
    pub(super) use_double_scratch_buffer: bool,
    pub(super) buffer_alignment: u32,
    pub(super) min_message_size: u64,
    pub(super) max_message_size: u64,
}

#[derive(Serialize)]
pub(super) struct GpuJson {
    pub(super) id: u32,
    pub(super) input_chunks: u32,
    pub(super) output_chunks: u32,
    pub(super) scratch_chunks: u32,
    pub(super) threadblocks: Vec<BlockJson>,
    pub(super) channels: Vec<Channels>,
    pub(super) remote_buffers: Vec<RemoteBuffer>,
    pub(super) semaphores: Vec<Semaphore>,
}

#[derive(Serialize)]
pub(super) struct BlockJson {
    pub(super) id: usize,
    pub(super) ops: Vec<OperationJson>,
    pub(super) channels: Vec<BlockChannels>,
    pub(super) remote_buffer_refs: Vec<RemoteBufferRefs>,
}

/// How two ranks are connected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChannelKind {
    /// Within a host.
    Memory,
    /// Between hosts.
    Port,
}

#[derive(Serialize)]
pub(super) struct Channels {
    pub(super) channel_type: ChannelKind,
    pub(super) connected_to: Vec<u32>,
}

#[derive(Serialize)]
pub(super) struct BlockChannels {
    pub(super) channel_type: ChannelKind,
    pub(super) channel_ids: Vec<usize>,
}

#[derive(Serialize)]
pub(super) struct RemoteBuffer {
    pub(super) rank: u32,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) access_channel_types: Vec<ChannelKind>,
}

#[derive(Serialize)]
pub(super) struct RemoteBufferRefs {
    pub(super) access_channel_type: ChannelKind,
    pub(super) remote_buffer_ids: Vec<usize>,
}

#[derive(Clone, Serialize)]
pub(super) struct Semaphore {
    pub(super) init_value: u32,
}

/// Chunks of a local or remote buffer.
#[derive(Clone, Serialize)]
pub(super) struct BufferJson {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    buffer_id: Option<usize>,
    index: u32,
    size: u32,
}

impl BufferJson {
    pub(super) fn local(slot: Slot, size: u32) -> Self {
        Self { kind: Some(letter(slot.buffer)), buffer_id: None, index: slot.offset, size }
    }

    /// Returns chunks of a remote buffer, which has a number in the table of the thread block.
    pub(super) fn remote(buffer: usize, index: u32, size: u32) -> Self {
        Self { kind: None, buffer_id: Some(buffer), index, size }
    }
}

/// Returns the letter of a buffer.
pub(super) fn letter(buffer: Buffer) -> &'static str {
    match buffer {
        Buffer::Input => "i",
        Buffer::Output => "o",
        Buffer::Scratch => "s",
    }
}

#[derive(Serialize)]
pub(super) struct OperationJson {
    name: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    src_buff: Vec<BufferJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dst_buff: Vec<BufferJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channel_ids: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_type: Option<ChannelKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reduce_op: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    semaphore_ids: Vec<u32>,
}

impl OperationJson {
    fn named(name: &'static str) -> Self {
        let (src_buff, dst_buff, channel_ids, semaphore_ids) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { name, src_buff, dst_buff, channel_ids, channel_type: None, reduce_op: None, semaphore_ids }
    }

    /// A barrier of the threads of a thread block.
    pub(super) fn nop() -> Self {
        Self::named("nop")
    }

    pub(super) fn on_channels(name: &'static str, kind: ChannelKind, channel_ids: Vec<usize>) -> Self {
        Self { channel_ids, channel_type: Some(kind), ..Self::named(name) }
    }

    pub(super) fn semaphore(name: &'static str, semaphore: u32) -> Self {
        Self { semaphore_ids: vec![semaphore], ..Self::named(name) }
    }

    /// Returns the operations that write into the memory of a receiver and signal it.
    pub(super) fn put(kind: ChannelKind, channel: usize, from: BufferJson, to: BufferJson) -> Vec<Self> {
        let put = |name, channel_ids| Self {
            src_buff: vec![from],
            dst_buff: vec![to],
            channel_ids,
            channel_type: Some(kind),
            ..Self::named(name)
        };
        match kind {
            ChannelKind::Memory => {
                vec![put("put", Vec::new()), Self::nop(), Self::on_channels("signal", kind, vec![channel])]
            }
            ChannelKind::Port => vec![put("pwsf", vec![channel]), Self::nop()],
        }
    }

    pub(super) fn copy(from: BufferJson, to: BufferJson) -> Self {
        Self { src_buff: vec![from], dst_buff: vec![to], ..Self::named("copy") }
    }

    /// Returns the operation that adds chunks to others.
    pub(super) fn add(from: BufferJson, to: BufferJson) -> Self {
        Self { src_buff: vec![to.clone(), from], dst_buff: vec![to], reduce_op: Some("sum"), ..Self::named("re") }
    }
}
