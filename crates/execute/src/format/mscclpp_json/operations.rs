//! The operations of thread blocks.

use std::collections::BTreeMap;

use super::channels::{GpuChannels, Signals, Switch};
use super::groups::slice;
use super::limits::MAX_BARRIERS;
use super::packets::{Chunks, Packets};
use super::plan::{BlockJson, BufferJson, BufferLetter, ChannelKind, GpuJson, OperationJson};
use super::threads::{BlockThreads, Half};
use crate::collective::Buffers;
use crate::error::LoadError;
use crate::program::{BufferName, Instruction, ParallelProgram, Thread, Wait};

/// The arrivals of thread blocks at a barrier: their number, and the arrival.
pub(super) type Arrivals = Vec<(usize, Wait)>;

/// Builds the threads of a GPU.
pub(super) struct GpuBuilder<'a> {
    pub(super) rank: u32,
    pub(super) gpu: &'a GpuJson,
    /// Number of parts of every chunk.
    pub(super) parts: u32,
    /// Whether scratch memory has packets.
    pub(super) has_packets: bool,
    pub(super) buffers: &'a [Buffers],
    pub(super) channels: &'a GpuChannels,
    pub(super) semaphores: &'a [u32],
    pub(super) signals: &'a mut Signals,
    pub(super) packets: &'a mut Packets,
    pub(super) program: &'a mut ParallelProgram,
    /// By barrier and number of its use: the number of thread blocks, and the arrivals.
    pub(super) barriers: BTreeMap<(u32, u32), (u32, Arrivals)>,
}

/// Returns true if an operation waits for packets of its GPU.
pub(super) fn reads_packets(name: &str) -> bool {
    matches!(name, "rppkt" | "upkt" | "repkt" | "respkt" | "recpkt" | "recspkt")
}

/// An operation with its place in the file.
struct Placed<'a> {
    block: &'a BlockJson,
    operation: &'a OperationJson,
    kind: ChannelKind,
    place: u32,
    path: String,
}

impl Placed<'_> {
    fn field(&self, field: &'static str, value: impl std::fmt::Display, expected: impl Into<String>) -> LoadError {
        LoadError::field(self.path.clone(), "op", field, value, expected)
    }
}

