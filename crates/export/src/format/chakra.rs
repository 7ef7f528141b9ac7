//! Chakra execution traces: one file per rank, for custom collectives of ASTRA-sim.
//!
//! A send waits for the receives that bring its chunks, and for the sends of the step before it to the same rank: a wait
//! within a step would add the latency of the channel to the step. Local work is a computation of 1 ns. A rank without
//! operations has one computation, because ASTRA-sim refuses an empty trace. The size is fixed. Nodes are operations, with
//! the same numbers.
//!
//! # Source
//!
//! Chakra, `schema/protobuf/et_def.proto`; ASTRA-sim, `astra-sim/system/astraccl/custom_collectives/CustomAlgorithm.cc`.

use std::collections::BTreeMap;
use std::mem;
use std::num::NonZeroU32;

use prost::Message;

use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};
use crate::lower::Connections;
use crate::program::{Action, RankProgram, Receives};

pub(super) const FORMAT: Format = Format {
    name: "chakra",
    about: "Chakra traces for custom collectives of ASTRA-sim, for one size",
    extension: "",
    limits: "",
    write,
};

/// The version of the schema.
const SCHEMA: &str = "1.0.2-chakra.0.0.4";

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
    #[prost(string, tag = "2")]
    name: String,
    #[prost(int32, tag = "3")]
    kind: i32,
    #[prost(uint64, repeated, tag = "5")]
    data_dependencies: Vec<u64>,
    #[prost(uint64, tag = "7")]
    duration_micros: u64,
    #[prost(message, repeated, tag = "10")]
    attributes: Vec<Attribute>,
}

/// A name with a value of one type.
#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(oneof = "Value", tags = "7, 9, 29")]
    value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Value {
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(string, tag = "29")]
    Text(String),
}

fn attribute(name: &str, value: Value) -> Attribute {
    Attribute { name: name.to_owned(), value: Some(value) }
}

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let program = export.lower(Connections::Routed, Receives::Direct, NonZeroU32::MAX)?;
    let metadata = GlobalMetadata {
        attributes: vec![
            attribute("schema", Value::Text(SCHEMA.to_owned())),
            attribute("collective", Value::Text(export.title())),
        ],
    };
    let file = |(rank, of_rank)| {
        let mut contents = metadata.encode_length_delimited_to_vec();
        for node in nodes(of_rank, export.chunk_bytes()) {
            contents.extend(node.encode_length_delimited_to_vec());
        }
        ExportFile { name: format!("plan.{rank}.et"), contents }
    };
    Ok(program.ranks.iter().enumerate().map(file).collect())
}

/// The sends of a rank to another one.
#[derive(Default)]
struct Sends {
    step: u32,
    /// Sends of this step.
    current: Vec<u64>,
    /// Sends of the last step before it that has any.
    earlier: Vec<u64>,
}

impl Sends {
    /// Adds a send, and returns those for which it waits.
    fn add(&mut self, step: u32, id: u64) -> &[u64] {
        if step != self.step {
            self.step = step;
            self.earlier = mem::take(&mut self.current);
        }
        self.current.push(id);
        &self.earlier
    }
}

