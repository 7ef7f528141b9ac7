//! Lockstep's own JSON, `"format": "lockstep-topology"`, version 1.

use std::fmt::Write as _;

use lockstep_files::one_line;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::format::error::{FileFault, FilePlace, ReadError};
use crate::{ChannelId, NodeId, Topology, TopologyBuilder, TopologyError};

/// The `format` field of a topology file.
pub(super) const FORMAT: &str = "lockstep-topology";

/// The version that this library reads and writes.
pub(super) const VERSION: u32 = 1;

/// A node of a topology file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a node {\"name\": \"…\", \"terminal\": true}")]
struct NodeRecord {
    name: String,
    terminal: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    routes: Option<bool>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    failed: bool,
}

/// A topology as its file writes it; converting it checks it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a topology {\"format\": \"lockstep-topology\", …}")]
pub struct TopologyDocument {
    format: String,
    version: u32,
    name: String,
    nodes: Vec<NodeRecord>,
    channels: Vec<[u32; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shared: Vec<Vec<ChannelId>>,
    /// Channels that have failed, beside those of failed nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    failed: Vec<ChannelId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    positions: Vec<[f64; 2]>,
}

/// Why a [`TopologyDocument`] is no topology.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// Another kind of file.
    #[error("field 'format' is '{}', expected '{FORMAT}'", one_line(found))]
    Format {
        /// What the file says.
        found: String,
    },
    /// A version that this library does not know.
    #[error("field 'version' is {found}, but only version {VERSION} is known; use a newer lockstep")]
    Version {
        /// What the file says.
        found: u32,
    },
    /// Contents that make no network.
    #[error("{}", one_line(&.0.to_string()))]
    Topology(#[from] TopologyError),
}

impl From<&Topology> for TopologyDocument {
    fn from(topology: &Topology) -> Self {
        let nodes = topology
            .nodes()
            .map(|node| NodeRecord {
                name: topology.node_name(node).to_owned(),
                terminal: topology.is_terminal(node),
                routes: topology.routes_against_rule(node),
                failed: topology.has_failed(node),
            })
            .collect();
        let at_failed = |e| topology.has_failed(topology.tail(e)) || topology.has_failed(topology.head(e));
        let ends = |e| [topology.tail(e).number(), topology.head(e).number()];
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: topology.name().to_owned(),
            nodes,
            channels: topology.channel_numbers().map(ends).collect(),
            shared: topology.shared_groups(),
            failed: topology.failed_channels().filter(|&channel| !at_failed(channel)).collect(),
            positions: topology.positions().unwrap_or_default().to_vec(),
        }
    }
}

impl TryFrom<TopologyDocument> for Topology {
    type Error = DocumentError;

    fn try_from(document: TopologyDocument) -> Result<Self, DocumentError> {
        if document.format != FORMAT {
            return Err(DocumentError::Format { found: document.format });
        }
        if document.version != VERSION {
            return Err(DocumentError::Version { found: document.version });
        }
        Ok(document.into_topology()?)
    }
}

impl TopologyDocument {
    fn into_topology(self) -> Result<Topology, TopologyError> {
        let (nodes, channels) = (self.nodes.len() as u64, self.channels.len() as u64);
        let mut builder = TopologyBuilder::sized(self.name, nodes, channels)?;
        for node in self.nodes {
            let id = builder.node(node.name, node.terminal, node.routes);
            if node.failed {
                builder.fail_node(id);
            }
        }
        for [tail, head] in self.channels {
            builder.channel(NodeId::new(tail), NodeId::new(head));
        }
        for group in self.shared {
            builder.share(group);
        }
        for channel in self.failed {
            builder.fail_channel(channel);
        }
        builder.positions(self.positions);
        builder.build()
    }
}

impl Serialize for Topology {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        TopologyDocument::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Topology {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = TopologyDocument::deserialize(deserializer)?;
        Topology::try_from(document).map_err(serde::de::Error::custom)
    }
}

