//! Servers whose GPUs are linked directly: DGX-1, `NDv2` and MI250.

use super::definition::Family;
use crate::layout::at;
use crate::{NodeId, SpecError, Topology, TopologyBuilder};

const GB_PER_SECOND: u64 = 1_000_000_000;

pub(super) const DGX_1: Family = Family {
    name: "dgx-1",
    aliases: &["v100"],
    parameters: "",
    example: "dgx-1",
    about: "8 V100 GPUs in a hybrid cube mesh, links of 25 and 50GB/s",
    cayley: None,
    generate: |parameters| {
        parameters.none()?;
        servers("dgx-1".to_owned(), 1, &V100)
    },
};

pub(super) const NDV2: Family = Family {
    name: "ndv2",
    aliases: &[],
    parameters: "SERVERS",
    example: "ndv2:2",
    about: "SERVERS of 8 V100 GPUs as in DGX-1; each sends and receives 12.5GB/s over one GPU each",
    cayley: None,
    generate: |parameters| {
        let [count] = parameters.fields()?;
        let count: u32 = count.number()?;
        if count == 0 {
            return Err(NDV2.unsupported("number of servers", count, "1 or more", "ndv2:2").into());
        }
        servers(format!("ndv2:{count}"), count, &V100)
    },
};

pub(super) const MI250: Family = Family {
    name: "mi250",
    aliases: &[],
    parameters: "SERVERS",
    example: "mi250:2",
    about: "SERVERS of 16 MI250 dies, links of 50, 100 and 200GB/s; 16GB/s per die between servers",
    cayley: None,
    generate: |parameters| {
        let [count] = parameters.fields()?;
        let count: u32 = count.number()?;
        if count == 0 {
            return Err(MI250.unsupported("number of servers", count, "1 or more", "mi250:2").into());
        }
        servers(format!("mi250:{count}"), count, &MI250_SERVER)
    },
};

/// A server whose GPUs are linked directly.
struct Server {
    gpus: u32,
    /// Two GPUs, and the bandwidth of the link between them in units.
    links: &'static [(u32, u32, u64)],
    /// Bandwidth of one unit, in GB/s.
    unit: u64,
    latency_ps: u64,
    /// How GPUs reach other servers.
    network: Interconnect,
}

/// How GPUs reach other servers, each with its bandwidth in bytes per second and its latency in picoseconds.
enum Interconnect {
    /// GPU 0 sends, GPU 1 receives. Two servers are joined by two channels, more by a switch.
    OneEach { bandwidth: u64, latency_ps: u64 },
    /// Every GPU has a link to one switch.
    All { bandwidth: u64 },
}

/// The hybrid cube mesh of eight V100 GPUs, with the network of an Azure `NDv2` server.
///
/// # Source
///
/// NVIDIA, *DGX-1 with Tesla V100 system architecture*, WP-08437-002 (2017); the network, and the latencies 0.7 and 1.3 us:
/// Liu et al., *Rethinking machine learning collective communication as a multi-commodity flow problem* (TE-CCL), SIGCOMM
/// (2024), and its program.
const V100: Server = Server {
    gpus: 8,
    links: &[
        (0, 1, 1),
        (0, 2, 1),
        (0, 3, 2),
        (0, 4, 2),
        (1, 2, 2),
        (1, 3, 1),
        (1, 5, 2),
        (2, 3, 2),
        (2, 6, 1),
        (3, 7, 1),
        (4, 5, 1),
        (4, 6, 1),
        (4, 7, 2),
        (5, 6, 2),
        (5, 7, 1),
        (6, 7, 2),
    ],
    unit: 25,
    latency_ps: 700_000,
    network: Interconnect::OneEach { bandwidth: GB_PER_SECOND * 25 / 2, latency_ps: 1_300_000 },
};

