//! CSV: one line per operation.

use std::num::NonZeroU32;

use super::text::Text;
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};
use crate::lower::Connections;
use crate::program::{Action, Receives, Slot};

pub(super) const FORMAT: Format = Format {
    name: "csv",
    about: "table of all operations of all ranks, for spreadsheets and programs of your own",
    extension: "csv",
    limits: "",
    write,
};

const HEADER: &[&str] = &[
    "rank",
    "operation",
    "step",
    "action",
    "peer",
    "tag",
    "from_buffer",
    "from_offset",
    "to_buffer",
    "to_offset",
    "count",
    "waits_for",
];

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let program = export.lower(Connections::Routed, Receives::Direct, NonZeroU32::MAX)?;
    let mut text = Text::default();
    text.line(format_args!("{}", HEADER.join(",")));
    let slot = |slot: Option<Slot>| match slot {
        Some(slot) => format!("{},{}", slot.buffer.name(), slot.offset),
        None => ",".to_owned(),
    };
    for (rank, of_rank) in program.ranks.iter().enumerate() {
        for (index, operation) in of_rank.operations().iter().enumerate() {
            let action = operation.action.name();
            let peer = match operation.action {
                Action::Send { peer, tag, .. } | Action::Receive { peer, tag, .. } => format!("{peer},{tag}"),
                Action::Local { .. } => ",".to_owned(),
            };
            let (from, to) = (slot(operation.action.reads()), slot(operation.action.writes()));
            let waits: Vec<String> = of_rank.dependencies(index).iter().map(u32::to_string).collect();
            let (step, count, waits) = (operation.step, operation.count, waits.join(" "));
            text.line(format_args!("{rank},{index},{step},{action},{peer},{from},{to},{count},{waits}"));
        }
    }
    Ok(ExportFile::only(text.into_string()))
}
