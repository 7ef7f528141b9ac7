//! Tables in CSV: the operations of all ranks as `lockstep export` writes them, or messages in steps.
//!
//! A table does not say what it computes, so it is read with a collective. Cells have no quotes. The first line has the
//! names of the columns.
//!
//! - Operations: the columns of `lockstep export --to csv`. Each operation is a thread, which waits for those in `waits_for`.
//! - Messages: `step,from,to,origin,chunk`, in any order of columns and lines, and optionally `width` (of the step). The
//!   message carries the chunk with number `chunk` in the input of rank `origin`. In a sum, `origin` is not needed: the
//!   message carries the sum of all contributions that its sender holds. Steps are numbers.

mod messages;
mod operations;
mod table;

use self::table::Table;
use crate::collective::Collective;
use crate::error::LoadError;
use crate::program::ParallelProgram;

/// The collective of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableCollective<'a> {
    /// Its name: broadcast, scatter, gather, reduce, all-gather, all-to-all, reduce-scatter or all-reduce.
    pub name: &'a str,
    /// The root of a broadcast, scatter, gather or reduce.
    pub root: u32,
    /// Number of chunks of a message, and of the data of an all-reduce per rank.
    pub chunks: u32,
}

/// Returns true if a text begins with the columns of a table.
pub(super) fn is_table(start: &str) -> bool {
    let first = start.lines().next().unwrap_or_default();
    let has = |name: &str| first.split(',').any(|cell| cell.trim() == name);
    (has("rank") && has("waits_for")) || (has("step") && has("from") && has("to"))
}

/// Reads a table.
pub(super) fn load(text: &str, stated: TableCollective<'_>) -> Result<ParallelProgram, LoadError> {
    let table = Table::new(text)?;
    let is_operations = table.names.contains(&"waits_for");
    let columns = if is_operations { ["rank", "peer"] } else { ["from", "to"] };
    let ranks = table.rank_count(&[table.column(columns[0])?, table.column(columns[1])?]);
    if ranks == 0 {
        let (line, value) = match table.lines.first() {
            Some((line, cells)) => (*line, cells[table.column(columns[0])?]),
            None => (1, "a table without lines"),
        };
        return Err(LoadError::field(line, "table", columns[0], value, "the number of a rank, from 0"));
    }
    // Every rank sends or receives, so memory is bounded by the size of the file.
    let most = 2 * table.lines.len() as u64;
    if u64::from(ranks) > most {
        let expected = format!("ranks below {most}, the number of ends of the lines");
        return Err(LoadError::field(1, "table", "rank", ranks - 1, expected));
    }
    let collective = Collective::named(stated.name, stated.root);
    let collective = collective.filter(|_| stated.root < ranks).ok_or_else(|| {
        let value = format!("{} with root {}", stated.name, stated.root);
        LoadError::field(
            1,
            "table",
            "collective",
            value,
            format!("a collective of {ranks} ranks with a root among them"),
        )
    })?;
    let chunks =
        if collective == Collective::AllReduce { stated.chunks.checked_mul(ranks) } else { Some(stated.chunks) };
    let limit = 1 << 22;
    let size =
        chunks.and_then(|chunks| chunks.checked_mul(ranks)).filter(|&size| u64::from(size) * u64::from(ranks) <= limit);
    let (Some(chunks), Some(_)) = (chunks, size) else {
        let expected = format!("a number so that all buffers have at most {limit} chunks");
        return Err(LoadError::field(1, "table", "chunks", stated.chunks, expected));
    };
    let title = format!("{} in CSV", stated.name);
    if is_operations {
        operations::program(&table, title, collective, ranks, chunks)
    } else {
        messages::program(&table, title, collective, ranks, chunks)
    }
}
