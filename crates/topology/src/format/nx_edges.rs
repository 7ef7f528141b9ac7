//! The format `nx-edges`: edge lists with data, as networkx writes them.
//!
//! # Grammar
//!
//! A line is an edge: `u v {}`, `u v {'weight': 3, 'capacity': 2}` as `write_edgelist` writes it, or `u v 3` as
//! `write_weighted_edgelist` writes it. A name is a word, or a Python tuple such as `(0, 1)`. `#` begins a comment, as does
//! `%` at the beginning of a line.
//!
//! # Source
//!
//! `networkx.readwrite.edgelist`, networkx 3.

use std::borrow::Cow;

use crate::format::attributes::{EdgeAttributes, EdgeDirection};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::{excerpt, without_comment};

const EXPECTED_LINE: &str = "a line such as '0 1 {}', '0 1 {'weight': 3}' or '0 1 3'";
const EXPECTED_DATA: &str = "data such as {'capacity': 2, 'latency': '700ns'}";

/// Returns true if the first edge has data.
pub(super) fn looks_like(text: &str) -> bool {
    let first = text.lines().map(without_comment).find(|line| !line.is_empty()).unwrap_or_default();
    // Lines such as `a -> 1` and `nodes: 0 1` are those of the format `edges`.
    let is_ours = |&(u, v, _): &(&str, &str, &str)| !u.ends_with(':') && !u.contains("->") && !v.contains("->");
    ends(first)
        .filter(is_ours)
        .is_some_and(|(_, _, data)| data.starts_with('{') || first.starts_with('(') || data.parse::<f64>().is_ok())
}

/// Reads an edge list. See [`GraphFormat::NxEdges`](crate::GraphFormat::NxEdges).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut parsed = ParsedGraph::default();
    for (number, line) in (1..).zip(text.lines()) {
        read_line(&mut parsed, without_comment(line)).map_err(|fault| ReadError::line(number, fault))?;
    }
    parsed.note_links_in_both_directions();
    parsed.assume("an edge is a link in both directions; networkx does not write whether its graph is directed");
    parsed.finish(name, options)
}

fn read_line<'a>(parsed: &mut ParsedGraph<'a>, line: &'a str) -> Result<(), FileFault> {
    if line.is_empty() {
        return Ok(());
    }
    let (u, v, data) = ends(line).ok_or_else(|| unexpected(line, EXPECTED_LINE))?;
    let mut attributes = EdgeAttributes::default();
    if data.parse::<f64>().is_ok() {
        parsed.ignore("edge", "weight");
    } else if !data.is_empty() {
        let inner = data.strip_prefix('{').and_then(|data| data.strip_suffix('}'));
        let inner = inner.ok_or_else(|| unexpected(data, EXPECTED_DATA))?;
        for (key, value) in pairs(inner).ok_or_else(|| unexpected(data, EXPECTED_DATA))? {
            parsed.set_edge_attribute(&mut attributes, key, Cow::Borrowed(value))?;
        }
    }
    let [(u, _), (v, _)] = [u, v].map(|name| parsed.node(Cow::Borrowed(name)));
    parsed.add_edge(u, v, EdgeDirection::Both, attributes);
    Ok(())
}

fn unexpected(found: &str, expected: &'static str) -> FileFault {
    FileFault::Unexpected { found: format!("'{}'", excerpt(found)), expected }
}

/// Returns the names of both ends and the data.
fn ends(line: &str) -> Option<(&str, &str, &str)> {
    let (u, rest) = name(line)?;
    let (v, rest) = name(rest)?;
    Some((u, v, rest.trim()))
}

/// Returns the first name and the text behind it. A tuple ends with its closing bracket.
fn name(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    if !text.starts_with('(') {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        return (end > 0 && !text.starts_with('{')).then(|| text.split_at(end));
    }
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(text.split_at(at + 1));
        }
    }
    None
}

/// Returns the keys and values of `'a': 1, 'b': 'x'`; `None` if they are malformed.
fn pairs(data: &str) -> Option<Vec<(&str, &str)>> {
    let mut pairs = Vec::new();
    let mut rest = data.trim();
    while !rest.is_empty() {
        let (key, tail) = token(rest)?;
        let (value, tail) = token(tail.trim_start().strip_prefix(':')?)?;
        pairs.push((key, value));
        let tail = tail.trim_start();
        rest = match tail.strip_prefix(',') {
            Some(tail) => tail.trim_start(),
            None if tail.is_empty() => tail,
            None => return None,
        };
    }
    Some(pairs)
}

/// Returns a string in quotes without them, or a word, and the text behind it.
fn token(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    for quote in ['\'', '"'] {
        if let Some(rest) = text.strip_prefix(quote) {
            return rest.split_once(quote);
        }
    }
    let mut depth = 0usize;
    let is_end = |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, ',' | ':')
    };
    let end = text.find(is_end).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (!word.trim().is_empty()).then_some((word.trim(), rest))
}
