//! The supported graph file formats.

use std::fmt;

/// A format of graph files.
///
/// The table shows how each format represents the properties of a network. [`read_graph`](crate::read_graph) reads them
/// and [`write_graph`](crate::write_graph) writes them.
///
/// | property | `json` | `edges` | `dot`, `graphml`, `node-link` |
/// |---|---|---|---|
/// | full-duplex link | two channels | `u v` | an undirected edge |
/// | channel | `[tail, head]` | `u -> v` | a directed edge |
/// | switch | `"terminal": false` | `switches: u v …` | node attribute `terminal` false, or `switch` true |
/// | routing that differs from the default | `"routes"` | not supported | node attribute `routes` |
/// | failed node | `"failed": true` | `failed: u v …` | node attribute `failed` |
/// | failed channel | its number in `"failed"` | omitted | omitted |
/// | channels that share a resource | `"shared"` | not supported | edges with the same attribute `resource` |
/// | capacity of a channel | `"capacity"` | `capacity=4` | edge attribute `capacity` |
/// | bandwidth of a channel | - | `bandwidth=300GB/s` | edge attribute `bandwidth` |
/// | latency of a channel | `"latency_ps"` | `latency=700ns` | edge attribute `latency` |
/// | bandwidth of one unit of capacity | `"unit_bytes_per_second"` | `unit: 25GB/s` | graph attribute `unit` |
/// | machine of a node | `"host"` | omitted | node attribute `host` |
/// | positions | `"positions"` | omitted | `pos` (`graphml`: `x`, `y`), y upwards |
///
/// **Rates.** The attributes of an edge hold for each of its channels. Bandwidths become capacities by their greatest common
/// divisor, which is then the unit; if a unit is given, they are rounded down to multiples of it. [`Quantity`](crate::Quantity) tells how
/// bandwidths and latencies are written.
///
/// **Roles.** The node attributes `type`, `kind` and `role` with the value `switch` or `terminal` are understood, too.
/// By default switches route, and terminals route if there is no switch; failed nodes are ignored. An undirected edge
/// with a `resource` is a half-duplex link. Repeated edges are parallel links or channels.
///
/// **Numbers.** Nodes are numbered in the order in which the file first names them. Exception, for all formats except
/// `json`: if the names are exactly `0`, `1`, … `N-1`, they are the node numbers. Channels are numbered in the order of
/// the file; a link `u v` is the channel `u -> v` followed by `v -> u`.
///
/// **Round trip.** A network that is written and read again is equal in `json`. The other formats keep node names, node
/// order, roles and channels. They do not keep the numbers of failed channels, and networks with links are renumbered
/// link by link. Attributes that are not in this table are ignored, and [`read_graph_file`](crate::read_graph_file) lists
/// them. Positions are for drawing only: if a position is missing or invalid in a `dot`, `graphml` or
/// `node-link` file, all positions are ignored.
///
/// ```
/// use lockstep_topology::GraphFormat;
///
/// assert_eq!(GraphFormat::detect("cluster.gv", ""), GraphFormat::Dot);
/// assert_eq!(GraphFormat::detect("cluster.net", "a b\nb c\n"), GraphFormat::EdgeList);
/// assert_eq!(GraphFormat::from_name("graphml"), Some(GraphFormat::GraphMl));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum GraphFormat {
    /// `json`: Lockstep's own JSON, version 1, which keeps everything.
    ///
    /// An object with the fields `"format": "lockstep-topology"`, `"version": 1`, `"name"`, `"nodes"` (objects with
    /// `"name"`, `"terminal"` and optionally `"routes"`, `"failed"` and `"host"`), `"channels"` (pairs of node numbers), and
    /// optionally `"shared"` (groups of channel numbers), `"failed"` (channel numbers), `"capacity"` and `"latency_ps"`
    /// (one number per channel), `"unit_bytes_per_second"` and `"positions"` (pairs of numbers, y downwards). Other fields
    /// are errors.
    Json,
    /// `edges`: an edge list, one link or channel per line.
    ///
    /// | line | meaning |
    /// |---|---|
    /// | `u v` | a full-duplex link |
    /// | `u -> v` | a channel |
    /// | `u v bandwidth=300GB/s latency=700ns` | a link with these rates; a channel likewise |
    /// | `u v capacity=4` | a link of which each channel carries 4 transfers in a step |
    /// | `unit: 25GB/s` | the bandwidth of one unit of capacity |
    /// | `nodes: u v …` | nodes, in this order; needed for nodes without a link |
    /// | `switches: u v …` | these nodes are switches |
    /// | `failed: u v …` | these nodes have failed |
    /// | `# …` | a comment, also behind other text if `#` begins a word |
    ///
    /// A name is a word without white space and `->` that does not begin with `#`, `nodes:`, `switches:`, `failed:` or `unit:`.
    /// An edge list of networkx without data is also accepted; its edges become links even if its graph is directed.
    EdgeList,
    /// `dot`: Graphviz DOT, the full grammar of graphviz.org.
    ///
    /// Subgraphs are flattened: an edge to or from a subgraph is an edge to or from each of its nodes. The edge
    /// attribute `dir` changes the direction. Ports and attributes that are not in the table above are ignored. A
    /// `strict` graph keeps the first of equal edges. Subgraphs may be nested 64 deep and may make 2^18 edges.
    Dot,
    /// `graphml`: GraphML with one graph.
    ///
    /// Attributes are found by the `attr.name` of their `<key>`; defaults and `edgedefault` are applied. A document
    /// type, hyperedges, and nested or further graphs are errors.
    GraphMl,
    /// `node-link`: the node-link JSON of networkx, with `links` or `edges`.
    ///
    /// If `multigraph` is false, parallel edges are errors. Node ids can be strings, numbers, or lists of them; a list
    /// gets the name that Python prints for a tuple.
    NodeLink,
}

impl GraphFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Json, Self::EdgeList, Self::Dot, Self::GraphMl, Self::NodeLink];

    /// Returns the name of the format: `json`, `edges`, `dot`, `graphml` or `node-link`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::EdgeList => "edges",
            Self::Dot => "dot",
            Self::GraphMl => "graphml",
            Self::NodeLink => "node-link",
        }
    }

    /// Returns the format with this name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Returns the usual format of files with this extension: `json`, `edges`, `edgelist`, `txt`, `dot`, `gv` or
    /// `graphml`.
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "edges" | "edgelist" | "txt" => Some(Self::EdgeList),
            "dot" | "gv" => Some(Self::Dot),
            "graphml" => Some(Self::GraphMl),
            _ => None,
        }
    }
}

impl fmt::Display for GraphFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
