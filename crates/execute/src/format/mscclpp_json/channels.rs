//! Channels: the queues of their signals.

use std::collections::BTreeMap;

use super::plan::{BlockJson, BufferLetter, ChannelKind, ChannelsJson, GpuJson};
use crate::error::{LoadError, LoadProblem};
use crate::program::{ParallelProgram, Queue};

/// A direction of a channel: kind, sender, receiver, and its number among the channels of the pair.
type Direction = (ChannelKind, u32, u32, u32);

/// A switch channel: one store writes into the buffers of all its GPUs, one load adds their chunks.
pub(super) struct Switch {
    pub(super) buffer: BufferLetter,
    /// The GPU itself, then the others.
    pub(super) ranks: Vec<u32>,
}

/// The channels of a GPU by kind: the peer of each, and its number among the channels to this peer.
pub(super) struct GpuChannels {
    lists: BTreeMap<ChannelKind, Vec<(u32, u32)>>,
    switches: Vec<Switch>,
}

impl GpuChannels {
    pub(super) fn of(rank: u32, gpu: &GpuJson, gpu_count: u32) -> Result<Self, LoadError> {
        let mut lists: BTreeMap<ChannelKind, Vec<(u32, u32)>> = BTreeMap::new();
        let mut switches = Vec::new();
        let mut used: BTreeMap<(ChannelKind, u32), u32> = BTreeMap::new();
        for (index, channels) in gpu.channels.iter().enumerate() {
            let kind = channels.channel_type;
            if kind == ChannelKind::Switch {
                let place = format!("gpus[{rank}].channels[{index}]");
                switches.extend(of_switches(rank, channels, gpu_count, &place)?);
                continue;
            }
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
        Ok(Self { lists, switches })
    }

    /// Returns peer and number of a channel that an operation names by its position in the list of its thread block.
    pub(super) fn channel(
        &self,
        place: &str,
        block: &BlockJson,
        kind: ChannelKind,
        id: u32,
    ) -> Result<(u32, u32), LoadError> {
        let list = self.lists.get(&kind).map_or(&[][..], Vec::as_slice);
        of_block(place, block, kind, ("channel_ids", id), list).copied()
    }

    /// Returns a switch channel that an operation names by its position in the list of its thread block.
    pub(super) fn switch(&self, place: &str, block: &BlockJson, id: u32) -> Result<&Switch, LoadError> {
        of_block(place, block, ChannelKind::Switch, ("switch_channel_id", id), &self.switches)
    }
}

/// Returns the channel of a GPU at a position in the list of a thread block.
fn of_block<'a, T>(
    place: &str,
    block: &BlockJson,
    kind: ChannelKind,
    (field, id): (&'static str, u32),
    of_gpu: &'a [T],
) -> Result<&'a T, LoadError> {
    let mut of_block =
        block.channels.iter().filter(|channels| channels.channel_type == kind).flat_map(|list| &list.channel_ids);
    let Some(&in_gpu) = of_block.nth(id as usize) else {
        let expected = "the position of a channel of this type in the `channels` of the thread block";
        return Err(LoadError::field(place.to_owned(), "op", field, id, expected));
    };
    of_gpu.get(in_gpu as usize).ok_or_else(|| {
        let expected = "the position of a channel of this type in the `channels` of the GPU";
        LoadError::field(place.to_owned(), "threadblock", "channel_ids", in_gpu, expected)
    })
}

/// Returns the switch channels of an entry: one per group of GPUs.
fn of_switches(rank: u32, channels: &ChannelsJson, gpu_count: u32, place: &str) -> Result<Vec<Switch>, LoadError> {
    let Some(buffer) = channels.buffer_type else {
        let problem = LoadProblem::Missing { element: "channel", field: "buffer_type" };
        return Err(LoadError { place: place.to_owned().into(), problem });
    };
    let mut switches = Vec::new();
    for (number, group) in channels.rank_groups.iter().enumerate() {
        let place = || format!("{place}.rank_groups[{number}]");
        let mut ranks = group.ranks.clone();
        ranks.sort_unstable();
        if let Some(&other) = ranks.last().filter(|&&last| last >= gpu_count) {
            return Err(LoadError::field(place(), "rank group", "ranks", other, format!("GPUs below {gpu_count}")));
        }
        if let Some(pair) = ranks.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(LoadError::field(place(), "rank group", "ranks", pair[0], "every GPU once"));
        }
        let Ok(own) = ranks.binary_search(&rank) else {
            let found = ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            return Err(LoadError::field(place(), "rank group", "ranks", found, format!("{rank} and other GPUs")));
        };
        ranks[..=own].rotate_right(1);
        switches.push(Switch { buffer, ranks });
    }
    Ok(switches)
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
