//! The format `booksim`: the file of a network `anynet` of BookSim 2.
//!
//! # Grammar
//!
//! A line is a router or a node and what it is linked to: `router 0 node 0 node 1 router 1 2`. A number behind a link is its
//! latency in cycles. It holds for both directions of a link between a node and a router, and only away from the first
//! router for a link between routers. Every link has both directions, whether one line or two state it. A node has one
//! router.
//!
//! # Source
//!
//! `src/networks/anynet.cpp` of github.com/booksim/booksim2.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, whole_number};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

/// A cycle in picoseconds, as far as the reader assumes.
const CYCLE_PS: u64 = 1_000;

/// A router or a node. Nodes come first in the network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Vertex {
    Node(u32),
    Router(u32),
}

impl Vertex {
    fn name(self) -> String {
        match self {
            Self::Node(number) => format!("node{number}"),
            Self::Router(number) => format!("router{number}"),
        }
    }
}

/// Returns true if the first line begins with `router` or `node` and a number.
pub(super) fn looks_like(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut words = first.split_whitespace();
    let is_kind = |word: &str| matches!(word, "router" | "node");
    let is_number = |word: &str| word.parse::<u32>().is_ok();
    words.next().is_some_and(is_kind) && words.next().is_some_and(is_number) && words.next().is_some_and(is_kind)
}

/// Reads a network. See [`GraphFormat::BookSim`](crate::GraphFormat::BookSim).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut network = AnyNet::default();
    for (number, line) in (1..).zip(text.lines()) {
        network.read_line(number, line).map_err(|fault| ReadError::line(number, fault))?;
    }
    network.build(name, options)
}

#[derive(Default)]
struct AnyNet {
    /// The latency of each channel in cycles, if stated, and the line that states the channel first.
    channels: BTreeMap<(Vertex, Vertex), (Option<u64>, usize)>,
    /// The router of each node.
    router_of: BTreeMap<u32, u32>,
}

impl AnyNet {
    fn read_line(&mut self, number: usize, line: &str) -> Result<(), FileFault> {
        let mut words = line.split_whitespace().peekable();
        if words.peek().is_none() {
            return Ok(());
        }
        let head = vertex(words.next(), words.next(), line)?;
        if let Some(word) = words.peek().filter(|word| word.parse::<u64>().is_ok()) {
            let found = format!("'{}' behind the first {}", excerpt(word), head.name());
            return Err(FileFault::Unexpected { found, expected: "'router NUMBER' or 'node NUMBER'" });
        }
        while let Some(kind) = words.next() {
            let body = vertex(Some(kind), words.next(), line)?;
            let latency = words.next_if(|word| word.bytes().next().is_some_and(|first| !first.is_ascii_alphabetic()));
            let range = "a number of cycles from 1 to 1000000";
            let latency = latency.map(|word| whole_number("latency", word, 1..=1_000_000, range)).transpose()?;
            self.add(number, head, body, latency)?;
        }
        Ok(())
    }

    fn add(&mut self, line: usize, head: Vertex, body: Vertex, latency: Option<u64>) -> Result<(), FileFault> {
        let is_with_node = match (head, body) {
            (Vertex::Node(_), Vertex::Node(_)) => {
                return Err(FileFault::Unsupported("a node is linked to a node; link both to a router"));
            }
            (Vertex::Node(node), Vertex::Router(router)) | (Vertex::Router(router), Vertex::Node(node)) => {
                let other = *self.router_of.entry(node).or_insert(router);
                if other != router {
                    let found = format!("router {router} for node {node}, which is at router {other}");
                    return Err(FileFault::Unexpected { found, expected: "one router per node; remove one" });
                }
                true
            }
            (Vertex::Router(_), Vertex::Router(_)) => false,
        };
        for (channel, stated) in [((head, body), latency), ((body, head), latency.filter(|_| is_with_node))] {
            let (known, _) = self.channels.entry(channel).or_insert((None, line));
            *known = stated.or(*known);
        }
        Ok(())
    }

    fn build(self, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
        let mut parsed = ParsedGraph::default();
        let mut vertices: Vec<Vertex> = self.channels.keys().map(|&(tail, _)| tail).collect();
        vertices.dedup();
        for vertex in vertices {
            let switch = Some(matches!(vertex, Vertex::Router(_)));
            let attributes = NodeAttributes { switch, ..NodeAttributes::default() };
            let declared = parsed.declare(Cow::Owned(vertex.name()), attributes);
            declared.map_err(|fault| ReadError::line(1, fault))?;
        }
        let has_latencies = self.channels.values().any(|(latency, _)| latency.is_some());
        for (&(tail, head), &(latency, line)) in &self.channels {
            let latency_ps = has_latencies.then(|| latency.unwrap_or(1) * CYCLE_PS);
            let attributes = EdgeAttributes { latency_ps, ..EdgeAttributes::default() };
            let ends = parsed.find(&tail.name()).and_then(|u| Ok((u, parsed.find(&head.name())?)));
            let (u, v) = ends.map_err(|fault| ReadError::line(line, fault))?;
            parsed.add_edge(u, v, EdgeDirection::Forward, attributes);
        }
        if has_latencies {
            parsed.assume("a cycle takes 1 ns; channels without a latency take one cycle");
        }
        parsed.finish(name, options)
    }
}

fn vertex(kind: Option<&str>, number: Option<&str>, line: &str) -> Result<Vertex, FileFault> {
    let number = number.and_then(|number| number.parse().ok());
    match (kind, number) {
        (Some("node"), Some(number)) => Ok(Vertex::Node(number)),
        (Some("router"), Some(number)) => Ok(Vertex::Router(number)),
        _ => {
            let found = format!("'{}'", excerpt(line.trim()));
            Err(FileFault::Unexpected { found, expected: "a line such as 'router 0 node 0 node 1 router 1 2'" })
        }
    }
}
