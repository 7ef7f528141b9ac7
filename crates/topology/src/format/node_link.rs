//! The format `node-link`: the node-link JSON of networkx.
//!
//! # Source
//!
//! `networkx.readwrite.json_graph.node_link_data`, networkx 3.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::Topology;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, flip_y};
use crate::format::edges::{Edge, links_or_channels};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::json_text::{parse, push_rows, quoted};
use crate::format::parsed_graph::ParsedGraph;
use crate::quantity::Quantity;
use crate::text::excerpt;

#[derive(Deserialize)]
#[serde(expecting = "an object {\"nodes\": […], \"edges\": […]}")]
struct NodeLinkGraph {
    #[serde(default)]
    directed: bool,
    #[serde(default = "yes")]
    multigraph: bool,
    #[serde(default)]
    graph: Value,
    nodes: Vec<NodeLinkNode>,
    links: Option<Vec<NodeLinkEdge>>,
    edges: Option<Vec<NodeLinkEdge>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a node {\"id\": …}")]
struct NodeLinkNode {
    id: NodeLinkId,
    #[serde(default)]
    pos: Value,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(expecting = "an edge {\"source\": …, \"target\": …}")]
struct NodeLinkEdge {
    source: NodeLinkId,
    target: NodeLinkId,
    resource: Option<NodeLinkId>,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// Returns the default of `multigraph` in networkx.
fn yes() -> bool {
    true
}

/// A node id: a string, a number, or a list of ids, as a name.
struct NodeLinkId(String);

impl<'de> Deserialize<'de> for NodeLinkId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeLinkIdVisitor)
    }
}

struct NodeLinkIdVisitor;

