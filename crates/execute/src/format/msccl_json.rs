//! JSON of msccl-tools: an algorithm with steps of sends.
//!
//! Chunks of the same address are contributions to a sum. All sends of a step read what their senders hold before it. A
//! step of several rounds is a wide step. Switches of the topology are not read.
//!
//! # Source
//!
//! msccl-tools, `msccl/serialization.py` and `msccl/ncclize.py`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::json;
use super::steps::{Send, Step, StepSchedule};
use crate::error::{LoadError, LoadProblem};
use crate::program::{Contribution, Contributors, FileStep, ParallelProgram};

#[derive(Deserialize)]
struct AlgorithmJson {
    msccl_type: String,
    steps: Vec<StepJson>,
    collective: CollectiveJson,
    topology: TopologyJson,
}

#[derive(Deserialize)]
struct StepJson {
    rounds: u32,
    /// Address, sender and receiver.
    sends: Vec<[u32; 3]>,
}

#[derive(Deserialize)]
struct CollectiveJson {
    runtime_name: Option<String>,
    nodes: u32,
    chunks: Vec<ChunkJson>,
}

#[derive(Deserialize)]
struct ChunkJson {
    pre: Vec<u32>,
    post: Vec<u32>,
    addr: u32,
}

#[derive(Deserialize)]
struct TopologyJson {
    /// Chunks per round, by receiver and sender.
    links: Vec<Vec<u32>>,
    switches: Vec<serde::de::IgnoredAny>,
}

/// Reads an algorithm.
pub(super) fn load(bytes: &[u8]) -> Result<ParallelProgram, LoadError> {
    let algorithm: AlgorithmJson = json::read(bytes)?;
    let path = |path: &str| path.to_owned();
    if algorithm.msccl_type != "algorithm" {
        return Err(LoadError::field(path("msccl_type"), "file", "msccl_type", &algorithm.msccl_type, "`algorithm`"));
    }
    let ranks = algorithm.collective.nodes;
    // The chunks of a collective name all ranks, so memory is linear in the size of the file.
    let most = algorithm.collective.chunks.iter().map(|chunk| chunk.pre.len() + chunk.post.len()).sum::<usize>();
    if ranks as usize > most {
        let expected = format!("at most {most}, the number of places of all chunks");
        return Err(LoadError::field(path("collective.nodes"), "collective", "nodes", ranks, expected));
    }
    let mut schedule = StepSchedule {
        title: one_line(algorithm.collective.runtime_name.as_deref().unwrap_or("custom")),
        rank_count: ranks,
        ..StepSchedule::default()
    };
    add_chunks(&mut schedule, &algorithm.collective.chunks)?;
    for (number, step) in algorithm.steps.iter().enumerate() {
        if step.rounds == 0 {
            return Err(LoadError::field(format!("steps[{number}].rounds"), "step", "rounds", 0, "a number from 1"));
        }
        let mut sends = Vec::with_capacity(step.sends.len());
        for (index, &[address, from, to]) in step.sends.iter().enumerate() {
            let place = || format!("steps[{number}].sends[{index}]");
            for (field, rank) in [("sender", from), ("receiver", to)] {
                check_rank(place(), "send", field, rank, ranks)?;
            }
            if from == to {
                return Err(LoadError::field(place(), "send", "receiver", to, "another rank than the sender"));
            }
            sends.push(Send { address, from, to });
        }
        let number = number as u64;
        schedule.steps.push(Step { step: FileStep { number, width: step.rounds }, sends });
    }
    let mut program = schedule.program(path("collective"))?;
    if algorithm.topology.switches.is_empty() {
        program.links = links(&algorithm.topology.links, ranks)?;
    }
    Ok(program)
}

/// Returns a name for a title.
fn one_line(name: &str) -> String {
    name.chars().filter(char::is_ascii_graphic).take(40).collect()
}

fn check_rank(
    place: String,
    element: &'static str,
    field: &'static str,
    rank: u32,
    ranks: u32,
) -> Result<(), LoadError> {
    if rank < ranks {
        return Ok(());
    }
    Err(LoadError::field(place, element, field, rank, format!("a rank below {ranks}, the `nodes` of the collective")))
}

/// Adds the values before the first and after the last step.
fn add_chunks(schedule: &mut StepSchedule, chunks: &[ChunkJson]) -> Result<(), LoadError> {
    let mut of_address: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, chunk) in chunks.iter().enumerate() {
        for (field, list) in [("pre", &chunk.pre), ("post", &chunk.post)] {
            for &rank in list {
                check_rank(format!("collective.chunks[{index}]"), "chunk", field, rank, schedule.rank_count)?;
            }
        }
        let Some(&first) = chunk.pre.first() else {
            let place = format!("collective.chunks[{index}]").into();
            return Err(LoadError { place, problem: LoadProblem::Missing { element: "pre", field: "rank" } });
        };
        let of_address = of_address.entry(chunk.addr).or_default();
        of_address.push(index);
        for &rank in &chunk.pre {
            let origin = if of_address.len() == 1 { first } else { rank };
            let contribution = Contribution { rank: origin, chunk: chunk.addr };
            let before = schedule.inputs.insert((rank, chunk.addr), contribution);
            if before.is_some() && of_address.len() > 1 {
                let expected = "another rank: two chunks of one address cannot begin at one rank";
                return Err(LoadError::field(format!("collective.chunks[{index}]"), "chunk", "pre", rank, expected));
            }
        }
    }
    for (&address, indexes) in &of_address {
        let first = &chunks[indexes[0]];
        let contributors = if let [_] = indexes[..] {
            Contributors::One(Contribution { rank: first.pre[0], chunk: address })
        } else {
            let is_sum = |index: &usize| chunks[*index].pre.len() == 1 && same_ranks(&chunks[*index].post, &first.post);
            if indexes.len() != schedule.rank_count as usize || !indexes.iter().all(is_sum) {
                let place = format!("collective.chunks[{}]", indexes[0]);
                let expected = "the address of one chunk, or of one chunk of every rank with equal `post`";
                return Err(LoadError::field(place, "chunk", "addr", address, expected));
            }
            Contributors::AllRanks { chunk: address }
        };
        for &rank in &first.post {
            schedule.outputs.insert((rank, address), contributors);
        }
    }
    Ok(())
}

/// Returns true if two lists have the same ranks.
fn same_ranks(one: &[u32], other: &[u32]) -> bool {
    let sorted = |list: &[u32]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    };
    one == other || sorted(one) == sorted(other)
}

/// Returns sender, receiver and capacity of each link.
fn links(table: &[Vec<u32>], ranks: u32) -> Result<Vec<[u32; 3]>, LoadError> {
    let mut links = Vec::new();
    for (to, row) in (0..).zip(table) {
        for (from, &capacity) in (0..).zip(row) {
            if capacity > 0 && from != to {
                let place = || format!("topology.links[{to}][{from}]");
                check_rank(place(), "link", "receiver", to, ranks)?;
                check_rank(place(), "link", "sender", from, ranks)?;
                links.push([from, to, capacity]);
            }
        }
    }
    Ok(links)
}
