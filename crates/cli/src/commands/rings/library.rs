//! Ring sets as files and variables of NCCL and RCCL, and what these libraries do with them.

use std::path::Path;

use anyhow::{Context, bail};
use lockstep::Topology;
use lockstep_rings::format::nccl_graph::{self, PathType};
use lockstep_rings::format::{
    Devices, GraphFacts, Tree, chains_of, check_one_host, nccl_graphs, nccl_rings, orders_of, rccl_trees,
};
use lockstep_rings::{RingFile, RingKind, RingLoad, RingSet};

use crate::args::RingFormat;
use crate::text::{counted, path_name};

/// A network with the numbers that libraries give to its terminals.
pub(in crate::commands) struct Libraries<'a> {
    pub(in crate::commands) topology: &'a Topology,
    pub(in crate::commands) devices: Devices,
    /// The bandwidth of a unit of capacity in bytes per second.
    pub(in crate::commands) unit: Option<u64>,
    /// Chains for the trees of a graph file, which replace those of the rings if they are better.
    pub(in crate::commands) chains: Option<(RingSet, RingLoad)>,
}

impl Libraries<'_> {
    /// Returns the text of a ring set in a format.
    pub(in crate::commands) fn write(
        &self,
        found: &(RingSet, RingLoad),
        format: RingFormat,
        path_type: Option<PathType>,
    ) -> anyhow::Result<String> {
        let (set, load) = found;
        if !matches!(format, RingFormat::Json | RingFormat::Text) {
            check_one_host(self.topology, set)?;
        }
        match format {
            RingFormat::Json => Ok(RingFile { topology: self.topology.clone(), set: set.clone() }.to_json()),
            RingFormat::NcclGraph => {
                let facts = GraphFacts { unit_bytes_per_second: speed_unit(self.unit)?, path_type };
                let graphs = nccl_graphs(self.topology, (set, load), self.chains.as_ref(), &self.devices, facts)?;
                Ok(nccl_graph::write(&graphs))
            }
            RingFormat::NcclRings if set.kind() == RingKind::Chain => {
                bail!("NCCL_RINGS needs rings, and this set has chains; search for rings, or write rccl-trees")
            }
            RingFormat::NcclRings => {
                Ok(format!("NCCL_RINGS=\"{}\"\n", nccl_rings::write(&orders_of(set, &self.devices))))
            }
            RingFormat::RcclTrees => {
                let trees: Vec<Tree> = match set.kind() {
                    RingKind::Chain => orders_of(set, &self.devices),
                    RingKind::Ring => orders_of(&chains_of(self.topology, set), &self.devices),
                }
                .iter()
                .map(Tree::of_chain)
                .collect();
                Ok(format!("RCCL_TREES=\"{}\"\n", rccl_trees::write(&trees)))
            }
            RingFormat::Text => Ok(names(self.topology, set).map(|names| names + "\n").collect()),
        }
    }
}

/// Returns the bandwidth of a unit of capacity, which a graph file needs.
pub(in crate::commands) fn speed_unit(unit: Option<u64>) -> anyhow::Result<u64> {
    unit.context(
        "a graph file has speeds, but the network has no bandwidths; give that of one unit of capacity, such as --unit 20GB/s",
    )
}

/// Returns the names of the terminals of each ring, in order.
pub(in crate::commands) fn names(topology: &Topology, set: &RingSet) -> impl Iterator<Item = String> {
    let name = |&node| topology.node_name(node);
    set.orders().map(move |order| order.iter().map(name).collect::<Vec<_>>().join(" "))
}

/// Returns the lines of the environment that make a library use a file or variable.
pub(in crate::commands) fn environment(format: RingFormat, text: &str, path: Option<&Path>) -> Vec<String> {
    match (format, path) {
        (RingFormat::NcclGraph, Some(path)) => vec![format!("NCCL_GRAPH_FILE={}", path_name(path))],
        (RingFormat::NcclRings | RingFormat::RcclTrees, _) => vec![text.trim_end().to_owned()],
        _ => Vec::new(),
    }
}

/// Returns what the library does with the rings, and what it does not check.
pub(in crate::commands) fn notes(format: RingFormat, rings: usize, terminals: usize) -> Vec<String> {
    let copies = format!("NCCL copies each ring: {} channels for {}", 2 * rings, counted(rings, "ring"));
    match format {
        RingFormat::Json | RingFormat::Text => Vec::new(),
        RingFormat::NcclGraph => vec![
            copies,
            format!(
                "communicators of fewer than {terminals} GPUs of the server fail; set NCCL_GRAPH_FILE only for programs whose \
                 communicators all have {terminals}"
            ),
            "NCCL does not check that the file is for this machine; compare them with lockstep judge FILE --network NETWORK"
                .to_owned(),
        ],
        RingFormat::NcclRings => vec![
            format!("RCCL skips rings without a message if a server has another number of GPUs than {terminals}"),
            "RCCL does not check that the rings are for this machine".to_owned(),
        ],
        RingFormat::RcclTrees => vec![
            "RCCL uses the trees for all-reduces, and searches rings for other collectives".to_owned(),
            "RCCL ignores NCCL_RINGS if RCCL_TREES is set".to_owned(),
        ],
    }
}
