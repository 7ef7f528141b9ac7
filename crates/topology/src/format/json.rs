//! Lockstep's own JSON, `"format": "lockstep-topology"`, version 1.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, NodeId, Topology, TopologyBuilder, TopologyError};

/// The `format` field of a topology file.
const FORMAT: &str = "lockstep-topology";

/// The version that this library reads and writes.
const VERSION: u32 = 1;

/// A node of a topology file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeRecord {
    name: String,
    terminal: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    routes: Option<bool>,
}

/// A topology as its file writes it; converting it checks it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologyDocument {
    format: String,
    version: u32,
    name: String,
    nodes: Vec<NodeRecord>,
    channels: Vec<[u32; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shared: Vec<Vec<ChannelId>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    positions: Vec<[f64; 2]>,
}

/// Why a [`TopologyDocument`] is no topology.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// Another kind of file.
    #[error("field 'format' is '{found}', expected '{FORMAT}'")]
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
    #[error(transparent)]
    Topology(#[from] TopologyError),
}

impl From<&Topology> for TopologyDocument {
    fn from(topology: &Topology) -> Self {
        let direct = topology.is_direct();
        let nodes = topology
            .nodes()
            .map(|node| {
                let (terminal, routes) = (topology.is_terminal(node), topology.routes(node));
                let by_rule = !terminal || direct;
                let name = topology.node_name(node).to_owned();
                NodeRecord { name, terminal, routes: (routes != by_rule).then_some(routes) }
            })
            .collect();
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: topology.name().to_owned(),
            nodes,
            channels: topology.channels().map(|e| [topology.tail(e).number(), topology.head(e).number()]).collect(),
            shared: topology.shared_groups(),
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
        let (nodes, channels) = (document.nodes.len() as u64, document.channels.len() as u64);
        let mut builder = TopologyBuilder::sized(document.name, nodes, channels)?;
        for node in document.nodes {
            builder.node(node.name, node.terminal, node.routes);
        }
        for [tail, head] in document.channels {
            builder.channel(NodeId::new(tail), NodeId::new(head));
        }
        for group in document.shared {
            builder.share(group);
        }
        builder.positions(document.positions);
        Ok(builder.build()?)
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
