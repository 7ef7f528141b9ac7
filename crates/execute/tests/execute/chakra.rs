//! Chakra traces: right ones, spoiled ones, and their encoding.

use lockstep_execute::Format;
use lockstep_execute::{ExecuteOptions, Execution, detect, execute, load_traces};

/// Returns a field of a protobuf message with a number.
fn number(field: u8, value: u64) -> Vec<u8> {
    let mut bytes = vec![field << 3];
    varint(&mut bytes, value);
    bytes
}

/// Returns a field with bytes. Its number can exceed 15.
fn bytes(field: u8, contents: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint(&mut bytes, u64::from(field) << 3 | 2);
    varint(&mut bytes, contents.len() as u64);
    bytes.extend(contents);
    bytes
}

fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn attribute(name: &str, value: Vec<u8>) -> Vec<u8> {
    bytes(10, &[bytes(1, name.as_bytes()), value].concat())
}

fn delimited(message: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    varint(&mut all, message.len() as u64);
    all.extend(message);
    all
}

/// A node: kind, peer, tag, size and dependencies. Its id is its position.
#[derive(Clone)]
struct Node(u64, u64, u64, u64, Vec<u64>);

pub(crate) fn trace_file(nodes: &[[u64; 4]]) -> Vec<u8> {
    file(&nodes.iter().map(|&[kind, peer, tag, size]| Node(kind, peer, tag, size, Vec::new())).collect::<Vec<_>>())
}

fn file(nodes: &[Node]) -> Vec<u8> {
    let schema = bytes(2, &[bytes(1, b"schema"), bytes(29, b"1.0.2-chakra.0.0.4")].concat());
    let mut all = delimited(&schema);
    for (id, Node(kind, peer, tag, size, dependencies)) in nodes.iter().enumerate() {
        let end = if *kind == 5 { "comm_dst" } else { "comm_src" };
        let mut node = [number(1, id as u64), bytes(2, b"node"), number(3, *kind)].concat();
        node.extend(dependencies.iter().flat_map(|&other| number(5, other)));
        node.extend(attribute("comm_size", number(9, *size)));
        node.extend(attribute(end, number(7, *peer)));
        node.extend(attribute("comm_tag", number(7, *tag)));
        all.extend(delimited(&node));
    }
    all
}

/// A message from rank 0 over rank 1 to rank 2.
fn relay() -> Vec<Vec<Node>> {
    vec![
        vec![Node(5, 1, 0, 64, vec![])],
        vec![Node(6, 0, 0, 64, vec![]), Node(4, 0, 0, 0, vec![0]), Node(5, 2, 1, 64, vec![1])],
        vec![Node(6, 1, 1, 64, vec![])],
    ]
}

fn run(ranks: &[Vec<Node>]) -> Result<Execution, String> {
    let files: Vec<Vec<u8>> = ranks.iter().map(|nodes| file(nodes)).collect();
    assert_eq!(detect(&files[0]), Some(Format::Chakra));
    let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let programs = load_traces(&files).map_err(|error| error.to_string())?;
    execute(&programs[0], ExecuteOptions { orders: 8, seed: 1 }).map_err(|violation| violation.to_string())
}

#[test]
fn a_relay_runs() {
    assert_eq!(run(&relay()).unwrap().instructions, 5);
}

#[test]
fn spoiled_traces_are_refused() {
    let spoiled = |change: &dyn Fn(&mut Vec<Vec<Node>>)| {
        let mut ranks = relay();
        change(&mut ranks);
        run(&ranks).unwrap_err()
    };
    for (error, message) in [
        (spoiled(&|ranks| ranks[0][0].1 = 2), "deadlock: rank 1, node 0, position 0 waits for a message from rank 0"),
        (spoiled(&|ranks| ranks[1][2].2 = 7), "waits for a message from rank 1"),
        (spoiled(&|ranks| ranks[2][0].3 = 65), "receives 65, but the message has size 64"),
        (spoiled(&|ranks| ranks[2].clear()), "1 messages from rank 1 to rank 2 are never received"),
        (spoiled(&|ranks| ranks[1][1].4 = vec![2]), "deadlock"),
        (spoiled(&|ranks| ranks[1][1].4 = vec![9]), "`data_deps` of `node` is `9`; expected the id of a node"),
        (spoiled(&|ranks| ranks[0][0].1 = 3), "`comm_dst` of `node` is `3`; expected a whole number from 0 to 2"),
        (spoiled(&|ranks| ranks[0][0].1 = 0), "expected another rank"),
        (spoiled(&|ranks| ranks[0][0].0 = 7), "collectives inside a trace are not supported"),
    ] {
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn cut_files_name_rank_and_offset() {
    let mut file = trace_file(&[[4, 0, 0, 0]]);
    file.pop();
    let error = load_traces(&[&file]).unwrap_err().to_string();
    assert!(error.starts_with("rank 0, offset 32: the message is longer than the file"), "{error}");
}
