//! Reading, writing and detecting graph files of any format.

use std::path::Path;

use super::error::{ReadError, WriteError};
use super::graph_file::{GraphFile, ReadOptions};
use super::graph_format::GraphFormat;
use super::{
    amd_smi, astra_sim, booksim, csv, dot, edge_list, gml, graph_golf, graphml, htsim, hwloc, ib_net_discover, json,
    nccl_topo, node_link, nvidia_smi, nx_edges, other_kind, rocm_smi, simgrid, slurm, xml,
};
use crate::Topology;

/// Returns true if a text has the marks of a format.
type LooksLike = fn(&str) -> bool;

impl GraphFormat {
    /// Detects the format of a file like [`recognise`](Self::recognise). A text of unknown format is an edge list.
    pub fn detect(file_name: &str, text: &str) -> Self {
        Self::recognise(file_name, text).unwrap_or(Self::EdgeList)
    }

    /// Returns the format of a file by the extension of its name, otherwise by its text; `None` if neither is known. A file
    /// `txt` may have any format, so only its text tells it.
    ///
    /// ```
    /// use lockstep_topology::GraphFormat;
    ///
    /// let tree = "SwitchName=leaf Nodes=node[01-16]\n";
    /// assert_eq!(GraphFormat::recognise("cluster.txt", tree), Some(GraphFormat::Slurm));
    /// assert_eq!(GraphFormat::recognise("cluster.net", "a b\nb c\n"), None);
    /// ```
    pub fn recognise(file_name: &str, text: &str) -> Option<Self> {
        let extension = Path::new(file_name).extension().and_then(|extension| extension.to_str());
        let text = without_byte_order_mark(text);
        let by_extension = extension.and_then(Self::from_extension);
        let is_any_text = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("txt"));
        let format = match by_extension {
            Some(format) if !is_any_text => Some(format),
            _ => Self::of_text(text),
        };
        // Formats that share an extension are distinguished by their text.
        match format {
            Some(Self::Json) if json::looks_like_node_link(text) => Some(Self::NodeLink),
            Some(Self::Json) if amd_smi::looks_like(text) => Some(Self::AmdSmi),
            Some(Self::EdgeList) => Some(Self::of_edges(text)),
            format => format,
        }
    }

    /// Returns the format of a list of edges.
    fn of_edges(text: &str) -> Self {
        let marks: [(Self, LooksLike); 4] = [
            (Self::EdgeList, edge_list::has_title),
            (Self::Csv, csv::looks_like_table),
            (Self::NxEdges, nx_edges::looks_like),
            (Self::GraphGolf, graph_golf::looks_like),
        ];
        marks.into_iter().find(|(_, looks_like)| looks_like(text)).map_or(Self::EdgeList, |(format, _)| format)
    }

    /// Returns the format that a text has marks of.
    fn of_text(text: &str) -> Option<Self> {
        if text.trim_start().starts_with('{') {
            return Some(Self::Json);
        }
        if text.trim_start().starts_with('<') {
            return match xml::first_element(text) {
                Some("system") => Some(Self::NcclTopo),
                Some("platform") => Some(Self::SimGrid),
                Some("topology") => Some(Self::Hwloc),
                _ => Some(Self::GraphMl),
            };
        }
        let marks: [(Self, LooksLike); 15] = [
            (Self::EdgeList, edge_list::has_title),
            (Self::AmdSmi, amd_smi::looks_like),
            (Self::Dot, dot::looks_like),
            (Self::Gml, gml::looks_like),
            (Self::BookSim, booksim::looks_like),
            (Self::Htsim, htsim::looks_like),
            // Both have lines of GPU names, but only one has titles.
            (Self::RocmSmi, rocm_smi::looks_like),
            (Self::NvidiaSmi, nvidia_smi::looks_like),
            (Self::IbNetDiscover, ib_net_discover::looks_like),
            (Self::Slurm, slurm::looks_like),
            (Self::AstraSim, astra_sim::looks_like),
            (Self::GraphGolf, graph_golf::looks_like),
            (Self::Csv, csv::looks_like),
            (Self::NxEdges, nx_edges::looks_like),
            (Self::EdgeList, edge_list::looks_like),
        ];
        marks.into_iter().find(|(_, looks_like)| looks_like(text)).map(|(format, _)| format)
    }
}

