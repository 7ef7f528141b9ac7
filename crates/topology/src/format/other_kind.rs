//! Files of known kinds that are not read as networks: what they are, and what to do.
//!
//! # Source
//!
//! `src/graph/xml.cc` of NCCL, topology.yaml(5) of Slurm, the README of floogen in github.com/pulp-platform/FlooNoC,
//! `tt_metal/fabric/MGD_README.md` of github.com/tenstorrent/tt-metal, the distributed launcher of MLX, `neuron-ls` of the AWS
//! Neuron SDK, `formatMatrixToJSON` in `python_smi_tools/rocm_smi.py` of `github.com/ROCm/rocm_smi_lib`, and the formats of
//! Matrix Market, DIMACS and Pajek.

use super::error::ReadError;
use super::{edge_list, xml};

/// The number of bytes at the beginning of a text that tell its kind.
const BEGINNING: usize = 4096;

/// The kind of a file, and the advice.
type Kind = (&'static str, &'static str);

const PROGRAM: &str = "lockstep judge compares it with the bound of a network, and writes its steps with -o steps.json";
const NCCL_GRAPH: Kind = (
    "a graph file of NCCL: the channels that NCCL chose (NCCL_GRAPH_DUMP_FILE)",
    "give the topology, which NCCL_TOPO_DUMP_FILE writes",
);
const MSCCL_XML: Kind = ("a program of MSCCL", PROGRAM);
const GEXF: Kind = ("a GEXF graph", "convert it to GraphML, for example with networkx (read_gexf and write_graphml)");
const MSCCLPP: Kind = ("a program of MSCCL++", PROGRAM);
const MSCCL_JSON: Kind = ("a program of msccl-tools", PROGRAM);
const NETQ: Kind = (
    "a topology of NVIDIA NetQ",
    "write an edge list: a line 'u v' per entry of compounded_links, and 'switches: ...'",
);
const JACCL: Kind = (
    "a list of hosts of JACCL (MLX)",
    "write an edge list: a line 'u v' per cable, or use complete:N or ring:N for N hosts",
);
const NEURON: Kind = (
    "a list of devices of neuron-ls",
    "write an edge list: a line 'u v' per pair of connected devices; 16 devices with 4 neighbors each are torus:4x4",
);
const ROCM_SMI_JSON: Kind = (
    "a topology of rocm-smi in JSON",
    "print the tables with rocm-smi --showtopo, without --json, or the JSON of amd-smi topology --json",
);
const MATRIX_MARKET: Kind =
    ("a MatrixMarket file", "in Python, Topology.from_matrix(scipy.io.mmread(FILE)) reads it, or write an edge list");
const SLURM_YAML: Kind =
    ("a topology.yaml of Slurm", "write its tree as topology.conf, a line 'SwitchName=s1 Nodes=n[1-8]' per switch");
const FLOONOC: Kind = ("a network of FlooNoC", "use a spec such as mesh:4x4, or write an edge list");
const TOPOGRAPH: Kind = (
    "a model of topograph",
    "write its tree as topology.conf of Slurm, a line 'SwitchName=s1 Nodes=n[1-8]' per switch",
);
const TENSTORRENT: Kind = (
    "a mesh graph descriptor of Tenstorrent",
    "use a spec of the same dimensions: mesh:4x8 for LINE, torus:4x8 for RING",
);
const CONNECTIONS: Kind = ("a connection matrix of htsim", "lockstep run executes it; the network is its .topo file");
const GOAL: Kind = ("a GOAL program", PROGRAM);
const DIMACS: Kind = ("a DIMACS graph", "remove the lines 'c' and 'p', and the first word of the others");
const PAJEK: Kind =
    ("a Pajek graph", "convert it to GraphML, for example with networkx (read_pajek and write_graphml)");
const GEM5: Kind = ("a Python program of gem5", "print an edge list in its function makeTopology");

/// Returns the error of a text that is a file of another kind. An edge list of [`write_graph`](super::write_graph) is none, whatever the
/// names of its nodes are.
pub(super) fn error(text: &str) -> Option<ReadError> {
    if edge_list::has_title(text) {
        return None;
    }
    let (kind, remedy) = kind(text)?;
    Some(ReadError::OtherKind { kind, remedy })
}

fn kind(text: &str) -> Option<Kind> {
    let text = &text[..text.floor_char_boundary(BEGINNING)];
    match text.trim_start().chars().next()? {
        '<' => of_xml(xml::first_element(text)?),
        '{' => of_object(text),
        '[' => of_list(text),
        _ => of_lines(text),
    }
}

fn of_xml(root: &str) -> Option<Kind> {
    match root {
        "graphs" => Some(NCCL_GRAPH),
        "algo" => Some(MSCCL_XML),
        "gexf" => Some(GEXF),
        _ => None,
    }
}

/// Returns true if a JSON text has this key.
fn has_key(text: &str, key: &str) -> bool {
    let quoted = format!("\"{key}\"");
    text.match_indices(&quoted).any(|(at, _)| text[at + quoted.len()..].trim_start().starts_with(':'))
}

/// Returns the first kind whose marks a text has.
fn first(marks: impl IntoIterator<Item = (bool, Kind)>) -> Option<Kind> {
    marks.into_iter().find(|(is_it, _)| *is_it).map(|(_, kind)| kind)
}

fn of_object(text: &str) -> Option<Kind> {
    if has_key(text, "format") || has_key(text, "nodes") {
        return None;
    }
    first([
        (has_key(text, "msccl_type"), MSCCL_JSON),
        (has_key(text, "gpus"), MSCCLPP),
        (text.contains("\"(Topology) "), ROCM_SMI_JSON),
    ])
}

fn of_list(text: &str) -> Option<Kind> {
    let is_matrix = text.replace(char::is_whitespace, "").starts_with("[[null,");
    first([
        (has_key(text, "compounded_links") || has_key(text, "compounded_nodes"), NETQ),
        (has_key(text, "rdma") || is_matrix, JACCL),
        (has_key(text, "neuron_device") || has_key(text, "connected_to"), NEURON),
    ])
}

/// Returns true if a line is `mesh_descriptors {` or `mesh_descriptors: {`.
fn opens_mesh(line: &str) -> bool {
    let rest = line.strip_prefix("mesh_descriptors").unwrap_or_default();
    rest.trim_start_matches([':', ' ']).starts_with('{')
}

fn of_lines(text: &str) -> Option<Kind> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let begins = |words: &str| lines().any(|line| line.starts_with(words));
    let title = lines().next()?;
    first([
        (title.starts_with("%%MatrixMarket"), MATRIX_MARKET),
        (lines().any(|line| line.starts_with('-') && line.contains("topology:")), SLURM_YAML),
        (begins("endpoints:") && (begins("routing:") || begins("routers:")), FLOONOC),
        (begins("switches:") && begins("blocks:"), TOPOGRAPH),
        (lines().any(opens_mesh), TENSTORRENT),
        (lines().any(|line| line.starts_with('|') && line.contains("| NEURON |")), NEURON),
        (title.starts_with("Nodes ") && begins("Connections "), CONNECTIONS),
        (title.starts_with("num_ranks "), GOAL),
        (["p edge ", "p col ", "p sp "].into_iter().any(begins) && begins("e "), DIMACS),
        (title.to_ascii_lowercase().starts_with("*vertices"), PAJEK),
        (begins("def makeTopology("), GEM5),
    ])
}
