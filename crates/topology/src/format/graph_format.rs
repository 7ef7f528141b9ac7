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
/// All other formats are files of other programs, and are only read: see their variants.
///
/// **Rates.** The attributes of an edge hold for each of its channels. Bandwidths become capacities by their greatest common
/// divisor, which is then the unit; if a unit is given, they are rounded down to multiples of it. [`Quantity`](crate::Quantity) tells how
/// bandwidths and latencies are written. `LinkSpeedRaw`, in bit/s, is a bandwidth if every edge has one.
///
/// **Roles.** The node attributes `type`, `kind` and `role` with the value `switch` or `terminal` are understood, too.
/// By default switches route, and terminals route if there is no switch; failed nodes are ignored. An undirected edge
/// with a `resource` is a half-duplex link. Repeated edges are parallel links or channels. Edges from a node to itself are
/// left out, except in `json`, which refuses them.
///
/// **Numbers.** Nodes are numbered in the order in which the file first names them. Exception, for all formats except
/// `json`: if the names are exactly `0`, `1`, … `N-1`, they are the node numbers. Channels are numbered in the order of
/// the file; a link `u v` is the channel `u -> v` followed by `v -> u`.
///
/// **Round trip.** A network that is written and read again is equal in `json`. The other formats keep node names, node
/// order, roles and channels. They do not keep the numbers of failed channels, and networks with links are renumbered
/// link by link. Attributes that are not in this table are not used, and [`read_graph_file`](crate::read_graph_file) lists
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
    /// | `% …` | a comment |
    ///
    /// A name is a word without white space and `->` that does not begin with `#`, `%`, `nodes:`, `switches:`, `failed:` or
    /// `unit:`. An edge list of networkx without data is also accepted; its edges become links even if its graph is directed.
    /// A first line that may be the numbers of nodes and edges is an error.
    EdgeList,
    /// `dot`: Graphviz DOT, the full grammar of graphviz.org.
    ///
    /// Subgraphs are flattened: an edge to or from a subgraph is an edge to or from each of its nodes. The edge
    /// attribute `dir` changes the direction. Ports and attributes that are not in the table above are ignored. A
    /// `strict` graph keeps the first of equal edges. Subgraphs may be nested 64 deep and may make 2^18 edges.
    Dot,
    /// `graphml`: GraphML with one graph.
    ///
    /// Attributes are found by the `attr.name` of their `<key>`; defaults and `edgedefault` are applied. The arrows of yEd
    /// override `edgedefault`. A document type with definitions, hyperedges, and nested or further graphs are errors.
    GraphMl,
    /// `node-link`: the node-link JSON of networkx, with `links` or `edges`.
    ///
    /// If `multigraph` is false, parallel edges are errors. Node ids can be strings, numbers, or lists of them; a list
    /// gets the name that Python prints for a tuple.
    NodeLink,
    /// `nccl-topo`: the topology that NCCL or RCCL dumps (`NCCL_TOPO_DUMP_FILE`). Read only.
    ///
    /// GPUs are terminals, in the order of their ranks. PCIe switches, NICs, network devices, NUMA nodes and the NVLink
    /// switch are switches. Bandwidths are those that NCCL computes with: the count of NVLinks or XGMI links times
    /// the bandwidth of their generation, the PCIe generation times the width, and the speed of network devices.
    NcclTopo,
    /// `hwloc`: the topology that hwloc writes (`lstopo --of xml`). Read only.
    ///
    /// GPUs are terminals, in the order of the numbers in their names; without GPUs, NUMA nodes are. PCIe links have their
    /// `pci_link_speed`, and the matrices `NVLinkBandwidth`, `XGMIBandwidth` and `XeLinkBandwidth` are links between GPUs.
    /// PCIe bridges that join several devices, NUMA nodes, network cards and NVLink switches are switches.
    Hwloc,
    /// `nvidia-smi`: the matrix of `nvidia-smi topo -m`, or the links of `nvidia-smi nvlink -R`. Read only.
    ///
    /// `NV#` is a link of capacity `#`, or a link to an NVLink switch if a GPU has more `NV#` than it can have links. If
    /// NVLinks do not join all GPUs, the classes `PIX`, `PXB`, `PHB`, `NODE` and `SYS` become a tree of switches.
    ///
    /// Each link of `nvlink -R` is a link, and the devices to which all GPUs have links are an NVLink switch.
    NvidiaSmi,
    /// `slurm`: the file `topology.conf` of Slurm with the plugin topology/tree. Read only.
    ///
    /// `SwitchName=s1 Nodes=node[001-064] Switches=s[2-3] LinkSpeed=100`, with host lists, comments and continued lines.
    Slurm,
    /// `booksim`: the file of a network `anynet` of BookSim 2. Read only.
    ///
    /// `router 0 node 0 node 1 router 1 2`: nodes are terminals, routers are switches, and a number behind a link is its
    /// latency in cycles.
    BookSim,
    /// `simgrid`: a platform file of SimGrid. Read only.
    ///
    /// Hosts are terminals, routers are switches. A link that only serves routes of one link becomes channels between their
    /// ends; any other link becomes a channel between two junctions. Flat clusters are supported.
    SimGrid,
    /// `csv`: a square matrix of capacities or bandwidths, or a table of edges, with commas, semicolons, tabs or blanks. Read
    /// only.
    ///
    /// The entry in row `u` and column `v` is the channel from `u` to `v`: `0` for none, a whole number for its capacity, or a
    /// bandwidth such as `25GB/s`. The first row and the first column may have names; a unit in the corner holds for all
    /// entries.
    ///
    /// A table of edges has a header such as `source,target,bandwidth`, and a row per edge. A row is a channel if every row has
    /// an opposite one, and a link otherwise.
    Csv,
    /// `nx-edges`: an edge list with data, as networkx writes it by default. Read only.
    ///
    /// `0 1 {}`, `0 1 {'capacity': 2}` or `0 1 3`. The data have the edge attributes of the table above.
    NxEdges,
    /// `gml`: the Graph Modelling Language. Read only.
    ///
    /// `graph [ node [ id 0 label "a" ] edge [ source 0 target 1 ] ]`, with the attributes of the table above. Lists may be
    /// nested 64 deep.
    Gml,
    /// `ibnetdiscover`: an InfiniBand fabric as `ibnetdiscover` prints it. Read only.
    ///
    /// Adapters are terminals; switches and routers are switches. The words `4xEDR` become bandwidths.
    IbNetDiscover,
    /// `astra-sim`: the network file of the analytical backend of ASTRA-sim, in YAML. Read only.
    ///
    /// `topology: [ Ring, Switch ]`, `npus_count`, `bandwidth` in GB/s and `latency` in ns: a product of rings, complete graphs
    /// and switches of at most 2^18 nodes and links.
    AstraSim,
    /// `rocm-smi`: the tables of `rocm-smi --showtopo`. Read only.
    ///
    /// XGMI of the weight 15 is a link of capacity 1. If XGMI does not join all GPUs, the GPUs of a NUMA node share a switch.
    RocmSmi,
    /// `amd-smi`: the tables or the JSON of `amd-smi topology`. Read only.
    ///
    /// As `rocm-smi`; a link has the bandwidth that the program prints. GPUs are named by their bus ids.
    AmdSmi,
    /// `htsim`: a fat tree of htsim, a `.topo` file. Read only.
    ///
    /// `Nodes 8`, `Tiers 2`, `Podsize 8`, and for each tier `Radix_Down`, `Radix_Up`, `Downlink_speed_Gbps` and
    /// `Downlink_Latency_ns`: at most 2^18 hosts and 2^18 links of each tier.
    Htsim,
    /// `graph-golf`: an edge list of numbers (`0 1`) or of coordinates on a grid (`0,0 1,0`). Read only.
    GraphGolf,
}