/// Returns the nodes of a rank.
fn nodes(of_rank: &RankProgram, chunk: u64) -> Vec<Node> {
    let mut sends: BTreeMap<u32, Sends> = BTreeMap::new();
    let mut nodes = Vec::new();
    for (index, operation) in of_rank.operations().iter().enumerate() {
        let id = index as u64;
        let mut data_dependencies: Vec<u64> =
            of_rank.dependencies(index).iter().map(|&earlier| earlier.into()).collect();
        let bytes = i64::try_from(chunk.saturating_mul(operation.count.into())).unwrap_or(i64::MAX);
        let transfer = |kind: i32, end: &str, peer: u32, tag: u32| {
            vec![
                attribute("comm_type", Value::Int64(kind.into())),
                attribute("comm_size", Value::Int64(bytes)),
                attribute(end, Value::Int32(peer.cast_signed())),
                attribute("comm_tag", Value::Int32(tag.cast_signed())),
            ]
        };
        let (kind, word, attributes) = match operation.action {
            Action::Send { peer, tag, .. } => {
                data_dependencies.extend(sends.entry(peer).or_default().add(operation.step, id));
                (SEND, "SEND", transfer(SEND, "comm_dst", peer, tag))
            }
            Action::Receive { peer, tag, .. } => (RECEIVE, "RECV", transfer(RECEIVE, "comm_src", peer, tag)),
            Action::Local { .. } => (COMPUTATION, "COMP", Vec::new()),
        };
        data_dependencies.sort_unstable();
        data_dependencies.dedup();
        let prefix = if kind == COMPUTATION { "" } else { "COMM_" };
        let name = format!("{prefix}{word}_NODE_step{}_{index}", operation.step);
        nodes.push(Node { id, name, kind, data_dependencies, duration_micros: 0, attributes });
    }
    if nodes.is_empty() {
        nodes.push(Node { name: "COMP_NODE_step0_0".to_owned(), kind: COMPUTATION, ..Node::default() });
    }
    nodes
}

#[cfg(test)]
mod tests {
    use lockstep_topology::NodeId;

    use super::*;
    use crate::program::{Buffer, BufferSizes, Combine, Operation, Slot};

    #[test]
    fn sends_wait_for_their_data_and_for_each_other() {
        let slot = Slot { buffer: Buffer::Output, offset: 0 };
        let mut of_rank = RankProgram::new(NodeId::new(0), BufferSizes { input: 0, output: 1, scratch: 0 });
        let receive = Action::Receive { peer: 2, tag: 7, to: slot, combine: Combine::Copy };
        let send = |tag| Action::Send { peer: 1, tag, from: slot };
        of_rank.push(Operation { step: 0, action: receive, count: 2 }, &[]);
        of_rank.push(Operation { step: 1, action: send(8), count: 1 }, &[0]);
        of_rank.push(Operation { step: 2, action: send(9), count: 1 }, &[0]);
        let mut bytes = Vec::new();
        for node in nodes(&of_rank, 100) {
            bytes.extend(node.encode_length_delimited_to_vec());
        }
        let mut rest = &bytes[..];
        let mut read = || Node::decode_length_delimited(&mut rest).expect("a node");
        let (first, second, third) = (read(), read(), read());
        assert_eq!((first.kind, second.kind, third.kind), (RECEIVE, SEND, SEND));
        assert_eq!((second.data_dependencies, third.data_dependencies), (vec![0], vec![0, 1]));
        assert!(first.attributes.contains(&attribute("comm_size", Value::Int64(200))));
        assert!(first.attributes.contains(&attribute("comm_src", Value::Int32(2))));
    }

    #[test]
    fn sends_of_a_step_do_not_wait_for_each_other() {
        let slot = Slot { buffer: Buffer::Input, offset: 0 };
        let mut of_rank = RankProgram::new(NodeId::new(0), BufferSizes { input: 1, output: 0, scratch: 0 });
        for (step, peer) in [(0, 1), (0, 1), (0, 2), (2, 1), (2, 1), (3, 1)] {
            let send = Action::Send { peer, tag: of_rank.operations().len() as u32, from: slot };
            of_rank.push(Operation { step, action: send, count: 1 }, &[]);
        }
        let waits: Vec<Vec<u64>> = nodes(&of_rank, 100).into_iter().map(|node| node.data_dependencies).collect();
        assert_eq!(waits, [vec![], vec![], vec![], vec![0, 1], vec![0, 1], vec![3, 4]]);
    }

    #[test]
    fn a_rank_without_operations_has_one_computation() {
        let of_rank = RankProgram::new(NodeId::new(0), BufferSizes { input: 0, output: 0, scratch: 0 });
        let nodes = nodes(&of_rank, 100);
        assert_eq!(nodes.iter().map(|node| node.kind).collect::<Vec<_>>(), [COMPUTATION]);
    }
}
