//! Tables in C: the operations of all ranks, and the contents of their buffers.
//!
//! In a step, a rank first copies, then receives and sends at the same time, and then copies or adds what it received.

use std::num::NonZeroU32;

use super::text::Text;
use crate::contents::{Place, contents};
use crate::error::ExportError;
use crate::export::Export;
use crate::lower::Connections;
use crate::program::{Action, Buffer, Combine, Operation, Program, RankProgram, Receives, Slot};

/// Returns the operations of all ranks as C source code.
pub(super) fn operations(export: &Export<'_>) -> Result<String, ExportError> {
    let program = export.lower(Connections::Routed, Receives::Staged, NonZeroU32::MAX)?;
    let mut text = Text::default();
    text.line(format_args!("enum {{ RANKS = {}, STEPS = {} }};\n", program.ranks.len(), program.step_count));
    write_operations(&mut text, &program);
    Ok(text.into_string())
}

/// Returns the contents of the buffers before and after the collective as C source code.
pub(super) fn test_contents(export: &Export<'_>) -> Result<String, ExportError> {
    let mut text = Text::default();
    write_contents(&mut text, export)?;
    text.line(format_args!("\nstatic const char title[] = \"{}\";", export.title()));
    Ok(text.into_string())
}

const OPERATION: &str = "\
enum buffer { INPUT, OUTPUT, SCRATCH };
enum action { SEND, RECEIVE, COPY, ADD };

/* Offsets and counts are in chunks. The tag numbers the transfers of a pair of ranks in a step. */
struct operation {
    unsigned step;
    enum action action;
    unsigned peer, tag;
    enum buffer from_buffer;
    size_t from;
    enum buffer to_buffer;
    size_t to, count;
};

";

fn write_operations(text: &mut Text, program: &Program) {
    text.push(OPERATION);
    let tags = tags(program);
    text.push("/* The sizes of input, output and scratch memory of every rank. */\n");
    text.push("static const size_t sizes[RANKS][3] = {\n");
    for rank in &program.ranks {
        let sizes = rank.buffers;
        text.line(format_args!("    {{{}, {}, {}}},", sizes.input, sizes.output, sizes.scratch));
    }
    text.push("};\n\nstatic const struct operation operations[] = {\n");
    let mut ends = Vec::new();
    let mut count = 0;
    for rank in &program.ranks {
        for operation in in_order(rank) {
            text.line(format_args!("    {},", line(operation, &tags)));
            count += 1;
        }
        ends.push(count);
    }
    if count == 0 {
        text.push("    {0},\n");
    }
    text.push("};\n\n/* The end of the operations of every rank. */\n");
    write_numbers(text, "operation_end", &ends);
}

/// Returns the operations of a rank with the receives of each step before its sends.
fn in_order(rank: &RankProgram) -> Vec<&Operation> {
    let mut operations: Vec<&Operation> = rank.operations().iter().collect();
    for step in operations.chunk_by_mut(|one, next| one.step == next.step) {
        let is_send = |operation: &&Operation| matches!(operation.action, Action::Send { .. });
        let is_receive = |operation: &&Operation| matches!(operation.action, Action::Receive { .. });
        let sends = step.iter().position(is_send).unwrap_or(0);
        let transfers = step.iter().filter(|operation| is_send(operation) || is_receive(operation)).count();
        if step.iter().any(is_send) {
            step[sends..sends + transfers].sort_by_key(is_send);
        }
    }
    operations
}

/// Returns the number of each transfer among those of its pair of ranks in its step.
fn tags(program: &Program) -> Vec<u32> {
    let mut tags: Vec<u32> = Vec::new();
    for (index, transfer) in program.transfers.iter().enumerate() {
        let ends = |index: usize| {
            let other = program.transfers[index];
            (other.step, other.sender, other.receiver)
        };
        let follows = index > 0 && ends(index - 1) == (transfer.step, transfer.sender, transfer.receiver);
        tags.push(if follows { tags[index - 1] + 1 } else { 0 });
    }
    tags
}

/// Returns the entry of an operation.
fn line(operation: &Operation, tags: &[u32]) -> String {
    let word = |slot: Slot| format!("{}, {}", slot.buffer.name().to_uppercase(), slot.offset);
    let none = Slot { buffer: Buffer::Input, offset: 0 };
    let (action, peer, tag) = match operation.action {
        Action::Send { peer, tag, .. } => ("SEND", peer, tags[tag as usize]),
        Action::Receive { peer, tag, .. } => ("RECEIVE", peer, tags[tag as usize]),
        Action::Local { combine: Combine::Copy, .. } => ("COPY", 0, 0),
        Action::Local { combine: Combine::Add, .. } => ("ADD", 0, 0),
    };
    let [from, to] = [operation.action.reads(), operation.action.writes()].map(|slot| word(slot.unwrap_or(none)));
    format!("{{{}, {action}, {peer}, {tag}, {from}, {to}, {}}}", operation.step, operation.count)
}

const CONTENTS: &str = "
/* Chunks before and after the collective. Chunks with the same value belong together: a result is the sum of all
   inputs with its value. */
struct place {
    unsigned rank;
    enum buffer buffer;
    size_t offset;
    unsigned value;
};

";

fn write_contents(text: &mut Text, export: &Export<'_>) -> Result<(), ExportError> {
    let found = contents(&export.problem, export.options.placement)?;
    text.push(CONTENTS);
    for (name, places) in [("inputs", &found.inputs), ("results", &found.results)] {
        text.line(format_args!("static const struct place {name}[] = {{"));
        for &Place { rank, slot, value } in places {
            let buffer = slot.buffer.name().to_uppercase();
            text.line(format_args!("    {{{rank}, {buffer}, {}, {value}}},", slot.offset));
        }
        text.push("};\n");
        text.line(format_args!("static const size_t {name}_count = {};\n", places.len()));
    }
    let mut origins: Vec<(u32, u32)> = found.inputs.iter().map(|place| (place.value, place.rank)).collect();
    origins.sort_unstable();
    let end = |value: u32| origins.partition_point(|&(other, _)| other <= value);
    text.push("/* The ranks with an input of each value, and the end of those of every value. */\n");
    write_numbers(text, "origins", &origins.iter().map(|&(_, rank)| rank as usize).collect::<Vec<_>>());
    write_numbers(text, "origin_end", &(0..found.values).map(end).collect::<Vec<_>>());
    Ok(())
}

fn write_numbers(text: &mut Text, name: &str, numbers: &[usize]) {
    text.line(format_args!("static const unsigned {name}[] = {{"));
    for line in numbers.chunks(16) {
        let line: Vec<String> = line.iter().map(usize::to_string).collect();
        text.line(format_args!("    {},", line.join(", ")));
    }
    text.push("};\n");
}
