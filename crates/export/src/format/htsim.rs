//! A connection matrix of htsim: the flows of every step, and a barrier between the steps.
//!
//! A node is a rank. All flows of a step start when all flows of the step before have been received.
//!
//! # Source
//!
//! htsim, `htsim/sim/datacenter/connection_matrix.cpp`.

use std::num::NonZeroU32;

use super::text::Text;
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};
use crate::lower::Connections;
use crate::program::Receives;

pub(super) const FORMAT: Format = Format {
    name: "htsim",
    about: "connection matrix for the packet simulator htsim, for one size; the network is a file of its own",
    extension: "cm",
    limits: "",
    write,
};

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let program = export.lower(Connections::Routed, Receives::Direct, NonZeroU32::MAX)?;
    let chunk = export.chunk_bytes();
    let steps: Vec<_> = program.transfers.chunk_by(|one, next| one.step == next.step).collect();
    let triggers = steps.len().saturating_sub(1);
    let mut text = Text::default();
    text.line(format_args!("Nodes {}", program.ranks.len()));
    text.line(format_args!("Connections {}", program.transfers.len()));
    text.line(format_args!("Triggers {triggers}"));
    let mut id = 0;
    for (number, step) in steps.iter().enumerate() {
        for transfer in *step {
            id += 1;
            let begin = if number == 0 { "start 0".to_owned() } else { format!("trigger {number}") };
            let end = if number < triggers { format!(" recv_done_trigger {}", number + 1) } else { String::new() };
            let size = chunk.saturating_mul(transfer.count.into());
            text.line(format_args!("{}->{} id {id} {begin} size {size}{end}", transfer.sender, transfer.receiver));
        }
    }
    for (number, step) in (1..).zip(steps.iter().take(triggers)) {
        text.line(format_args!("trigger id {number} barrier count {}", step.len()));
    }
    Ok(ExportFile::only(text.into_string()))
}