/// The fields that say what a JSON file is.
#[derive(Deserialize)]
#[serde(expecting = "an object {…}")]
struct Header {
    format: Option<String>,
    version: Option<serde_json::Number>,
    nodes: Option<IgnoredAny>,
    links: Option<IgnoredAny>,
    edges: Option<IgnoredAny>,
}

pub(super) fn read(text: &str, name: &str) -> Result<Topology, ReadError> {
    // What the file is comes first: a newer version may well have other fields.
    let header: Header = parse(text)?;
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
    Ok(document.into_topology()?)
}

/// Whether a JSON text is a graph as networkx writes it.
pub(super) fn looks_like_node_link(text: &str) -> bool {
    let header: Result<Header, _> = serde_json::from_str(text);
    header.is_ok_and(|header| {
        header.format.is_none() && header.nodes.is_some() && (header.links.is_some() || header.edges.is_some())
    })
}

/// What a JSON file of this format is, and where the network is in it.
pub(super) fn kind_in_words(format: &str) -> String {
    match format {
        "lockstep-schedule" => "a schedule and no network; its field 'topology' is the network".to_owned(),
        "lockstep-plan" => "a plan and no network; its field 'schedule.topology' is the network".to_owned(),
        _ => format!("expected '{FORMAT}'"),
    }
}

/// The value of a JSON text; an error names the field.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    // The parser would take a list for an object without names.
    let (blank, value) = text.split_at(text.len() - text.trim_start().len());
    if let Some(found) = value.chars().next().filter(|&first| first != '{') {
        let (found, expected) = (format!("'{}'", found.escape_debug()), "'{', the beginning of a JSON object");
        return Err(ReadError::line(1 + blank.matches('\n').count(), FileFault::Unexpected { found, expected }));
    }
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    // Keeping track of fields takes as long again, so only bad files are read with it.
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = one_line(&error.path().to_string());
        let line = error.inner().line();
        // A dot is the file itself, a question mark a field whose name is cut off.
        let place = if matches!(&*path, "." | "?") {
            FilePlace::Line(line)
        } else {
            FilePlace::Field { path, line: Some(line) }
        };
        ReadError::At { place, fault: fault(error.inner()) }
    })?;
    json.end().map_err(|error| ReadError::line(error.line(), fault(&error)))?;
    Ok(value)
}

fn fault(error: &serde_json::Error) -> FileFault {
    if error.is_eof() {
        return FileFault::Syntax("the file ends in the middle of a value; it is cut off".to_owned());
    }
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match message.strip_suffix(&place).unwrap_or(&message) {
        "trailing characters" => FileFault::Syntax("there is more here than expected; remove it".to_owned()),
        message => FileFault::Syntax(one_line(message)),
    }
}

pub(super) fn write(topology: &Topology) -> String {
    let document = TopologyDocument::from(topology);
    let mut text = format!("{{\"format\": {}, \"version\": {VERSION}, ", quoted(FORMAT));
    write!(text, "\"name\": {}", quoted(&document.name)).expect("writing to a string");
    push_rows(&mut text, "nodes", &document.nodes);
    push_rows(&mut text, "channels", &document.channels);
    if !document.shared.is_empty() {
        push_rows(&mut text, "shared", &document.shared);
    }
    if !document.failed.is_empty() {
        push_rows(&mut text, "failed", &document.failed);
    }
    if !document.positions.is_empty() {
        push_rows(&mut text, "positions", &document.positions);
    }
    text.push_str("}\n");
    text
}

/// Appends a list to an object, one element a line.
pub(super) fn push_rows<T: Serialize>(text: &mut String, key: &str, rows: &[T]) {
    write!(text, ",\n \"{key}\": [").expect("writing to a string");
    for (place, row) in rows.iter().enumerate() {
        text.push_str(if place == 0 { "\n  " } else { ",\n  " });
        text.push_str(&quoted(row));
    }
    text.push(']');
}

/// A value as JSON on one line.
pub(super) fn quoted<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("numbers, texts and records of them are JSON")
}