/// Eight MI250 accelerators of two dies each. Dies `2i` and `2i + 1` share an accelerator.
///
/// # Source
///
/// AMD, *CDNA 2 architecture* (2021), for the links; Zhao et al., *`ForestColl`*, arXiv 2402.06787, for the server and
/// its network.
const MI250_SERVER: Server = Server {
    gpus: 16,
    links: &[
        (0, 1, 4),
        (0, 4, 2),
        (0, 8, 1),
        (1, 5, 1),
        (1, 9, 1),
        (1, 10, 1),
        (2, 3, 4),
        (2, 6, 1),
        (2, 9, 1),
        (2, 10, 1),
        (3, 7, 2),
        (3, 11, 1),
        (4, 5, 4),
        (4, 6, 1),
        (5, 6, 1),
        (5, 7, 1),
        (6, 7, 4),
        (8, 9, 4),
        (8, 12, 2),
        (9, 13, 1),
        (10, 11, 4),
        (10, 14, 1),
        (11, 15, 2),
        (12, 13, 4),
        (12, 14, 1),
        (13, 14, 1),
        (13, 15, 1),
        (14, 15, 4),
    ],
    unit: 50,
    latency_ps: 0,
    network: Interconnect::All { bandwidth: 16 * GB_PER_SECOND },
};

/// Generates a number of servers, named `g<server>_<place>`, or `0`, `1`, … if there is one.
fn servers(name: String, count: u32, server: &Server) -> Result<Topology, SpecError> {
    let all = u64::from(count) * u64::from(server.gpus);
    let channels = u64::from(count) * 2 * (server.links.len() as u64 + u64::from(server.gpus));
    let mut network = TopologyBuilder::sized(name, all + 1, channels)?;
    for gpu in 0..all as u32 {
        let (host, place) = (gpu / server.gpus, gpu % server.gpus);
        let node = network.terminal(if count == 1 { place.to_string() } else { format!("g{host}_{place}") });
        network.set_host(node, format!("server{host}"));
    }
    let gpu = |host: u32, place: u32| NodeId::new(host * server.gpus + place);
    for host in 0..count {
        for &(u, v, units) in server.links {
            let link = network.link(gpu(host, u), gpu(host, v));
            network.set_bandwidth(link, units * server.unit * GB_PER_SECOND);
            network.set_latency(link, server.latency_ps);
        }
    }
    // Rows of four GPUs; the servers side by side, the switch above them.
    let place = |node: u32| {
        let (host, place) = (node / server.gpus, node % server.gpus);
        let (column, row) = (f64::from(place % 4), f64::from(place / 4));
        at(f64::from(host) * 5.5 + column + 0.2 * row, 1.4 * row + 0.3 * column)
    };
    let mut positions: Vec<[f64; 2]> = (0..all as u32).map(place).collect();
    match server.network {
        _ if count == 1 => {}
        Interconnect::OneEach { bandwidth, latency_ps } if count == 2 => {
            for (from, to) in [(gpu(0, 0), gpu(1, 1)), (gpu(1, 0), gpu(0, 1))] {
                let channel = network.channel(from, to);
                network.set_bandwidth([channel], bandwidth);
                network.set_latency([channel], latency_ps);
            }
        }
        Interconnect::OneEach { bandwidth, latency_ps } => {
            let switch = network.switch("S");
            for host in 0..count {
                let channels = [network.channel(gpu(host, 0), switch), network.channel(switch, gpu(host, 1))];
                network.set_bandwidth(channels, bandwidth);
                network.set_latency([channels[0]], latency_ps);
            }
        }
        Interconnect::All { bandwidth } => {
            let switch = network.switch("S");
            for node in 0..all as u32 {
                let link = network.link(NodeId::new(node), switch);
                network.set_bandwidth(link, bandwidth);
            }
        }
    }
    if positions.len() < network.node_count() {
        positions.push(at(f64::from(count) * 2.75 - 1.0, -3.0));
    }
    network.positions(positions);
    Ok(network.build()?)
}
