//! Reading, writing and detecting graph files of any format.

use std::path::Path;

use super::error::{ReadError, WriteError};
use super::graph_file::{GraphFile, ReadOptions};
use super::graph_format::GraphFormat;
use super::{dot, edge_list, graphml, json, node_link};
use crate::Topology;

impl GraphFormat {
    /// Detects the format of a file by the extension of its name, otherwise by the beginning of its text. JSON formats
    /// are distinguished by their fields.
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
    match format {
        GraphFormat::Json => json::read(text, name, options),
        GraphFormat::EdgeList => edge_list::read(text, name, options),
        GraphFormat::Dot => dot::read(text, name, options),
        GraphFormat::GraphMl => graphml::read(text, name, options),
        GraphFormat::NodeLink => node_link::read(text, name, options),
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
/// [`WriteError`] if the format cannot represent a property that affects which schedules are valid. `json` never fails.
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
