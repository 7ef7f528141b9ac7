//! The format `graph-golf`: edge lists of the order/degree problem, also on a grid.
//!
//! # Grammar
//!
//! A line is a link. General graphs have numbers (`0 1`), graphs on a grid coordinates (`0,0 1,0`). Coordinates are
//! positions in a drawing. `#` begins a comment, as does `%` at the beginning of a line.
//!
//! # Source
//!
//! The problem statement of the competition Graph Golf, research.nii.ac.jp/graphgolf.

use std::borrow::Cow;

use crate::NodeId;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::{excerpt, without_comment};

/// Returns true if the first line is a link between coordinates.
pub(super) fn looks_like(text: &str) -> bool {
    let first = text.lines().map(without_comment).find(|line| !line.is_empty()).unwrap_or_default();
    let mut words = first.split_whitespace();
    let mut is_point = || words.next().is_some_and(|word| coordinates(word).is_some());
    is_point() && is_point() && words.next().is_none()
}

/// Reads an edge list. See [`GraphFormat::GraphGolf`](crate::GraphFormat::GraphGolf).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut parsed = ParsedGraph::default();
    for (number, line) in (1..).zip(text.lines()) {
        read_line(&mut parsed, without_comment(line)).map_err(|fault| ReadError::line(number, fault))?;
    }
    parsed.finish(name, options)
}

fn read_line<'a>(parsed: &mut ParsedGraph<'a>, line: &'a str) -> Result<(), FileFault> {
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    let [u, v] = words[..] else {
        return if line.is_empty() { Ok(()) } else { Err(unexpected(line)) };
    };
    let (u, v) = (node(parsed, u)?, node(parsed, v)?);
    parsed.add_edge(u, v, EdgeDirection::Both, EdgeAttributes::default());
    Ok(())
}

fn node<'a>(parsed: &mut ParsedGraph<'a>, word: &'a str) -> Result<NodeId, FileFault> {
    let position = coordinates(word);
    if position.is_none() && word.parse::<u32>().is_err() {
        return Err(unexpected(word));
    }
    let (node, is_new) = parsed.node(Cow::Borrowed(word));
    if let Some([x, y]) = position.filter(|_| is_new) {
        let (x, y) = (Some(f64::from(x)), Some(f64::from(y)));
        parsed.set_attributes(node, NodeAttributes { x, y, ..NodeAttributes::default() })?;
    }
    Ok(node)
}

fn unexpected(found: &str) -> FileFault {
    let expected = "two numbers such as '0 1', or two coordinates such as '0,0 1,0'";
    FileFault::Unexpected { found: format!("'{}'", excerpt(found)), expected }
}

fn coordinates(word: &str) -> Option<[u32; 2]> {
    let (x, y) = word.split_once(',')?;
    Some([x.parse().ok()?, y.parse().ok()?])
}
