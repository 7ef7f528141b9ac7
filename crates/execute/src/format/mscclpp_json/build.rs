//! The program of a plan.

use std::collections::{BTreeMap, BTreeSet};

use super::channels::{GpuChannels, Signals, add_queue};
use super::limits::MAX_BARRIERS;
use super::plan::{BlockJson, BufferJson, BufferLetter, ChannelKind, GpuJson, OperationJson, PlanJson};
use super::threads::{BlockThreads, Half};
use crate::collective::{Buffers, Collective};
use crate::error::{LoadError, LoadProblem};
use crate::program::{Address, BufferName, Instruction, Names, ParallelProgram, Thread, Wait};

const NAMES: Names = Names { thread: "tb", place: "op" };

/// Returns the program of a plan.
pub(super) fn program(plan: &PlanJson) -> Result<ParallelProgram, LoadError> {
    if plan.protocol != "Simple" {
        let expected = "`Simple`; packets are not supported";
        return Err(LoadError::field("protocol".to_owned(), "plan", "protocol", &plan.protocol, expected));
    }
    let (collective, chunks) = collective(plan)?;
    let placement = if plan.inplace { "in place" } else { "out of place" };
    let ranks = plan.gpus.len() as u32;
    let mut program = ParallelProgram::new(format!("{} {placement}", plan.collective), NAMES, ranks);
    let mut buffers = Vec::new();
    for (rank, gpu) in (0..).zip(&plan.gpus) {
        buffers.push(collective.add_rank(&mut program, rank, chunks, gpu.scratch_chunks, plan.inplace));
    }
    let mut signals = Signals::default();
    for (rank, gpu) in (0..).zip(&plan.gpus) {
        let channels = GpuChannels::of(rank, gpu, ranks)?;
        let semaphores = add_semaphores(&mut program, rank, gpu)?;
        let first = program.threads.len() as u32;
        let mut builder = GpuBuilder {
            rank,
            gpu,
            buffers: &buffers,
            channels: &channels,
            semaphores: &semaphores,
            signals: &mut signals,
            program: &mut program,
            barriers: BTreeMap::new(),
        };
        let mut blocks = Vec::new();
        for (number, block) in (0..).zip(&gpu.threadblocks) {
            blocks.push(builder.block(number, first + 2 * number, block)?);
        }
        let next = first + 2 * blocks.len() as u32;
        let hubs = builder.join_barriers(&mut blocks, next)?;
        for block in blocks {
            block.add_to(&mut program);
        }
        program.threads.extend(hubs);
    }
    Ok(program)
}

/// Returns the collective and the number of chunks of a message.
fn collective(plan: &PlanJson) -> Result<(Collective, u32), LoadError> {
    let ranks = plan.gpus.len() as u32;
    let Some(gpu) = plan.gpus.first() else {
        return Err(LoadError {
            place: "gpus".to_owned().into(),
            problem: LoadProblem::Missing { element: "gpus", field: "0" },
        });
    };
    let (mut senders, mut receivers) = (BTreeSet::new(), BTreeSet::new());
    for gpu in &plan.gpus {
        for block in &gpu.threadblocks {
            for operation in &block.ops {
                let remote = |part: &&BufferJson| part.buffer_id.is_some();
                let waits = operation.name == "wait";
                if operation.dst_buff.iter().any(|part| remote(&part)) {
                    senders.insert(gpu.id);
                }
                if waits || operation.src_buff.iter().any(|part| remote(&part)) {
                    receivers.insert(gpu.id);
                }
            }
        }
    }
    let only = |one: &BTreeSet<u32>, other: &BTreeSet<u32>| {
        let mut difference = one.difference(other).copied();
        difference.next().filter(|_| difference.next().is_none()).unwrap_or(0)
    };
    let (source, target) = (only(&senders, &receivers), only(&receivers, &senders));
    let (collective, chunks, field) = match plan.collective.as_str() {
        "broadcast" => (Collective::Broadcast { root: source }, gpu.output_chunks, "output_chunks"),
        "scatter" => (Collective::Scatter { root: source }, gpu.output_chunks, "output_chunks"),
        "gather" => (Collective::Gather { root: target }, gpu.input_chunks, "input_chunks"),
        "reduce" => (Collective::Reduce { root: target }, gpu.input_chunks, "input_chunks"),
        "allgather" => (Collective::AllGather, gpu.output_chunks / ranks, "output_chunks"),
        "alltoall" => (Collective::AllToAll, gpu.output_chunks / ranks, "output_chunks"),
        "reducescatter" | "reduce_scatter" => (Collective::ReduceScatter, gpu.input_chunks / ranks, "input_chunks"),
        "allreduce" => (Collective::AllReduce, gpu.input_chunks, "input_chunks"),
        other => {
            let expected = "one of broadcast, scatter, gather, reduce, allgather, alltoall, reducescatter, allreduce";
            return Err(LoadError::field("collective".to_owned(), "plan", "collective", other, expected));
        }
    };
    if chunks == 0 || chunks.checked_mul(ranks).is_none() {
        let value = if field == "input_chunks" { gpu.input_chunks } else { gpu.output_chunks };
        let expected = "a chunk at least for each message of the collective";
        return Err(LoadError::field("gpus[0]".to_owned(), "gpu", field, value, expected));
    }
    for (rank, gpu) in (0..).zip(&plan.gpus) {
        let sizes = collective.sizes(rank, ranks, chunks);
        // The buffers of a rank that has no data are as large as those of the other ranks.
        for (field, found, needed) in
            [("input_chunks", gpu.input_chunks, sizes[0]), ("output_chunks", gpu.output_chunks, sizes[1])]
        {
            if found < needed {
                let expected =
                    format!("{needed} at least, the size of the collective with {chunks} chunks per message");
                return Err(LoadError::field(format!("gpus[{rank}]"), "gpu", field, found, expected));
            }
        }
    }
    Ok((collective, chunks))
}

