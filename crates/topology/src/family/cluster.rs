//! Clusters of servers: GPUs on a switch inside each server, and rails between the servers.

use super::definition::{Family, NamedParameters};
use super::error::FamilyError;
use crate::layout::at;
use crate::quantity::Quantity;
use crate::{NodeId, SpecError, Topology, TopologyBuilder};

const GB_PER_SECOND: u64 = 1_000_000_000;

pub(super) const CLUSTER: Family = Family {
    name: "cluster",
    aliases: &[],
    parameters: "nodes=NODES,gpus=GPUS,nvlink=BANDWIDTH,rails=RAILS,nic=BANDWIDTH",
    example: "cluster:nodes=4,gpus=8,nvlink=300GB/s,rails=8,nic=50GB/s",
    about: "servers of GPUS on a switch, RAILS between the servers; also nvlink-latency=TIME, nic-latency=TIME",
    cayley: None,
    generate: |parameters| {
        let named = parameters.named(&["nodes", "gpus", "nvlink", "rails", "nic", "nvlink-latency", "nic-latency"])?;
        Ok(cluster(&ServerCluster::of_parameters(&named)?)?)
    },
};

pub(super) const DGX_A100: Family = Family {
    name: "dgx-a100",
    aliases: &["a100"],
    parameters: "SERVERS",
    example: "dgx-a100:2",
    about: "SERVERS of 8 A100 GPUs: NVSwitch with 300GB/s per GPU, 8 rails of 25GB/s",
    cayley: None,
    generate: |parameters| {
        let [servers] = parameters.fields()?;
        dgx(&DGX_A100, servers.number()?, [300, 25])
    },
};

pub(super) const DGX_H100: Family = Family {
    name: "dgx-h100",
    aliases: &["h100"],
    parameters: "SERVERS",
    example: "dgx-h100:2",
    about: "SERVERS of 8 H100 GPUs: NVSwitch with 450GB/s per GPU, 8 rails of 50GB/s",
    cayley: None,
    generate: |parameters| {
        let [servers] = parameters.fields()?;
        dgx(&DGX_H100, servers.number()?, [450, 50])
    },
};

pub(super) const NVL72: Family = Family {
    name: "nvl72",
    aliases: &[],
    parameters: "",
    example: "nvl72",
    about: "72 Blackwell GPUs on NVLink switches with 900GB/s per GPU",
    cayley: None,
    generate: |parameters| {
        parameters.none()?;
        let one = ServerCluster { gpus: 72, nvlink: 900 * GB_PER_SECOND, ..ServerCluster::default() };
        Ok(cluster(&one)?.renamed("nvl72"))
    },
};

/// The parameters of a [`cluster`]. Bandwidths are in bytes per second and direction, latencies in picoseconds.
///
/// ```
/// use lockstep_topology::ServerCluster;
///
/// let one_server = ServerCluster::default();
/// assert_eq!((one_server.nodes, one_server.gpus, one_server.rails), (1, 8, 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ServerCluster {
    /// Number of servers.
    pub nodes: u32,
    /// Number of GPUs of each server.
    pub gpus: u32,
    /// Bandwidth of the link between a GPU and the switch of its server.
    pub nvlink: u64,
    /// Number of switches between the servers: a divisor or a multiple of the number of GPUs.
    pub rails: u32,
    /// Bandwidth of each link between a GPU and a rail.
    pub nic: u64,
    /// Latency of each link of a server.
    pub nvlink_latency_ps: u64,
    /// Latency of each link to a rail.
    pub nic_latency_ps: u64,
}

impl Default for ServerCluster {
    /// One server of 8 GPUs with 300 GB/s each, and 8 rails of 25 GB/s for more servers.
    fn default() -> Self {
        let (nvlink, nic) = (300 * GB_PER_SECOND, 25 * GB_PER_SECOND);
        Self { nodes: 1, gpus: 8, nvlink, rails: 8, nic, nvlink_latency_ps: 0, nic_latency_ps: 0 }
    }
}

impl ServerCluster {
    fn of_parameters(named: &NamedParameters<'_>) -> Result<Self, SpecError> {
        let (nodes, gpus): (u32, u32) = (named.number("nodes")?, named.number("gpus")?);
        let (nvlink, nic) =
            (named.quantity("nvlink", Quantity::Bandwidth)?, named.quantity("nic", Quantity::Bandwidth)?);
        Ok(Self {
            nodes,
            gpus,
            nvlink,
            rails: named.number("rails")?,
            nic,
            nvlink_latency_ps: named.optional_quantity("nvlink-latency", Quantity::Time)?.unwrap_or(0),
            nic_latency_ps: named.optional_quantity("nic-latency", Quantity::Time)?.unwrap_or(0),
        })
    }

    fn spec(&self) -> String {
        let [nvlink, nic] = [self.nvlink, self.nic].map(|bandwidth| Quantity::Bandwidth.format(bandwidth));
        let Self { nodes, gpus, rails, .. } = self;
        let latency = |name: &str, latency: u64| match latency {
            0 => String::new(),
            latency => format!(",{name}={}", Quantity::Time.format(latency)),
        };
        let latencies =
            latency("nvlink-latency", self.nvlink_latency_ps) + &latency("nic-latency", self.nic_latency_ps);
        format!("cluster:nodes={nodes},gpus={gpus},nvlink={nvlink},rails={rails},nic={nic}{latencies}")
    }
}

