//! Targets: graph files and spec strings.

use lockstep_topology::{ChannelId, GraphFormat, NodeId, Topology, read_graph, write_graph};

use crate::error_check::is_one_line;

/// Largest number of channels of a network that is written again. A few words of DOT make many channels, and large
/// networks find no more bugs.
const MAX_CHANNELS: usize = 1 << 12;

/// Checks a graph file in DOT.
pub fn dot(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::Dot)
}

/// Checks an edge list.
pub fn edge_list(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::EdgeList)
}

/// Checks a graph file in GraphML.
pub fn graphml(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::GraphMl)
}

/// Checks a graph file in node-link JSON.
pub fn node_link(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::NodeLink)
}

/// Checks a graph file in the JSON of Lockstep.
pub fn topology_json(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::Json)
}

/// Checks a topology of hwloc.
pub fn hwloc(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::Hwloc)
}

/// Checks a topology of NCCL.
pub fn nccl_topo(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::NcclTopo)
}

/// Checks a matrix of `nvidia-smi topo -m`, or the links of `nvidia-smi nvlink -R`.
pub fn nvidia_smi(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::NvidiaSmi)
}

/// Checks the tables of `rocm-smi --showtopo`.
pub fn rocm_smi(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::RocmSmi)
}

/// Checks the tables or the JSON of `amd-smi topology`.
pub fn amd_smi(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::AmdSmi)
}

/// Checks an InfiniBand fabric.
pub fn ib_net_discover(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::IbNetDiscover)
}

/// Checks a `topology.conf` of Slurm.
pub fn slurm(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::Slurm)
}

/// Checks a network of ASTRA-sim.
pub fn astra_sim(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::AstraSim)
}

/// Checks a network of BookSim.
pub fn booksim(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::BookSim)
}

/// Checks a fat tree of htsim.
pub fn htsim_topo(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::Htsim)
}

/// Checks an edge list of Graph Golf.
pub fn graph_golf(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::GraphGolf)
}

/// Checks a graph file in GML.
pub fn gml(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::Gml)
}

/// Checks an edge list of networkx with data.
pub fn nx_edges(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::NxEdges)
}

/// Checks a matrix.
pub fn csv(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::Csv)
}

/// Checks a platform of SimGrid.
pub fn simgrid(bytes: &[u8]) -> bool {
    graph(bytes, GraphFormat::SimGrid)
}

/// Checks a spec string: the name of a generated network is its spec.
pub fn spec(bytes: &[u8]) -> bool {
    let Ok(spec) = str::from_utf8(bytes) else { return false };
    // Networks of legal size may take gigabytes. Small ones and those far too large show all rules.
    let numbers = || spec.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    // Specs inside specs multiply sizes.
    let small = if spec.matches(':').count() > 1 { 3 } else { 5 };
    let is_quick = |number: &str| number.parse().map_or(true, |number: u64| number <= small || number >= 100_000_000);
    if numbers().count() > 4 || !numbers().all(is_quick) {
        return false;
    }
    match spec.parse::<Topology>() {
        Ok(network) => {
            let again: Topology = network.name().parse().expect("the name of a generated network is its spec");
            assert_eq!(network, again);
            true
        }
        Err(error) => {
            is_one_line(&error);
            false
        }
    }
}

/// Checks a graph file. A network must survive each format that supports it.
fn graph(bytes: &[u8], format: GraphFormat) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let _ = GraphFormat::detect("", text);
    match read_graph(text, format, "fuzz") {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(network) => {
            if network.channel_count() <= MAX_CHANNELS {
                for format in GraphFormat::WRITTEN {
                    round_trip(&network, format);
                }
            }
            true
        }
    }
}

fn round_trip(network: &Topology, format: GraphFormat) {
    match write_graph(network, format) {
        Err(error) => is_one_line(&error),
        Ok(text) => {
            let again = read_graph(&text, format, "again").expect("a written network can be read");
            assert_eq!(essence(network), essence(&again), "{format}: {text}");
        }
    }
}

/// Returns what decides the validity of schedules, by names: nodes whose names are numbers may change their order.
fn essence(network: &Topology) -> impl PartialEq + std::fmt::Debug {
    let name = |node: NodeId| network.node_name(node).to_owned();
    let mut nodes: Vec<_> = network.nodes().map(|v| (name(v), network.is_terminal(v), network.routes(v))).collect();
    nodes.sort_unstable();
    let ends = |channel: ChannelId| (name(network.tail(channel)), name(network.head(channel)));
    let mut resources = vec![Vec::new(); network.resource_count()];
    for channel in network.channels() {
        resources[network.resource(channel).index()].push(ends(channel));
    }
    for channels in &mut resources {
        channels.sort_unstable();
    }
    resources.sort_unstable();
    (nodes, resources)
}
