//! Networks.

use std::sync::Arc;

use lockstep::files::{name_advice, one_line, open_input};
use lockstep::topology::{GraphFile, GraphFormat, Quantity, ReadOptions, Sizes, read_graph_file, write_graph};
use lockstep::{
    ChannelId, FaultSet, LoadError, LoadOptions, NodeId, Topology, TopologyBuilder, load_with, read_network_with,
};
use lockstep_report::{DrawingLimits, topology_svg};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{column, read_u32, read_u64};
use crate::errors;

/// A network.
#[pyclass(frozen)]
pub(crate) struct Network {
    pub(crate) topology: Arc<Topology>,
}

impl From<Topology> for Network {
    fn from(topology: Topology) -> Self {
        Self { topology: Arc::new(topology) }
    }
}

/// A network with the notes of its reader.
type NotedNetwork = (Network, Vec<String>);

fn noted(file: GraphFile) -> NotedNetwork {
    let notes = file.notes.iter().map(ToString::to_string).collect();
    (file.topology.into(), notes)
}

/// A link or channel: its two nodes, or one text such as `0-1`.
pub(crate) type FaultName = (String, Option<String>);

/// Faults by name: links, channels, nodes, and nodes whose network cards fail.
pub(crate) type FaultNames = (Vec<FaultName>, Vec<FaultName>, Vec<String>, Vec<String>);

/// Returns a set of faults by their names.
pub(crate) fn fault_set((links, channels, nodes, nics): FaultNames) -> FaultSet {
    let mut faults = FaultSet::new();
    for (one, other) in links {
        faults = match other {
            Some(other) => faults.link(one, other),
            None => faults.link_named(one),
        };
    }
    for (from, to) in channels {
        faults = match to {
            Some(to) => faults.channel(from, to),
            None => faults.channel_named(from),
        };
    }
    let faults = nodes.into_iter().fold(faults, FaultSet::node);
    nics.into_iter().fold(faults, FaultSet::network_cards)
}

/// Returns the error of an unknown name of a format, with similar names or all of them.
pub(crate) fn no_format(name: &str, formats: impl IntoIterator<Item = &'static str>) -> String {
    format!("there is no format '{}'; {}", one_line(name), name_advice(name, formats))
}

/// The options of a reader of networks.
fn options(format: Option<&str>, unit: Option<&str>) -> PyResult<LoadOptions> {
    let mut options = LoadOptions::default();
    if let Some(name) = format {
        let formats = GraphFormat::ALL.map(GraphFormat::name);
        let format = GraphFormat::from_name(name).ok_or_else(|| errors::network(no_format(name, formats)))?;
        options = options.with_format(format);
    }
    if let Some(unit) = unit {
        options = options.with_unit(bandwidth(unit)?);
    }
    Ok(options)
}

#[pymethods]
impl Network {
    /// Reads a spec, or the name of a file.
    #[staticmethod]
    fn parse(text: &str, unit: Option<&str>) -> PyResult<NotedNetwork> {
        Ok(noted(load_with(text, &options(None, unit)?).map_err(errors::network)?))
    }

    /// Reads a file.
    #[staticmethod]
    fn load(path: &str, format: Option<&str>, unit: Option<&str>) -> PyResult<NotedNetwork> {
        let options = options(format, unit)?;
        let file = open_input(path.as_ref());
        let file = file.map_err(|error| errors::network(LoadError::File { file: path.to_owned(), error }))?;
        Ok(noted(read_network_with(path, file, &options).map_err(errors::network)?))
    }

    /// Reads the node-link JSON of a graph of networkx.
    #[staticmethod]
    fn from_node_link(text: &str, name: &str) -> PyResult<NotedNetwork> {
        let file = read_graph_file(text, GraphFormat::NodeLink, name, &ReadOptions::default());
        Ok(noted(file.map_err(errors::network)?))
    }

