//! The format `graphml`: GraphML.
//!
//! # Source
//!
//! The GraphML primer and schema of `graphml.graphdrawing.org`. Files of yEd: the element `<y:Arrows>` of yFiles.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use roxmltree::Node;

use crate::Topology;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, boolean, flip_y};
use crate::format::edges::links_or_channels;
use crate::format::error::{FileFault, ReadError, WriteError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::graph_format::GraphFormat;
use crate::format::parsed_graph::ParsedGraph;
use crate::format::xml::{at, elements, parse, required, root, text_of, without_document_type};
use crate::quantity::Quantity;
use crate::text::excerpt;

/// Reads a GraphML file. See [`GraphFormat::GraphMl`] for its grammar.
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let text = without_document_type(text);
    let document = parse(&text)?;
    let root = root(&document, "graphml", "<graphml> as the root element")?;
    let mut parsed = ParsedGraph::default();
    let keys = AttributeKeys::new(root, &mut parsed)?;
    let mut graphs = elements(root, "graph");
    let none = FileFault::Unsupported("the file has no <graph>; add one with the network");
    let graph = graphs.next().ok_or_else(|| at(root)(none))?;
    if let Some(second) = graphs.next() {
        return Err(at(second)(FileFault::Unsupported("this is a second <graph>; write one graph per file")));
    }

    for node in elements(graph, "node") {
        let attributes = keys.of_node(node, &mut parsed).map_err(at(node))?;
        let id = attribute(node, "id").map_err(at(node))?;
        parsed.declare(Cow::Borrowed(id), attributes).map_err(at(node))?;
        if let Some(inner) = elements(node, "graph").next() {
            let nested = "a graph inside a node is not supported; move its nodes to the outer graph";
            return Err(at(inner)(FileFault::Unsupported(nested)));
        }
    }
    if let Some(hyperedge) = elements(graph, "hyperedge").next() {
        let bus = "hyperedges are not supported; write a switch with a link to each end";
        return Err(at(hyperedge)(FileFault::Unsupported(bus)));
    }
    let default_direction = match graph.attribute("edgedefault") {
        None | Some("undirected") => EdgeDirection::Both,
        Some("directed") => EdgeDirection::Forward,
        Some(other) => {
            let (attribute, expected) = ("edgedefault", "directed or undirected");
            return Err(at(graph)(FileFault::Value { attribute, found: excerpt(other), expected }));
        }
    };
    for edge in elements(graph, "edge") {
        read_edge(&mut parsed, &keys, edge, default_direction).map_err(at(edge))?;
    }
    if elements(graph, "edge").any(|edge| arrows(edge).is_some()) {
        parsed.assume("arrows give the directions of edges, as in yEd; an edge without arrows is a link");
    }
    for (name, value) in values(graph, &keys.graph).filter(|&(name, _)| name != "name") {
        if !parsed.set_graph_attribute(name, value).map_err(at(graph))? {
            parsed.ignore("graph", name);
        }
    }
    let own_name = keys.graph_name(graph).or(graph.attribute("id")).filter(|name| !name.is_empty());
    parsed.finish(own_name.unwrap_or(name), options)
}

fn read_edge<'a>(
    parsed: &mut ParsedGraph<'a>,
    keys: &AttributeKeys<'a>,
    edge: Node<'a, 'a>,
    default_direction: EdgeDirection,
) -> Result<(), FileFault> {
    let [u, v] = [attribute(edge, "source")?, attribute(edge, "target")?];
    let (u, v) = (parsed.find(u)?, parsed.find(v)?);
    let direction = match edge.attribute("directed") {
        None => arrows(edge).unwrap_or(default_direction),
        Some(value) if boolean("directed", value)? => EdgeDirection::Forward,
        Some(_) => EdgeDirection::Both,
    };
    let mut attributes = keys.default_edge;
    for (name, value) in values(edge, &keys.edge) {
        parsed.set_edge_attribute(&mut attributes, name, Cow::Borrowed(value))?;
    }
    parsed.add_edge(u, v, direction, attributes);
    Ok(())
}

