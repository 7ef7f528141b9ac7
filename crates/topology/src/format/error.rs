//! The errors of reading and writing graph files.

use std::fmt;

use lockstep_files::message_line;

use super::graph_format::GraphFormat;
use crate::topology_document::{FORMAT, VERSION};
use crate::{QuantityError, TopologyError};

/// The reason a text is not a network. Each message is one line.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A text of white space only.
    #[error("the file is empty; a network has at least one node")]
    Empty,
    /// A file of a known kind that is not a network, or not read.
    #[error("this is {kind}; {remedy}")]
    OtherKind {
        /// The kind of the file.
        kind: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// JSON of another kind.
    #[error("field 'format' is '{found}', {}", actual_kind(found))]
    OtherFormat {
        /// Value of the field.
        found: String,
    },
    /// JSON without the field `format`.
    #[error(
        "field 'format' is missing, expected '{}'; use the format {} for a graph from networkx",
        FORMAT,
        GraphFormat::NodeLink
    )]
    NoFormat,
    /// An unsupported version.
    #[error("field 'version' is {found}, but only version {VERSION} is known; use a newer lockstep")]
    Version {
        /// Value of the field.
        found: String,
    },
    /// A fault at a known place.
    #[error("{place}: {fault}")]
    At {
        /// The place.
        place: FilePlace,
        /// The fault.
        fault: FileFault,
    },
    /// Nodes and channels that do not form a network.
    #[error("{}", message_line(&.0.to_string()))]
    Topology(#[from] TopologyError),
}

impl ReadError {
    pub(super) fn line(line: usize, fault: FileFault) -> Self {
        Self::At { place: FilePlace::Line(line), fault }
    }

    pub(super) fn field(path: impl fmt::Display, fault: FileFault) -> Self {
        Self::At { place: FilePlace::Field { path: path.to_string(), line: None }, fault }
    }
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FilePlace {
    /// A line, counted from 1.
    Line(usize),
    /// A field of a JSON file.
    Field {
        /// Path of the field, such as `nodes[3].terminal`.
        path: String,
        /// Its line, counted from 1, if known.
        line: Option<usize>,
    },
}

impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Field { path, line: None } => write!(f, "field '{path}'"),
            Self::Field { path, line: Some(line) } => write!(f, "line {line}, field '{path}'"),
        }
    }
}

/// A fault at a [`FilePlace`]. Quotes of the file are on one line and shortened if long.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// Text that the format does not allow here.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// The text found.
        found: String,
        /// Description of the allowed text.
        expected: &'static str,
    },
    /// An invalid value of an attribute.
    #[error("'{attribute}' is '{found}', expected {expected}")]
    Value {
        /// Name of the attribute.
        attribute: &'static str,
        /// Its value.
        found: String,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// An invalid bandwidth or latency.
    #[error("'{attribute}': {error}")]
    Quantity {
        /// Name of the attribute.
        attribute: &'static str,
        /// What is wrong with its value.
        error: QuantityError,
    },
    /// `terminal` and `switch` of one node are both true or both false.
    #[error("'terminal' and 'switch' of node '{name}' contradict each other; keep one of them")]
    Role {
        /// Name of the node.
        name: String,
    },
    /// A second node with the same name.
    #[error("node '{name}' already exists; give each node a unique name")]
    DuplicateNode {
        /// The name.
        name: String,
    },
    /// The name of an unknown node.
    #[error("there is no node '{name}'; correct the name, or add the node")]
    UnknownNode {
        /// The name.
        name: String,
    },
    /// A parallel edge in a graph that is not a multigraph.
    #[error("'{tail}' and '{head}' are already joined; set 'multigraph' to true for parallel edges")]
    RepeatedEdge {
        /// Name of the first node.
        tail: String,
        /// Name of the second node.
        head: String,
    },
    /// A feature of the format that networks do not have, or a text above a size limit.
    #[error("{0}")]
    Unsupported(&'static str),
    /// Malformed JSON or XML, or a value of the wrong type. The message comes from the parser.
    #[error("{0}")]
    Syntax(String),
}

/// The reason a network cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A format of another program, which is only read.
    #[error("{format} is only read; write {}", GraphFormat::list(&GraphFormat::WRITTEN))]
    ReadOnly {
        /// The format.
        format: GraphFormat,
    },
    /// A name that the format cannot represent.
    #[error("{format} does not support the name '{name}' (a name is {rule}); write json, or change the name")]
    Name {
        /// The format.
        format: GraphFormat,
        /// Name of a node or of the network, shortened if long.
        name: String,
        /// Description of the supported names.
        rule: &'static str,
    },
    /// Channels that share a resource, which the format cannot represent.
    #[error("{format} does not support channels that share a resource (half duplex), such as {channels}; write json")]
    Shared {
        /// The format.
        format: GraphFormat,
        /// Names of two of them.
        channels: String,
    },
    /// A node whose routing differs from the default, which the format cannot represent.
    #[error("{format} cannot represent that node '{name}' {}; write json", if *.routes { "routes" } else { "does not route" })]
    Routes {
        /// The format.
        format: GraphFormat,
        /// Name of the node.
        name: String,
        /// Whether it routes.
        routes: bool,
    },
}

/// Describes a JSON file of another format, and where it contains a network.
fn actual_kind(format: &str) -> String {
    match format {
        "lockstep-schedule" => "a schedule, not a network; its field 'topology' is the network".to_owned(),
        "lockstep-plan" => "a plan, not a network; its field 'schedule.topology' is the network".to_owned(),
        _ => format!("expected '{FORMAT}'"),
    }
}
