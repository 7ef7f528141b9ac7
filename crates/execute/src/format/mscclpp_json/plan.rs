//! The JSON of a plan, as the loader of MSCCL++ reads it. Other fields are ignored, as by the loader.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct PlanJson {
    #[serde(rename = "name")]
    _name: String,
    pub(super) collective: String,
    pub(super) protocol: String,
    pub(super) inplace: bool,
    pub(super) gpus: Vec<GpuJson>,
}

#[derive(Deserialize)]
pub(super) struct GpuJson {
    pub(super) id: u32,
    pub(super) input_chunks: u32,
    pub(super) output_chunks: u32,
    pub(super) scratch_chunks: u32,
    pub(super) threadblocks: Vec<BlockJson>,
    #[serde(default)]
    pub(super) channels: Vec<ChannelsJson>,
    #[serde(default)]
    pub(super) remote_buffers: Vec<RemoteBufferJson>,
    #[serde(default)]
    pub(super) semaphores: Vec<SemaphoreJson>,
}

/// The kind of a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChannelKind {
    None,
    Memory,
    Port,
    Switch,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(super) enum BufferLetter {
    #[serde(rename = "i")]
    Input,
    #[serde(rename = "o")]
    Output,
    #[serde(rename = "s")]
    Scratch,
}

#[derive(Deserialize)]
pub(super) struct ChannelsJson {
    pub(super) channel_type: ChannelKind,
    #[serde(default)]
    pub(super) connected_to: Vec<u32>,
    /// The buffer of switch channels.
    pub(super) buffer_type: Option<BufferLetter>,
    /// The GPUs of each switch channel.
    #[serde(default)]
    pub(super) rank_groups: Vec<RankGroupJson>,
}

#[derive(Deserialize)]
pub(super) struct RankGroupJson {
    pub(super) ranks: Vec<u32>,
}

#[derive(Deserialize)]
pub(super) struct RemoteBufferJson {
    pub(super) rank: u32,
    #[serde(rename = "type")]
    pub(super) buffer: BufferLetter,
}

#[derive(Deserialize)]
pub(super) struct SemaphoreJson {
    pub(super) init_value: u32,
}

#[derive(Deserialize)]
pub(super) struct BlockJson {
    pub(super) id: u32,
    pub(super) ops: Vec<OperationJson>,
    #[serde(default)]
    pub(super) channels: Vec<BlockChannelsJson>,
    #[serde(default)]
    pub(super) remote_buffer_refs: Vec<RemoteBufferRefsJson>,
}

#[derive(Deserialize)]
pub(super) struct BlockChannelsJson {
    pub(super) channel_type: ChannelKind,
    pub(super) channel_ids: Vec<u32>,
}

#[derive(Deserialize)]
pub(super) struct RemoteBufferRefsJson {
    pub(super) access_channel_type: ChannelKind,
    pub(super) remote_buffer_ids: Vec<u32>,
}

#[derive(Deserialize)]
pub(super) struct OperationJson {
    pub(super) name: String,
    #[serde(default)]
    pub(super) src_buff: Vec<BufferJson>,
    #[serde(default)]
    pub(super) dst_buff: Vec<BufferJson>,
    #[serde(default)]
    pub(super) channel_ids: Vec<u32>,
    pub(super) channel_type: Option<ChannelKind>,
    #[serde(default)]
    pub(super) semaphore_ids: Vec<u32>,
    pub(super) barrier_id: Option<u32>,
    pub(super) num_threadblocks: Option<u32>,
    /// The operations of a pipeline.
    #[serde(default)]
    pub(super) ops: Vec<OperationJson>,
    pub(super) tbg_info: Option<GroupJson>,
    pub(super) reduce_op: Option<String>,
}

impl OperationJson {
    /// Returns the operation and those of its pipeline.
    pub(super) fn with_inner(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.ops)
    }
}

/// A group of thread blocks.
#[derive(Deserialize)]
pub(super) struct GroupJson {
    /// The number of this thread block in the group.
    pub(super) tb_id: u32,
    /// Number of thread blocks, each of which executes one slice.
    pub(super) tbg_size: u32,
}

/// Chunks of a local buffer, which has a type, of a remote one, which has a number, or of the buffers of all GPUs of a switch
/// channel.
#[derive(Deserialize)]
pub(super) struct BufferJson {
    #[serde(rename = "type")]
    pub(super) buffer: Option<BufferLetter>,
    pub(super) buffer_id: Option<u32>,
    pub(super) switch_channel_id: Option<u32>,
    pub(super) index: u32,
    pub(super) size: u32,
}

impl BufferJson {
    /// Whether the chunks are in the memory of other GPUs.
    pub(super) fn is_remote(&self) -> bool {
        self.buffer_id.is_some() || self.switch_channel_id.is_some()
    }
}