/// Returns the direction of an edge by the arrows that yEd draws; `None` in files of other programs. yEd writes
/// `edgedefault="directed"` for every graph.
fn arrows<'a>(edge: Node<'a, 'a>) -> Option<EdgeDirection> {
    let mut styles = elements(edge, "data").flat_map(|datum| datum.children());
    let arrows = styles.find_map(|style| elements(style, "Arrows").next())?;
    let has_arrow = |end| arrows.attribute(end).is_some_and(|arrow| arrow != "none");
    Some(match (has_arrow("source"), has_arrow("target")) {
        (false, true) => EdgeDirection::Forward,
        (true, false) => EdgeDirection::Backward,
        _ => EdgeDirection::Both,
    })
}

/// The attribute declarations of a file.
struct AttributeKeys<'a> {
    /// The attribute name of each key of nodes, edges and graphs.
    node: BTreeMap<&'a str, &'a str>,
    edge: BTreeMap<&'a str, &'a str>,
    graph: BTreeMap<&'a str, &'a str>,
    /// The defaults of nodes and edges.
    default_node: NodeAttributes,
    default_edge: EdgeAttributes,
}

impl<'a> AttributeKeys<'a> {
    fn new(root: Node<'a, 'a>, parsed: &mut ParsedGraph<'a>) -> Result<Self, ReadError> {
        let mut keys = Self {
            node: BTreeMap::new(),
            edge: BTreeMap::new(),
            graph: BTreeMap::new(),
            default_node: NodeAttributes::default(),
            default_edge: EdgeAttributes::default(),
        };
        // The keys of yEd that have a type are drawings.
        for key in elements(root, "key").filter(|key| key.attribute("yfiles.type").is_none()) {
            let id = attribute(key, "id").map_err(at(key))?;
            // Some programs omit the name and use the key instead.
            let name = key.attribute("attr.name").unwrap_or(id);
            let default = elements(key, "default").next().map(text_of);
            let domain = key.attribute("for").unwrap_or("all");
            if matches!(domain, "node" | "all") {
                keys.node.insert(id, name);
                if let Some(value) = default {
                    let value = Cow::Borrowed(value);
                    parsed.set_node_attribute(&mut keys.default_node, name, value).map_err(at(key))?;
                }
            }
            if matches!(domain, "edge" | "all") {
                keys.edge.insert(id, name);
                if let Some(value) = default {
                    let value = Cow::Borrowed(value);
                    parsed.set_edge_attribute(&mut keys.default_edge, name, value).map_err(at(key))?;
                }
            }
            if matches!(domain, "graph" | "all") {
                keys.graph.insert(id, name);
            }
        }
        Ok(keys)
    }

    fn of_node(&self, node: Node<'a, 'a>, parsed: &mut ParsedGraph<'a>) -> Result<NodeAttributes, FileFault> {
        let mut attributes = self.default_node;
        for (name, value) in values(node, &self.node) {
            parsed.set_node_attribute(&mut attributes, name, Cow::Borrowed(value))?;
        }
        Ok(attributes)
    }

    fn graph_name(&self, graph: Node<'a, 'a>) -> Option<&'a str> {
        values(graph, &self.graph).find(|&(name, _)| name == "name").map(|(_, value)| value)
    }
}

/// Returns the declared data of an element, by attribute name.
fn values<'a>(element: Node<'a, 'a>, keys: &BTreeMap<&'a str, &'a str>) -> impl Iterator<Item = (&'a str, &'a str)> {
    elements(element, "data").filter_map(|datum| {
        let name = keys.get(datum.attribute("key")?)?;
        Some((*name, text_of(datum)))
    })
}

fn attribute<'a>(element: Node<'a, 'a>, name: &'static str) -> Result<&'a str, FileFault> {
    let expected = match name {
        "id" => "id=\"…\"",
        "source" => "source=\"…\"",
        _ => "target=\"…\"",
    };
    required(element, name, expected)
}

