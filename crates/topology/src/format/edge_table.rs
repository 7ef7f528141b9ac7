//! Tables of edges in the format `csv`: a header, then one edge per row.
//!
//! # Grammar
//!
//! The header names the two ends: `source,target`, `src,dst`, `from,to` and similar pairs, in any case and in any columns. The
//! other columns are attributes of the edges. A column `type` with `Directed` and `Undirected` gives the directions, as in
//! Gephi. Otherwise a row is a channel if every row has an opposite one, and a link if not.
//!
//! # Source
//!
//! `networkx.convert_matrix.to_pandas_edgelist`, networkx 3, and the import of edge tables of gephi.org.

use std::borrow::Cow;

use crate::NodeId;
use crate::format::attributes::{EdgeAttributes, EdgeDirection};
use crate::format::edges::are_symmetric;
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;

/// The names of the columns of the two ends of an edge, in lower case.
const ENDS: [[&str; 2]; 9] = [
    ["source", "target"],
    ["src", "dst"],
    ["src", "dest"],
    ["source", "destination"],
    ["from", "to"],
    ["fromnodeid", "tonodeid"],
    ["tail", "head"],
    ["node1", "node2"],
    ["node_1", "node_2"],
];

/// A row of a file with its line.
pub(super) type Row<'a> = (usize, Vec<Cow<'a, str>>);

/// Returns the places of the columns of the two ends, if a row is the header of a table of edges.
pub(super) fn ends<'a>(header: &(impl Iterator<Item = &'a str> + Clone)) -> Option<[usize; 2]> {
    let place = |name: &str| header.clone().position(|field| field.trim().eq_ignore_ascii_case(name));
    ENDS.iter().find_map(|[tail, head]| Some([place(tail)?, place(head)?]))
}

/// An edge of the table, before its direction is known.
struct TableEdge {
    ends: [NodeId; 2],
    direction: Option<EdgeDirection>,
    attributes: EdgeAttributes,
}

/// Reads a table whose first row is the header and has the ends in these columns.
pub(super) fn read(
    rows: Vec<Row<'_>>,
    ends: [usize; 2],
    name: &str,
    options: &ReadOptions,
) -> Result<GraphFile, ReadError> {
    let mut rows = rows.into_iter();
    let keys: Vec<String> = match rows.next() {
        Some((_, header)) => header.iter().map(|key| key.trim().to_ascii_lowercase()).collect(),
        None => Vec::new(),
    };
    let mut parsed = ParsedGraph::default();
    let mut edges = Vec::new();
    for (line, row) in rows {
        let edge = edge(&mut parsed, row, &keys, ends);
        edges.push(edge.map_err(|fault| ReadError::line(line, fault))?);
    }
    let usual = usual_direction(&edges, &mut parsed);
    for TableEdge { ends: [u, v], direction, attributes } in edges {
        parsed.add_edge(u, v, direction.unwrap_or(usual), attributes);
    }
    parsed.finish(name, options)
}

fn edge<'a>(
    parsed: &mut ParsedGraph<'a>,
    row: Vec<Cow<'a, str>>,
    keys: &[String],
    ends: [usize; 2],
) -> Result<TableEdge, FileFault> {
    if row.len() != keys.len() {
        let found = format!("{} entries in a row", row.len());
        return Err(FileFault::Unexpected { found, expected: "an entry for each name of the first row" });
    }
    let mut nodes = [NodeId::new(0); 2];
    for (node, column) in nodes.iter_mut().zip(ends) {
        let name = trimmed(row[column].clone());
        if name.is_empty() {
            let found = format!("no '{}'", keys[column]);
            return Err(FileFault::Unexpected { found, expected: "the names of both ends" });
        }
        (*node, _) = parsed.node(name);
    }
    let (mut attributes, mut direction) = (EdgeAttributes::default(), None);
    for (column, (key, value)) in keys.iter().zip(row).enumerate() {
        let value = trimmed(value);
        if ends.contains(&column) || key.is_empty() || value.is_empty() {
            continue;
        }
        match (key.as_str(), value.to_ascii_lowercase().as_str()) {
            ("type", "directed") => direction = Some(EdgeDirection::Forward),
            ("type", "undirected") => direction = Some(EdgeDirection::Both),
            (key, _) => parsed.set_edge_attribute(&mut attributes, key, value)?,
        }
    }
    Ok(TableEdge { ends: nodes, direction, attributes })
}

fn trimmed(field: Cow<'_, str>) -> Cow<'_, str> {
    match field {
        Cow::Borrowed(field) => Cow::Borrowed(field.trim()),
        Cow::Owned(field) => Cow::Owned(field.trim().to_owned()),
    }
}

/// Returns the direction of the rows that do not state one.
fn usual_direction(edges: &[TableEdge], parsed: &mut ParsedGraph<'_>) -> EdgeDirection {
    let unstated = || edges.iter().filter(|edge| edge.direction.is_none()).map(|edge| edge.ends);
    let loops = unstated().filter(|[u, v]| u == v).count();
    if are_symmetric(unstated().filter(|[u, v]| u != v)) {
        parsed.assume("a row is a channel, because every row has an opposite one");
        return EdgeDirection::Forward;
    }
    if unstated().count() > loops {
        parsed.assume(
            "a row is a link in both directions; if it is a channel, add a column 'type' with the entries 'Directed'",
        );
    }
    EdgeDirection::Both
}

/// Returns true if the names of the header are no nodes: they are in no other row.
pub(super) fn names_are_no_nodes(header: &[Cow<'_, str>], ends: [usize; 2], rows: &[Row<'_>]) -> bool {
    let names = ends.map(|column| header[column].trim());
    let mut entries = rows.iter().flat_map(|(_, row)| ends.iter().filter_map(|&column| row.get(column)));
    !entries.any(|entry| names.contains(&entry.trim()))
}
