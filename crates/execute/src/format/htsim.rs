//! Connection matrices of htsim: flows that begin at a time or at a trigger.
//!
//! Every flow and every trigger is a thread of its own. A trigger fires when all its flows have ended. A flow without `id`
//! gets the smallest number that no other flow has. Times and failures of links are not executed.
//!
//! # Source
//!
//! `sim/datacenter/connection_matrix.cpp` of github.com/Broadcom/csg-htsim.

use std::collections::{BTreeMap, BTreeSet};

use super::text::number;
use crate::error::{LoadError, LoadProblem};
use crate::program::{Instruction, Names, ParallelProgram, Queue, Thread, Wait};

const NAMES: Names = Names { thread: "flow or trigger", place: "line" };

/// A flow.
struct Flow {
    line: usize,
    sender: u32,
    receiver: u32,
    /// `id`, if the file states it.
    id: Option<u32>,
    /// The trigger that begins it.
    begin: Option<u32>,
    /// The triggers at the end of the sender and of the receiver.
    ends: [Option<u32>; 2],
    size: u64,
}

/// A trigger.
struct Trigger {
    line: usize,
    /// Number of flows that must end.
    count: usize,
}

/// The numbers in the first lines.
#[derive(Default)]
struct Counts {
    connections: Option<(usize, usize)>,
    triggers: Option<(usize, usize)>,
    failures: Option<(usize, usize)>,
}

/// Reads a connection matrix.
pub(super) fn load(text: &str) -> Result<ParallelProgram, LoadError> {
    let is_used = |text: &str| !text.trim().is_empty() && !text.trim_start().starts_with('#');
    let mut lines = (1..).zip(text.lines()).filter(|(_, text)| is_used(text));
    let nodes = match lines.next().map(|(line, text)| (line, text.split_whitespace().collect::<Vec<_>>())) {
        Some((line, words)) => match words[..] {
            ["Nodes", count] => number(line, "Nodes", "number", count, u32::MAX.into())? as u32,
            _ => return Err(LoadError::syntax(line, "`Nodes N`", words[0])),
        },
        None => return Err(LoadError::syntax(1, "`Nodes N`", "")),
    };
    let (mut counts, mut flows, mut triggers) = (Counts::default(), Vec::new(), BTreeMap::new());
    let mut failures = 0;
    for (line, text) in lines {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["Connections", count] => counts.connections = Some((line, count_of(line, "Connections", count)?)),
            ["Triggers", count] => counts.triggers = Some((line, count_of(line, "Triggers", count)?)),
            ["Failures", count] => counts.failures = Some((line, count_of(line, "Failures", count)?)),
            ["failure", ..] => failures += 1,
            ["trigger", "id", id, ref options @ ..] => {
                let id = number(line, "trigger", "id", id, u32::MAX.into())? as u32;
                if triggers.insert(id, trigger(line, options)?).is_some() {
                    return Err(LoadError::field(line, "trigger", "id", id, "a number that no other trigger has"));
                }
            }
            _ => flows.push(flow(line, &words, nodes)?),
        }
    }
    check_counts(&counts, flows.len(), triggers.len(), failures)?;
    program(nodes, &flows, &numbers(&flows)?, &triggers)
}

/// Returns the number of each flow: its `id`, or the smallest number that is free.
fn numbers(flows: &[Flow]) -> Result<Vec<u32>, LoadError> {
    let mut lines = BTreeMap::new();
    for flow in flows {
        let Some(id) = flow.id else { continue };
        if let Some(first) = lines.insert(id, flow.line) {
            let expected = format!("a number that no other connection has; line {first} has it");
            return Err(LoadError::field(flow.line, "connection", "id", id, expected));
        }
    }
    let ids: BTreeSet<u32> = lines.into_keys().collect();
    let mut free = (1..).filter(|number| !ids.contains(number));
    Ok(flows.iter().filter_map(|flow| flow.id.or_else(|| free.next())).collect())
}

fn count_of(line: usize, element: &'static str, text: &str) -> Result<usize, LoadError> {
    Ok(number(line, element, "number", text, u32::MAX.into())? as usize)
}

fn check_counts(counts: &Counts, flows: usize, triggers: usize, failures: usize) -> Result<(), LoadError> {
    let Some(connections) = counts.connections else {
        return Err(LoadError {
            place: 1.into(),
            problem: LoadProblem::Missing { element: "file", field: "Connections" },
        });
    };
    for ((line, stated), found, element) in [
        (connections, flows, "Connections"),
        (counts.triggers.unwrap_or((1, 0)), triggers, "Triggers"),
        (counts.failures.unwrap_or((1, 0)), failures, "Failures"),
    ] {
        if stated != found {
            return Err(LoadError::field(
                line,
                element,
                "number",
                stated,
                format!("{found}, their number in the file"),
            ));
        }
    }
    Ok(())
}

