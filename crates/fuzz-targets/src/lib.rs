//! The functions of the fuzz targets: one per reader of files or spec strings.
//!
//! A reader must return a value or an error for any input, and a value that was read must survive writing and reading
//! again. Each function checks this for one input and panics otherwise. `fuzz/fuzz_targets` calls the functions with
//! random inputs, and the test of this package with the inputs of `fuzz/corpus`.
//!
//! ```
//! let dot = lockstep_fuzz_targets::TARGETS.iter().find(|target| target.name == "dot").unwrap();
//! assert!((dot.run)(b"graph { a -- b }"));
//! assert!(!(dot.run)(b"graph {"));
//! ```

#![allow(clippy::missing_panics_doc, reason = "a panic is how a target reports a defect")]

mod book;
mod checkpoint;
mod error_check;
mod execute;
mod front;
mod graph;
mod measure;
mod messages;
mod path_cache;
mod plan;
mod programs;
mod rings;
mod schedule;

pub use book::book;
pub use checkpoint::{checkpoint, design_checkpoint, island_checkpoint, plan_checkpoint};
pub use execute::{chakra, csv_program, goal, goal_binary, htsim, msccl_json, msccl_xml, mscclpp_json, te_ccl};
pub use front::front_json;
pub use graph::{
    amd_smi, astra_sim, booksim, csv, dot, edge_list, gml, graph_golf, graphml, htsim_topo, hwloc, ib_net_discover,
    nccl_topo, node_link, nvidia_smi, nx_edges, rocm_smi, simgrid, slurm, spec, topology_json,
};
pub use measure::{
    measured_csv, mpi_graph, nccl_tests, nvbandwidth, osu, p2p_bandwidth_latency, perftest, transfer_bench,
};
pub use messages::messages_jsonl;
pub use path_cache::path_cache;
pub use plan::{lower_bound, plan_binary, plan_json};
pub use programs::programs_json;
pub use rings::{nccl_graph, nccl_log, rccl_environment, rings_json};
pub use schedule::{schedule_binary, schedule_json, symmetric_binary, symmetric_json};

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of the target: its file in `fuzz/fuzz_targets`, and the folder of its corpus.
    pub name: &'static str,
    /// Checks one input. Returns true if the reader accepted it.
    pub run: fn(&[u8]) -> bool,
}

/// All targets, by name.
pub const TARGETS: [Target; 58] = [
    Target { name: "amd_smi", run: amd_smi },
    Target { name: "astra_sim", run: astra_sim },
    Target { name: "book", run: book },
    Target { name: "booksim", run: booksim },
    Target { name: "chakra", run: chakra },
    Target { name: "checkpoint", run: checkpoint },
    Target { name: "csv", run: csv },
    Target { name: "csv_program", run: csv_program },
    Target { name: "design_checkpoint", run: design_checkpoint },
    Target { name: "dot", run: dot },
    Target { name: "edge_list", run: edge_list },
    Target { name: "front_json", run: front_json },
    Target { name: "gml", run: gml },
    Target { name: "goal", run: goal },
    Target { name: "goal_binary", run: goal_binary },
    Target { name: "graph_golf", run: graph_golf },
    Target { name: "graphml", run: graphml },
    Target { name: "htsim", run: htsim },
    Target { name: "htsim_topo", run: htsim_topo },
    Target { name: "hwloc", run: hwloc },
    Target { name: "ib_net_discover", run: ib_net_discover },
    Target { name: "island_checkpoint", run: island_checkpoint },
    Target { name: "lower_bound", run: lower_bound },
    Target { name: "measured_csv", run: measured_csv },
    Target { name: "messages_jsonl", run: messages_jsonl },
    Target { name: "mpi_graph", run: mpi_graph },
    Target { name: "msccl_json", run: msccl_json },
    Target { name: "msccl_xml", run: msccl_xml },
    Target { name: "mscclpp_json", run: mscclpp_json },
    Target { name: "nccl_graph", run: nccl_graph },
    Target { name: "nccl_log", run: nccl_log },
    Target { name: "nccl_tests", run: nccl_tests },
    Target { name: "nccl_topo", run: nccl_topo },
    Target { name: "node_link", run: node_link },
    Target { name: "nvbandwidth", run: nvbandwidth },
    Target { name: "nvidia_smi", run: nvidia_smi },
    Target { name: "nx_edges", run: nx_edges },
    Target { name: "osu", run: osu },
    Target { name: "p2p_bandwidth_latency", run: p2p_bandwidth_latency },
    Target { name: "path_cache", run: path_cache },
    Target { name: "perftest", run: perftest },
    Target { name: "plan_binary", run: plan_binary },
    Target { name: "plan_checkpoint", run: plan_checkpoint },
    Target { name: "plan_json", run: plan_json },
    Target { name: "programs_json", run: programs_json },
    Target { name: "rccl_environment", run: rccl_environment },
    Target { name: "rings_json", run: rings_json },
    Target { name: "rocm_smi", run: rocm_smi },
    Target { name: "schedule_binary", run: schedule_binary },
    Target { name: "schedule_json", run: schedule_json },
    Target { name: "simgrid", run: simgrid },
    Target { name: "slurm", run: slurm },
    Target { name: "spec", run: spec },
    Target { name: "symmetric_binary", run: symmetric_binary },
    Target { name: "symmetric_json", run: symmetric_json },
    Target { name: "te_ccl", run: te_ccl },
    Target { name: "topology_json", run: topology_json },
    Target { name: "transfer_bench", run: transfer_bench },
];
