//! Logs of programs that use NCCL or RCCL with `NCCL_DEBUG=INFO`: the rings and trees of a communicator.
//!
//! # Grammar
//!
//! The text behind `NCCL INFO` of each line decides; other lines are ignored.
//!
//! - `Channel CC/NN : R R R`, by rank 0: the ring of channel CC of NN from rank 0 on. NCCL cuts it after 128 characters. Releases
//!   before 2.5 write `Channel CC : R R R`.
//! - `Ring CC : R -> R -> R`, by every rank with `NCCL_DEBUG_SUBSYS=INIT,GRAPH`: previous rank, own rank, next rank.
//! - `Trees [C] D/D/D->R->U [C] …`, by every rank: children, own rank and parent in each channel; -1 is none. Releases before 2.6
//!   write `U->R->D/D/D`, 2.6 and 2.7 `D/D/D->R->U|U->R->D/D/D`, and RCCL other words behind them.
//! - `Tree C : U -> R -> D/D/D`, by every rank, in the other order.
//! - `… rank R nranks N … commId X - Init START`: the communicator of the lines of this process that follow.
//!
//! A line `Channel 00/0 : 0[0] -> 1[1] via P2P/IPC` is a connection and no ring.
//!
//! # Source
//!
//! `src/init.cc`, `src/graph/rings.cc` and `src/graph/connect.cc` of github.com/NVIDIA/nccl, releases 2.4 to 2.30.

mod communicator;
mod line;

use std::collections::BTreeMap;

use self::communicator::Collector;
pub use self::communicator::Communicator;
use self::line::{Line, Place, parse};
use super::error::FormatError;

/// Returns true if the text has a line of NCCL.
pub(super) fn looks_like(text: &str) -> bool {
    text.contains(line::MARK)
}

/// Reads a communicator of a log, and returns it with notes. `number` counts the communicators with rings from 1 on, in the order
/// of the log.
///
/// Time and memory are linear in the length of the log, times its logarithm.
///
/// # Errors
///
/// If the log has no such communicator, or not all lines of its rings.
pub fn read(text: &str, number: usize) -> Result<(Communicator, Vec<String>), FormatError> {
    let mut log = Log::default();
    let mut lines = 0;
    for (number, content) in (1..).zip(text.lines()) {
        lines = number;
        if let Some((place, line)) = parse(content, number)? {
            log.add(place, line, number)?;
        }
    }
    let collectors: Vec<Collector> = log.collectors.into_iter().filter(Collector::has_rings).collect();
    let count = collectors.len();
    let Some(collector) = number.checked_sub(1).and_then(|index| collectors.into_iter().nth(index)) else {
        let advice = "run the program with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,GRAPH";
        let text = match count {
            0 => format!("the log has no line 'Channel 00/02 : 0 1 2 3', so no ring; {advice}"),
            _ => format!("the log has {count} communicators with rings, but no number {number}"),
        };
        return Err(FormatError::unsupported(lines.max(1), text));
    };
    let (communicator, mut notes) = collector.finish()?;
    if count > 1 {
        notes.insert(0, format!("communicator {number} of {count} in the log, in the order of their first lines"));
    }
    notes.extend(log.notes);
    if communicator.trees.is_empty() && text.contains(line::REPEATED) {
        notes.push("Ray left out lines of the log; run the program with RAY_DEDUP_LOGS=0 to log the trees".to_owned());
    }
    Ok((communicator, notes))
}

/// The communicators of a log.
#[derive(Default)]
struct Log {
    collectors: Vec<Collector>,
    /// The communicator of each `commId`.
    by_id: BTreeMap<String, usize>,
    /// The communicators without `commId`: the first, second, … one of each process.
    by_ordinal: Vec<usize>,
    processes: BTreeMap<String, Process>,
    notes: Vec<String>,
}

/// The current communicator of a process and device.
#[derive(Default)]
struct Process {
    current: Option<usize>,
    /// The number of communicators without `commId` so far.
    ordinals: usize,
    /// Whether a line named the current communicator.
    is_named: bool,
    /// Whether the lines of channel 0 of rings, neighbours and trees came already.
    seen: [bool; 3],
}

impl Log {
    fn add(&mut self, place: Place<'_>, line: Line<'_>, number: usize) -> Result<(), FormatError> {
        let note = match line {
            Line::GraphFile { graph } => Some(format!("NCCL loaded graph {graph} from an NCCL_GRAPH_FILE")),
            Line::Fallback => Some("NCCL found no path for a pattern, and used a simple order".to_owned()),
            _ => None,
        };
        if let Some(note) = note {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
            return Ok(());
        }
        let key = place.key();
        let collectors = &mut self.collectors;
        let new_collector = || {
            collectors.push(Collector::default());
            collectors.len() - 1
        };
        let process = self.processes.entry(key).or_default();
        if let Line::Start { id, ranks } = line {
            let index = match id {
                Some(id) => *self.by_id.entry(id.to_owned()).or_insert_with(new_collector),
                None => process.next_ordinal(&mut self.by_ordinal, new_collector),
            };
            *process =
                Process { current: Some(index), is_named: id.is_some(), ordinals: process.ordinals, seen: [false; 3] };
            return self.collectors[index].set_ranks(ranks, number);
        }
        // A line of channel 0 that comes again belongs to the next communicator.
        let is_again = line.kind_of_first().is_some_and(|kind| process.seen[kind]) && !process.is_named;
        let index = match process.current {
            Some(index) if !is_again => index,
            _ => {
                let index = process.next_ordinal(&mut self.by_ordinal, new_collector);
                process.seen = [false; 3];
                index
            }
        };
        process.current = Some(index);
        if let Some(kind) = line.kind_of_first() {
            process.seen[kind] = true;
        }
        self.collectors[index].add(line, number)
    }
}

impl Process {
    /// Returns the next communicator without `commId` of this process.
    fn next_ordinal(&mut self, by_ordinal: &mut Vec<usize>, new_collector: impl FnOnce() -> usize) -> usize {
        let ordinal = self.ordinals;
        self.ordinals += 1;
        if ordinal == by_ordinal.len() {
            by_ordinal.push(new_collector());
        }
        by_ordinal[ordinal]
    }
}

#[cfg(test)]
mod tests;
