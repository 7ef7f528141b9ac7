//! Timelines: what each rank and each channel does at which time.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::num::NonZeroU64;

use lockstep_schedule::{Picoseconds, Transfer, TransferSpeed, TransferTimes, verify};

use crate::error::LowerError;
use crate::export::Export;

/// The speed on a network without bandwidths: one chunk per microsecond and unit of capacity.
const DEFAULT_SPEED: TransferSpeed =
    TransferSpeed { chunk_bytes: 1, unit_bytes_per_second: NonZeroU64::new(1_000_000).expect("positive") };

/// The part of a transfer that a track shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The sender sends.
    Send,
    /// The receiver receives: from the arrival of the first byte to that of the last one.
    Receive,
    /// The transfer occupies a channel.
    Channel,
}

/// A transfer on a track, in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Slice {
    pub(crate) begin: u128,
    pub(crate) end: u128,
    /// The index of the transfer in [`Timelines::transfers`].
    pub(crate) transfer: usize,
}

/// Slices in ascending order of time that do not overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Track {
    pub(crate) name: String,
    pub(crate) part: Part,
    pub(crate) slices: Vec<Slice>,
}

/// Tracks of one kind on one clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) tracks: Vec<Track>,
}

/// A transfer in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TransferWords {
    /// The step, from 1.
    pub(crate) step: u32,
    pub(crate) message: u32,
    pub(crate) sender: String,
    pub(crate) receiver: String,
    /// The names of the nodes of the path.
    pub(crate) path: String,
}

impl TransferWords {
    /// Returns what a track shows of the transfer, such as `message 3 to gpu1`.
    pub(crate) fn of_part(&self, part: Part) -> String {
        let (message, sender, receiver) = (self.message, &self.sender, &self.receiver);
        match part {
            Part::Send => format!("message {message} to {receiver}"),
            Part::Receive => format!("message {message} from {sender}"),
            Part::Channel => format!("message {message}"),
        }
    }
}

/// The timelines of a schedule by both clocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Timelines {
    /// The ranks and channels by the asynchronous clock, and those by the synchronous clock.
    pub(crate) groups: Vec<Group>,
    /// The transfers in the order of the schedule.
    pub(crate) transfers: Vec<TransferWords>,
    /// Bytes of a chunk; `None` on a network without bandwidths.
    pub(crate) chunk_bytes: Option<u64>,
}

impl Timelines {
    /// Computes the timelines of a schedule.
    ///
    /// # Errors
    ///
    /// If the schedule is invalid.
    pub(crate) fn new(export: &Export<'_>) -> Result<Self, LowerError> {
        let (problem, schedule) = (&export.problem, export.schedule);
        verify(problem, schedule).map_err(|violation| LowerError::Invalid(Box::new(violation)))?;
        let topology = problem.topology();
        let unit = topology.unit_bytes_per_second().and_then(NonZeroU64::new);
        let chunk_bytes = unit.map(|_| export.chunk_bytes());
        let speed = unit.map_or(DEFAULT_SPEED, |unit_bytes_per_second| TransferSpeed {
            chunk_bytes: export.chunk_bytes(),
            unit_bytes_per_second,
        });
        let clocks = [
            ("asynchronous", speed.asynchronous_times(problem, schedule)),
            ("synchronous", speed.synchronous_times(topology, schedule)),
        ];
        let mut groups = Vec::new();
        for (clock, times) in clocks {
            groups.push(Group { name: format!("{clock}: ranks"), tracks: rank_tracks(export, &times) });
            groups.push(Group { name: format!("{clock}: links"), tracks: channel_tracks(export, &times) });
        }
        let transfers = transfers(export).map(|(step, transfer)| words(export, step, transfer)).collect();
        Ok(Self { groups, transfers, chunk_bytes })
    }
}

/// Returns the transfers with their steps from 1, in the order of the schedule.
fn transfers<'a>(export: &Export<'a>) -> impl Iterator<Item = (u32, Transfer<'a>)> {
    let steps = export.schedule.steps();
    steps.flat_map(|(number, step)| step.iter().map(move |transfer| (number as u32 + 1, transfer)))
}

