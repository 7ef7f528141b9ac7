//! Channels: the queues of their signals.

use std::collections::BTreeMap;

use super::plan::{BlockJson, ChannelKind, GpuJson};
use crate::error::LoadError;
use crate::program::{ParallelProgram, Queue};

/// A direction of a channel: kind, sender, receiver, and its number among the channels of the pair.
type Direction = (ChannelKind, u32, u32, u32);

/// The channels of a GPU by kind: the peer of each, and its number among the channels to this peer.
pub(super) struct GpuChannels {
    lists: BTreeMap<ChannelKind, Vec<(u32, u32)>>,
}

impl GpuChannels {
    pub(super) fn of(rank: u32, gpu: &GpuJson, gpu_count: u32) -> Result<Self, LoadError> {
        let mut lists: BTreeMap<ChannelKind, Vec<(u32, u32)>> = BTreeMap::new();
        let mut used: BTreeMap<(ChannelKind, u32), u32> = BTreeMap::new();
        for (index, channels) in gpu.channels.iter().enumerate() {
            let kind = channels.channel_type;
            for &peer in &channels.connected_to {
                if peer >= gpu_count || peer == rank {
                    let place = format!("gpus[{rank}].channels[{index}].connected_to");
                    let expected = format!("another GPU below {gpu_count}");
                    return Err(LoadError::field(place, "channel", "connected_to", peer, expected));
                }
                let number = used.entry((kind, peer)).or_default();
                lists.entry(kind).or_default().push((peer, *number));
                *number += 1;
            }
        }
        Ok(Self { lists })
    }

    /// Returns peer and number of a channel that an operation names by its position in the list of its thread block.
    pub(super) fn channel(
        &self,
        place: &str,
        block: &BlockJson,
        kind: ChannelKind,
        id: u32,
    ) -> Result<(u32, u32), LoadError> {
        let mut of_block =
            block.channels.iter().filter(|channels| channels.channel_type == kind).flat_map(|list| &list.channel_ids);
        let Some(&in_gpu) = of_block.nth(id as usize) else {
            let expected = "the position of a channel of this type in the `channels` of the thread block";
            return Err(LoadError::field(place.to_owned(), "op", "channel_ids", id, expected));
        };
        let found = self.lists.get(&kind).and_then(|list| list.get(in_gpu as usize));
        found.copied().ok_or_else(|| {
            let expected = "the position of a channel of this type in the `channels` of the GPU";
            LoadError::field(place.to_owned(), "threadblock", "channel_ids", in_gpu, expected)
        })
    }
}

/// The queues of all signals.
#[derive(Default)]
pub(super) struct Signals {
    queues: BTreeMap<Direction, u32>,
}

impl Signals {
    /// Returns the queue of a direction of a channel.
    pub(super) fn queue(&mut self, program: &mut ParallelProgram, direction: Direction) -> u32 {
        let (_, from, to, _) = direction;
        *self.queues.entry(direction).or_insert_with(|| add_queue(program, from, to))
    }
}

/// Adds a queue that counts signals.
pub(super) fn add_queue(program: &mut ParallelProgram, from: u32, to: u32) -> u32 {
    program.queues.push(Queue { from, to, sender: None, receiver: None, capacity: usize::MAX });
    program.queues.len() as u32 - 1
}