/// Writes a GraphML file.
pub(super) fn write(topology: &Topology) -> Result<String, WriteError> {
    let (edges, is_undirected) = links_or_channels(topology);
    let has_routes = topology.nodes().any(|node| topology.written_routes(node).is_some());
    let has_resource = edges.iter().any(|edge| edge.group.is_some());
    let has_positions = topology.positions().is_some();
    let has_hosts = topology.nodes().any(|node| topology.host(node).is_some());
    let unit = topology.unit_bytes_per_second();

    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text.push_str("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    let keys = [
        (true, "node", "terminal", "boolean"),
        (has_routes, "node", "routes", "boolean"),
        (!topology.failed_nodes().is_empty(), "node", "failed", "boolean"),
        (has_hosts, "node", "host", "string"),
        (has_positions, "node", "x", "double"),
        (has_positions, "node", "y", "double"),
        (has_resource, "edge", "resource", "int"),
        (topology.has_capacities(), "edge", "capacity", "int"),
        (topology.has_latencies(), "edge", "latency", "string"),
        (unit.is_some(), "graph", "unit", "string"),
    ];
    for (_, domain, name, kind) in keys.into_iter().filter(|(is_used, ..)| *is_used) {
        let key = format!("<key id=\"{name}\" for=\"{domain}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>");
        writeln!(text, "  {key}").expect("writing to a string never fails");
    }
    let default = if is_undirected { "undirected" } else { "directed" };
    writeln!(text, "  <graph id={} edgedefault=\"{default}\">", quoted(topology.name())?)
        .expect("writing to a string never fails");
    if let Some(unit) = unit {
        text.push_str("    ");
        push_value(&mut text, "unit", Quantity::Bandwidth.format(unit));
        text.push('\n');
    }
    let names: Vec<String> = topology.nodes().map(|node| quoted(topology.node_name(node))).collect::<Result<_, _>>()?;
    for (node, name) in topology.nodes().zip(&names) {
        write!(text, "    <node id={name}>").expect("writing to a string never fails");
        push_value(&mut text, "terminal", topology.is_terminal(node));
        if let Some(routes) = topology.written_routes(node) {
            push_value(&mut text, "routes", routes);
        }
        if topology.has_failed(node) {
            push_value(&mut text, "failed", true);
        }
        if let Some(host) = topology.host(node) {
            push_value(&mut text, "host", escaped(host)?);
        }
        if let Some([x, y]) = topology.positions().map(|positions| positions[node.index()]) {
            push_value(&mut text, "x", x);
            push_value(&mut text, "y", flip_y(y));
        }
        text.push_str("</node>\n");
    }
    for edge in edges {
        let (source, target) = (&names[edge.tail.index()], &names[edge.head.index()]);
        write!(text, "    <edge source={source} target={target}").expect("writing to a string never fails");
        let resource = edge.group.map(|resource| ("resource", resource.to_string()));
        let data: Vec<(&str, String)> = resource.into_iter().chain(edge.rates()).collect();
        text.push_str(if data.is_empty() { "/>\n" } else { ">" });
        for (key, value) in &data {
            push_value(&mut text, key, value);
        }
        text.push_str(if data.is_empty() { "" } else { "</edge>\n" });
    }
    text.push_str("  </graph>\n</graphml>\n");
    Ok(text)
}

fn push_value(text: &mut String, key: &str, value: impl std::fmt::Display) {
    write!(text, "<data key=\"{key}\">{value}</data>").expect("writing to a string never fails");
}

/// Returns a name as a quoted attribute value.
fn quoted(name: &str) -> Result<String, WriteError> {
    Ok(format!("\"{}\"", escaped(name)?))
}

/// Returns a name as text or as an attribute value in double quotes.
fn escaped(name: &str) -> Result<String, WriteError> {
    let mut value = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        match c {
            '&' => value.push_str("&amp;"),
            '<' => value.push_str("&lt;"),
            '>' => value.push_str("&gt;"),
            '"' => value.push_str("&quot;"),
            // A parser would replace them by spaces.
            '\t' | '\n' | '\r' => write!(value, "&#{};", u32::from(c)).expect("writing to a string never fails"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                let rule = "text without control characters and other characters that XML excludes";
                return Err(WriteError::Name { format: GraphFormat::GraphMl, name: excerpt(name), rule });
            }
            _ => value.push(c),
        }
    }
    Ok(value)
}