/// Adds the queue of each semaphore of a GPU, and a thread with its first releases.
fn add_semaphores(program: &mut ParallelProgram, rank: u32, gpu: &GpuJson) -> Result<Vec<u32>, LoadError> {
    let mut queues = Vec::new();
    for (number, semaphore) in (0..).zip(&gpu.semaphores) {
        let queue = add_queue(program, rank, rank);
        queues.push(queue);
        let count = |name: &str| {
            let operations = gpu.threadblocks.iter().flat_map(|block| &block.ops).filter(|one| one.name == name);
            operations.flat_map(|one| &one.semaphore_ids).filter(|&&id| id == number).count() as u64
        };
        let (acquired, released) = (count("sem_acquire"), count("sem_release"));
        let left = u64::from(semaphore.init_value) + released;
        if acquired != left {
            let place = format!("gpus[{rank}].semaphores[{number}]");
            let expected = format!("releases that equal the {acquired} acquisitions");
            return Err(LoadError::field(place, "semaphore", "init_value", semaphore.init_value, expected));
        }
        if semaphore.init_value > 0 {
            let mut thread = Thread::new(rank, gpu.threadblocks.len() as u32 + number);
            for _ in 0..semaphore.init_value {
                thread.push(Instruction { send: Some(queue), ..Instruction::default() }, &[]);
            }
            program.threads.push(thread);
        }
    }
    Ok(queues)
}

/// The arrivals of thread blocks at a barrier: their number, and the arrival.
type Arrivals = Vec<(usize, Wait)>;