impl GpuBuilder<'_> {
    /// Returns the threads of a thread block.
    pub(super) fn block(&mut self, number: u32, first: u32, block: &BlockJson) -> Result<BlockThreads, LoadError> {
        let mut threads = BlockThreads::new(self.rank, number, first);
        let mut uses: BTreeMap<u32, u32> = BTreeMap::new();
        // The loader puts the operations of a pipeline behind it.
        let operations = block.ops.iter().flat_map(OperationJson::with_inner);
        for (place, operation) in (0..).zip(operations) {
            let path = format!("gpus[{}].threadblocks[{number}].ops[{place}]", self.rank);
            let kind = operation.channel_type.unwrap_or(ChannelKind::None);
            let placed = Placed { block, operation, kind, place, path };
            if operation.reduce_op.as_ref().is_some_and(|name| name != "sum") {
                return Err(placed.field("reduce_op", operation.reduce_op.as_deref().unwrap_or(""), "`sum`"));
            }
            match operation.name.as_str() {
                "barrier" => self.barrier(&placed, number as usize, &mut threads, &mut uses)?,
                "pipeline" => {}
                _ => self.operation(&placed, &mut threads)?,
            }
        }
        Ok(threads)
    }

    /// Adds an operation of a thread block.
    fn operation(&mut self, placed: &Placed<'_>, threads: &mut BlockThreads) -> Result<(), LoadError> {
        let (operation, place) = (placed.operation, placed.place);
        match operation.name.as_str() {
            "nop" => threads.join(place),
            "flush" => {}
            "signal" | "rlxsignal" => self.signal(placed, threads)?,
            "wait" | "rlxwait" => {
                for &id in &operation.channel_ids {
                    let (peer, number) = self.channels.channel(&placed.path, placed.block, placed.kind, id)?;
                    let queue = self.signals.queue(self.program, (placed.kind, peer, self.rank, number));
                    let instruction = Instruction { place, receive: Some(queue), ..Instruction::default() };
                    threads.push(Half::One, instruction);
                }
            }
            "put" | "pws" | "pwsf" | "get" | "copy" => {
                self.moves(placed, threads)?;
                // Over memory channels, the kernel puts and does not signal.
                if matches!(operation.name.as_str(), "pws" | "pwsf") && placed.kind == ChannelKind::Port {
                    self.signal(placed, threads)?;
                }
            }
            "re" | "res" | "rre" | "rres" | "repkt" | "respkt" | "recpkt" | "recspkt" => {
                self.reduce(placed, threads)?;
            }
            "ppkt" | "cpkt" | "upkt" => self.moves(placed, threads)?,
            "rppkt" => self.forward(placed, threads)?,
            "gstore" | "gstorepkt" => self.store_in_switch(placed, threads)?,
            "glres" => self.reduce_in_switch(placed, threads)?,
            "sem_acquire" | "sem_release" => {
                for &id in &operation.semaphore_ids {
                    let Some(&queue) = self.semaphores.get(id as usize) else {
                        let expected = format!("a semaphore below {}", self.semaphores.len());
                        return Err(placed.field("semaphore_ids", id, expected));
                    };
                    let is_acquired = operation.name == "sem_acquire";
                    let (receive, send) = if is_acquired { (Some(queue), None) } else { (None, Some(queue)) };
                    threads.push(Half::One, Instruction { place, receive, send, ..Instruction::default() });
                }
            }
            other => {
                let expected = "nop, barrier, put, pws, pwsf, get, copy, signal, wait, flush, re, res, rre, rres, ppkt, rppkt, \
                                cpkt, upkt, repkt, respkt, recpkt, recspkt, glres, gstore, gstorepkt, rlxsignal, rlxwait, \
                                pipeline, sem_acquire or sem_release";
                return Err(placed.field("name", other, expected));
            }
        }
        Ok(())
    }

    fn signal(&mut self, placed: &Placed<'_>, threads: &mut BlockThreads) -> Result<(), LoadError> {
        for &id in &placed.operation.channel_ids {
            let (peer, number) = self.channels.channel(&placed.path, placed.block, placed.kind, id)?;
            let queue = self.signals.queue(self.program, (placed.kind, self.rank, peer, number));
            threads.push(Half::One, Instruction { place: placed.place, send: Some(queue), ..Instruction::default() });
        }
        Ok(())
    }

    /// Copies each source to the destination at the same position.
    fn moves(&mut self, placed: &Placed<'_>, threads: &mut BlockThreads) -> Result<(), LoadError> {
        let (sources, targets) = (&placed.operation.src_buff, &placed.operation.dst_buff);
        if sources.len() != targets.len() || sources.is_empty() {
            return Err(placed.field(
                "src_buff",
                sources.len(),
                format!("{} buffers, as in `dst_buff`", targets.len().max(1)),
            ));
        }
        let is_port = placed.kind == ChannelKind::Port;
        let half = if is_port { Half::One } else { Half::All };
        // A port channel copies packets as they are.
        let (from_packets, to_packets) = match placed.operation.name.as_str() {
            "ppkt" => (is_port, true),
            "cpkt" => (false, true),
            "upkt" => (true, false),
            _ => (false, false),
        };
        for (source, target) in sources.iter().zip(targets) {
            let from = self.chunks(placed, source, from_packets)?;
            let to = self.chunks(placed, target, to_packets)?;
            self.combine(placed, threads, half, [Some(from), None], Some(to))?;
        }
        Ok(())
    }

    /// Waits for packets, and puts them.
    fn forward(&mut self, placed: &Placed<'_>, threads: &mut BlockThreads) -> Result<(), LoadError> {
        let (sources, targets) = (&placed.operation.src_buff, &placed.operation.dst_buff);
        let ([source], false) = (&sources[..], targets.is_empty()) else {
            return Err(placed.field("src_buff", sources.len(), "one buffer, and at least one of `dst_buff`"));
        };
        let from = self.chunks(placed, source, true)?;
        let is_port = placed.kind == ChannelKind::Port;
        if is_port {
            self.combine(placed, threads, Half::All, [Some(from), None], None)?;
            threads.join(placed.place);
        }
        for target in targets {
            let to = self.chunks(placed, target, true)?;
            let half = if is_port { Half::One } else { Half::All };
            self.combine(placed, threads, half, [Some(from), None], Some(to))?;
        }
        Ok(())
    }

    /// Adds all sources, writes the sum to the first destination and copies it to the others. In an operation on packets, all
    /// sources and destinations but the first ones are packets.
    fn reduce(&mut self, placed: &Placed<'_>, threads: &mut BlockThreads) -> Result<(), LoadError> {
        let of_packets = reads_packets(&placed.operation.name);
        let chunks = |builder: &Self, parts: &[BufferJson]| -> Result<Vec<Chunks>, LoadError> {
            let of_part = |(index, part)| builder.chunks(placed, part, of_packets && index > 0);
            parts.iter().enumerate().map(of_part).collect()
        };
        let sources = chunks(self, &placed.operation.src_buff)?;
        let targets = chunks(self, &placed.operation.dst_buff)?;
        self.add_all(placed, threads, sources, &targets)
    }

    /// Adds all sources, writes the sum to the first target and copies it to the others.
    fn add_all(
        &mut self,
        placed: &Placed<'_>,
        threads: &mut BlockThreads,
        mut sources: Vec<Chunks>,
        targets: &[Chunks],
    ) -> Result<(), LoadError> {
        let [sum, copies @ ..] = targets else {
            return Err(placed.field("dst_buff", 0, "one buffer at least"));
        };
        let overlaps = |part: &Chunks| part.start < sum.start + sum.size && sum.start < part.start + part.size;
        // The sum of the first two sources replaces the destination, so sources there are added first.
        sources.sort_by_key(|part| !overlaps(part));
        if sources.is_empty() || sources.iter().skip(2).any(overlaps) {
            let expected = "one source at least, of which at most two overlap the first one of `dst_buff`";
            return Err(placed.field("src_buff", sources.len(), expected));
        }
        self.combine(placed, threads, Half::All, [Some(sources[0]), sources.get(1).copied()], Some(*sum))?;
        for &part in sources.iter().skip(2) {
            self.combine(placed, threads, Half::All, [Some(*sum), Some(part)], Some(*sum))?;
        }
        for &target in copies {
            self.combine(placed, threads, Half::All, [Some(*sum), None], Some(target))?;
        }
        Ok(())
    }

    /// Stores chunks into the buffers of all GPUs of a switch channel.
    fn store_in_switch(&mut self, placed: &Placed<'_>, threads: &mut BlockThreads) -> Result<(), LoadError> {
        let are_packets = placed.operation.name == "gstorepkt";
        let [source] = &placed.operation.src_buff[..] else {
            return Err(placed.field("src_buff", placed.operation.src_buff.len(), "one buffer"));
        };
        let from = self.chunks(placed, source, are_packets)?;
        let targets = self.chunks_of_switch(placed, "dst_buff", &placed.operation.dst_buff, are_packets)?;
        // Chunks that are stored where they come from stay as they are.
        for to in targets.into_iter().filter(|&to| to != from) {
            self.combine(placed, threads, Half::All, [Some(from), None], Some(to))?;
        }
        Ok(())
    }

    /// Adds the chunks of all GPUs of a switch channel, and stores the sums into the buffers of all GPUs of a switch channel.
    fn reduce_in_switch(&mut self, placed: &Placed<'_>, threads: &mut BlockThreads) -> Result<(), LoadError> {
        let sources = self.chunks_of_switch(placed, "src_buff", &placed.operation.src_buff, false)?;
        let targets = self.chunks_of_switch(placed, "dst_buff", &placed.operation.dst_buff, false)?;
        self.add_all(placed, threads, sources, &targets)
    }

    /// Returns the chunks of each GPU of the switch channel of the only buffer of an operation, first those of its own GPU.
    fn chunks_of_switch(
        &self,
        placed: &Placed<'_>,
        field: &'static str,
        parts: &[BufferJson],
        are_packets: bool,
    ) -> Result<Vec<Chunks>, LoadError> {
        let [part] = parts else { return Err(placed.field(field, parts.len(), "one buffer")) };
        let Some(id) = part.switch_channel_id else {
            return Err(placed.field(field, "a buffer", "`switch_channel_id`, because the operation needs a switch"));
        };
        let Switch { buffer, ranks } = self.channels.switch(&placed.path, placed.block, id)?;
        ranks.iter().map(|&rank| self.chunks_of(placed, part, (rank, *buffer), are_packets)).collect()
    }

    /// Adds an instruction that reads chunks, adds them and writes the sum. It waits for packets, unless a port channel moves
    /// them.
    fn combine(
        &mut self,
        placed: &Placed<'_>,
        threads: &mut BlockThreads,
        half: Half,
        reads: [Option<Chunks>; 2],
        write: Option<Chunks>,
    ) -> Result<(), LoadError> {
        let mut sizes = reads.iter().chain([&write]).flatten().map(|chunks| chunks.size);
        let size = sizes.next().unwrap_or(0);
        if let Some(other) = sizes.find(|&other| other != size) {
            let expected = format!("buffers of {size} chunks, as the first one of the operation");
            return Err(placed.field("size", other, expected));
        }
        let instruction = Instruction {
            place: placed.place,
            reads: reads.map(|chunks| chunks.map(|chunks| chunks.start)),
            write: write.map(|chunks| chunks.start),
            size: size.into(),
            ..Instruction::default()
        };
        let position = threads.push(half, instruction);
        if half == Half::All {
            for chunks in reads.into_iter().flatten().filter(|chunks| chunks.are_packets) {
                self.packets.wait(&placed.path, chunks, position);
            }
        }
        match write.filter(|chunks| chunks.are_packets) {
            Some(chunks) => self.packets.write(&placed.path, chunks, position),
            None => Ok(()),
        }
    }

    /// Returns chunks, or packets, of a local or remote buffer.
    fn chunks(&self, placed: &Placed<'_>, part: &BufferJson, are_packets: bool) -> Result<Chunks, LoadError> {
        let memory = match (part.buffer, part.buffer_id, part.switch_channel_id) {
            (Some(letter), None, None) => (self.rank, letter),
            (_, Some(id), None) => self.remote_buffer(placed, id)?,
            _ => {
                let expected = "`type` or `buffer_id`; only `glres`, `gstore` and `gstorepkt` use switches";
                return Err(placed.field("src_buff", "a buffer", expected));
            }
        };
        self.chunks_of(placed, part, memory, are_packets)
    }

    /// Returns chunks, or packets, of a buffer of a rank.
    fn chunks_of(
        &self,
        placed: &Placed<'_>,
        part: &BufferJson,
        (rank, letter): (u32, BufferLetter),
        are_packets: bool,
    ) -> Result<Chunks, LoadError> {
        let buffer = match letter {
            BufferLetter::Input => BufferName::Input,
            BufferLetter::Output => BufferName::Output,
            BufferLetter::Scratch => BufferName::Scratch,
        };
        if are_packets && !self.has_packets {
            return Err(placed.field(
                "name",
                &placed.operation.name,
                "no operation on packets; their `protocol` is `LL`",
            ));
        }
        if self.has_packets && are_packets != (buffer == BufferName::Scratch) {
            let (found, expected) = if are_packets {
                ("another buffer", "packets, which are in scratch memory (`s`)")
            } else {
                ("scratch memory", "packets (operations with `pkt` in their names), because the protocol is `LL`")
            };
            return Err(placed.field("type", found, expected));
        }
        if part.size == 0 {
            return Err(placed.field("size", 0, "a number of chunks from 1"));
        }
        let (first, size) = slice(placed.operation, part.size, self.parts);
        let offset = part.index.checked_mul(self.parts).and_then(|offset| offset.checked_add(first));
        let address = self.buffers[rank as usize].address(buffer, offset, size);
        address.map(|start| Chunks { start, size, are_packets }).map_err(|of_buffer| {
            let expected = format!(
                "{} chunks inside the {} chunks of the buffer of rank {rank}",
                part.size,
                of_buffer / self.parts
            );
            placed.field("index", part.index, expected)
        })
    }

    /// Returns rank and type of a remote buffer that an operation names by its position in the list of its thread block.
    fn remote_buffer(&self, placed: &Placed<'_>, id: u32) -> Result<(u32, BufferLetter), LoadError> {
        let lists = placed.block.remote_buffer_refs.iter();
        let mut ids =
            lists.filter(|list| list.access_channel_type == placed.kind).flat_map(|list| &list.remote_buffer_ids);
        let found = ids.nth(id as usize).and_then(|&in_gpu| self.gpu.remote_buffers.get(in_gpu as usize));
        let found = found.filter(|found| (found.rank as usize) < self.buffers.len());
        let expected =
            "the position of a remote buffer of a GPU of the plan in the `remote_buffer_refs` of the thread block";
        found.map(|found| (found.rank, found.buffer)).ok_or_else(|| placed.field("buffer_id", id, expected))
    }

    fn barrier(
        &mut self,
        placed: &Placed<'_>,
        block: usize,
        threads: &mut BlockThreads,
        uses: &mut BTreeMap<u32, u32>,
    ) -> Result<(), LoadError> {
        let id = placed.operation.barrier_id.filter(|&id| id < MAX_BARRIERS);
        let (Some(id), Some(count)) = (id, placed.operation.num_threadblocks) else {
            let id = placed.operation.barrier_id.map_or("absent".to_owned(), |id| id.to_string());
            return Err(placed.field(
                "barrier_id",
                id,
                format!("a number below {MAX_BARRIERS}, and `num_threadblocks`"),
            ));
        };
        let number = uses.entry(id).or_default();
        let (expected, arrivals) = self.barriers.entry((id, *number)).or_insert((count, Vec::new()));
        if *expected != count {
            return Err(placed.field("num_threadblocks", count, format!("{expected}, as in the other thread blocks")));
        }
        *number += 1;
        arrivals.push((block, threads.arrive(placed.place)));
        Ok(())
    }

    /// Lets the thread blocks of each barrier wait for a thread, which waits for all of them. `next` is the index of the
    /// first such thread.
    pub(super) fn join_barriers(&self, blocks: &mut [BlockThreads], next: u32) -> Result<Vec<Thread>, LoadError> {
        let mut hubs = Vec::new();
        for (&(id, _), (count, arrivals)) in &self.barriers {
            if arrivals.len() != *count as usize {
                let place = format!("gpus[{}]", self.rank);
                let expected = format!("{}, the number of thread blocks that arrive at barrier {id}", arrivals.len());
                return Err(LoadError::field(place, "op", "num_threadblocks", count, expected));
            }
            let end = Wait { thread: next + hubs.len() as u32, executed: 1 };
            let waits: Vec<Wait> = arrivals.iter().map(|&(_, arrival)| arrival).collect();
            let mut hub = Thread::new(self.rank, (blocks.len() + hubs.len()) as u32);
            hub.push(Instruction::default(), &waits);
            hubs.push(hub);
            for &(block, arrival) in arrivals {
                blocks[block].wait_at(arrival, end);
            }
        }
        Ok(hubs)
    }
}
