//! Graphviz DOT.
//!
//! **Source**: the grammar of `graphviz.org/doc/info/lang.html`.

mod lexer;
mod parser;

use std::fmt::Write as _;

use self::lexer::{Lexer, Token};
use self::parser::Parser;
use crate::format::GraphFormat;
use crate::format::edges::links_or_channels;
use crate::format::error::{ReadError, WriteError};
use crate::format::parsed_graph::upside_down;
use crate::text::excerpt;
use crate::{NodeId, Topology};

pub(super) fn read(text: &str, name: &str) -> Result<Topology, ReadError> {
    Parser::new(text)?.graph(name)
}

/// Whether a text begins as a graph in DOT does.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lexer = Lexer::new(text);
    let mut next = || lexer.next().unwrap_or(Token::End);
    let mut token = next();
    if token.is("strict") {
        token = next();
    }
    if !token.is("graph") && !token.is("digraph") {
        return false;
    }
    next() == Token::Sign('{') || next() == Token::Sign('{')
}

pub(super) fn write(topology: &Topology) -> Result<String, WriteError> {
    let (wires, is_undirected) = links_or_channels(topology);
    let (graph, operator) = if is_undirected { ("graph", "--") } else { ("digraph", "->") };
    let mut text = format!("{graph} {} {{\n", quoted(topology.name())?);
    let names: Vec<String> = topology.nodes().map(|node| quoted(topology.node_name(node))).collect::<Result<_, _>>()?;
    for (node, name) in topology.nodes().zip(&names) {
        writeln!(text, "  {name}{};", attributes(topology, node)).expect("writing to a string");
    }
    for wire in wires {
        let (tail, head) = (&names[wire.tail.index()], &names[wire.head.index()]);
        let resource = wire.group.map(|resource| format!(" [resource={resource}]")).unwrap_or_default();
        writeln!(text, "  {tail} {operator} {head}{resource};").expect("writing to a string");
    }
    text.push_str("}\n");
    Ok(text)
}

/// The attribute list of a node; switches are drawn as boxes.
fn attributes(topology: &Topology, node: NodeId) -> String {
    let role = (!topology.is_terminal(node)).then(|| "terminal=false, shape=box".to_owned());
    let routes = topology.routes_against_rule(node).map(|routes| format!("routes={routes}"));
    let position = topology.positions().map(|positions| positions[node.index()]);
    let position = position.map(|[x, y]| format!("pos=\"{x},{}!\"", upside_down(y)));
    let failed = topology.has_failed(node).then(|| "failed=true".to_owned());
    let list: Vec<String> = [role, routes, failed, position].into_iter().flatten().collect();
    if list.is_empty() { String::new() } else { format!(" [{}]", list.join(", ")) }
}

/// A name between double quotes, which Graphviz reads back as it is.
fn quoted(name: &str) -> Result<String, WriteError> {
    // Only quotes are escaped, so an odd number of backslashes before one or before the end would change it.
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
