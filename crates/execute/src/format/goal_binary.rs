//! The binary form of GOAL, little endian.
//!
//! # Source
//!
//! `LogGOPSim`, `Parser.hpp`, `serialize_mmap`.

use super::messages::{self, Task, Work};
use crate::error::LoadError;
use crate::program::{Names, ParallelProgram};

/// The first number of a file.
pub(super) const COOKIE: u64 = 4223;

const NAMES: Names = Names { thread: "task", place: "node" };

/// Size of a node in bytes.
const NODE_BYTES: usize = 39;

/// Reads a program. Positions in errors are offsets in bytes.
pub(super) fn load(bytes: &[u8]) -> Result<ParallelProgram, LoadError> {
    let file = Bytes { bytes, base: 0 };
    if file.u64(0)? != COOKIE {
        return Err(LoadError::field(0, "file", "cookie", file.u64(0)?, COOKIE.to_string()));
    }
    let body = Bytes { bytes: &bytes[8..], base: 8 };
    let rank_count = body.u32(0)? as usize;
    // Two bytes after the number of ranks: the greatest numbers of processors and network interfaces.
    let table = 6;
    let ranges = body.records(table, rank_count, 16)?;
    let mut ranks = Vec::new();
    for index in 0..rank_count {
        let [start, end] = [ranges.u64(16 * index)?, ranges.u64(16 * index + 8)?].map(usize::try_from);
        let part = start.ok().zip(end.ok()).and_then(|(start, end)| Some((start, body.bytes.get(start..end)?)));
        let Some((start, part)) = part else {
            let at = ranges.base + 16 * index;
            return Err(LoadError::field(at, "rank", "range", index, "a range of offsets inside the file"));
        };
        ranks.push(tasks(&Bytes { bytes: part, base: body.base + start }, rank_count)?);
    }
    Ok(messages::program(format!("messages of {rank_count} ranks"), NAMES, &ranks))
}

/// A part of the file that begins at an offset.
struct Bytes<'a> {
    bytes: &'a [u8],
    base: usize,
}

impl<'a> Bytes<'a> {
    fn array<const N: usize>(&self, at: usize) -> Result<[u8; N], LoadError> {
        let found = at.checked_add(N).and_then(|end| self.bytes.get(at..end)).and_then(|part| part.try_into().ok());
        found.ok_or_else(|| LoadError::syntax(self.base.saturating_add(at), format!("{N} more bytes"), ""))
    }

    fn u8(&self, at: usize) -> Result<u8, LoadError> {
        self.array(at).map(u8::from_le_bytes)
    }

    fn u32(&self, at: usize) -> Result<u32, LoadError> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: usize) -> Result<u64, LoadError> {
        self.array(at).map(u64::from_le_bytes)
    }

    /// Returns `count` records of `size` bytes.
    fn records(&self, at: usize, count: usize, size: usize) -> Result<Bytes<'a>, LoadError> {
        let end = count.checked_mul(size).and_then(|length| at.checked_add(length));
        let Some(bytes) = end.and_then(|end| self.bytes.get(at..end)) else {
            let expected = format!("{count} records of {size} bytes inside the file");
            return Err(LoadError::syntax(self.base.saturating_add(at), expected, ""));
        };
        Ok(Bytes { bytes, base: self.base + at })
    }
}

/// Reads the tasks of a rank.
fn tasks(part: &Bytes<'_>, rank_count: usize) -> Result<Vec<Task>, LoadError> {
    let [count, roots] = [part.u32(0)? as usize, part.u32(4)? as usize];
    let nodes_start = 8 + part.records(8, roots, 4)?.bytes.len();
    let nodes = part.records(nodes_start, count, NODE_BYTES)?;
    let appendix_start = nodes_start + nodes.bytes.len();
    let appendix = Bytes { bytes: &part.bytes[appendix_start..], base: part.base + appendix_start };
    let mut tasks = Vec::with_capacity(count);
    for index in 0..count {
        tasks.push(task(&nodes, index, rank_count)?);
    }
    let mut edge_count = 0;
    for index in 0..count {
        let at = index * NODE_BYTES;
        for (is_start, offset) in [(false, 23), (true, 31)] {
            let [dependants, first] = [nodes.u32(at + offset)? as usize, nodes.u32(at + offset + 4)? as usize];
            edge_count += dependants;
            // Lists of dependants do not overlap, so that their length is bounded by the file.
            if dependants > 0 && edge_count > appendix.bytes.len() / 4 {
                let expected = format!("at most {} entries of the appendix in all lists", appendix.bytes.len() / 4);
                return Err(LoadError::field(nodes.base + at, "node", "dependants", dependants, expected));
            }
            let list = appendix.records(first.saturating_mul(4), dependants, 4);
            for entry in 0..dependants {
                let dependant = list.as_ref().map_err(Clone::clone)?.u32(4 * entry)? as usize;
                let Some(task): Option<&mut Task> = tasks.get_mut(dependant) else {
                    let expected = format!("a node below {count}");
                    return Err(LoadError::field(nodes.base + at, "node", "dependant", dependant, expected));
                };
                if is_start { task.after_start.push(index as u32) } else { task.after_end.push(index as u32) }
            }
        }
    }
    check_roots(part, &nodes, &tasks, [count, roots])?;
    Ok(tasks)
}

/// Reads a node without its dependants.
fn task(nodes: &Bytes<'_>, index: usize, rank_count: usize) -> Result<Task, LoadError> {
    let at = index * NODE_BYTES;
    let (kind, peer, size, tag) = (nodes.u8(at + 4)?, nodes.u32(at + 5)?, nodes.u64(at + 9)?, nodes.u32(at + 17)?);
    let work = match kind {
        1 => Work::Send { to: peer, tag },
        2 => Work::Receive { from: peer, tag },
        3 => Work::Compute,
        _ => return Err(LoadError::field(nodes.base + at + 4, "node", "type", kind, "1, 2 or 3")),
    };
    if work != Work::Compute && peer as usize >= rank_count {
        let expected = format!("a rank below {rank_count}");
        return Err(LoadError::field(nodes.base + at + 5, "node", "peer", peer, expected));
    }
    Ok(Task { line: index as u32, work, size, after_end: Vec::new(), after_start: Vec::new() })
}

/// Checks the number of dependencies of every node, and that the roots are the nodes without dependencies.
fn check_roots(
    part: &Bytes<'_>,
    nodes: &Bytes<'_>,
    tasks: &[Task],
    [count, roots]: [usize; 2],
) -> Result<(), LoadError> {
    let mut is_root = vec![false; count];
    for index in 0..roots {
        let root = part.u32(8 + 4 * index)? as usize;
        match is_root.get_mut(root) {
            Some(seen) if !*seen => *seen = true,
            _ => {
                let expected = format!("a node below {count}, once");
                return Err(LoadError::field(part.base + 8 + 4 * index, "rank", "root", root, expected));
            }
        }
    }
    for (index, task) in tasks.iter().enumerate() {
        let (stated, found) = (nodes.u32(index * NODE_BYTES)? as usize, task.after_end.len() + task.after_start.len());
        let at = nodes.base + index * NODE_BYTES;
        if stated != found {
            let expected = format!("{found}, the number of lists of dependants with this node");
            return Err(LoadError::field(at, "node", "dependency count", stated, expected));
        }
        if is_root[index] != (found == 0) {
            let expected = "listed as a root if and only if it has no dependencies";
            return Err(LoadError::field(at, "node", "number", index, expected));
        }
    }
    Ok(())
}
