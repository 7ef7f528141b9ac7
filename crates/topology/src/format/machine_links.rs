//! Links inside of machines with the bandwidths of their buses.

use super::attributes::{EdgeAttributes, EdgeDirection};
use super::parsed_graph::ParsedGraph;
use crate::channel_rates::greatest_common_divisor;
use crate::{MAX_CAPACITY, NodeId};

/// Bytes per second of 1 MB/s.
pub(super) const MB_PER_S: u64 = 1_000_000;

/// Bandwidths are rounded to multiples of 0.1 GB/s if they have no common unit.
const RESOLUTION: u64 = 100 * MB_PER_S;

/// The bandwidth that NCCL assumes inside of a node, in MB/s.
pub(super) const LOCAL: u64 = 5_000_000;

/// The maximum number of NUMA nodes, that of NCCL.
pub(super) const MAX_NUMA_NODES: usize = 576;

/// Links with bandwidths, before they are added to a graph.
#[derive(Default)]
pub(super) struct MachineLinks {
    links: Vec<(NodeId, NodeId, EdgeDirection, EdgeAttributes)>,
}

impl MachineLinks {
    /// Adds a link with its bandwidth in bytes per second.
    pub(super) fn push(
        &mut self,
        [from, to]: [NodeId; 2],
        direction: EdgeDirection,
        bandwidth: u64,
        latency_ps: Option<u64>,
    ) {
        let attributes = EdgeAttributes { bandwidth: Some(bandwidth), latency_ps, ..EdgeAttributes::default() };
        self.links.push((from, to, direction, attributes));
    }

    /// Adds all links to the graph. Rounds their bandwidths if they have no common unit otherwise, and no unit is given.
    pub(super) fn add_to(self, parsed: &mut ParsedGraph<'_>, has_unit: bool) {
        let bandwidths = || self.links.iter().filter_map(|(.., attributes)| attributes.bandwidth);
        let common = bandwidths().fold(0, greatest_common_divisor);
        let is_fine = bandwidths().any(|bandwidth| bandwidth / common.max(1) > MAX_CAPACITY);
        let is_rounded = is_fine && !has_unit;
        if is_rounded {
            parsed.assume("bandwidths are rounded to 0.1GB/s");
        }
        for (from, to, direction, mut attributes) in self.links {
            if is_rounded {
                let tenths = attributes.bandwidth.map(|bandwidth| (bandwidth + RESOLUTION / 2) / RESOLUTION);
                attributes.bandwidth = tenths.map(|tenths| tenths.max(1) * RESOLUTION);
            }
            parsed.add_edge(from, to, direction, attributes);
        }
    }
}

/// Returns the bandwidth between NUMA nodes in MB/s that NCCL assumes for a processor.
///
/// # Source
///
/// `src/graph/topo.cc` and `src/graph/topo.h` of github.com/NVIDIA/nccl.
pub(super) fn numa_bandwidth(architecture: &str, vendor: &str, family: u64, model: u64) -> u64 {
    match (architecture, vendor) {
        ("ppc64", _) => 32_000,
        ("arm64", _) => 6_000,
        ("x86_64", "GenuineIntel") => match model {
            0xcf.. if family == 6 => 40_000,
            0x8f.. if family == 6 => 22_000,
            0x55.. if family == 6 => 10_000,
            _ => 6_000,
        },
        ("x86_64", "AuthenticAMD") => 16_000,
        ("x86_64", "CentaurHauls" | "  Shanghai  ") => {
            if (family, model) == (7, 0x5b) {
                9_000
            } else {
                6_000
            }
        }
        _ => LOCAL,
    }
}
