//! Ring sets in the numbers of files, and graph files of ring sets.

use lockstep_topology::{ChannelId, Topology};

use super::devices::Devices;
use super::nccl_graph::{GraphId, MAX_CHANNELS, NcclGraph, NcclGraphs, PathType};
use super::order::Order;
use crate::chains::chains_of;
use crate::rational::Rational;
use crate::ring_set::{RingKind, RingSet};
use crate::verify::{RingLoad, RingViolation, verify};

/// The reason a ring set has no graph file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConversionError {
    /// Chains without rings.
    #[error("a graph file needs rings, and this set has chains; search for rings")]
    Chains,
    /// More rings than channels.
    #[error("{found} rings, but NCCL supports at most {MAX_CHANNELS} channels; search with fewer channels")]
    TooMany {
        /// The number of rings.
        found: usize,
    },
    /// Rings over several servers.
    #[error(
        "the rings visit several hosts, such as '{first}' and '{second}', and a file for a library describes one server; search for the rings of one server"
    )]
    SeveralHosts {
        /// A host.
        first: String,
        /// Another host.
        second: String,
    },
    /// Rings that cannot be cut open into chains.
    #[error("the rings are no chains in both directions, which the trees of NCCL need: {0}")]
    OneWay(RingViolation),
}

/// Returns the orders of a ring set by the numbers of the devices. Terminals without a number are left out.
pub fn orders_of(set: &RingSet, devices: &Devices) -> Vec<Order> {
    set.orders().map(|order| Order::inside(order.iter().filter_map(|&node| devices.number(node)))).collect()
}

/// What a graph file states besides rings.
#[derive(Clone, Copy, Debug)]
pub struct GraphFacts {
    /// The bandwidth of a unit of capacity in bytes per second.
    pub unit_bytes_per_second: u64,
    /// The worst path between GPUs; `None` for that of [`worst_path`].
    pub path_type: Option<PathType>,
}

/// Returns the graphs 0 and 1 of a set of rings with equal numbers of channels: the rings, and chains.
///
/// The chains are the given ones if their number is that of the rings, and they have more bandwidth than those of [`chains_of`]. The speed of a
/// ring is the bandwidth of the thinnest channel divided by the rings through it.
///
/// # Errors
///
/// [`ConversionError`].
pub fn nccl_graphs(
    topology: &Topology,
    (rings, load): (&RingSet, &RingLoad),
    found_chains: Option<&(RingSet, RingLoad)>,
    devices: &Devices,
    facts: GraphFacts,
) -> Result<NcclGraphs, ConversionError> {
    if rings.kind() == RingKind::Chain {
        return Err(ConversionError::Chains);
    }
    if rings.len() > MAX_CHANNELS {
        return Err(ConversionError::TooMany { found: rings.len() });
    }
    check_one_host(topology, rings)?;
    let cut = chains_of(topology, rings);
    let cut_load = verify(topology, &cut).map_err(ConversionError::OneWay)?;
    let found_chains =
        found_chains.filter(|(chains, _)| chains.kind() == RingKind::Chain && chains.len() == rings.len());
    let (chains, chain_load) = match found_chains {
        Some((chains, load)) if load.rho() < cut_load.rho() => (chains, load),
        _ => (&cut, &cut_load),
    };
    let of_names = || worst_path(topology, rings).max(worst_path(topology, chains));
    let type_intra = facts.path_type.unwrap_or_else(of_names);
    let graph = |id: GraphId, pattern: u8, set: &RingSet, load: &RingLoad| {
        let speed = gigabytes_per_second(load.rho(), facts.unit_bytes_per_second);
        let channels = orders_of(set, devices);
        NcclGraph {
            id,
            pattern,
            cross_nic: 0,
            speed_intra: speed,
            speed_inter: speed,
            latency_inter: 0.0,
            type_intra,
            type_inter: PathType::Pix,
            same_channels: channels.iter().all(|order| order == &channels[0]),
            channels,
        }
    };
    Ok(NcclGraphs { graphs: vec![graph(GraphId::Ring, 4, rings, load), graph(GraphId::Tree, 3, chains, chain_load)] })
}

/// Verifies that a ring set visits one server, as far as the network names hosts: the files of libraries describe one server.
///
/// # Errors
///
/// [`ConversionError::SeveralHosts`].
pub fn check_one_host(topology: &Topology, rings: &RingSet) -> Result<(), ConversionError> {
    let mut hosts = rings.terminals().iter().filter_map(|&node| topology.host(node));
    let Some(first) = hosts.next() else { return Ok(()) };
    match hosts.find(|&host| host != first) {
        None => Ok(()),
        Some(second) => {
            let [first, second] = [first, second].map(lockstep_files::one_line);
            Err(ConversionError::SeveralHosts { first, second })
        }
    }
}