/// Reads a network from the text of a graph file. `name` is the name of the network if the file contains none.
///
/// Takes `O(L log N)` time and `O(L)` memory for a text of `L` bytes. [`GraphFormat`] documents the accepted grammar.
///
/// ```
/// use lockstep_topology::{GraphFormat, read_graph};
///
/// let text = "0 1   # a full-duplex link\n0 1   # a second, parallel link\n1 -> 2\n";
/// let network = read_graph(text, GraphFormat::EdgeList, "example")?;
/// assert_eq!((network.node_count(), network.channel_count()), (3, 5));
/// # Ok::<(), lockstep_topology::ReadError>(())
/// ```
///
/// # Errors
///
/// The first [`ReadError`] in the order of the text. Its message names the line or field, the text found, and the
/// remedy.
pub fn read_graph(text: &str, format: GraphFormat, name: &str) -> Result<Topology, ReadError> {
    Ok(read_graph_file(text, format, name, &ReadOptions::default())?.topology)
}

/// Reads a network like [`read_graph`], with options. Returns also what the reader has ignored, and hints.
///
/// ```
/// use lockstep_topology::{GraphFormat, ReadOptions, read_graph_file};
///
/// let text = "a b bandwidth=300GB/s latency=700ns\nb c bandwidth=25GB/s color=red\n";
/// let file = read_graph_file(text, GraphFormat::EdgeList, "example", &ReadOptions::default())?;
/// let channels: Vec<_> = file.topology.channels().collect();
/// assert_eq!((file.topology.capacity(channels[0]), file.topology.capacity(channels[2])), (12, 1));
/// assert_eq!(file.topology.unit_bytes_per_second(), Some(25_000_000_000));
/// assert_eq!(file.notes[0].to_string(), "ignored attributes: edge color");
/// # Ok::<(), lockstep_topology::ReadError>(())
/// ```
///
/// # Errors
///
/// Those of [`read_graph`].
pub fn read_graph_file(
    text: &str,
    format: GraphFormat,
    name: &str,
    options: &ReadOptions,
) -> Result<GraphFile, ReadError> {
    let text = without_byte_order_mark(text);
    if text.trim_start().is_empty() {
        return Err(ReadError::Empty);
    }
    if let Some(error) = other_kind::error(text) {
        return Err(error);
    }
    match format {
        GraphFormat::Json => json::read(text, name, options),
        GraphFormat::EdgeList => edge_list::read(text, name, options),
        GraphFormat::Dot => dot::read(text, name, options),
        GraphFormat::GraphMl => graphml::read(text, name, options),
        GraphFormat::NodeLink => node_link::read(text, name, options),
        GraphFormat::NcclTopo => nccl_topo::read(text, name, options),
        GraphFormat::Hwloc => hwloc::read(text, name, options),
        GraphFormat::NvidiaSmi => nvidia_smi::read(text, name, options),
        GraphFormat::RocmSmi => rocm_smi::read(text, name, options),
        GraphFormat::AmdSmi => amd_smi::read(text, name, options),
        GraphFormat::IbNetDiscover => ib_net_discover::read(text, name, options),
        GraphFormat::Slurm => slurm::read(text, name, options),
        GraphFormat::SimGrid => simgrid::read(text, name, options),
        GraphFormat::AstraSim => astra_sim::read(text, name, options),
        GraphFormat::BookSim => booksim::read(text, name, options),
        GraphFormat::Htsim => htsim::read(text, name, options),
        GraphFormat::GraphGolf => graph_golf::read(text, name, options),
        GraphFormat::Gml => gml::read(text, name, options),
        GraphFormat::NxEdges => nx_edges::read(text, name, options),
        GraphFormat::Csv => csv::read(text, name, options),
    }
}

/// Writes a network as the text of a graph file, which ends with a line break.
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
/// [`WriteError`] if the format cannot represent a property that affects which schedules are valid, or if the format is not in
/// [`GraphFormat::WRITTEN`]. `json` never fails.
pub fn write_graph(topology: &Topology, format: GraphFormat) -> Result<String, WriteError> {
    match format {
        GraphFormat::Json => Ok(json::write(topology)),
        GraphFormat::EdgeList => edge_list::write(topology),
        GraphFormat::Dot => dot::write(topology),
        GraphFormat::GraphMl => graphml::write(topology),
        GraphFormat::NodeLink => Ok(node_link::write(topology)),
        _ => Err(WriteError::ReadOnly { format }),
    }
}

fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