impl GraphFormat {
    /// All formats.
    pub const ALL: [Self; 20] = [
        Self::Json,
        Self::EdgeList,
        Self::Dot,
        Self::GraphMl,
        Self::NodeLink,
        Self::NcclTopo,
        Self::Hwloc,
        Self::NvidiaSmi,
        Self::RocmSmi,
        Self::AmdSmi,
        Self::IbNetDiscover,
        Self::Slurm,
        Self::SimGrid,
        Self::AstraSim,
        Self::BookSim,
        Self::Htsim,
        Self::GraphGolf,
        Self::Gml,
        Self::NxEdges,
        Self::Csv,
    ];

    /// The formats that [`write_graph`](crate::write_graph) writes. All others are files of other programs, and are only
    /// read.
    pub const WRITTEN: [Self; 5] = [Self::Json, Self::EdgeList, Self::Dot, Self::GraphMl, Self::NodeLink];

    /// Returns the name of the format, such as `node-link`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::EdgeList => "edges",
            Self::Dot => "dot",
            Self::GraphMl => "graphml",
            Self::NodeLink => "node-link",
            Self::NcclTopo => "nccl-topo",
            Self::Hwloc => "hwloc",
            Self::NvidiaSmi => "nvidia-smi",
            Self::RocmSmi => "rocm-smi",
            Self::AmdSmi => "amd-smi",
            Self::IbNetDiscover => "ibnetdiscover",
            Self::Slurm => "slurm",
            Self::SimGrid => "simgrid",
            Self::AstraSim => "astra-sim",
            Self::BookSim => "booksim",
            Self::Htsim => "htsim",
            Self::GraphGolf => "graph-golf",
            Self::Gml => "gml",
            Self::NxEdges => "nx-edges",
            Self::Csv => "csv",
        }
    }

    /// Returns the names of formats as a list in a sentence.
    pub fn list(formats: &[Self]) -> String {
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        match &names[..] {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            names => names.concat(),
        }
    }

    /// Returns the format with this name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| lockstep_files::is_same_name(format.name(), name))
    }

    /// Returns the usual format of files with this extension, such as `edges` or `gv`. `xml` has none, because it has
    /// several. A file `txt` that is read may have any format, see [`recognise`](Self::recognise).
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "edges" | "edgelist" | "txt" => Some(Self::EdgeList),
            "dot" | "gv" => Some(Self::Dot),
            "graphml" => Some(Self::GraphMl),
            "conf" => Some(Self::Slurm),
            "yml" | "yaml" => Some(Self::AstraSim),
            "gml" => Some(Self::Gml),
            "csv" | "tsv" => Some(Self::Csv),
            "topo" => Some(Self::Htsim),
            _ => None,
        }
    }
}

impl fmt::Display for GraphFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
