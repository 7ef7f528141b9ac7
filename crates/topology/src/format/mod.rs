//! Graph files, one format a file.

mod dot;
mod edge_list;
mod edges;
mod error;
mod graphml;
pub(crate) mod json;
mod node_link;
mod parsed_graph;

use std::fmt;
use std::path::Path;

pub use error::{FileFault, FilePlace, ReadError, WriteError};

use crate::Topology;

/// A format of graph files.
///
/// What a format says about a network, and what this library reads in it and writes:
///
/// | | `json` | `edges` | `dot`, `graphml`, `node-link` |
/// |---|---|---|---|
/// | a full-duplex link | two channels | `u v` | an undirected edge |
/// | a channel | `[tail, head]` | `u -> v` | a directed edge |
/// | a switch | `"terminal": false` | `switches: u v …` | node attribute `terminal` false, or `switch` true |
/// | a node that routes, or not, against the rule | `"routes"` | cannot | node attribute `routes` |
/// | a node that has failed | `"failed": true` | `failed: u v …` | node attribute `failed` |
/// | a channel that has failed | its number in `"failed"` | left out | left out |
/// | channels of one resource | `"shared"` | cannot | edges with the same attribute `resource` |
/// | positions | `"positions"` | left out | `pos` (`graphml`: `x`, `y`), y upwards |
///
/// The rule for `routes`: switches route, and terminals route where there is no switch; what has failed does not count. An undirected edge with a
/// `resource` is a half-duplex link. An edge that stands several times is so many parallel wires.
///
/// **Numbers.** Nodes are numbered in the order in which the file first names them. Outside `json` there is one
/// exception, so that numbers mean what they say: if the names are exactly `0`, `1`, … `N-1`, they are the numbers.
/// Channels are numbered in the order of the file, `u -> v` before `v -> u` of a link.
///
/// **Written and read again**, a network is equal in `json`, where alone failed channels keep their numbers. In the other formats node names, order and roles are
/// equal; channels too, but where opposite channels pair up as links they are numbered link by link. Positions are
/// for drawing only: if one is missing or unreadable in a `dot`, `graphml` or `node-link` file, all are left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum GraphFormat {
    /// Lockstep's own JSON, which keeps everything.
    Json,
    /// One link or channel a line.
    ///
    /// `u v` is a full-duplex link, `u -> v` a channel, `switches: u v …` names nodes that only route, `nodes: u v …`
    /// names nodes in their order or without a link, `failed: u v …` names nodes that have failed, and `#` at the beginning of a word a comment. A name is a word without
    /// white space and without `->` that does not begin with `#`, `nodes:`, `switches:` or `failed:`. Edge lists of networkx without
    /// data are read, as links even if their graph was directed.
    EdgeList,
    /// Graphviz DOT.
    ///
    /// Subgraphs are flattened: an edge from or to one is an edge for each of its nodes. Ports and all attributes but
    /// those above and `dir` are ignored. A `strict` graph keeps the first of equal edges.
    Dot,
    /// GraphML, without document type, hyperedges and nested graphs.
    GraphMl,
    /// The node-link JSON of networkx, with `links` or `edges`.
    ///
    /// `multigraph` false refuses parallel edges. Node ids may be words, numbers, or lists of those, which are named as
    /// Python prints a tuple.
    NodeLink,
}

impl GraphFormat {
    /// Every format, the one that keeps everything first.
    pub const ALL: [Self; 5] = [Self::Json, Self::EdgeList, Self::Dot, Self::GraphMl, Self::NodeLink];

    /// Its name: `json`, `edges`, `dot`, `graphml` or `node-link`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::EdgeList => "edges",
            Self::Dot => "dot",
            Self::GraphMl => "graphml",
            Self::NodeLink => "node-link",
        }
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format that files with this extension usually have.
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "edges" | "edgelist" | "txt" => Some(Self::EdgeList),
            "dot" | "gv" => Some(Self::Dot),
            "graphml" => Some(Self::GraphMl),
            _ => None,
        }
    }

    /// The format of a file: what its extension says, else what its text looks like; JSON always by its fields.
    pub fn detect(file_name: &str, text: &str) -> Self {
        let extension = Path::new(file_name).extension().and_then(|extension| extension.to_str());
        let text = without_byte_order_mark(text);
        let format =
            extension.and_then(Self::from_extension).unwrap_or_else(|| match text.trim_start().chars().next() {
                Some('{') => Self::Json,
                Some('<') => Self::GraphMl,
                _ if dot::looks_like(text) => Self::Dot,
                _ => Self::EdgeList,
            });
        if format == Self::Json && json::looks_like_node_link(text) { Self::NodeLink } else { format }
    }
}

impl fmt::Display for GraphFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The network of a graph file; `name` is its name if the file gives none.
///
/// Takes time in proportion to `text.len() * log(N)` and memory in proportion to the text.
///
/// ```
/// use lockstep_topology::{GraphFormat, read_graph};
///
/// let text = "0 1   # a full-duplex link\n0 1   # and another in parallel\n1 -> 2\n";
/// let network = read_graph(text, GraphFormat::EdgeList, "example")?;
/// assert_eq!((network.node_count(), network.channel_count()), (3, 5));
/// # Ok::<(), lockstep_topology::ReadError>(())
/// ```
///
/// # Errors
///
/// The first [`ReadError`] in the order of the text; its message names the line or field, what is there, and what to
/// do.
pub fn read_graph(text: &str, format: GraphFormat, name: &str) -> Result<Topology, ReadError> {
    let text = without_byte_order_mark(text);
    if text.trim_start().is_empty() {
        return Err(ReadError::Empty);
    }
    match format {
        GraphFormat::Json => json::read(text, name),
        GraphFormat::EdgeList => edge_list::read(text, name),
        GraphFormat::Dot => dot::read(text, name),
        GraphFormat::GraphMl => graphml::read(text, name),
        GraphFormat::NodeLink => node_link::read(text, name),
    }
}

/// The text of a graph file, ending with a line break.
///
/// ```
/// use lockstep_topology::{GraphFormat, Topology, read_graph, write_graph};
///
/// let tree: Topology = "b-tree:4".parse()?;
/// let text = write_graph(&tree, GraphFormat::GraphMl)?;
/// assert_eq!(read_graph(&text, GraphFormat::GraphMl, "")?.digest(), tree.digest());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`WriteError`] if the format cannot say something that decides which schedules are valid. `json` always can.
pub fn write_graph(topology: &Topology, format: GraphFormat) -> Result<String, WriteError> {
    match format {
        GraphFormat::Json => Ok(json::write(topology)),
        GraphFormat::EdgeList => edge_list::write(topology),
        GraphFormat::Dot => dot::write(topology),
        GraphFormat::GraphMl => graphml::write(topology),
        GraphFormat::NodeLink => Ok(node_link::write(topology)),
    }
}

fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