impl<'de> Visitor<'de> for NodeLinkIdVisitor {
    type Value = NodeLinkId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a number")
    }

    fn visit_str<E>(self, word: &str) -> Result<NodeLinkId, E> {
        Ok(NodeLinkId(word.to_owned()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<NodeLinkId, E> {
        Ok(NodeLinkId(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<NodeLinkId, E> {
        Ok(NodeLinkId(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<NodeLinkId, E> {
        Ok(NodeLinkId(format!("{number:?}")))
    }

    /// Returns the nodes of grid graphs are tuples, which are lists in JSON. Python prints them as `(0, 1)`.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<NodeLinkId, A::Error> {
        let mut name = String::from("(");
        let mut length = 0;
        while let Some(NodeLinkId(element)) = list.next_element()? {
            if length > 0 {
                name.push_str(", ");
            }
            name.push_str(&element);
            length += 1;
        }
        name.push_str(if length == 1 { ",)" } else { ")" });
        Ok(NodeLinkId(name))
    }
}

/// Returns the value of an attribute as text.
fn word(value: Value) -> Cow<'static, str> {
    match value {
        Value::String(word) => Cow::Owned(word),
        value => Cow::Owned(value.to_string()),
    }
}

/// Returns the attributes that have a value.
fn present(attributes: BTreeMap<String, Value>) -> impl Iterator<Item = (String, Value)> {
    attributes.into_iter().filter(|(_, value)| !value.is_null())
}

/// Reads node-link JSON. See [`GraphFormat::NodeLink`](crate::GraphFormat::NodeLink) for its grammar.
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let graph: NodeLinkGraph = parse(text)?;
    let mut parsed = ParsedGraph::default();
    for (place, node) in graph.nodes.into_iter().enumerate() {
        let NodeLinkNode { id, pos, others } = node;
        let [x, y] = [0, 1].map(|axis| pos.get(axis).and_then(Value::as_f64));
        let mut attributes = NodeAttributes { x, y, ..NodeAttributes::default() };
        let others = present(others).try_for_each(|(key, value)| match key.as_str() {
            // In node-link JSON only `pos` is a position.
            "x" | "y" => {
                parsed.ignore("node", &key);
                Ok(())
            }
            key => parsed.set_node_attribute(&mut attributes, key, word(value)),
        });
        others
            .and_then(|()| parsed.declare(Cow::Owned(id.0), attributes))
            .map_err(|fault| ReadError::field(format_args!("nodes[{place}]"), fault))?;
    }
    let (key, edges) = match (graph.links, graph.edges) {
        (Some(links), None) => ("links", links),
        (None, Some(edges)) => ("edges", edges),
        (Some(_), Some(_)) => {
            let fault = FileFault::Unexpected { found: "'links' as well".to_owned(), expected: "one of the two" };
            return Err(ReadError::field("edges", fault));
        }
        (None, None) => {
            let fault = FileFault::Unexpected { found: "nothing".to_owned(), expected: "a list 'edges' or 'links'" };
            return Err(ReadError::field("edges", fault));
        }
    };
    let mut seen = (!graph.multigraph).then(BTreeSet::new);
    for (place, NodeLinkEdge { source, target, resource, others }) in edges.into_iter().enumerate() {
        let end = |end, id: &NodeLinkId| {
            parsed.find(&id.0).map_err(|fault| ReadError::field(format_args!("{key}[{place}].{end}"), fault))
        };
        let (u, v) = (end("source", &source)?, end("target", &target)?);
        let ends = if graph.directed { (u, v) } else { (u.min(v), u.max(v)) };
        let fault = if seen.as_mut().is_none_or(|seen| seen.insert(ends)) {
            let direction = if graph.directed { EdgeDirection::Forward } else { EdgeDirection::Both };
            let resource = resource.map(|id| parsed.resource(Cow::Owned(id.0)));
            let mut attributes = EdgeAttributes { resource, ..EdgeAttributes::default() };
            // The key of a parallel edge has no meaning.
            let mut others = present(others).filter(|(key, _)| key != "key");
            let others =
                others.try_for_each(|(key, value)| parsed.set_edge_attribute(&mut attributes, &key, word(value)));
            others.map(|()| parsed.add_edge(u, v, direction, attributes)).err()
        } else {
            Some(FileFault::RepeatedEdge { tail: excerpt(&source.0), head: excerpt(&target.0) })
        };
        if let Some(fault) = fault {
            return Err(ReadError::field(format_args!("{key}[{place}]"), fault));
        }
    }
    for (key, value) in graph.graph.as_object().into_iter().flatten().filter(|(key, _)| *key != "name") {
        match parsed.set_graph_attribute(key, &word(value.clone())) {
            Ok(true) => {}
            Ok(false) => parsed.ignore("graph", key),
            Err(fault) => return Err(ReadError::field("graph", fault)),
        }
    }
    let own_name = graph.graph.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
    parsed.finish(own_name.unwrap_or(name), options)
}

#[derive(Serialize)]
struct WrittenNode<'a> {
    id: &'a str,
    terminal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    routes: Option<bool>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    failed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pos: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct WrittenEdge<'a> {
    source: &'a str,
    target: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<u32>,
    #[serde(flatten)]
    rates: BTreeMap<&'static str, String>,
}

/// Writes node-link JSON.
pub(super) fn write(topology: &Topology) -> String {
    let (edges, is_undirected) = links_or_channels(topology);
    let nodes: Vec<_> = topology
        .nodes()
        .map(|node| WrittenNode {
            id: topology.node_name(node),
            terminal: topology.is_terminal(node),
            routes: topology.written_routes(node),
            failed: topology.has_failed(node),
            host: topology.host(node),
            pos: topology.positions().map(|positions| positions[node.index()]).map(|[x, y]| [x, flip_y(y)]),
        })
        .collect();
    let sorted = |edge: &Edge| {
        if is_undirected { (edge.tail.min(edge.head), edge.tail.max(edge.head)) } else { (edge.tail, edge.head) }
    };
    let mut ends: Vec<_> = edges.iter().map(sorted).collect();
    ends.sort_unstable();
    let has_parallel = ends.windows(2).any(|pair| pair[0] == pair[1]);
    let edges: Vec<_> = edges
        .iter()
        .map(|edge| WrittenEdge {
            source: topology.node_name(edge.tail),
            target: topology.node_name(edge.head),
            resource: edge.group,
            rates: edge.rates().collect(),
        })
        .collect();

    let (directed, name) = (!is_undirected, quoted(topology.name()));
    let unit = topology.unit_bytes_per_second().map(|unit| quoted(&Quantity::Bandwidth.format(unit)));
    let unit = unit.map(|unit| format!(", \"unit\": {unit}")).unwrap_or_default();
    let mut text =
        format!("{{\"directed\": {directed}, \"multigraph\": {has_parallel}, \"graph\": {{\"name\": {name}{unit}}}");
    push_rows(&mut text, "nodes", &nodes);
    push_rows(&mut text, "edges", &edges);
    text.push_str("}\n");
    text
}
