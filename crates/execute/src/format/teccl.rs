//! Results of TE-CCL: chunks that travel over links in epochs.
//!
//! The GPUs of the result, in ascending number, are the ranks. Every flow is two threads: one sends, the other one receives.
//! A send waits for the receive that brings its chunk in an earlier epoch. The result must name its demand; flows with
//! volumes, the results of linear programs, are not supported.
//!
//! # Source
//!
//! TE-CCL, `teccl/examples/experiments/output_provided`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::json;
use crate::error::LoadError;
use crate::program::{
    BufferName, Contribution, Contributors, Instruction, Names, Output, ParallelProgram, Place, Queue, Thread, Wait,
};

const NAMES: Names = Names { thread: "flow", place: "epoch" };

/// The result of a solver. The keys of the file begin with numbers.
#[derive(Deserialize)]
struct ResultJson {
    /// By source, receiver and chunk: the time of arrival.
    #[serde(rename = "6-Demand_Met")]
    #[expect(clippy::zero_sized_map_values, reason = "the values of a JSON object that are not read")]
    demand: BTreeMap<String, BTreeMap<String, BTreeMap<String, IgnoredAny>>>,
    #[serde(rename = "7-Flows")]
    flows: Vec<String>,
}

/// A chunk on a link: the numbers of the GPUs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Flow {
    epoch: u32,
    source: u32,
    chunk: u32,
    from: u32,
    to: u32,
}

/// Returns true if a JSON file has the keys of a result.
pub(super) fn is_result(start: &str) -> bool {
    start.contains("\"1-Epoch_Duration\"")
}

/// Reads a result.
pub(super) fn load(bytes: &[u8]) -> Result<ParallelProgram, LoadError> {
    let result: ResultJson = json::read(bytes)?;
    let mut flows = Vec::with_capacity(result.flows.len());
    for (index, text) in result.flows.iter().enumerate() {
        flows.push(flow(text).ok_or_else(|| {
            let expected = "`Chunk C from GPU traveled over GPU->GPU in epoch E`, and optionally `via switches …`";
            LoadError::syntax(format!("7-Flows[{index}]"), expected, text)
        })?);
    }
    flows.sort_unstable();
    let goals = goals(&result)?;
    let mut gpus: BTreeSet<u32> = goals.iter().flat_map(|&(source, receiver, _)| [source, receiver]).collect();
    gpus.extend(flows.iter().flat_map(|flow| [flow.source, flow.from, flow.to]));
    let ranks: BTreeMap<u32, u32> = gpus.into_iter().zip(0..).collect();
    Ok(program(&ranks, &flows, &goals))
}

/// Reads `Chunk 0 from 14 traveled over 14->13 in epoch 0 via switches 0`.
fn flow(text: &str) -> Option<Flow> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ["Chunk", chunk, "from", source, "traveled", "over", link, "in", "epoch", epoch, ref rest @ ..] = words[..]
    else {
        return None;
    };
    let (from, to) = link.split_once("->")?;
    let is_plain = rest.is_empty() || rest.starts_with(&["via", "switches"]);
    let number = |text: &str| text.parse::<u32>().ok();
    let flow = Flow {
        epoch: number(epoch)?,
        source: number(source)?,
        chunk: number(chunk)?,
        from: number(from)?,
        to: number(to)?,
    };
    (is_plain && flow.from != flow.to).then_some(flow)
}

/// Returns source, receiver and chunk of all demands.
fn goals(result: &ResultJson) -> Result<Vec<(u32, u32, u32)>, LoadError> {
    let number = |text: &str, word: &str| {
        let number = text.strip_prefix(word).and_then(|text| text.trim_start().parse::<u32>().ok());
        number.ok_or_else(|| LoadError::syntax("6-Demand_Met".to_owned(), format!("`{word} N`"), text))
    };
    let mut goals = Vec::new();
    for (source, receivers) in &result.demand {
        for (receiver, chunks) in receivers {
            for chunk in chunks.keys() {
                goals.push((number(source, "GPU")?, number(receiver, "GPU")?, number(chunk, "Chunk")?));
            }
        }
    }
    Ok(goals)
}

/// Returns the program of sorted flows.
fn program(ranks: &BTreeMap<u32, u32>, flows: &[Flow], goals: &[(u32, u32, u32)]) -> ParallelProgram {
    let mut program = ParallelProgram::new(format!("{} demands of TE-CCL", goals.len()), NAMES, ranks.len() as u32);
    // By rank, rank of the source, and chunk.
    let mut slots: BTreeSet<(u32, u32, u32)> = BTreeSet::new();
    for &(source, receiver, chunk) in goals {
        slots.extend([source, receiver].map(|gpu| (ranks[&gpu], ranks[&source], chunk)));
    }
    for flow in flows {
        slots.extend([flow.source, flow.from, flow.to].map(|gpu| (ranks[&gpu], ranks[&flow.source], flow.chunk)));
    }
    let addresses: BTreeMap<(u32, u32, u32), u32> = slots.into_iter().zip(0..).collect();
    for (&(rank, source, chunk), &start) in &addresses {
        program.memory.push((rank == source).then_some(Contribution { rank, chunk }));
        program.places.push(Place { rank, buffer: BufferName::Address, start, size: 1, number: chunk });
    }
    for &(source, receiver, chunk) in goals {
        let contributors = Contributors::One(Contribution { rank: ranks[&source], chunk });
        let address = addresses[&(ranks[&receiver], ranks[&source], chunk)];
        program.outputs.push(Output { address, contributors });
    }
    // The first receive of each slot, with its epoch.
    let mut arrivals: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    let mut queues: BTreeMap<Flow, u32> = BTreeMap::new();
    for (number, flow) in (0..).zip(flows) {
        let [from, to] = [ranks[&flow.from], ranks[&flow.to]];
        let [source, target] = [from, to].map(|rank| addresses[&(rank, ranks[&flow.source], flow.chunk)]);
        let (sender, receiver) = (program.threads.len() as u32, program.threads.len() as u32 + 1);
        let queue = *queues.entry(*flow).or_insert(program.queues.len() as u32);
        if queue as usize == program.queues.len() {
            let (sender, receiver) = (Some(sender), Some(receiver));
            program.queues.push(Queue { from, to, sender, receiver, capacity: usize::MAX });
        }
        let brings = arrivals.get(&source).filter(|&&(epoch, _)| epoch < flow.epoch);
        let waits: Vec<Wait> = brings.map(|&(_, thread)| Wait { thread, executed: 1 }).into_iter().collect();
        let common = Instruction { place: flow.epoch, size: 1, ..Instruction::default() };
        let mut send = Thread::new(from, number);
        send.push(Instruction { reads: [Some(source), None], send: Some(queue), ..common }, &waits);
        // What a rank has already is received and dropped.
        let is_new = program.memory[target as usize].is_none() && !arrivals.contains_key(&target);
        let mut receive = Thread::new(to, number);
        receive.push(Instruction { receive: Some(queue), write: is_new.then_some(target), ..common }, &[]);
        if is_new {
            arrivals.insert(target, (flow.epoch, receiver));
        }
        program.threads.extend([send, receive]);
    }
    program
}
