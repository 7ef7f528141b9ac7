//! Operations of all ranks.

use std::collections::BTreeMap;

use super::super::text::number;
use super::table::Table;
use crate::collective::{Buffers, Collective};
use crate::error::LoadError;
use crate::program::{Address, BufferName, Instruction, Names, ParallelProgram, Queue, Thread, Wait};

const NAMES: Names = Names { thread: "operation", place: "line" };

/// Scratch chunks per line, at most.
const MAX_SCRATCH_PER_LINE: u64 = 4096;

/// The columns of a table of operations.
struct Columns {
    rank: usize,
    operation: usize,
    action: usize,
    peer: usize,
    tag: usize,
    from: [usize; 2],
    to: [usize; 2],
    count: usize,
    waits: usize,
}

/// Returns the program of a table of operations.
pub(super) fn program(
    table: &Table<'_>,
    title: String,
    collective: Collective,
    ranks: u32,
    chunks: u32,
) -> Result<ParallelProgram, LoadError> {
    let columns = Columns {
        rank: table.column("rank")?,
        operation: table.column("operation")?,
        action: table.column("action")?,
        peer: table.column("peer")?,
        tag: table.column("tag")?,
        from: [table.column("from_buffer")?, table.column("from_offset")?],
        to: [table.column("to_buffer")?, table.column("to_offset")?],
        count: table.column("count")?,
        waits: table.column("waits_for")?,
    };
    let mut program = ParallelProgram::new(title, NAMES, ranks);
    let scratch = scratch_sizes(table, &columns, ranks)?;
    let in_place = is_in_place(table, &columns, collective, ranks, chunks);
    let mut buffers = Vec::new();
    for (rank, &scratch) in (0..).zip(&scratch) {
        buffers.push(collective.add_rank(&mut program, rank, chunks, scratch, in_place));
    }
    let mut threads: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut keys = Vec::with_capacity(table.lines.len());
    for (index, (line, cells)) in (0..).zip(&table.lines) {
        let rank = number(*line, "operation", "rank", cells[columns.rank], u64::from(ranks) - 1)? as u32;
        let operation = number(*line, "operation", "operation", cells[columns.operation], u32::MAX.into())? as u32;
        if threads.insert((rank, operation), index).is_some() {
            return Err(LoadError::field(
                *line,
                "operation",
                "operation",
                operation,
                "a number that is new in its rank",
            ));
        }
        keys.push((rank, operation));
    }
    let mut queues = BTreeMap::new();
    for ((line, cells), &(rank, operation)) in table.lines.iter().zip(&keys) {
        let mut waits = Vec::new();
        for word in cells[columns.waits].split_whitespace() {
            let other = number(*line, "operation", "waits_for", word, u32::MAX.into())? as u32;
            let thread = threads.get(&(rank, other)).copied().ok_or_else(|| {
                LoadError::field(*line, "operation", "waits_for", other, "the number of an operation of this rank")
            })?;
            waits.push(Wait { thread, executed: 1 });
        }
        let mut thread = Thread::new(rank, operation);
        thread.push(
            instruction(*line, cells, &columns, &buffers[rank as usize], rank, &mut program, &mut queues)?,
            &waits,
        );
        program.threads.push(thread);
    }
    Ok(program)
}

/// Returns the size of the scratch memory of each rank: the end of the last chunk that an operation uses.
fn scratch_sizes(table: &Table<'_>, columns: &Columns, ranks: u32) -> Result<Vec<u32>, LoadError> {
    let most = 4096 + MAX_SCRATCH_PER_LINE * table.lines.len() as u64;
    let mut sizes = vec![0_u32; ranks as usize];
    for (line, cells) in &table.lines {
        let rank = number(*line, "operation", "rank", cells[columns.rank], u64::from(ranks) - 1)? as usize;
        for [buffer, offset] in [columns.from, columns.to] {
            if cells[buffer] == "scratch" {
                let offset = number(*line, "operation", "offset", cells[offset], u32::MAX.into())?;
                let count = number(*line, "operation", "count", cells[columns.count], u32::MAX.into())?;
                sizes[rank] = sizes[rank].max(u32::try_from(offset + count).unwrap_or(u32::MAX));
            }
        }
    }
    let total: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
    if total > most {
        let runtime = ("this program", "use smaller offsets");
        return Err(LoadError::limit(1, runtime, "scratch chunks", total as usize, most as usize));
    }
    Ok(sizes)
}