fn words(export: &Export<'_>, step: u32, transfer: Transfer<'_>) -> TransferWords {
    let topology = export.problem.topology();
    let tail = transfer.path.first().map(|&channel| topology.tail(channel));
    let heads = transfer.path.iter().map(|&channel| topology.head(channel));
    let names: Vec<&str> = tail.into_iter().chain(heads).map(|node| topology.node_name(node)).collect();
    let end = |name: Option<&&str>| name.copied().unwrap_or_default().to_owned();
    TransferWords {
        step,
        message: transfer.message.number(),
        sender: end(names.first()),
        receiver: end(names.last()),
        path: names.join("->"),
    }
}

/// Returns the tracks of all ranks: those of their sends, and those of their receives.
fn rank_tracks(export: &Export<'_>, times: &[TransferTimes]) -> Vec<Track> {
    let topology = export.problem.topology();
    let mut slices = vec![[Vec::new(), Vec::new()]; topology.terminal_count()];
    let rank = |node| topology.terminal_rank(node).expect("a valid transfer joins terminals");
    for (number, ((_, transfer), times)) in transfers(export).zip(times).enumerate() {
        let [Some(&first), Some(&last)] = [transfer.path.first(), transfer.path.last()] else { continue };
        let (sender, receiver) = (topology.tail(first), topology.head(last));
        let [begin, sent, arrival] = [times.begin, times.sent, times.arrival].map(Picoseconds::number);
        slices[rank(sender)][0].push(Slice { begin, end: sent, transfer: number });
        slices[rank(receiver)][1].push(Slice { begin: begin + (arrival - sent), end: arrival, transfer: number });
    }
    let mut tracks = Vec::new();
    for (rank, (&node, [sends, receives])) in topology.terminals().iter().zip(slices).enumerate() {
        let name = topology.node_name(node);
        let name = if *name == rank.to_string() { format!("rank {rank}") } else { format!("rank {rank} ({name})") };
        tracks.extend(lanes(&format!("{name} sends"), Part::Send, sends));
        tracks.extend(lanes(&format!("{name} receives"), Part::Receive, receives));
    }
    tracks
}

/// Returns the tracks of all channels.
fn channel_tracks(export: &Export<'_>, times: &[TransferTimes]) -> Vec<Track> {
    let topology = export.problem.topology();
    let mut slices = vec![Vec::new(); topology.channel_bound()];
    for (number, ((_, transfer), times)) in transfers(export).zip(times).enumerate() {
        for &channel in transfer.path {
            let (begin, end) = (times.begin.number(), times.sent.number());
            slices[channel.index()].push(Slice { begin, end, transfer: number });
        }
    }
    let mut tracks = Vec::new();
    for channel in topology.channels() {
        let of_channel = std::mem::take(&mut slices[channel.index()]);
        tracks.extend(lanes(&topology.channel_name(channel), Part::Channel, of_channel));
    }
    tracks
}

/// Distributes slices over as few tracks as possible, at least one: viewers cannot show slices of a track that overlap.
fn lanes(name: &str, part: Part, mut slices: Vec<Slice>) -> Vec<Track> {
    slices.sort_unstable();
    let mut lanes = vec![Vec::new()];
    let (mut idle, mut busy) = (BTreeSet::from([0]), BinaryHeap::new());
    for slice in slices {
        while let Some(&Reverse((end, lane))) = busy.peek()
            && end <= slice.begin
        {
            busy.pop();
            idle.insert(lane);
        }
        let lane = idle.pop_first().unwrap_or(lanes.len());
        if lane == lanes.len() {
            lanes.push(Vec::new());
        }
        lanes[lane].push(slice);
        busy.push(Reverse((slice.end, lane)));
    }
    let name = |lane| if lane == 0 { name.to_owned() } else { format!("{name}, {}", lane + 1) };
    lanes.into_iter().enumerate().map(|(lane, slices)| Track { name: name(lane), part, slices }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_that_overlap_are_on_different_tracks_and_tracks_are_used_again() {
        let slices = [(5, 9), (0, 4), (2, 6), (4, 5)];
        let slices = slices.map(|(begin, end)| Slice { begin, end, transfer: 0 }).to_vec();
        let tracks = lanes("a->b", Part::Channel, slices);
        let found: Vec<_> = tracks.iter().map(|track| (&*track.name, track.slices.len())).collect();
        assert_eq!(found, [("a->b", 3), ("a->b, 2", 1)]);
        assert_eq!(lanes("a->b", Part::Channel, Vec::new()).len(), 1);
    }
}
