//! The format `json`: a [`TopologyDocument`] as JSON text.

use std::fmt::Write as _;

use lockstep_files::{one_line, to_json_rows};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::ReadError;
use super::graph_file::{GraphFile, ReadOptions};
use super::json_text::{parse, push_rows, quoted};
use crate::Topology;
use crate::topology_document::{FORMAT, TopologyDocument, VERSION};

/// The fields that identify the kind of a JSON file.
#[derive(Deserialize)]
#[serde(expecting = "an object {…}")]
struct JsonHeader {
    format: Option<String>,
    version: Option<serde_json::Number>,
    nodes: Option<IgnoredAny>,
    links: Option<IgnoredAny>,
    edges: Option<IgnoredAny>,
}

/// Reads a document. The error names the first wrong field.
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    // The header is checked first, because a newer version can have other fields.
    let header: JsonHeader = parse(text)?;
    match header.format {
        None => return Err(ReadError::NoFormat),
        Some(found) if found != FORMAT => return Err(ReadError::OtherFormat { found: one_line(&found) }),
        Some(_) => {}
    }
    if let Some(version) = header.version.filter(|version| version.as_u64() != Some(VERSION.into())) {
        return Err(ReadError::Version { found: version.to_string() });
    }
    let mut document: TopologyDocument = parse(text)?;
    if document.name.is_empty() {
        name.clone_into(&mut document.name);
    }
    GraphFile::build(document.into_builder()?, options, None)
}

/// Returns true if a JSON text looks like node-link JSON of networkx.
pub(super) fn looks_like_node_link(text: &str) -> bool {
    let header: Result<JsonHeader, _> = serde_json::from_str(text);
    header.is_ok_and(|header| {
        header.format.is_none() && header.nodes.is_some() && (header.links.is_some() || header.edges.is_some())
    })
}

/// Writes a network.
pub(super) fn write(topology: &Topology) -> String {
    write_document(&TopologyDocument::from(topology))
}

/// Returns the text of a file of the format `json`, with one list element per line.
pub fn write_document(document: &TopologyDocument) -> String {
    let mut text = format!("{{\"format\": {}, \"version\": {VERSION}, ", quoted(FORMAT));
    write!(text, "\"name\": {}", quoted(&document.name)).expect("writing to a string never fails");
    push_rows(&mut text, "nodes", &document.nodes);
    push_rows(&mut text, "channels", &document.channels);
    if !document.shared.is_empty() {
        push_rows(&mut text, "shared", &document.shared);
    }
    if !document.failed.is_empty() {
        push_rows(&mut text, "failed", &document.failed);
    }
    if !document.capacity.is_empty() {
        write!(text, ",\n \"capacity\": {}", quoted(&document.capacity)).expect("writing to a string never fails");
    }
    if !document.latency_ps.is_empty() {
        write!(text, ",\n \"latency_ps\": {}", quoted(&document.latency_ps)).expect("writing to a string never fails");
    }
    if let Some(unit) = document.unit_bytes_per_second {
        write!(text, ",\n \"unit_bytes_per_second\": {unit}").expect("writing to a string never fails");
    }
    if !document.positions.is_empty() {
        push_rows(&mut text, "positions", &document.positions);
    }
    if let Some(measured) = &document.measured {
        let rows = to_json_rows(measured, 2);
        write!(text, ",\n \"measured\": {}", rows.trim_end()).expect("writing to a string never fails");
    }
    text.push_str("}\n");
    text
}
