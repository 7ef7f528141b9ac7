//! JSON of msccl-tools: the steps of a plan as sends of addresses.
//!
//! An address is a value: a message, or a block that a rank keeps for itself. The chunks of an address in a reduction are
//! the contributions of the ranks. The links are those that the plan uses, with the chunks that they carry at a time.
//!
//! # Source
//!
//! msccl-tools, `msccl/serialization.py`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use lockstep_files::to_json_rows;
use lockstep_schedule::CollectiveName;
use serde::Serialize;

use crate::contents::{Contents, Place, contents};
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format, standard_collective};
use crate::program::{Program, Receives};

pub(super) const FORMAT: Format = Format {
    name: "msccl-json",
    about: "algorithm of msccl-tools, an interchange format of planners",
    extension: "json",
    limits: "",
    write,
};

#[derive(Serialize)]
struct Algorithm {
    msccl_type: &'static str,
    name: String,
    instance: Instance,
    input_map: BTreeMap<u32, Vec<u32>>,
    output_map: BTreeMap<u32, Vec<u32>>,
    steps: Vec<Step>,
    collective: CollectiveJson,
    topology: TopologyJson,
}

#[derive(Serialize)]
struct Instance {
    msccl_type: &'static str,
    steps: usize,
    extra_rounds: u64,
    chunks: u32,
    pipeline: Option<u32>,
    extra_memory: Option<u32>,
    allow_exchange: bool,
}

#[derive(Serialize)]
struct Step {
    msccl_type: &'static str,
    rounds: u32,
    /// Address, sender and receiver.
    sends: Vec<[u32; 3]>,
}

#[derive(Serialize)]
struct CollectiveJson {
    msccl_type: &'static str,
    name: String,
    nodes: usize,
    chunks: Vec<Chunk>,
    triggers: BTreeMap<u32, BTreeMap<u32, u32>>,
    runtime_name: &'static str,
}

#[derive(Serialize)]
struct Chunk {
    msccl_type: &'static str,
    pre: Vec<u32>,
    post: Vec<u32>,
    addr: u32,
}

#[derive(Serialize)]
struct TopologyJson {
    msccl_type: &'static str,
    name: String,
    switches: Vec<u32>,
    /// Chunks per round, by receiver and sender.
    links: Vec<Vec<u32>>,
}

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let program = export.lower(export.options.connections, Receives::Direct, NonZeroU32::MIN)?;
    let found = contents(&export.problem, export.options.placement)?;
    let (title, nodes, collective) = (export.title(), program.ranks.len(), export.problem.collective());
    let algorithm = Algorithm {
        msccl_type: "algorithm",
        name: title.clone(),
        instance: Instance {
            msccl_type: "instance",
            steps: export.schedule.step_count(),
            extra_rounds: export.schedule.width_sum() - export.schedule.step_count() as u64,
            chunks: collective.chunks().get(),
            pipeline: None,
            extra_memory: None,
            allow_exchange: false,
        },
        input_map: addresses(&found.inputs),
        output_map: addresses(&found.results),
        steps: steps(export),
        collective: CollectiveJson {
            msccl_type: "collective",
            name: title,
            nodes,
            chunks: chunks(&found),
            triggers: BTreeMap::new(),
            runtime_name: runtime_name(export),
        },
        topology: TopologyJson {
            msccl_type: "topology",
            name: export.problem.topology().name().to_owned(),
            switches: Vec::new(),
            links: links(export, &program),
        },
    };
    Ok(ExportFile::only(to_json_rows(&algorithm, 2)))
}

fn runtime_name(export: &Export<'_>) -> &'static str {
    match standard_collective(&export.problem) {
        Some(CollectiveName::ReduceScatter) => "reduce_scatter",
        _ => export.msccl_word("msccl-tools").unwrap_or("custom"),
    }
}

fn addresses(places: &[Place]) -> BTreeMap<u32, Vec<u32>> {
    let mut addresses: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for place in places {
        addresses.entry(place.rank).or_default().push(place.value);
    }
    addresses
}

/// Returns the sends of every step.
fn steps(export: &Export<'_>) -> Vec<Step> {
    let topology = export.problem.topology();
    let rank = |node| topology.terminal_rank(node).unwrap_or_default() as u32;
    let send = |path: &[_]| match (path.first(), path.last()) {
        (Some(&first), Some(&last)) => [rank(topology.tail(first)), rank(topology.head(last))],
        _ => [0, 0],
    };
    let steps = export.schedule.steps().map(|(_, step)| {
        let sends = step.iter().map(|transfer| {
            let [sender, receiver] = send(transfer.path);
            [transfer.message.number(), sender, receiver]
        });
        Step { msccl_type: "step", rounds: step.width().get(), sends: sends.collect() }
    });
    steps.collect()
}

/// Returns a chunk for every input.
fn chunks(found: &Contents) -> Vec<Chunk> {
    let mut goals = vec![Vec::new(); found.values as usize];
    for place in &found.results {
        goals[place.value as usize].push(place.rank);
    }
    let mut inputs: Vec<(u32, u32)> = found.inputs.iter().map(|place| (place.value, place.rank)).collect();
    inputs.sort_unstable();
    let chunk = |(addr, rank): (u32, u32)| {
        let post = goals[addr as usize].clone();
        Chunk { msccl_type: "chunk", pre: vec![rank], post, addr }
    };
    inputs.into_iter().map(chunk).collect()
}

/// Returns the capacity of the direct channels of each pair of ranks, or the chunks that the plan sends per round if they
/// are more.
fn links(export: &Export<'_>, program: &Program) -> Vec<Vec<u32>> {
    let topology = export.problem.topology();
    let nodes = program.ranks.len();
    let mut links = vec![vec![0u32; nodes]; nodes];
    for channel in topology.channels() {
        let ends = [topology.head(channel), topology.tail(channel)].map(|node| topology.terminal_rank(node));
        if let [Some(receiver), Some(sender)] = ends {
            links[receiver][sender] = links[receiver][sender].saturating_add(topology.capacity(channel));
        }
    }
    for step in program.transfers.chunk_by(|one, next| one.step == next.step) {
        let width = export.schedule.step(step[0].step as usize).width().get();
        for pair in step.chunk_by(|one, next| (one.sender, one.receiver) == (next.sender, next.receiver)) {
            let link = &mut links[pair[0].receiver as usize][pair[0].sender as usize];
            *link = (*link).max((pair.len() as u32).div_ceil(width));
        }
    }
    links
}
