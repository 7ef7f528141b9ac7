//! The format `dot`: Graphviz DOT.
//!
//! # Source
//!
//! The grammar of `graphviz.org/doc/info/lang.html`.

mod lexer;
mod parser;

use std::fmt::Write as _;

use self::lexer::{DotLexer, DotToken};
use self::parser::DotParser;
use crate::format::attributes::flip_y;
use crate::format::edges::links_or_channels;
use crate::format::error::{ReadError, WriteError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::graph_format::GraphFormat;
use crate::quantity::Quantity;
use crate::text::excerpt;
use crate::{NodeId, Topology};

/// Reads a DOT file. See [`GraphFormat::Dot`] for its grammar.
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    DotParser::new(text)?.graph(name, options)
}

/// Returns true if a text begins like a graph in DOT.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lexer = DotLexer::new(text);
    let mut next = || lexer.next().unwrap_or(DotToken::End);
    let mut token = next();
    if token.is("strict") {
        token = next();
    }
    if !token.is("graph") && !token.is("digraph") {
        return false;
    }
    next() == DotToken::Sign('{') || next() == DotToken::Sign('{')
}

/// Writes a DOT file.
pub(super) fn write(topology: &Topology) -> Result<String, WriteError> {
    let (edges, is_undirected) = links_or_channels(topology);
    let (graph, operator) = if is_undirected { ("graph", "--") } else { ("digraph", "->") };
    let mut text = format!("{graph} {} {{\n", quoted(topology.name())?);
    let names: Vec<String> = topology.nodes().map(|node| quoted(topology.node_name(node))).collect::<Result<_, _>>()?;
    if let Some(unit) = topology.unit_bytes_per_second() {
        writeln!(text, "  unit={:?};", Quantity::Bandwidth.format(unit)).expect("writing to a string never fails");
    }
    for (node, name) in topology.nodes().zip(&names) {
        writeln!(text, "  {name}{};", attributes(topology, node)?).expect("writing to a string never fails");
    }
    for edge in edges {
        let (tail, head) = (&names[edge.tail.index()], &names[edge.head.index()]);
        let resource = edge.group.map(|resource| format!("resource={resource}"));
        let rates = edge.rates().map(|(name, value)| format!("{name}={value:?}"));
        let attributes = list(resource.into_iter().chain(rates));
        writeln!(text, "  {tail} {operator} {head}{attributes};").expect("writing to a string never fails");
    }
    text.push_str("}\n");
    Ok(text)
}

/// Returns the attribute list of a node. Switches are drawn as boxes.
fn attributes(topology: &Topology, node: NodeId) -> Result<String, WriteError> {
    let role = (!topology.is_terminal(node)).then(|| "terminal=false, shape=box".to_owned());
    let routes = topology.written_routes(node).map(|routes| format!("routes={routes}"));
    let position = topology.positions().map(|positions| positions[node.index()]);
    let position = position.map(|[x, y]| format!("pos=\"{x},{}!\"", flip_y(y)));
    let failed = topology.has_failed(node).then(|| "failed=true".to_owned());
    let host = topology.host(node).map(quoted).transpose()?.map(|host| format!("host={host}"));
    Ok(list([role, routes, failed, host, position].into_iter().flatten()))
}

/// Returns attributes as ` [a=1, b=2]`, or nothing if there are none.
fn list(attributes: impl Iterator<Item = String>) -> String {
    let attributes: Vec<String> = attributes.collect();
    if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) }
}

/// Returns a name in double quotes that Graphviz reads unchanged.
fn quoted(name: &str) -> Result<String, WriteError> {
    // Only quotes are escaped, so an odd number of backslashes before a quote or before the end would change the name.
    let mut odd_backslashes = false;
    for c in name.chars().chain(['"']) {
        if (odd_backslashes && matches!(c, '"' | '\n')) || c == '\0' {
            let rule = "text without NUL, and with backslashes in pairs before quotes, line breaks and its end";
            return Err(WriteError::Name { format: GraphFormat::Dot, name: excerpt(name), rule });
        }
        odd_backslashes = c == '\\' && !odd_backslashes;
    }
    Ok(format!("\"{}\"", name.replace('"', "\\\"")))
}
