//! Lockstep's own topology document, version 1, and its conversion from and to [`Topology`].

use lockstep_files::{message_line, one_line};
use serde::{Deserialize, Serialize};

use crate::{ChannelId, Measured, NodeId, RateError, Topology, TopologyBuilder, TopologyError};

/// The value of the field `format`.
pub(crate) const FORMAT: &str = "lockstep-topology";

/// The supported value of the field `version`.
pub(crate) const VERSION: u32 = 1;

/// A node of a topology document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Node"))]
#[serde(deny_unknown_fields, expecting = "a node {\"name\": \"…\", \"terminal\": true}")]
pub(crate) struct DocumentNode {
    /// The name.
    name: String,
    /// True for a terminal, false for a switch.
    terminal: bool,
    /// Whether messages pass through the node, if that differs from the default of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    routes: Option<bool>,
    /// True if the node has failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    failed: bool,
    /// The machine of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<String>,
}

/// The content of a `json` topology file. Conversion to [`Topology`] checks it.
///
/// [`Topology`] itself implements serde's traits by this document; other file formats embed it as a field.
///
/// ```
/// use lockstep_topology::{Topology, TopologyDocument};
///
/// let ring: Topology = "ring:4".parse()?;
/// let document = TopologyDocument::from(&ring);
/// assert_eq!(Topology::try_from(document)?, ring);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Network"))]
#[serde(deny_unknown_fields, expecting = "a topology {\"format\": \"lockstep-topology\", …}")]
pub struct TopologyDocument {
    /// The format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT)))]
    pub(crate) format: String,
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = VERSION)))]
    pub(crate) version: u32,
    /// The name of the network.
    pub(crate) name: String,
    /// The nodes.
    pub(crate) nodes: Vec<DocumentNode>,
    /// The two ends of each channel: its tail and its head.
    pub(crate) channels: Vec<[u32; 2]>,
    /// Lists of channels that share one resource, such as both directions of a half-duplex link.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) shared: Vec<Vec<ChannelId>>,
    /// Failed channels, except those of failed nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) failed: Vec<ChannelId>,
    /// The capacity of each channel, empty if all are 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) capacity: Vec<u64>,
    /// The latency of each channel in picoseconds, empty if all are 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) latency_ps: Vec<u64>,
    /// The bandwidth of one unit of capacity in bytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unit_bytes_per_second: Option<u64>,
    /// The place of each node in a drawing, with y downwards; empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) positions: Vec<[f64; 2]>,
    /// The measurements that the capacities and latencies come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) measured: Option<Measured>,
}

/// The reason a [`TopologyDocument`] is not a topology.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// A document of another kind.
    #[error("field 'format' is '{}', expected '{FORMAT}'", one_line(found))]
    Format {
        /// Value of the field.
        found: String,
    },
    /// An unsupported version.
    #[error("field 'version' is {found}, but only version {VERSION} is known; use a newer lockstep")]
    Version {
        /// Value of the field.
        found: u32,
    },
    /// Nodes and channels that do not form a network.
    #[error("{}", message_line(&.0.to_string()))]
    Topology(#[from] TopologyError),
}

impl From<&Topology> for TopologyDocument {
    fn from(topology: &Topology) -> Self {
        let nodes = topology
            .nodes()
            .map(|node| DocumentNode {
                name: topology.node_name(node).to_owned(),
                terminal: topology.is_terminal(node),
                routes: topology.written_routes(node),
                failed: topology.has_failed(node),
                host: topology.host(node).map(str::to_owned),
            })
            .collect();
        let at_failed = |e| topology.has_failed(topology.tail(e)) || topology.has_failed(topology.head(e));
        let per_channel = |is_stated: bool| is_stated.then(|| topology.channel_numbers()).into_iter().flatten();
        let ends = |e| [topology.tail(e).number(), topology.head(e).number()];
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: topology.name().to_owned(),
            nodes,
            channels: topology.channel_numbers().map(ends).collect(),
            shared: topology.shared_groups(),
            failed: topology.failed_channels().filter(|&channel| !at_failed(channel)).collect(),
            capacity: per_channel(topology.has_capacities()).map(|e| topology.capacity(e).into()).collect(),
            latency_ps: per_channel(topology.has_latencies()).map(|e| topology.latency_ps(e)).collect(),
            unit_bytes_per_second: topology.unit_bytes_per_second(),
            positions: topology.positions().unwrap_or_default().to_vec(),
            measured: None,
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
        Ok(document.into_builder()?.build()?)
    }
}

impl TopologyDocument {
    /// Returns the document with the measurements that its numbers come from.
    #[must_use]
    pub fn with_measured(self, measured: Measured) -> Self {
        Self { measured: Some(measured), ..self }
    }

    /// Returns the measurements that the numbers come from, if the document names them.
    pub fn measured(&self) -> Option<&Measured> {
        self.measured.as_ref()
    }

    pub(crate) fn into_builder(self) -> Result<TopologyBuilder, TopologyError> {
        let (nodes, channels) = (self.nodes.len() as u64, self.channels.len() as u64);
        let mut builder = TopologyBuilder::sized(self.name, nodes, channels)?;
        for node in self.nodes {
            let id = builder.node(node.name, node.terminal, node.routes);
            if node.failed {
                builder.fail_node(id);
            }
            if let Some(host) = node.host {
                builder.set_host(id, host);
            }
        }
        for [tail, head] in self.channels {
            builder.channel(NodeId::new(tail), NodeId::new(head));
        }
        for (field, found) in [("capacity", self.capacity.len()), ("latency_ps", self.latency_ps.len())] {
            if found > 0 && found as u64 != channels {
                return Err(RateError::Count { field, found, channels: channels as usize }.into());
            }
        }
        for (channel, capacity) in self.capacity.into_iter().enumerate() {
            builder.set_capacity([ChannelId::from_index(channel)], capacity);
        }
        for (channel, latency) in self.latency_ps.into_iter().enumerate() {
            builder.set_latency([ChannelId::from_index(channel)], latency);
        }
        if let Some(unit) = self.unit_bytes_per_second {
            builder.set_unit(unit);
        }
        for group in self.shared {
            builder.share(group);
        }
        for channel in self.failed {
            builder.fail_channel(channel);
        }
        builder.positions(self.positions);
        Ok(builder)
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

#[cfg(feature = "schema")]
lockstep_files::schema_of!(Topology, TopologyDocument);