/// Generates a cluster of servers. In each server, every GPU has a link to one switch. With two servers or more, GPU `b` of
/// each server also has a link to rail `b mod rails`, or, if there are more rails than GPUs, to `rails / gpus` rails.
///
/// - Nodes: the GPUs `g<server>_<place>`, which are the terminals, the switches `V<server>`, then the rails `R<rail>`. GPUs
///   and switches of a server have the host `server<server>`.
/// - Channels: `2 * nodes * gpus` in the servers, then `2 * nodes * max(gpus, rails)` to the rails, link by link.
/// - Two GPUs are at most 4 channels apart if terminals forward messages.
///
/// ```
/// use lockstep_topology::{ServerCluster, cluster};
///
/// let mut servers = ServerCluster::default();
/// servers.nodes = 4;
/// let network = cluster(&servers)?;
/// assert_eq!((network.terminal_count(), network.switch_count(), network.channel_count()), (32, 12, 128));
/// assert_eq!(network.capacity(network.channels().next().unwrap()), 12);
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for no server, GPU or rail, or if neither of the numbers of GPUs and rails divides the other;
/// [`FamilyError::Topology`] if the network is too large, or bandwidths or latencies are out of range.
///
/// # Source
///
/// NVIDIA, *DGX `SuperPOD`: reference architecture* (2023), for rails. Zhao et al., *`ForestColl`*, arXiv 2402.06787, for the
/// model of a server as GPUs around one switch.
pub fn cluster(parameters: &ServerCluster) -> Result<Topology, FamilyError> {
    let ServerCluster { nodes, gpus, rails, .. } = *parameters;
    let instead = || ServerCluster { nodes: nodes.max(1), gpus: gpus.max(1), rails: gpus.max(1), ..*parameters }.spec();
    for (parameter, value) in [("number of servers", nodes), ("number of GPUs", gpus), ("number of rails", rails)] {
        if value == 0 {
            return Err(CLUSTER.unsupported(parameter, value, "1 or more", instead()));
        }
    }
    if !rails.is_multiple_of(gpus) && !gpus.is_multiple_of(rails) {
        let needs = format!("a divisor or a multiple of the {gpus} GPUs of a server");
        return Err(CLUSTER.unsupported("number of rails", rails, needs, instead()));
    }
    let rails_used = if nodes == 1 { 0 } else { rails };
    let all_gpus = u64::from(nodes) * u64::from(gpus);
    let rail_links = if nodes == 1 { 0 } else { u64::from(nodes) * u64::from(gpus.max(rails)) };
    let mut network = TopologyBuilder::sized(
        parameters.spec(),
        all_gpus.saturating_add(u64::from(nodes)).saturating_add(rails_used.into()),
        all_gpus.saturating_add(rail_links).saturating_mul(2),
    )?;

    let all_gpus = all_gpus as u32;
    let host = |server: u32| format!("server{server}");
    for gpu in 0..all_gpus {
        let terminal = network.terminal(format!("g{}_{}", gpu / gpus, gpu % gpus));
        network.set_host(terminal, host(gpu / gpus));
    }
    for server in 0..nodes {
        let switch = network.switch(format!("V{server}"));
        network.set_host(switch, host(server));
    }
    for rail in 0..rails_used {
        network.switch(format!("R{rail}"));
    }
    for gpu in 0..all_gpus {
        let link = network.link(NodeId::new(gpu), NodeId::new(all_gpus + gpu / gpus));
        network.set_bandwidth(link, parameters.nvlink);
        network.set_latency(link, parameters.nvlink_latency_ps);
    }
    if nodes > 1 {
        let per_gpu = (rails / gpus).max(1);
        for (gpu, port) in (0..all_gpus).flat_map(|gpu| (0..per_gpu).map(move |port| (gpu, port))) {
            let rail = (gpu % gpus * per_gpu + port) % rails;
            let link = network.link(NodeId::new(gpu), NodeId::new(all_gpus + nodes + rail));
            network.set_bandwidth(link, parameters.nic);
            network.set_latency(link, parameters.nic_latency_ps);
        }
    }

    // Rails on top, then one row of GPUs, with the switch of each server below them.
    let pitch = f64::from(gpus + 1);
    let centre = |server: u32| f64::from(server) * pitch + f64::from(gpus - 1) / 2.0;
    let width = pitch * f64::from(nodes);
    let gpus_at = (0..all_gpus).map(|gpu| at(f64::from(gpu / gpus) * pitch + f64::from(gpu % gpus), 0.0));
    let switches_at = (0..nodes).map(|server| at(centre(server), 1.5));
    let rails_at = (0..rails_used)
        .map(|rail| at((f64::from(rail) + 0.5) * (width / f64::from(rails)).max(1.0) - 0.5, -0.25 * width));
    network.positions(gpus_at.chain(switches_at).chain(rails_at));
    Ok(network.build()?)
}

/// Generates servers of 8 GPUs with these bandwidths, in GB/s, of a GPU to the switch of its server and to its rail.
fn dgx(family: &Family, servers: u32, [nvlink, nic]: [u64; 2]) -> Result<Topology, SpecError> {
    if servers == 0 {
        let instead = format!("{}:1", family.name);
        return Err(family.unsupported("number of servers", servers, "1 or more", instead).into());
    }
    let parameters = ServerCluster {
        nodes: servers,
        nvlink: nvlink * GB_PER_SECOND,
        nic: nic * GB_PER_SECOND,
        ..ServerCluster::default()
    };
    Ok(cluster(&parameters)?.renamed(format!("{}:{servers}", family.name)))
}
