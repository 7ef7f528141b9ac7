//! `PyTorch`: the operations of a plan in JSON, and a Python program that runs it with `batch_isend_irecv`.

use std::num::NonZeroU32;

use lockstep_files::to_json_rows;
use serde::Serialize;

use crate::contents::{Place, contents};
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};
use crate::lower::Connections;
use crate::program::{Action, Operation, RankProgram, Receives, Slot};

pub(super) const FORMAT: Format = Format {
    name: "torch",
    about: "JSON and a Python program for torch.distributed, with a test",
    extension: "",
    limits: "",
    write,
};

/// The program.
const PROGRAM: &str = include_str!("torch_program.py");

/// The plan for the Python program.
#[derive(Serialize)]
struct PlanJson {
    title: String,
    steps: u32,
    ranks: Vec<RankJson>,
}

#[derive(Serialize)]
struct RankJson {
    /// Chunks of the input, the output and the scratch memory.
    sizes: [u32; 3],
    /// Chunks before the collective: buffer, offset and value.
    inputs: Vec<(&'static str, u32, u32)>,
    /// Chunks after the collective.
    results: Vec<(&'static str, u32, u32)>,
    operations: Vec<OperationJson>,
}

#[derive(Serialize)]
struct OperationJson {
    step: u32,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<(&'static str, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<(&'static str, u32)>,
    count: u32,
}

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let program = export.lower(Connections::Routed, Receives::Staged, NonZeroU32::MAX)?;
    let found = contents(&export.problem, export.options.placement)?;
    let of_rank = |places: &[Place], rank: u32| {
        let first = places.partition_point(|place| place.rank < rank);
        let own = places[first..].iter().take_while(|place| place.rank == rank);
        own.map(|place| (place.slot.buffer.name(), place.slot.offset, place.value)).collect()
    };
    let rank = |(rank, of): (u32, &RankProgram)| RankJson {
        sizes: [of.buffers.input, of.buffers.output, of.buffers.scratch],
        inputs: of_rank(&found.inputs, rank),
        results: of_rank(&found.results, rank),
        operations: of.operations().iter().map(operation).collect(),
    };
    let ranks = (0..).zip(&program.ranks).map(rank).collect();
    let plan = to_json_rows(&PlanJson { title: export.title(), steps: program.step_count, ranks }, 4);
    let file = |name: &str, text: &str| ExportFile { name: name.to_owned(), contents: text.as_bytes().to_vec() };
    Ok(vec![file("plan.json", &plan), file("run.py", PROGRAM)])
}

fn operation(operation: &Operation) -> OperationJson {
    let slot = |slot: Slot| (slot.buffer.name(), slot.offset);
    let peer = match operation.action {
        Action::Send { peer, .. } | Action::Receive { peer, .. } => Some(peer),
        Action::Local { .. } => None,
    };
    OperationJson {
        step: operation.step,
        action: operation.action.name(),
        peer,
        from: operation.action.reads().map(slot),
        to: operation.action.writes().map(slot),
        count: operation.count,
    }
}
