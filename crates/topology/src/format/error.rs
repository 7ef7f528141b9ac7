//! Why a graph file cannot be read or written.

use std::fmt;

use lockstep_files::one_line;

use crate::TopologyError;
use crate::format::{GraphFormat, json};

/// Why a text is no network. Every message is one line.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing but white space.
    #[error("the file is empty; a network has at least one node")]
    Empty,
    /// JSON of another kind.
    #[error("field 'format' is '{found}', {}", json::kind_in_words(found))]
    OtherFormat {
        /// What the field says.
        found: String,
    },
    /// JSON that does not say what it is.
    #[error(
        "field 'format' is missing, expected '{}'; a graph from networkx is read as {}",
        json::FORMAT,
        GraphFormat::NodeLink
    )]
    NoFormat,
    /// A version that this library does not know.
    #[error("field 'version' is {found}, but only version {} is known; use a newer lockstep", json::VERSION)]
    Version {
        /// What the field says.
        found: String,
    },
    /// Something wrong at a place that can be named.
    #[error("{place}: {fault}")]
    At {
        /// Where.
        place: FilePlace,
        /// What.
        fault: FileFault,
    },
    /// Nodes and channels that make no network.
    #[error("{}", one_line(&.0.to_string()))]
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
    /// A line, from 1.
    Line(usize),
    /// A field of a JSON file.
    Field {
        /// The way to it, as in `nodes[3].terminal`.
        path: String,
        /// Its line, from 1, where it is known.
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

/// What is wrong at a [`FilePlace`]. Texts of the file are quoted on one line and shortened if long.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// Something else than the format has here.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// What is there.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
    /// An attribute that does not have such values.
    #[error("'{attribute}' is '{found}', expected {expected}")]
    Value {
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        found: String,
        /// Which values it has.
        expected: &'static str,
    },
    /// `terminal` and `switch` of one node are both true or both false.
    #[error("'terminal' and 'switch' of node '{name}' contradict each other; keep one of them")]
    Role {
        /// The node.
        name: String,
    },
    /// A node whose name is taken.
    #[error("there is a node '{name}' already; give each node a name of its own")]
    DuplicateNode {
        /// The name.
        name: String,
    },
    /// A name that belongs to no node.
    #[error("there is no node '{name}'; correct the name, or add the node")]
    UnknownNode {
        /// The name.
        name: String,
    },
    /// A channel from a node to itself.
    #[error("a channel leads from node '{name}' to itself; remove it")]
    SelfLoop {
        /// The node.
        name: String,
    },
    /// A second edge between two nodes of a graph that says it has none.
    #[error("'{tail}' and '{head}' are joined already; for parallel wires set 'multigraph' to true")]
    RepeatedEdge {
        /// Where the edge begins.
        tail: String,
        /// Where it ends.
        head: String,
    },
    /// A part of the format that says nothing about a network, or more than may be read.
    #[error("{0}")]
    Unsupported(&'static str),
    /// No well-formed JSON or XML, or a value of another type, in the parser's words.
    #[error("{0}")]
    Syntax(String),
}

/// Why a network cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A name that would not come back.
    #[error("{format} cannot hold the name '{name}' ({rule}); write json, or give it another name")]
    Name {
        /// The format.
        format: GraphFormat,
        /// The name of a node or of the network, shortened if long.
        name: String,
        /// Which names the format holds.
        rule: &'static str,
    },
    /// Channels that share a resource, in a format that cannot say so.
    #[error("{format} cannot say that channels {channels} share one resource (half duplex); write json")]
    Shared {
        /// The format.
        format: GraphFormat,
        /// Two of them, by name.
        channels: String,
    },
    /// A terminal that routes beside switches, or a node that does not route, in a format that cannot say so.
    #[error("{format} cannot say that node '{name}' {}; write json", if *.routes { "routes" } else { "does not route" })]
    Routes {
        /// The format.
        format: GraphFormat,
        /// The node.
        name: String,
        /// Whether it routes.
        routes: bool,
    },
}