/// Returns the share of a ring in the thinnest channel, rounded down to 0.001 GB/s, and at least that.
fn gigabytes_per_second(rho: Rational, unit_bytes_per_second: u64) -> f32 {
    let megabyte = 1_000_000;
    let share = rho.reciprocal().and_then(|share| share.checked_scale(unit_bytes_per_second.into(), megabyte));
    let megabytes = share.map_or(0, |share| share.floor_of(1)).max(1);
    (megabytes as f64 / 1000.0) as f32
}

/// Returns the worst path of the hops, by the names that the readers of topologies give to switches. A path through another switch
/// counts as the worst kind.
pub fn worst_path(topology: &Topology, set: &RingSet) -> PathType {
    let hops = (0..set.len()).flat_map(|ring| set.hops(ring));
    hops.map(|path| path_type(topology, path)).max().unwrap_or(PathType::Sys)
}

fn path_type(topology: &Topology, path: &[ChannelId]) -> PathType {
    let (mut processors, mut switches, mut worst) = (0, 0, PathType::Nvl);
    for &channel in path.iter().skip(1) {
        let node = topology.tail(channel);
        if topology.is_terminal(node) {
            worst = worst.max(PathType::Nvb);
            continue;
        }
        let name = topology.node_name(node);
        let name = name.rsplit_once('.').map_or(name, |(_, name)| name).to_ascii_lowercase();
        let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
        if begins(&["nvswitch"]) {
        } else if begins(&["pcie-tree"]) {
            worst = worst.max(PathType::Pxb);
        } else if begins(&["pci"]) {
            switches += 1;
        } else if begins(&["cpu", "host-bridge", "numa"]) {
            processors += 1;
        } else {
            worst = PathType::Sys;
        }
    }
    let by_switches = match (processors, switches) {
        (2.., _) => PathType::Sys,
        (1, _) => PathType::Phb,
        (_, 2..) => PathType::Pxb,
        (_, 1) => PathType::Pix,
        _ => PathType::Nvl,
    };
    worst.max(by_switches)
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{NodeId, TopologyBuilder};

    use super::*;
    use crate::format::nccl_graph;
    use crate::route::route_orders;

    /// Two processors with two GPUs each, at PCIe switches; links of 24, between processors of 16.
    fn server() -> Topology {
        let mut builder = TopologyBuilder::new("server");
        let gpus: Vec<NodeId> = (0..4).map(|gpu| builder.terminal(format!("gpu{gpu}"))).collect();
        let switches = ["pci-1", "pci-2"].map(|name| builder.switch(name));
        let cpus = ["cpu0", "cpu1"].map(|name| builder.switch(name));
        let mut join = |u, v, capacity| {
            let link = builder.link(u, v);
            builder.set_capacity(link, capacity);
        };
        for half in 0..2 {
            join(gpus[2 * half], switches[half], 24);
            join(gpus[2 * half + 1], switches[half], 24);
            join(switches[half], cpus[half], 24);
        }
        join(cpus[0], cpus[1], 16);
        builder.build().unwrap()
    }

    fn rings(topology: &Topology, orders: &[[u32; 4]]) -> RingSet {
        let devices = Devices::new(topology, topology.terminals());
        let orders: Vec<Vec<NodeId>> =
            orders.iter().map(|order| order.iter().map(|&gpu| devices.node(gpu).unwrap()).collect()).collect();
        route_orders(topology, RingKind::Ring, &orders, 0).unwrap()
    }

    #[test]
    fn a_graph_file_has_the_speeds_of_the_network() {
        let server = server();
        let devices = Devices::new(&server, server.terminals());
        let set = rings(&server, &[[0, 1, 2, 3], [0, 1, 2, 3]]);
        let load = verify(&server, &set).unwrap();
        let facts = GraphFacts { unit_bytes_per_second: 1_000_000_000, path_type: None };
        let graphs = nccl_graphs(&server, (&set, &load), None, &devices, facts).unwrap();
        // Both rings cross the link of 16 GB/s between the processors once in each direction. Both chains are cut there, and the
        // GPUs inside of a chain send twice over their links of 24 GB/s.
        let speeds: Vec<f32> = graphs.graphs.iter().map(|graph| graph.speed_intra).collect();
        assert_eq!(speeds, [8.0, 6.0]);
        assert!(graphs.graphs.iter().all(|graph| graph.type_intra == PathType::Sys && graph.same_channels));
        assert_eq!(graphs.graph(GraphId::Ring).unwrap().channels, vec![Order::inside([0, 1, 2, 3]); 2]);
        assert_eq!(graphs.graph(GraphId::Tree).unwrap().channels, vec![Order::inside([2, 3, 0, 1]); 2]);
        assert_eq!(nccl_graph::read(&nccl_graph::write(&graphs)), Ok((graphs, Vec::new())));
        let facts = GraphFacts { unit_bytes_per_second: 1_000_000_000 / 3, path_type: Some(PathType::Phb) };
        let slow = nccl_graphs(&server, (&set, &load), None, &devices, facts).unwrap();
        assert_eq!((slow.graphs[0].speed_intra, slow.graphs[0].type_intra), (2.666, PathType::Phb));
    }

    #[test]
    fn better_chains_replace_those_of_the_rings() {
        let complete: Topology = "complete:4".parse().unwrap();
        let devices = Devices::new(&complete, complete.terminals());
        let set = rings(&complete, &[[0, 1, 2, 3], [3, 2, 1, 0]]);
        let load = verify(&complete, &set).unwrap();
        let chains = |orders: &[[u32; 4]]| {
            let orders: Vec<Vec<NodeId>> = orders.iter().map(|order| order.map(NodeId::new).to_vec()).collect();
            let chains = route_orders(&complete, RingKind::Chain, &orders, 0).unwrap();
            let load = verify(&complete, &chains).unwrap();
            (chains, load)
        };
        let speeds = |chains: Option<&(RingSet, RingLoad)>| {
            let facts = GraphFacts { unit_bytes_per_second: 1_000_000_000, path_type: None };
            let graphs = nccl_graphs(&complete, (&set, &load), chains, &devices, facts).unwrap();
            graphs.graphs.iter().map(|graph| graph.speed_intra).collect::<Vec<f32>>()
        };
        assert_eq!(speeds(None), [1.0, 0.5]);
        assert_eq!(speeds(Some(&chains(&[[3, 1, 0, 2], [0, 3, 2, 1]]))), [1.0, 1.0]);
        // Another number of chains, and chains that are not better.
        assert_eq!(speeds(Some(&chains(&[[3, 1, 0, 2]]))), [1.0, 0.5]);
        assert_eq!(speeds(Some(&chains(&[[0, 1, 2, 3]; 2]))), [1.0, 0.5]);
    }

    #[test]
    fn paths_have_the_kinds_of_their_switches() {
        let server = server();
        let kind = |from: u32, to: u32| {
            let set = rings(&server, &[[0, 1, 2, 3]]);
            let nodes = [from, to].map(NodeId::new);
            let pair = route_orders(&server, RingKind::Chain, &[nodes.to_vec()], 0).unwrap();
            assert_eq!(worst_path(&server, &set), PathType::Sys);
            worst_path(&server, &pair)
        };
        assert_eq!(kind(0, 1), PathType::Pix);
        assert_eq!(kind(1, 2), PathType::Sys);
        let direct: Topology = "ring:4".parse().unwrap();
        assert_eq!(worst_path(&direct, &rings(&direct, &[[0, 1, 2, 3]])), PathType::Nvl);
        let mut unknown = TopologyBuilder::new("crossbar");
        let crossbar = unknown.switch("X");
        for gpu in 0..4 {
            let gpu = unknown.terminal(format!("gpu{gpu}"));
            unknown.link(gpu, crossbar);
        }
        let unknown = unknown.build().unwrap();
        assert_eq!(worst_path(&unknown, &rings(&unknown, &[[0, 1, 2, 3]])), PathType::Sys);
    }

    #[test]
    fn sets_without_a_graph_file_are_refused() {
        let convert = |topology: &Topology, set: &RingSet| {
            let load = verify(topology, set).unwrap();
            let devices = Devices::new(topology, topology.terminals());
            let facts = GraphFacts { unit_bytes_per_second: 1_000_000_000, path_type: None };
            nccl_graphs(topology, (set, &load), None, &devices, facts).unwrap_err()
        };
        let server = server();
        let many = rings(&server, &[[0, 1, 2, 3]; 65]);
        assert_eq!(convert(&server, &many), ConversionError::TooMany { found: 65 });
        let chains = chains_of(&server, &rings(&server, &[[0, 1, 2, 3]]));
        assert_eq!(convert(&server, &chains), ConversionError::Chains);
        let one_way: Topology = "circulant-digraph:4,1".parse().unwrap();
        let set = rings(&one_way, &[[0, 1, 2, 3]]);
        assert!(matches!(convert(&one_way, &set), ConversionError::OneWay(_)));
        let cluster: Topology = "dgx-a100:2".parse().unwrap();
        let (first, second) = cluster.terminals().split_at(8);
        let order: Vec<NodeId> = first.iter().chain(second.iter().rev()).copied().collect();
        let set = route_orders(&cluster, RingKind::Ring, &[order], 0).unwrap();
        assert!(matches!(convert(&cluster, &set), ConversionError::SeveralHosts { .. }));
    }
}
