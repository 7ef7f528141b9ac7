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
use crate::format::edges::links_or_channels;
use crate::format::error::{ReadError, WriteError};
use crate::format::graph_format::GraphFormat;
use crate::format::parsed_graph::flip_y;
use crate::text::excerpt;
use crate::{NodeId, Topology};

/// Reads a DOT file. See [`GraphFormat::Dot`] for its grammar.
pub(super) fn read(text: &str, name: &str) -> Result<Topology, ReadError> {
    DotParser::new(text)?.graph(name)
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
    for (node, name) in topology.nodes().zip(&names) {
        writeln!(text, "  {name}{};", attributes(topology, node)).expect("writing to a string never fails");
    }
    for edge in edges {
        let (tail, head) = (&names[edge.tail.index()], &names[edge.head.index()]);
        let resource = edge.group.map(|resource| format!(" [resource={resource}]")).unwrap_or_default();
        writeln!(text, "  {tail} {operator} {head}{resource};").expect("writing to a string never fails");
    }
    text.push_str("}\n");
    Ok(text)
}

/// Returns the attribute list of a node. Switches are drawn as boxes.
fn attributes(topology: &Topology, node: NodeId) -> String {
    let role = (!topology.is_terminal(node)).then(|| "terminal=false, shape=box".to_owned());
    let routes = topology.written_routes(node).map(|routes| format!("routes={routes}"));
    let position = topology.positions().map(|positions| positions[node.index()]);
    let position = position.map(|[x, y]| format!("pos=\"{x},{}!\"", flip_y(y)));
    let failed = topology.has_failed(node).then(|| "failed=true".to_owned());
    let list: Vec<String> = [role, routes, failed, position].into_iter().flatten().collect();
    if list.is_empty() { String::new() } else { format!(" [{}]", list.join(", ")) }
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