    /// Reads what [`write`](Self::write) returns in the format `json`.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let file = read_graph_file(text, GraphFormat::Json, "network", &ReadOptions::default());
        Ok(file.map_err(errors::network)?.topology.into())
    }

    /// Builds a network. The channels are numbers of nodes. Bandwidths are in bytes per second and latencies in
    /// picoseconds, one per channel or none at all.
    #[staticmethod]
    fn build(
        name: &str,
        node_names: Vec<String>,
        terminals: Vec<bool>,
        tails: &[u8],
        heads: &[u8],
        bandwidths: &[u8],
        latencies: &[u8],
    ) -> PyResult<Self> {
        let [tails, heads] = [read_u32(tails, "tails")?, read_u32(heads, "heads")?];
        let [bandwidths, latencies] = [read_u64(bandwidths, "bandwidths")?, read_u64(latencies, "latencies")?];
        let sized = TopologyBuilder::sized(name, node_names.len() as u64, tails.len() as u64);
        let mut builder = sized.map_err(errors::network)?;
        for (name, is_terminal) in node_names.iter().zip(terminals) {
            builder.node(name, is_terminal, None);
        }
        for (&tail, &head) in tails.iter().zip(&heads) {
            builder.channel(NodeId::new(tail), NodeId::new(head));
        }
        for (channel, bandwidth) in (0..).map(ChannelId::new).zip(bandwidths) {
            builder.set_bandwidth([channel], bandwidth);
        }
        for (channel, latency) in (0..).map(ChannelId::new).zip(latencies) {
            builder.set_latency([channel], latency);
        }
        Ok(builder.build().map_err(errors::network)?.into())
    }

    #[getter]
    fn name(&self) -> &str {
        self.topology.name()
    }

    /// The number of the nodes, of the channels, of the terminals and of the switches.
    #[getter]
    fn counts(&self) -> [usize; 4] {
        let topology = &self.topology;
        [topology.node_count(), topology.channel_count(), topology.terminal_count(), topology.switch_count()]
    }

    #[getter]
    fn node_names(&self) -> Vec<&str> {
        self.topology.nodes().map(|node| self.topology.node_name(node)).collect()
    }

    #[getter]
    fn terminals(&self) -> Vec<u32> {
        self.topology.terminals().iter().map(|node| node.number()).collect()
    }

    #[getter]
    fn failed_nodes(&self) -> Vec<u32> {
        self.topology.failed_nodes().iter().map(|node| node.number()).collect()
    }

    #[getter]
    fn unit(&self) -> Option<u64> {
        self.topology.unit_bytes_per_second()
    }

    #[getter]
    fn digest(&self) -> [u8; 32] {
        self.topology.digest()
    }

    /// Returns true if nodes, channels, capacities, latencies, bandwidths and failures are equal, whatever the names.
    fn equals(&self, other: &Self) -> bool {
        let (one, other) = (&*self.topology, &*other.topology);
        let latencies =
            |topology: &Topology| topology.channel_numbers().map(|e| topology.latency_ps(e)).collect::<Vec<_>>();
        one.digest() == other.digest()
            && one.unit_bytes_per_second() == other.unit_bytes_per_second()
            && latencies(one) == latencies(other)
    }

    /// The columns of the channels: tail, head, capacity, latency in picoseconds, whether the channel works.
    fn channels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (topology, count) = (&*self.topology, self.topology.channel_bound());
        let (columns, channels) = (PyDict::new(py), || topology.channel_numbers());
        columns.set_item("tail", column(py, count, channels().map(|channel| topology.tail(channel).number()))?)?;
        columns.set_item("head", column(py, count, channels().map(|channel| topology.head(channel).number()))?)?;
        columns.set_item("capacity", column(py, count, channels().map(|channel| topology.capacity(channel)))?)?;
        columns.set_item("latency_ps", column(py, count, channels().map(|channel| topology.latency_ps(channel)))?)?;
        columns.set_item("works", column(py, count, channels().map(|channel| topology.is_working(channel)))?)?;
        Ok(columns)
    }

    /// Returns the network after faults: links and channels as a pair of nodes, or as one text such as `0-1`.
    fn without(&self, faults: FaultNames) -> PyResult<Self> {
        Ok(fault_set(faults).apply_to(&self.topology).map_err(errors::fault)?.into())
    }

    fn half_duplex(&self) -> Self {
        self.topology.half_duplex().into()
    }

    /// Returns the network with a unit of capacity in bytes per second, and a latency of all channels in picoseconds.
    fn with_times(&self, unit: u64, latency_ps: u64) -> PyResult<Self> {
        Ok(self.topology.with_times(unit, latency_ps).map_err(errors::network)?.into())
    }

    fn has_latencies(&self) -> bool {
        self.topology.has_latencies()
    }

    /// Returns the network as the text of a file.
    fn write(&self, format: &str) -> PyResult<String> {
        let formats = GraphFormat::WRITTEN.map(GraphFormat::name);
        let format = GraphFormat::from_name(format).ok_or_else(|| errors::network(no_format(format, formats)))?;
        write_graph(&self.topology, format).map_err(errors::network)
    }

    fn svg(&self) -> String {
        topology_svg(&self.topology, &DrawingLimits::PAGE)
    }
}

/// Parses a bandwidth such as `25GB/s`, in bytes per second.
#[pyfunction]
pub(crate) fn bandwidth(text: &str) -> PyResult<u64> {
    Quantity::Bandwidth.parse(text).map_err(errors::network)
}

/// Parses a time such as `1us`, in picoseconds.
#[pyfunction]
pub(crate) fn time(text: &str) -> PyResult<u64> {
    Quantity::Time.parse(text).map_err(errors::network)
}

/// Returns a text on one line for a message, with long words shortened.
#[pyfunction]
pub(crate) fn message_line(text: &str) -> String {
    lockstep::files::message_line(text)
}

/// Parses a size such as `64MiB`, in bytes.
#[pyfunction]
pub(crate) fn size(text: &str) -> PyResult<u64> {
    Quantity::Size.parse(text).map_err(errors::problem)
}

/// Returns the smallest and the largest size of a text such as `64KiB..1MiB`, in bytes.
#[pyfunction]
pub(crate) fn sizes(text: &str) -> PyResult<(u64, u64)> {
    let sizes: Sizes = text.parse().map_err(|error| errors::problem(format!("sizes: {error}")))?;
    let [least, most] = sizes.bounds();
    Ok((least, most))
}