/// Builds the threads of a GPU.
struct GpuBuilder<'a> {
    rank: u32,
    gpu: &'a GpuJson,
    buffers: &'a [Buffers],
    channels: &'a GpuChannels,
    semaphores: &'a [u32],
    signals: &'a mut Signals,
    program: &'a mut ParallelProgram,
    /// By barrier and number of its use: the number of thread blocks, and the arrivals.
    barriers: BTreeMap<(u32, u32), (u32, Arrivals)>,
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
    fn block(&mut self, number: u32, first: u32, block: &BlockJson) -> Result<BlockThreads, LoadError> {
        let mut threads = BlockThreads::new(self.rank, number, first);
        let mut uses: BTreeMap<u32, u32> = BTreeMap::new();
        // The loader puts the operations of a pipeline behind it.
        let operations = block.ops.iter().flat_map(|one| std::iter::once(one).chain(&one.ops));
        for (place, operation) in (0..).zip(operations) {
            let path = format!("gpus[{}].threadblocks[{number}].ops[{place}]", self.rank);
            let kind = operation.channel_type.unwrap_or(ChannelKind::None);
            let placed = Placed { block, operation, kind, place, path };
            if operation.tbg_info.as_ref().is_some_and(|group| group.tbg_size > 1) {
                return Err(placed.field("tbg_info", "a group", "no group of thread blocks; they are not supported"));
            }
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
                    threads.push(Half::One, Instruction { place, receive: Some(queue), ..Instruction::default() });
                }
            }
            "put" | "pws" | "pwsf" | "get" | "copy" => {
                self.moves(placed, threads)?;
                // Over memory channels, the kernel puts and does not signal.
                if matches!(operation.name.as_str(), "pws" | "pwsf") && placed.kind == ChannelKind::Port {
                    self.signal(placed, threads)?;
                }
            }
            "re" | "res" | "rre" | "rres" => self.reduce(placed, threads)?,
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
                let expected = "nop, barrier, put, pws, pwsf, get, copy, signal, wait, flush, re, res, rre, rres, rlxsignal, \
                                rlxwait, pipeline, sem_acquire or sem_release; packets and switches are not supported";
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
        let half = if placed.kind == ChannelKind::Port { Half::One } else { Half::All };
        for (source, target) in sources.iter().zip(targets) {
            let (from, to) = (self.address(placed, source)?, self.address(placed, target)?);
            if source.size != target.size {
                return Err(placed.field("dst_buff", target.size, format!("{} chunks, as in `src_buff`", source.size)));
            }
            let instruction = Instruction {
                place: placed.place,
                reads: [Some(from), None],
                write: Some(to),
                size: source.size.into(),
                ..Instruction::default()
            };
            threads.push(half, instruction);
        }
        Ok(())
    }

    /// Adds all sources, writes the sum to the first destination and copies it to the others.
    fn reduce(&mut self, placed: &Placed<'_>, threads: &mut BlockThreads) -> Result<(), LoadError> {
        let (sources, targets) = (&placed.operation.src_buff, &placed.operation.dst_buff);
        let [first, ..] = &targets[..] else {
            return Err(placed.field("dst_buff", 0, "one buffer at least"));
        };
        let sum = self.address(placed, first)?;
        let mut parts = Vec::new();
        for part in sources.iter().chain(targets) {
            if part.size != first.size {
                return Err(placed.field(
                    "src_buff",
                    part.size,
                    format!("{} chunks, as the first one of `dst_buff`", first.size),
                ));
            }
        }
        for source in sources {
            parts.push(self.address(placed, source)?);
        }
        let overlaps = |&part: &Address| part < sum + first.size && sum < part + first.size;
        // The sum of the first two sources replaces the destination, so sources there are added first.
        parts.sort_by_key(|part| !overlaps(part));
        if parts.is_empty() || parts.iter().skip(2).any(overlaps) {
            let expected = "one source at least, of which at most two overlap the first one of `dst_buff`";
            return Err(placed.field("src_buff", sources.len(), expected));
        }
        let add = |reads: [Option<Address>; 2], write: Address| Instruction {
            place: placed.place,
            reads,
            write: Some(write),
            size: first.size.into(),
            ..Instruction::default()
        };
        threads.push(Half::All, add([Some(parts[0]), parts.get(1).copied()], sum));
        for &part in parts.iter().skip(2) {
            threads.push(Half::All, add([Some(sum), Some(part)], sum));
        }
        for target in &targets[1..] {
            let target = self.address(placed, target)?;
            threads.push(Half::All, add([Some(sum), None], target));
        }
        Ok(())
    }

    /// Returns the address of chunks of a local or remote buffer.
    fn address(&self, placed: &Placed<'_>, part: &BufferJson) -> Result<Address, LoadError> {
        let (rank, letter) = match (part.buffer, part.buffer_id, part.switch_channel_id) {
            (Some(letter), None, None) => (self.rank, letter),
            (_, Some(id), None) => self.remote_buffer(placed, id)?,
            _ => return Err(placed.field("src_buff", "a buffer", "`type` or `buffer_id`; switches are not supported")),
        };
        let buffer = match letter {
            BufferLetter::Input => BufferName::Input,
            BufferLetter::Output => BufferName::Output,
            BufferLetter::Scratch => BufferName::Scratch,
        };
        if part.size == 0 {
            return Err(placed.field("size", 0, "a number of chunks from 1"));
        }
        self.buffers[rank as usize].address(buffer, Some(part.index), part.size).map_err(|size| {
            let expected = format!("{} chunks inside the {size} chunks of the buffer of rank {rank}", part.size);
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
    fn join_barriers(&self, blocks: &mut [BlockThreads], next: u32) -> Result<Vec<Thread>, LoadError> {
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