/// Reads a connection: `src->dst` and its options.
fn flow(line: usize, words: &[&str], nodes: u32) -> Result<Flow, LoadError> {
    let Some((source, target)) = words[0].split_once("->") else {
        let expected = "`SRC->DST …`, `trigger id …`, `Connections N` or `Triggers N`";
        return Err(LoadError::syntax(line, expected, words[0]));
    };
    let node = |field, text| number(line, "connection", field, text, u64::from(nodes).saturating_sub(1));
    let (sender, receiver) = (node("source", source)? as u32, node("destination", target)? as u32);
    if sender == receiver {
        return Err(LoadError::field(line, "connection", "destination", receiver, "another node than the source"));
    }
    let (mut id, mut size, mut has_start, mut begin, mut ends) = (None, None, false, None, [None; 2]);
    let mut options = words[1..].iter();
    while let Some(&name) = options.next() {
        if name == "addon" {
            continue;
        }
        let Some(&value) = options.next() else {
            return Err(LoadError::syntax(line, "a value after the name of an option", name));
        };
        let read = |field, most| number(line, "connection", field, value, most);
        match name {
            "id" => id = Some(read("id", u32::MAX.into())? as u32),
            "start" => {
                let is_time = value.parse::<f64>().is_ok_and(|start| start.is_finite() && start >= 0.0);
                if !is_time {
                    return Err(LoadError::field(line, "connection", "start", value, "a time from 0 on"));
                }
                has_start = true;
            }
            "trigger" => begin = Some(read("trigger", u32::MAX.into())? as u32),
            "size" => size = Some(read("size", u64::MAX)?),
            "send_done_trigger" => ends[0] = Some(read("send_done_trigger", u32::MAX.into())? as u32),
            "recv_done_trigger" => ends[1] = Some(read("recv_done_trigger", u32::MAX.into())? as u32),
            "prio" | "msg" => _ = read("prio", u64::MAX)?,
            _ => return Err(LoadError::syntax(line, "an option of a connection", name)),
        }
    }
    if id == Some(0) {
        return Err(LoadError::field(line, "connection", "id", 0, "a number from 1, or no 'id'"));
    }
    if has_start == begin.is_some() {
        let expected = "`start TIME` or `trigger N`, and not both";
        return Err(LoadError::syntax(line, expected, &words.join(" ")));
    }
    let missing =
        |field| LoadError { place: line.into(), problem: LoadProblem::Missing { element: "connection", field } };
    if begin.is_some() && id.is_none() {
        return Err(missing("id"));
    }
    Ok(Flow { line, sender, receiver, id, begin, ends, size: size.ok_or_else(|| missing("size"))? })
}

/// Reads a trigger without its number.
fn trigger(line: usize, options: &[&str]) -> Result<Trigger, LoadError> {
    let count = match *options {
        ["oneshot" | "multishot" | "barrier"] => 1,
        ["barrier", "count", count] => count_of(line, "trigger", count)?,
        _ => {
            let expected = "`oneshot`, `multishot` or `barrier count K`";
            return Err(LoadError::syntax(line, expected, &options.join(" ")));
        }
    };
    Ok(Trigger { line, count })
}

fn program(
    nodes: u32,
    flows: &[Flow],
    numbers: &[u32],
    triggers: &BTreeMap<u32, Trigger>,
) -> Result<ParallelProgram, LoadError> {
    let mut program = ParallelProgram::new(format!("flows between {nodes} nodes"), NAMES, nodes);
    let index_of: BTreeMap<u32, u32> = triggers.keys().copied().zip(flows.len() as u32..).collect();
    let mut causes = vec![Vec::new(); triggers.len()];
    for ((index, flow), &number) in (0..).zip(flows).zip(numbers) {
        let find = |field, id: u32| {
            let found = index_of.get(&id).copied();
            found.ok_or_else(|| LoadError::field(flow.line, "connection", field, id, "the id of a trigger of the file"))
        };
        for (field, end) in ["send_done_trigger", "recv_done_trigger"].into_iter().zip(flow.ends) {
            if let Some(id) = end {
                causes[find(field, id)? as usize - flows.len()].push(Wait { thread: index, executed: 2 });
            }
        }
        let begin = flow.begin.map(|id| find("trigger", id)).transpose()?;
        let waits = begin.map(|thread| Wait { thread, executed: 1 });
        // A flow ends when its message has arrived.
        let queue = program.queues.len() as u32;
        let (from, to, end) = (flow.sender, flow.receiver, Some(index));
        program.queues.push(Queue { from, to, sender: end, receiver: end, capacity: 1 });
        let common = Instruction { place: flow.line as u32, size: flow.size, ..Instruction::default() };
        let mut thread = Thread::new(flow.sender, number);
        thread.push(Instruction { send: Some(queue), ..common }, waits.as_slice());
        thread.push(Instruction { receive: Some(queue), ..common }, &[]);
        program.threads.push(thread);
    }
    for ((&id, trigger), causes) in triggers.iter().zip(&causes) {
        if causes.len() != trigger.count {
            let expected = format!("{}, the number of connections that end with trigger {id}", causes.len());
            return Err(LoadError::field(trigger.line, "trigger", "count", trigger.count, expected));
        }
        let mut thread = Thread::new(0, id);
        thread.push(Instruction { place: trigger.line as u32, ..Instruction::default() }, causes);
        program.threads.push(thread);
    }
    Ok(program)
}
