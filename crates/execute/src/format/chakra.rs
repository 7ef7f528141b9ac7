//! Chakra execution traces of ASTRA-sim: one file of nodes per rank.
//!
//! A node begins after the nodes in its lists of dependencies. A send and a receive match by ranks, tag and order; sizes
//! must agree. Collectives inside a trace are not supported.
//!
//! # Source
//!
//! Chakra, `schema/protobuf/et_def.proto`; ASTRA-sim, `astra-sim/system/astraccl/custom_collectives/CustomAlgorithm.cc`.

use std::collections::BTreeMap;

use prost::Message;
use prost::encoding::decode_varint;

use super::messages::{self, Task, Work};
use crate::error::{FilePlace, LoadError, LoadProblem};
use crate::program::{Names, ParallelProgram};

const NAMES: Names = Names { thread: "node", place: "position" };

const COMPUTATION: i32 = 4;
const SEND: i32 = 5;
const RECEIVE: i32 = 6;

/// The first message of a file.
#[derive(Clone, PartialEq, Message)]
struct GlobalMetadata {
    #[prost(message, repeated, tag = "2")]
    attributes: Vec<Attribute>,
}

/// An operation.
#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int32, tag = "3")]
    kind: i32,
    #[prost(uint64, repeated, tag = "4")]
    control_dependencies: Vec<u64>,
    #[prost(uint64, repeated, tag = "5")]
    data_dependencies: Vec<u64>,
    #[prost(message, repeated, tag = "10")]
    attributes: Vec<Attribute>,
}

/// A name with a value of one type.
#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(oneof = "Value", tags = "7, 9, 11, 13, 27, 29")]
    value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Value {
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(uint32, tag = "11")]
    Uint32(u32),
    #[prost(uint64, tag = "13")]
    Uint64(u64),
    #[prost(bool, tag = "27")]
    Bool(bool),
    #[prost(string, tag = "29")]
    Text(String),
}

/// Returns true if a file begins with the metadata of a trace.
pub(super) fn is_trace(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    let is_schema = |attribute: &Attribute| attribute.name == "schema";
    matches!(next::<GlobalMetadata>(&mut rest), Ok(Some(metadata)) if metadata.attributes.iter().any(is_schema))
}

/// Returns the next message of a file with a length in front of each; `None` at the end.
fn next<M: Message + Default>(rest: &mut &[u8]) -> Result<Option<M>, String> {
    if rest.is_empty() {
        return Ok(None);
    }
    let mut body = *rest;
    let length = decode_varint(&mut body).map_err(|error| error.to_string())?;
    let length = usize::try_from(length).ok().filter(|&length| length <= body.len());
    let length = length.ok_or("the message is longer than the file")?;
    let (message, after) = body.split_at(length);
    *rest = after;
    M::decode(message).map(Some).map_err(|error| error.to_string())
}

/// Reads the traces of all ranks.
pub(super) fn load(files: &[&[u8]]) -> Result<ParallelProgram, LoadError> {
    let count = files.len() as u32;
    let mut ranks = Vec::with_capacity(files.len());
    for (rank, file) in (0..).zip(files) {
        ranks.push(tasks(rank, file, count)?);
    }
    Ok(messages::program(format!("messages of {count} ranks"), NAMES, &ranks))
}

/// Reads the nodes of a rank.
fn tasks(rank: u32, file: &[u8], ranks: u32) -> Result<Vec<Task>, LoadError> {
    let mut rest = file;
    let place = |rest: &[u8]| FilePlace::Rank { rank, offset: file.len() - rest.len() };
    let value =
        |place, error: String| LoadError { place, problem: LoadProblem::Value(error.escape_debug().to_string()) };
    match next::<GlobalMetadata>(&mut rest) {
        Ok(Some(_)) => {}
        Ok(None) => return Err(LoadError::syntax(place(rest), "the metadata of a trace", "")),
        Err(error) => return Err(value(place(file), error)),
    }
    let (mut nodes, mut positions) = (Vec::new(), BTreeMap::new());
    loop {
        let at = place(rest);
        let Some(node) = next::<Node>(&mut rest).map_err(|error| value(at.clone(), error))? else { break };
        if positions.insert(node.id, nodes.len() as u32).is_some() {
            return Err(LoadError::field(at, "node", "id", node.id, "an id that is new in its file"));
        }
        nodes.push((at, node));
    }
    let mut tasks = Vec::with_capacity(nodes.len());
    for (position, (at, node)) in nodes.into_iter().enumerate() {
        let mut after_end = Vec::new();
        for dependency in node.control_dependencies.iter().chain(&node.data_dependencies) {
            let found = positions.get(dependency).copied();
            let found = found
                .ok_or_else(|| LoadError::field(at.clone(), "node", "data_deps", dependency, "the id of a node"))?;
            after_end.push(found);
        }
        let (work, size) = work(&node, &at, [rank, ranks])?;
        tasks.push(Task { line: position as u32, work, size, after_end, after_start: Vec::new() });
    }
    Ok(tasks)
}

/// Returns the work of a node, and the size of its message.
fn work(node: &Node, at: &FilePlace, [rank, ranks]: [u32; 2]) -> Result<(Work, u64), LoadError> {
    let number = |field: &'static str, most: u64| {
        let attribute = node.attributes.iter().find(|attribute| attribute.name == field);
        let Some(value) = attribute.and_then(|attribute| attribute.value.as_ref()) else {
            return Err(LoadError { place: at.clone(), problem: LoadProblem::Missing { element: "node", field } });
        };
        let (number, text) = match value {
            Value::Int32(number) => (u64::try_from(*number).ok(), number.to_string()),
            Value::Int64(number) => (u64::try_from(*number).ok(), number.to_string()),
            Value::Uint32(number) => (Some(u64::from(*number)), number.to_string()),
            Value::Uint64(number) => (Some(*number), number.to_string()),
            Value::Bool(flag) => (None, flag.to_string()),
            Value::Text(text) => (None, text.clone()),
        };
        let expected = || format!("a whole number from 0 to {most}");
        number
            .filter(|&number| number <= most)
            .ok_or_else(|| LoadError::field(at.clone(), "node", field, text, expected()))
    };
    let message = |peer: &'static str| {
        let other = number(peer, u64::from(ranks) - 1)? as u32;
        if other == rank {
            return Err(LoadError::field(at.clone(), "node", peer, other, "another rank"));
        }
        let tag = number("comm_tag", u32::MAX.into())? as u32;
        Ok((other, tag, number("comm_size", i64::MAX.cast_unsigned())?))
    };
    match node.kind {
        COMPUTATION => Ok((Work::Compute, 0)),
        SEND => message("comm_dst").map(|(to, tag, size)| (Work::Send { to, tag }, size)),
        RECEIVE => message("comm_src").map(|(from, tag, size)| (Work::Receive { from, tag }, size)),
        other => {
            let expected = "4 (computation), 5 (send) or 6 (receive); collectives inside a trace are not supported";
            Err(LoadError::field(at.clone(), "node", "type", other, expected))
        }
    }
}