/// Returns true if no operation of the root, or of any rank, uses the smaller one of input and output.
fn is_in_place(table: &Table<'_>, columns: &Columns, collective: Collective, ranks: u32, chunks: u32) -> bool {
    let root = collective.root();
    let [input, output] = collective.sizes(root.unwrap_or(0), ranks, chunks);
    let smaller = if input <= output { "input" } else { "output" };
    let of_root = |cells: &&Vec<&str>| root.is_none_or(|root| cells[columns.rank].parse() == Ok(root));
    let lines = table.lines.iter().map(|(_, cells)| cells).filter(of_root);
    let mut buffers = lines.flat_map(|cells| [cells[columns.from[0]], cells[columns.to[0]]]);
    !buffers.any(|buffer| buffer == smaller)
}

/// Returns the instruction of a line.
fn instruction(
    line: usize,
    cells: &[&str],
    columns: &Columns,
    buffers: &Buffers,
    rank: u32,
    program: &mut ParallelProgram,
    queues: &mut BTreeMap<(u32, u32, u32), u32>,
) -> Result<Instruction, LoadError> {
    let count = number(line, "operation", "count", cells[columns.count], u32::MAX.into())? as u32;
    if count == 0 {
        return Err(LoadError::field(line, "operation", "count", 0, "a number of chunks from 1"));
    }
    let address = |[buffer, offset]: [usize; 2]| -> Result<Address, LoadError> {
        let name = match cells[buffer] {
            "input" => BufferName::Input,
            "output" => BufferName::Output,
            "scratch" => BufferName::Scratch,
            other => return Err(LoadError::field(line, "operation", "buffer", other, "input, output or scratch")),
        };
        let offset = number(line, "operation", "offset", cells[offset], u32::MAX.into())? as u32;
        buffers.address(name, Some(offset), count).map_err(|size| {
            let expected = format!("{count} chunks inside the {size} chunks of the buffer");
            LoadError::field(line, "operation", "offset", offset, expected)
        })
    };
    let mut queue = |sends: bool| -> Result<u32, LoadError> {
        let most = u64::from(program.rank_count) - 1;
        let peer = number(line, "operation", "peer", cells[columns.peer], most)? as u32;
        let tag = number(line, "operation", "tag", cells[columns.tag], u32::MAX.into())? as u32;
        let (from, to) = if sends { (rank, peer) } else { (peer, rank) };
        Ok(*queues.entry((from, to, tag)).or_insert_with(|| {
            program.queues.push(Queue { from, to, sender: None, receiver: None, capacity: usize::MAX });
            program.queues.len() as u32 - 1
        }))
    };
    let base = Instruction { place: line as u32, size: count.into(), ..Instruction::default() };
    let (from, to) = (|| address(columns.from), || address(columns.to));
    Ok(match cells[columns.action] {
        "send" => Instruction { reads: [Some(from()?), None], send: Some(queue(true)?), ..base },
        "receive" => Instruction { receive: Some(queue(false)?), write: Some(to()?), ..base },
        "receive-add" => {
            Instruction { receive: Some(queue(false)?), reads: [Some(to()?), None], write: Some(to()?), ..base }
        }
        "copy" => Instruction { reads: [Some(from()?), None], write: Some(to()?), ..base },
        "add" => Instruction { reads: [Some(from()?), Some(to()?)], write: Some(to()?), ..base },
        other => {
            let expected = "send, receive, receive-add, copy or add";
            return Err(LoadError::field(line, "operation", "action", other, expected));
        }
    })
}
